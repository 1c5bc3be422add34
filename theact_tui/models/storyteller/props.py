"""Things that players reach for and this world may not have: the story does not pretend that they are there."""

from __future__ import annotations

import re

from theact_tui.models.storyteller.book import Book
from theact_tui.models.storyteller.stock import LACKING
from theact_tui.models.storyteller.words import Action

THINGS = frozenset(
    """lever switch phone smartphone mobile cellphone telephone computer laptop tablet internet gun pistol rifle shotgun
    revolver grenade bomb dynamite car truck motorbike motorcycle helicopter spaceship rocket drone robot laser chainsaw
    flashlight torch chest treasure gold coin dragon unicorn wizard witch zombie vampire monster ghost alien spell wand
    potion scroll shield bow arrow dagger spear crossbow armour armor map key television tv camera credit pizza beer
    whisky whiskey cake sandwich coffee cigarette elevator trapdoor lockpick cave dungeon castle temple carving mural
    painting statue crystal lens amulet ring mirror piano guitar safe vault ladder horse boat raft canoe parachute
    airplane tank cannon catapult telescope binoculars matches lighter petrol gasoline chain saw shovel spade pickaxe
    crowbar screwdriver wrench mainframe magic superpower""".split()
)
"""Nouns in the singular; any other thing is taken to be there."""
_NOUN = re.compile(
    r"\b(?P<article>the|your|an?|some|my|that|this)\s+(?P<before>(?:[a-z-]+\s+){0,2}?)(?P<noun>"
    + "|".join(sorted(THINGS, key=len, reverse=True))
    + r")(?P<several>e?s)?\b"
)
_NOT_NEEDED = re.compile(
    r"\b(?:draw|write|imagine|dream|remember|think|sing|look for|search for|wish|build|make|craft|carve|invent)\b"
)
"""What is done without the thing's being there."""


def lacking(book: Book, action: Action, chapter: str) -> str:
    """A sentence in place of the deed when it needs a thing that is not there; empty when nothing is known to lack."""
    if (
        chapter not in book.pages
        or action.kind in ("talk", "wait")
        or '"' in action.act
        or _NOT_NEEDED.search(action.act)
    ):
        return ""
    known = book.words_by(chapter)
    for found in _NOUN.finditer(action.act):
        noun = found["noun"] + (found["several"] or "")
        if {found["noun"], noun, found["noun"] + "s"} & known:
            continue
        several = bool(found["several"]) or noun in ("binoculars", "matches")
        article = {"your": "your", "my": "your", "the": "the", "that": "the", "this": "the"}.get(
            found["article"], "a"
        )
        text = LACKING[article + "+" * several].format(thing=found["before"] + noun)
        return re.sub(r"\ba (?=[aeiou])", "an ", text)
    return ""
