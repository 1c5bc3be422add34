"""Dice: what is risked, and what a throw means. A model says what is risky in a line; whether it works, the die says.

The generator's state is the seed and the count of rolls, both in the save.
"""

import random

from theact_tui.sentences import asks, sentences
from theact_tui.story.matching import is_unspaced, plain
from theact_tui.story.speech import spoken

SIDES = 20
BEST, WORST = 20, 1
EASIEST, HARDEST = 5, 20
"""How hard something may be."""


def is_of_line(words: str, line: str) -> bool:
    """True if these words stand in the player's line, as it can be seen or heard."""
    return bool(plain(words)) and plain(words) in plain(spoken(line))


def named_risk(line: str, words: tuple[str, ...]) -> str:
    """The first sentence of a line that holds one of a pack's risky words and is no question; empty if none does."""
    known = [text for text in map(plain, words) if text]
    for sentence in sentences(line):
        told = f" {plain(sentence)} "
        if not asks(sentence) and any(
            f" {text} " in told or (is_unspaced(text) and text in told) for text in known
        ):
            return sentence.rstrip(".!。！")
    return ""


def roll(seed: int, rolls: int) -> int:
    """The die that follows `rolls` earlier ones, 1 to 20. The same seed and count always give the same."""
    return random.Random(f"{seed}:{rolls}").randint(1, SIDES)


def verdict_of(roll: int, difficulty: int) -> str:
    """What the dice say, in words: a 20 and a 1 have words of their own."""
    if roll >= difficulty:
        return "it works, better than hoped" if roll == BEST else "it works"
    return "it fails badly" if roll == WORST else "it fails"


def resolution_of(roll: int, difficulty: int) -> str:
    """The throw and its verdict, such as `3 against 12: it fails`."""
    return f"{roll} against {difficulty}: {verdict_of(roll, difficulty)}"
