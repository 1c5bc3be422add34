"""The offline storyteller's lock in direct mode (D7): each sentence of Setup sorted by its words and stored once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from theact_tui.models.storyteller.direct_words import LABEL, MANY, PLACE, any_of, lines_of, parts_of, short
from theact_tui.models.storyteller.find import flat
from theact_tui.story.direct.views import LockView

_GENRES = (
    "science fiction", "space opera", "cyberpunk", "steampunk", "fantasy", "noir", "horror", "western", "mystery",
    "gothic", "thriller", "romance", "fairy tale", "ghost story", "post-apocalyptic", "historical", "comedy", "adventure",
)  # fmt: skip
_TONES = (
    "grim", "hopeful", "tense", "dark", "light-hearted", "melancholic", "eerie", "bleak", "warm", "whimsical",
    "gritty", "solemn", "dreamlike", "wry", "gentle", "brooding", "playful", "quiet",
)  # fmt: skip
_THEMES = (
    "loyalty", "betrayal", "grief", "revenge", "freedom", "faith", "family", "memory", "power", "greed", "survival",
    "love", "duty", "guilt", "justice", "identity", "trust", "exile", "hope", "truth",
)  # fmt: skip


_BLEAK = any_of(
    "dead, death, blood, war, drown*, dark, fear, ruin*, grave, lost, burn*, cold, plague, murder*"
)
_SORTS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    (
        "world",
        "safety_or_boundaries",
        any_of("no gore, avoid, keep it, off screen, rated, do not show, no explicit"),
    ),
    (
        "chapter",
        "open_mysteries",
        any_of("why, nobody knows, no one knows, mystery, missing, vanished, unknown, unexplained"),
    ),
    (
        "chapter",
        "active_threats",
        any_of(
            "threat*, danger*, enemy, enemies, hunt*, attack*, storm, flooding, flooded, poison*, armed, rising,"
            "closing in, too late"
        ),
    ),
    (
        "chapter",
        "chapter_goals",
        any_of(
            "must, need to, has to, have to, goal, find out, get to, reach, escape, save, rescue, deliver"
        ),
    ),
    (
        "world",
        "rules_of_reality",
        any_of(
            "never, always, cannot, can't, no one may, nobody may, may be, may not, only, every, magic, law"
        ),
    ),
    (
        "world",
        "factions_or_powers",
        any_of(
            "guild, order, crown, council, house of, company, empire, church, cult, clan, king, queen, syndicate, army,"
            "navy, government, gang"
        ),
    ),
)
"""Where a sentence belongs, the first that fits."""
_TONE_IS = re.compile(r"\btone (?:is|should be|stays)\s+([^.;!?]+)", re.I)
_TIME = re.compile(
    r"\b(?:(?:at|before|after|just before|shortly after|since|in|late in|early in)\s+)?(?:"
    r"dawn|dusk|midnight|noon|nightfall|sunset|sunrise|late (?:summer|autumn|winter|spring)"
    r"|(?:the )?(?:morning|evening|night|winter|summer|autumn|spring)(?: of \d{3,4})?|1[0-9]{3}|20[0-9]{2})\b",
    re.I,
)


def lock(view: LockView) -> str:
    """The raw reply of agent 0: the sentences of both texts, each sorted under one key."""
    said = _labelled(f"{view.world}\n{view.chapter}")
    text = f"{view.world}\n{view.chapter}"
    made: dict[str, Any] = {"world": {}, "chapter": {}, "canon_locks": [], "assumptions": []}
    made["world"]["genre"] = said.get("genre") or said.get("type") or _named(_GENRES, text)
    made["world"]["tone"] = (
        said.get("tone") or _first(_TONE_IS, view.world, view.chapter) or _named(_TONES, text)
    )
    made["world"]["themes"] = [theme for theme in _THEMES if re.search(rf"\b{theme}\b", text, re.I)][:5]
    made["chapter"]["location"] = (
        said.get("location")
        or said.get("place")
        or _opens_at(view.chapter)
        or _first(PLACE, view.chapter, view.world)
    )
    made["chapter"]["time"] = (
        said.get("time") or said.get("year") or _first(_TIME, view.chapter, view.world, whole=True)
    )
    _sort(made, view)
    if not made["world"]["tone"]:
        tone = "dark" if _BLEAK.search(text) else "even, neither dark nor light"
        made["world"]["tone"] = tone
        made["assumptions"].append(f"The tone is not named; it was taken as {tone}.")
    made["assumptions"] += [
        f"Nothing is written about the {part}."
        for part in ("world", "chapter")
        if not getattr(view, part).strip()
    ]
    return json.dumps(made, ensure_ascii=False)


def _labelled(text: str) -> dict[str, str]:
    """Parts such as `Tone: grim`."""
    found = (LABEL.match(part) for part in parts_of(text))
    return {match[1].casefold(): match[2].strip() for match in found if match}


def _opens_at(text: str) -> str:
    """The place, where a text begins with one: `The bell tower of Saint Aldous, late in autumn`."""
    found = re.match(r"(?:(?:in|at|on|aboard) )?(the [A-Za-z' -]{3,60}),", text.strip(), re.I)
    return found[1] if found else ""


def _named(words: Iterable[str], text: str) -> str:
    return ", ".join([word for word in words if re.search(rf"\b{re.escape(word)}\b", text, re.I)][:2])


def _first(pattern: re.Pattern[str], *texts: str, whole: bool = False) -> str:
    match = next((found for text in texts if (found := pattern.search(text))), None)
    return match[0 if whole else 1].strip() if match else ""


def _sort(made: dict[str, Any], view: LockView) -> None:
    """Put every sentence under the one key it fits best; what both texts say belongs to the world."""
    seen: set[str] = set()
    for part, text in (("world", view.world), ("chapter", view.chapter)):
        for line in lines_of(text):
            if flat(line) in seen or _TONE_IS.search(line):
                continue
            seen.add(flat(line))
            where, key = _belongs(line) or (part, _rest(made, part))
            held = made[where]
            if key == "premise":
                held[key] = short(line)
            elif len(held.setdefault(key, [])) < MANY:
                held[key].append(short(line))


def _belongs(line: str) -> tuple[str, str] | None:
    """Part and key that the words of a sentence speak for."""
    if line.endswith("?"):
        return "chapter", "open_mysteries"
    return next(((part, key) for part, key, words in _SORTS if words.search(line)), None)


def _rest(made: Mapping[str, Any], part: str) -> str:
    """Where a sentence of no special kind belongs."""
    if part == "world":
        return "key_lore"
    return "environment" if made["chapter"].get("premise") else "premise"
