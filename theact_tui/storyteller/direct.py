"""Offline agents of direct mode: lock, actors, notes and chapter."""

import json
import random
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from theact_tui.sentences import sentences
from theact_tui.story.direct.blocks import delta_payload
from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.views import ActorView, ChapterView, DeltaView, FoldView, LockView, Payload
from theact_tui.story.matching import plain, stems
from theact_tui.story.speech import addressed_to
from theact_tui.storyteller.book import Told
from theact_tui.storyteller.language import ended, flat_paragraphs, hits, mentions
from theact_tui.storyteller.player_input import is_order, is_question
from theact_tui.storyteller.stock import direct_stock
from theact_tui.text import capital

_MAX_ITEMS = 8
_LONG = 160
_LABEL = re.compile(
    r"^(?:[-*•#]+\s*)?(name|age|role|looks?|appearance|goal|wants?|fears?|voice|secrets?|taboos?|limits?|genre|type|tone"
    r"|location|place|time|year)\s*:\s*(.*)$",
    re.I,
)
"""`Tone: wry`, or the start of a part such as `Secret: ...`."""
_ONE_LINE = re.compile(r"(?:genre|type|tone|location|place|time|year)\s*:", re.I)
_ITEM = re.compile(r"[-*•#]\s")
_PLACE = re.compile(
    r"\b(?:in|at|on|aboard|inside|beneath|under|outside)\s+(the\s+[A-Za-z' -]{3,40}?)"
    r"(?=[,.;:!?]|\s+(?:and|where|when|while|with|as|that|is|are|was|at|in|on|to)\b|$)",
    re.I,
)
_OPENS_AT = re.compile(r"^(?:(?:in|at|on|aboard) )?(the [A-Za-z' -]{3,60}),", re.I)
"""Leading place: `The bell tower of Saint Aldous, late in autumn`."""
_TONE_IS = re.compile(r"\btone (?:is|should be|stays)\s+([^.;!?]+)", re.I)
_TIME = re.compile(
    r"\b((?:(?:at|before|after|just before|shortly after|since|in|late in|early in)\s+)?(?:"
    r"dawn|dusk|midnight|noon|nightfall|sunset|sunrise|late (?:summer|autumn|winter|spring)"
    r"|(?:the )?(?:morning|evening|night|winter|summer|autumn|spring)(?: of \d{3,4})?|1[0-9]{3}|20[0-9]{2}))\b",
    re.I,
)
_TRIES = re.compile(r"\bI\b(?![^.]*\b(?:say|ask|answer|add)\b)")

Part = dict[str, str | list[str]]


# --- lock -----------------------------------------------------------------------------------------------------------


def lock_reply(view: LockView) -> str:
    """Raw reply of agent 0: sentences of both texts, each under one key."""
    text, stock = f"{view.world}\n{view.chapter}", direct_stock()
    labels = (_LABEL.match(part) for part in _parts_of(text))
    values = {label[1].casefold(): label[2].strip() for label in labels if label}
    assumptions: list[str] = []
    tone = values.get("tone") or _first(_TONE_IS, view.world, view.chapter) or _named(stock.tones, text)
    if not tone:
        tone = "dark" if _any_of(stock.bleak).search(text) else "even, neither dark nor light"
        assumptions.append(f"The tone is not named; it was taken as {tone}.")
    world: Part = {
        "genre": values.get("genre") or values.get("type") or _named(stock.genres, text),
        "tone": tone,
        "themes": [theme for theme in stock.themes if re.search(rf"\b{theme}\b", text, re.I)][:5],
    }
    place = values.get("location") or values.get("place") or _first(_OPENS_AT, view.chapter.strip())
    chapter: Part = {
        "location": place or _first(_PLACE, view.chapter, view.world),
        "time": values.get("time") or values.get("year") or _first(_TIME, view.chapter, view.world),
    }
    parts = {"world": world, "chapter": chapter}
    _sort(parts, view)
    empty = [part for part in ("world", "chapter") if not getattr(view, part).strip()]
    assumptions += [f"Nothing is written about the {part}." for part in empty]
    return json.dumps({**parts, "canon_locks": [], "assumptions": assumptions}, ensure_ascii=False)


def _named(words: Iterable[str], text: str) -> str:
    return ", ".join([word for word in words if re.search(rf"\b{re.escape(word)}\b", text, re.I)][:2])


def _first(pattern: re.Pattern[str], *texts: str) -> str:
    match = next((hit for text in texts if (hit := pattern.search(text))), None)
    return match[1].strip() if match else ""


def _sort(parts: Mapping[str, Part], view: LockView) -> None:
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
            elif not key and part == "chapter" and not parts["chapter"].get("premise"):
                parts["chapter"]["premise"] = _short(line)
                continue
            held = parts[where].setdefault(key or ("key_lore" if part == "world" else "environment"), [])
            if isinstance(held, list) and len(held) < _MAX_ITEMS:
                held.append(_short(line))


# --- deltas ---------------------------------------------------------------------------------------------------------


def note(view: DeltaView) -> str:
    """Raw reply of agent 8: news of the pages."""
    noted = {plain(text) for text in _texts([*view.memory.in_order, *view.found, view.memory.lock])}
    location: dict[str, object] = {"where": "", "notable_environment_changes": []}
    payload: Payload = {"location_updates": location}
    for exchange in view.exchanges:
        if exchange.prompt:
            _note_prompt(payload, exchange.prompt.text, exchange, view, noted)
            for place in _PLACE.finditer(exchange.prompt.text):
                if not re.match("on|under", place[0], re.I):  # no place: what lies there
                    location["where"] = place[1]
        for reply in exchange.replies:
            if name := view.cast.agent_names.get(reply.agent_slot or 0):
                _note_reply(payload, reply.text, reply.agent_slot, name)
    if payload.keys() == {"location_updates"} and not location["where"]:
        _note_anything(payload, view)
    return _limited(payload, slice(_MAX_ITEMS))


def _note_anything(payload: Payload, view: DeltaView) -> None:
    """Note the first words of the pages where nothing else is worth a note: an empty form is refused."""
    texts = (event.text for exchange in view.exchanges for event in exchange.events)
    if said := next((line for text in texts for line in sentences(text)), ""):
        _add(payload, "major_events", {"event": _short(said), "cause": "", "effect": "", "participants": []})


def _note_prompt(payload: Payload, text: str, exchange: Exchange, view: DeltaView, noted: set[str]) -> None:
    names, stock = view.cast.agent_names, direct_stock()
    answered = [names[r.agent_slot] for r in exchange.replies if r.agent_slot in names]
    events = [
        line
        for line in _lines_of(text)
        if not (is_order(line, tuple(names.values())) or _MECHANICS.search(line))
    ]
    facts = [_short(line) for line in events if not line.endswith("?") and plain(_short(line)) not in noted]
    if facts:
        people = list(dict.fromkeys([*(name for name in names.values() if mentions(text, name)), *answered]))
        event = {"event": facts[0], "cause": "", "effect": " ".join(facts[1:3]), "participants": people}
        _add(payload, "major_events", event)
    for line in facts:
        if _any_of(stock.found).search(line):
            discovery = {"thing": line, "who_found": ", ".join(answered), "why_it_matters": ""}
            _add(payload, "items_clues_discovered", discovery)
        if _any_of(stock.changed).search(line):
            _add(payload, "state_changes", {"key": "scene", "before": "", "after": line, "notes": ""})
    for line in events:
        if line.endswith("?") and not re.search(r"\byou\b", line, re.I):
            _add(payload, "unresolved_threads", {"thread": line, "stakes": "", "next_likely_trigger": ""})


def _note_reply(payload: Payload, text: str, slot: int | None, name: str) -> None:
    lines = sentences(text)
    if tried := next((line for line in lines if _TRIES.search(line)), ""):
        did = _short(tried)
        action = {"agent_slot": slot, "name": name, "did": did, "intent": "", "result": "attempted"}
        _add(payload, "character_actions", action)
    if asked := next((line for line in lines if "?" in line), ""):
        _add(payload, "contradictions_or_questions", f"{name} asks: {_short(asked)}")


def _add(payload: Payload, key: str, item: object) -> None:
    held = payload.setdefault(key, [])
    if item not in held:
        held.append(item)


def _limited(payload: Payload, part: slice) -> str:
    limited = {key: value[part] if isinstance(value, list) else value for key, value in payload.items()}
    return json.dumps(limited, ensure_ascii=False)


def _texts(payloads: Iterable[object]) -> Iterable[str]:
    for payload in payloads:
        match payload:
            case str():
                yield payload
            case Mapping():
                yield from _texts(payload.values())
            case list() | tuple():
                yield from _texts(payload)


def fold_reply(view: FoldView) -> str:
    """Raw reply of agent 8: older notes as one, the newest of each kind."""
    joined = delta_payload(view.cast, view.deltas, 0, 0)
    del joined["range"]
    return _limited(joined, slice(-2 * _MAX_ITEMS, None))


# --- sentences ------------------------------------------------------------------------------------------------------


@lru_cache
def _any_of(phrases: tuple[str, ...]) -> re.Pattern[str]:
    pattern = "|".join(re.escape(phrase).replace(r"\*", r"\w*") for phrase in phrases)
    return re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.I)


def _lines_of(text: str) -> list[str]:
    parts = [part for part in _parts_of(text) if not _LABEL.match(part)]
    return [ended(line) for part in parts for line in sentences(part) if len(line.split()) > 1]


def _parts_of(text: str) -> list[str]:
    parts: list[str] = []
    goes_on = False
    for line in map(str.strip, text.splitlines()):
        if not line:
            goes_on = False
        elif goes_on and not _ITEM.match(line) and not _LABEL.match(line):
            parts[-1] += f" {line}"
        else:
            parts.append(line.lstrip("-*•# "))
            goes_on = not _ONE_LINE.match(parts[-1])
    return parts


def _short(line: str) -> str:
    return line if len(line) <= _LONG else line[: line.rfind(" ", 0, _LONG)].rstrip(" ,;:") + "…"


# --- actors and chapter ---------------------------------------------------------------------------------------------

_SECRET = re.compile(r"\bsecret(?:ly)?\b", re.I)
_ADDRESSED = re.compile(r"\byou(?:r|rs|'\w+)?\b", re.I)
_MAX_OWN_WORDS = 30
"""Longest first-person sentence of an identity that may be spoken."""
_MECHANICS = re.compile(
    r"\b(?:roll(?:s|ed)? (?:a|for|the|\d)|d(?:4|6|8|10|12|20|100)\b|DC ?\d+|hit points?|initiative"
    r"|saving throw|skill check|XP|your (?:turn|move)|prompt|agent (?:red|orange|yellow|green|blue|indigo|violet))\b",
    re.I,
)
_LATER = re.compile(
    r"(?:later|meanwhile|the next (?:morning|day|night)|next (?:morning|day)|an hour|hours|that (?:night|evening)|at last"
    r"|at (?:dawn|dusk|midnight|noon)|when (?:you|they|it|the)|after)\b",
    re.I,
)
"""Beginnings of prompts that open a scene."""
BREAK = "* * *"
_EXCHANGES_PER_SCENE = 4


def act(view: ActorView) -> str:
    """An actor's reply: attempts and speech, never an outcome. Unused lines come by fit, another take gives the next."""
    recent = (reply.text for exchange in view.recent for reply in exchange.replies)
    history, stock = Told(view.said or recent), direct_stock()
    dice = random.Random(f"{view.cast.session_id}/{view.index}/{view.slot}/{view.take}")
    actor = stock.actors.get(view.name)
    is_example = actor and actor.knows in " ".join(view.identity.split())
    asked = any(map(is_question, sentences(view.prompt)))
    if actor and is_example:
        scored = sorted(actor.parts, key=lambda part: -hits(part.cues, view.prompt))
        fitting = [line for part in scored if hits(part.cues, view.prompt) for line in part.lines]
        addressed = asked and _ADDRESSED.search(view.prompt)
        lines = [*fitting, *(actor.asked if addressed else ()), *actor.any]
    else:
        lines = list(stock.plain["asked" if asked else _mood(view.prompt)])
        dice.shuffle(lines)
        lines += stock.plain["any"]
    fresh = [line for line in lines if line not in history] or sorted(lines, key=history.since)[-1:]
    reply = fresh[(view.take - 1) % len(fresh)]
    own = [] if is_example else [line for line in _own_words(view.identity) if line not in history]
    near = [line for line in own if stems(line) & stems(view.prompt)]
    own = near or (own if view.index % 4 == 1 else [])
    return f"{reply}\n\n“{dice.choice(own)}”" if own else reply


def _mood(prompt: str) -> str:
    scores = {mood: hits(cues, prompt) for mood, cues in direct_stock().moods.items()}
    best = max(scores, key=lambda mood: scores[mood] + (1 if mood == "danger" else 0))
    return best if scores[best] else "any"


def _own_words(identity: str) -> Iterable[str]:
    """First-person sentences of an identity, except in paragraphs about a secret."""
    open_parts = (part for part in re.split(r"\n\s*\n", identity) if not _SECRET.search(part))
    for line in (line for part in open_parts for line in sentences(part)):
        if re.match(r"I\b|My\b", line) and len(line.split()) <= _MAX_OWN_WORDS:
            yield line


def chapter_reply(view: ChapterView) -> str:
    """Raw reply of agent 9 for one part: every exchange in order, each speaker's name in a line of its own."""
    paragraphs: list[str] = [] if view.so_far else _opening(view)
    length, speaker = 0, ""
    for exchange in view.exchanges:
        scene = narration_of(exchange.prompt.text, view.cast.agent_names.values()) if exchange.prompt else []
        begins = exchange.prompt is not None and _LATER.match(exchange.prompt.text.strip())
        if length and (begins or length >= _EXCHANGES_PER_SCENE):
            paragraphs.append(BREAK)
            length, speaker = 0, ""
        paragraphs += scene
        speaker = "" if scene else speaker
        for reply in exchange.replies:
            name = view.cast.agent_names.get(reply.agent_slot or 0, "")
            words = [addressed_to(part)[1] for part in flat_paragraphs(reply.text)]
            if not (name and words):
                continue
            paragraphs += words if name == speaker else [name, *words]
            speaker = name
        length += 1
    return "\n\n".join(paragraphs) or "Nothing has happened yet."


def _opening(view: ChapterView) -> list[str]:
    chapter: Mapping[str, object] = view.memory.lock.get("chapter", {})
    place, time, premise = (str(chapter.get(key) or "").strip() for key in ("location", "time", "premise"))
    parts = [part for part in (place, time) if part and plain(part) not in plain(premise)]
    around = chapter.get("environment")
    lines = [str(line) for line in around if not str(line).endswith("…")] if isinstance(around, list) else []
    sentences = [capital(ended(part)) for part in (*parts, premise, *lines[:3]) if part]
    return [" ".join(sentences)] if sentences else []


def narration_of(text: str, names: Iterable[str]) -> list[str]:
    """Return a prompt without questions, orders to a character, and talk of dice and rules."""
    people = tuple(names)
    paragraphs = (
        " ".join(
            line
            for line in sentences(addressed_to(part)[1])
            if not (is_question(line) or is_order(line, people) or _MECHANICS.search(line))
        )
        for part in flat_paragraphs(text)
    )
    return [part for part in paragraphs if part]
