"""The offline storyteller's notes in direct mode: the lock made of Setup, deltas and folded notes.

Every note is a sentence as it was written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from theact_tui.story.direct.blocks import delta_payload
from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.views import DeltaView, FoldView, LockView, Payload
from theact_tui.story.matching import plain
from theact_tui.story.speech import split_sentences
from theact_tui.storyteller.direct_prose import is_aside
from theact_tui.storyteller.language import ended, mentions
from theact_tui.storyteller.stock import direct_stock

MANY = 8
"""Items of a list."""
_LONG = 160
_LABEL = re.compile(
    r"^(?:[-*•#]+\s*)?(name|age|role|looks?|appearance|goal|wants?|fears?|voice|secrets?|taboos?|limits?|genre|type|tone"
    r"|location|place|time|year)\s*:\s*(.*)$",
    re.I,
)
"""A line such as `Tone: wry`, or the beginning of a part such as `Secret: ...`."""
_ONE_LINE = re.compile(r"(?:genre|type|tone|location|place|time|year)\s*:", re.I)
_ITEM = re.compile(r"[-*•#]\s")
_PLACE = re.compile(
    r"\b(?:in|at|on|aboard|inside|beneath|under|outside)\s+(the\s+[A-Za-z' -]{3,40}?)"
    r"(?=[,.;:!?]|\s+(?:and|where|when|while|with|as|that|is|are|was|at|in|on|to)\b|$)",
    re.I,
)
_OPENS_AT = re.compile(r"^(?:(?:in|at|on|aboard) )?(the [A-Za-z' -]{3,60}),", re.I)
"""The place, where a text begins with one: `The bell tower of Saint Aldous, late in autumn`."""
_TONE_IS = re.compile(r"\btone (?:is|should be|stays)\s+([^.;!?]+)", re.I)
_TIME = re.compile(
    r"\b((?:(?:at|before|after|just before|shortly after|since|in|late in|early in)\s+)?(?:"
    r"dawn|dusk|midnight|noon|nightfall|sunset|sunrise|late (?:summer|autumn|winter|spring)"
    r"|(?:the )?(?:morning|evening|night|winter|summer|autumn|spring)(?: of \d{3,4})?|1[0-9]{3}|20[0-9]{2}))\b",
    re.I,
)
_TRIES = re.compile(r"\bI\b(?![^.]*\b(?:say|ask|answer|add)\b)")

Part = dict[str, str | list[str]]
"""World or chapter of a lock."""


# --- lock -----------------------------------------------------------------------------------------------------------


def lock(view: LockView) -> str:
    """The raw reply of agent 0: the sentences of both texts, each sorted under one key."""
    text, stock = f"{view.world}\n{view.chapter}", direct_stock()
    labels = (_LABEL.match(part) for part in _parts_of(text))
    said = {label[1].casefold(): label[2].strip() for label in labels if label}
    assumptions: list[str] = []
    tone = said.get("tone") or _first(_TONE_IS, view.world, view.chapter) or _named(stock.tones, text)
    if not tone:
        tone = "dark" if _any_of(stock.bleak).search(text) else "even, neither dark nor light"
        assumptions.append(f"The tone is not named; it was taken as {tone}.")
    world: Part = {
        "genre": said.get("genre") or said.get("type") or _named(stock.genres, text),
        "tone": tone,
        "themes": [theme for theme in stock.themes if re.search(rf"\b{theme}\b", text, re.I)][:5],
    }
    place = said.get("location") or said.get("place") or _first(_OPENS_AT, view.chapter.strip())
    chapter: Part = {
        "location": place or _first(_PLACE, view.chapter, view.world),
        "time": said.get("time") or said.get("year") or _first(_TIME, view.chapter, view.world),
    }
    made = {"world": world, "chapter": chapter}
    _sort(made, view)
    empty = [part for part in ("world", "chapter") if not getattr(view, part).strip()]
    assumptions += [f"Nothing is written about the {part}." for part in empty]
    return json.dumps({**made, "canon_locks": [], "assumptions": assumptions}, ensure_ascii=False)


def _named(words: Iterable[str], text: str) -> str:
    return ", ".join([word for word in words if re.search(rf"\b{re.escape(word)}\b", text, re.I)][:2])


def _first(pattern: re.Pattern[str], *texts: str) -> str:
    match = next((found for text in texts if (found := pattern.search(text))), None)
    return match[1].strip() if match else ""


def _sort(made: Mapping[str, Part], view: LockView) -> None:
    """Put every sentence under the one key it fits best; what both texts say belongs to the world."""
    seen: set[str] = set()
    for part, text in (("world", view.world), ("chapter", view.chapter)):
        for line in _lines_of(text):
            if plain(line) in seen or _TONE_IS.search(line):
                continue
            seen.add(plain(line))
            sorts = direct_stock().sorts
            fitting = ((where, key) for where, key, cues in sorts if _any_of(cues).search(line))
            where, key = next(fitting, (part, ""))
            if line.endswith("?"):
                where, key = "chapter", "open_mysteries"
            elif not key and part == "chapter" and not made["chapter"].get("premise"):
                made["chapter"]["premise"] = _short(line)
                continue
            held = made[where].setdefault(key or ("key_lore" if part == "world" else "environment"), [])
            if isinstance(held, list) and len(held) < MANY:
                held.append(_short(line))


# --- deltas ---------------------------------------------------------------------------------------------------------


def note(view: DeltaView) -> str:
    """The raw reply of agent 8: what is new in the pages."""
    known = {plain(text) for text in _texts([*view.memory.told, *view.found, view.memory.lock])}
    prompts = [exchange.prompt.text for exchange in view.exchanges if exchange.prompt]
    places = [match for text in prompts for match in _PLACE.finditer(text)]
    where = [
        place[1] for place in places if not re.match("on|under", place[0], re.I)
    ]  # no place: what lies there
    made: Payload = {
        "location_updates": {"where": where[-1] if where else "", "notable_environment_changes": []}
    }
    for exchange in view.exchanges:
        if exchange.prompt:
            _note_prompt(made, exchange.prompt.text, exchange, view, known)
        for reply in exchange.replies:
            if name := view.cast.agent_names.get(reply.agent_slot or 0):
                _note_reply(made, reply.text, reply.agent_slot, name)
    return _limited(made, slice(MANY))


def _note_prompt(made: Payload, text: str, exchange: Exchange, view: DeltaView, known: set[str]) -> None:
    """The game master's sentences are fact: an event, and more where the words say so."""
    names, stock = view.cast.agent_names, direct_stock()
    answered = [names[r.agent_slot] for r in exchange.replies if r.agent_slot in names]
    told = [line for line in _lines_of(text) if not is_aside(line)]
    facts = [_short(line) for line in told if not line.endswith("?") and plain(_short(line)) not in known]
    if facts:
        people = list(dict.fromkeys([*(name for name in names.values() if mentions(text, name)), *answered]))
        event = {"event": facts[0], "cause": "", "effect": " ".join(facts[1:3]), "participants": people}
        _add(made, "major_events", event)
    for line in facts:
        if _any_of(stock.found).search(line):
            found = {"thing": line, "who_found": ", ".join(answered), "why_it_matters": ""}
            _add(made, "items_clues_discovered", found)
        if _any_of(stock.changed).search(line):
            _add(made, "state_changes", {"key": "scene", "before": "", "after": line, "notes": ""})
    for line in told:
        if line.endswith("?") and not re.search(r"\byou\b", line, re.I):
            _add(made, "unresolved_threads", {"thread": line, "stakes": "", "next_likely_trigger": ""})


def _note_reply(made: Payload, text: str, slot: int | None, name: str) -> None:
    """What an actor says it does is an attempt, in its own words; what it asks stays open."""
    lines = split_sentences(text)
    if tried := next((line for line in lines if _TRIES.search(line)), ""):
        did = f"{name}: {_short(tried)}"
        action = {"agent_slot": slot, "name": name, "did": did, "intent": "", "result": "attempted"}
        _add(made, "character_actions", action)
    if asked := next((line for line in lines if "?" in line), ""):
        _add(made, "contradictions_or_questions", f"{name} asks: {_short(asked)}")


def _add(made: Payload, key: str, item: object) -> None:
    held = made.setdefault(key, [])
    if item not in held:
        held.append(item)


def _limited(made: Payload, part: slice) -> str:
    """A payload with this part of each of its lists."""
    limited = {key: value[part] if isinstance(value, list) else value for key, value in made.items()}
    return json.dumps(limited, ensure_ascii=False)


def _texts(payloads: Iterable[object]) -> Iterable[str]:
    """Every text in some payloads."""
    for payload in payloads:
        match payload:
            case str():
                yield payload
            case Mapping():
                yield from _texts(payload.values())
            case list() | tuple():
                yield from _texts(payload)


def fold(view: FoldView) -> str:
    """The raw reply of agent 8 to older notes: all of them as one, the newest of each kind."""
    joined = delta_payload(view.cast, view.deltas, 0, 0)
    del joined["range"]
    return _limited(joined, slice(-2 * MANY, None))


# --- sentences ------------------------------------------------------------------------------------------------------


@lru_cache
def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for any of the phrases; a star stands for the rest of a word."""
    made = "|".join(re.escape(phrase).replace(r"\*", r"\w*") for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{made})(?!\w)", re.I)


def _lines_of(text: str) -> list[str]:
    """Sentences of a text, however its lines are broken, without labelled parts."""
    parts = [part for part in _parts_of(text) if not _LABEL.match(part)]
    return [ended(line) for part in parts for line in split_sentences(part) if len(line.split()) > 1]


def _parts_of(text: str) -> list[str]:
    """Paragraphs, list items and labelled parts of a text, each on one line."""
    made: list[str] = []
    goes_on = False
    for line in map(str.strip, text.splitlines()):
        if not line:
            goes_on = False
        elif goes_on and not _ITEM.match(line) and not _LABEL.match(line):
            made[-1] += f" {line}"
        else:
            made.append(line.lstrip("-*•# "))
            goes_on = not _ONE_LINE.match(made[-1])
    return made


def _short(line: str) -> str:
    return line if len(line) <= _LONG else line[: line.rfind(" ", 0, _LONG)].rstrip(" ,;:") + "…"
