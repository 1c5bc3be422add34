"""What a throw of the die means. The verdict is the program's; a model only colours it."""

from __future__ import annotations

import re

BEST, WORST = 20, 1
_NUMBERS = re.compile(
    r"\A\W*(?:(?:roll(?:ed)?|die|dice)\W+)?\d+(?:\s*(?:against|vs\.?|versus|of|/|to|out of|[<>]=?)\s*\d+)?"
    r"\s*[:.,;–—-]*\s*",
    re.IGNORECASE,
)
_WON = re.compile(
    r"\b(?:succe\w+|works?|manages?|triumph\w*|wins?|won|it holds|gets? there)\b", re.IGNORECASE
)
_LOST = re.compile(
    r"\b(?:fail\w*|in vain|misse[sd]|loses?|lost|falls? short|goes wrong|does(?: not|n['’]t) work|unsuccessful\w*"
    r"|can(?:not|['’]t)|not (?:succeed|manage)|defeat\w*)\b",
    re.IGNORECASE,
)


def verdict_of(roll: int, difficulty: int) -> str:
    """What the dice say, in words: a 20 and a 1 have words of their own."""
    if roll >= difficulty:
        return "it works, better than hoped" if roll == BEST else "it works"
    return "it fails badly" if roll == WORST else "it fails"


def resolution_of(roll: int, difficulty: int, told: str = "") -> str:
    """The throw and its verdict, such as `3 against 12: it fails; the rope burns your hands`. What a model `told` of it
    is left out where it says the opposite, or no more than the verdict."""
    verdict = verdict_of(roll, difficulty)
    colour = _NUMBERS.sub("", told.strip()).strip().rstrip(".")
    won, lost = _WON.search(colour) is not None, _LOST.search(colour) is not None
    opposite = (lost and not won) if roll >= difficulty else (won and not lost)
    if not colour or opposite or verdict.startswith(colour.casefold()):
        return f"{roll} against {difficulty}: {verdict}"
    return f"{roll} against {difficulty}: {verdict}; {colour}"
