"""Names of people: which words of one its bearer is called by, and whether a text holds it."""

from __future__ import annotations

import re

TITLES = frozenset(
    """father mother brother sister doctor professor captain miss lord lady king queen saint the old sir madam dame
    master mister uncle aunt grandmother grandfather sergeant major colonel general reverend mr mrs ms dr prof little
    young""".split()
)
NOT_CALLED = TITLES | frozenset("de del den der la of van von".split())
"""Words of a name by which nobody is called."""


def short_name(name: str) -> str:
    """The word of a name that its bearer is called by: no title or sign in front, no family name behind."""
    words = (word for word in name.split() if any(map(str.isalnum, word)))
    return next((word for word in words if word.casefold().strip(".") not in NOT_CALLED), name)


def forms(name: str) -> list[str]:
    """The whole name, then its words that stand for the person: `Maya Chen`, `Maya`, `Chen`."""
    words = [
        word
        for word in name.split()
        if len(word) > 2 and word.lower().strip(".") not in NOT_CALLED and not word[0].islower()
    ]
    return list(dict.fromkeys([name, *words]))


def name_pattern(name: str) -> str:
    """A pattern that finds a name in any of its forms."""
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, forms(name)))})(?!\w)"


def is_named(text: str, name: str) -> bool:
    """True if a text names somebody."""
    return re.search(name_pattern(name), text) is not None
