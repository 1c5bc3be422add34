"""What a character of direct mode was witness to, in its own words: `I found fresh chalk on the floor`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from theact_tui.models.storyteller.direct_people import People, introduced, uncalled
from theact_tui.models.storyteller.direct_prose import as_if_own, in_the_past, is_aside, retold_prompt
from theact_tui.models.storyteller.find import content_words, sentences
from theact_tui.models.storyteller.plain import capital
from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.views import ActorView

LONGEST = 18
"""Words; what takes more is not brought up again."""

LONGEST_TOLD = 32
"""Words of a sentence that is told when it is asked for."""


@dataclass(frozen=True, slots=True)
class Happened:
    """One thing that was told before."""

    text: str
    """A clause in the past, without its full stop."""
    words: frozenset[str]
    """Its stems."""


def happened(view: ActorView) -> list[Happened]:
    """What the game master told in the last prompts, oldest first."""
    people = People.of(view.cast.names.values(), view.recent, view.memory.lock)
    return [found for exchange in view.recent for found in _of(exchange, view, people)]


def common_knowledge(view: ActorView) -> list[str]:
    """What everybody was told of world and chapter, in single sentences without their full stop."""
    lock, own = view.memory.lock, view.name
    told = [
        *(lock.get("chapter", {}).get(key, []) for key in ("environment", "active_threats", "chapter_goals")),
        *(
            lock.get("world", {}).get(key, [])
            for key in ("rules_of_reality", "factions_or_powers", "key_lore")
        ),
    ]
    return [
        capital(re.sub(r"^What [\w ]{1,20}: ", "", line).rstrip("."))
        for line in (sentence for texts in told for text in texts for sentence in sentences(text))
        if 3 <= len(line.split()) <= LONGEST_TOLD and own not in line and line.endswith(".")
    ]


def _of(exchange: Exchange, view: ActorView, people: People) -> list[Happened]:
    if exchange.prompt is None:
        return []
    slots = [reply.agent_slot for reply in exchange.replies if reply.agent_slot in view.cast.names]
    made = []
    for line in sentences(exchange.prompt.text):
        if line.endswith("?") or is_aside(line) or re.search(r"[\"“:]", line):
            continue
        if view.slot in slots:
            told = in_the_past(as_if_own(uncalled(line, [view.name])))
        else:
            told = " ".join(retold_prompt(line, view.cast.names[slots[0] or 0] if slots else "", people))
        text = introduced(told.rstrip(".!… "), people.names, known=True)
        if 3 <= len(text.split()) <= LONGEST and not re.match(
            r"(?:And|But|Then|It|This|That|She|He|They)\b", text
        ):
            made.append(Happened(text, content_words(text)))
    return made
