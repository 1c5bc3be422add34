"""The offline storyteller's chapter in direct mode: the log joined into scenes, in the words in which it was played."""

from __future__ import annotations

import re
from collections.abc import Mapping

from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.views import ChapterView
from theact_tui.storyteller.language import capital, ended, flat, paragraphs, sentences

_MECHANICS = re.compile(
    r"\b(?:roll(?:s|ed)? (?:a|for|the|\d)|d(?:4|6|8|10|12|20|100)\b|DC ?\d+|hit points?|initiative"
    r"|saving throw|skill check|XP|your turn|prompt|agent (?:red|orange|yellow|green|blue|indigo|violet))\b",
    re.I,
)
_PUSH = re.compile(r"(?:go on|carry on|continue|next|and now|what now|your move)\W*", re.I)
_TO_THE_TABLE = re.compile(r"\bwhat (?:do|will|would|are) you (?:do|say|going|doing|try)\b", re.I)
_LATER = re.compile(
    r"(?:later|meanwhile|the next (?:morning|day|night)|next (?:morning|day)|an hour|hours|that (?:night|evening)|at last"
    r"|at (?:dawn|dusk|midnight|noon)|when (?:you|they|it|the)|after)\b",
    re.I,
)
"""How a prompt begins that begins a scene."""
BREAK = "* * *"
SCENE = 4
"""Exchanges after which a scene may end anyhow."""


def write(view: ChapterView) -> str:
    """The raw reply of agent 9 for one part: every exchange in order, what each actor says under the actor's name."""
    told: list[str] = [] if view.so_far else _opening(view)
    length = 0
    for exchange in view.exchanges:
        parts = _told(exchange, view)
        if not parts:
            continue
        begins = exchange.prompt is not None and _LATER.match(exchange.prompt.text.strip())
        if length and (begins or length >= SCENE):
            told.append(BREAK)
            length = 0
        told += parts
        length += 1
    return "\n\n".join(told) or "Nothing has happened yet."


def _opening(view: ChapterView) -> list[str]:
    """Where and when it begins, in the words of Setup."""
    chapter: Mapping[str, object] = view.memory.lock.get("chapter", {})
    place, time, premise = (str(chapter.get(key) or "").strip() for key in ("location", "time", "premise"))
    parts = [part for part in (place, time) if part and flat(part) not in flat(premise)]
    around = chapter.get("environment")
    lines = [str(line) for line in around if not str(line).endswith("…")] if isinstance(around, list) else []
    told = [capital(ended(part)) for part in (*parts, premise, *lines[:3]) if part]
    return [" ".join(told)] if told else []


def _told(exchange: Exchange, view: ChapterView) -> list[str]:
    """One exchange: what was told, then what each actor made of it."""
    made = without_asides(exchange.prompt.text) if exchange.prompt else []
    for reply in exchange.replies:
        name = view.cast.names.get(reply.agent_slot or 0, "")
        parts = without_asides(reply.text)
        if name and parts:
            made += [f"{name}: {parts[0]}", *parts[1:]]
    return made


def without_asides(text: str) -> list[str]:
    """The paragraphs of a text without what belongs to the table: dice, rules, a push to a player."""
    kept = (" ".join(line for line in sentences(part) if not is_aside(line)) for part in paragraphs(text))
    return [part for part in kept if part]


def is_aside(line: str) -> bool:
    """True for a sentence that belongs to the table."""
    return bool(_MECHANICS.search(line) or _PUSH.fullmatch(line) or _TO_THE_TABLE.search(line))
