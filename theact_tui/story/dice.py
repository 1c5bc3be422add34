"""Dice: what is risky, and what a roll means.

A model names the risk; the die decides. The generator's state, seed and count of rolls, is in the save.
"""

import random

from theact_tui.sentences import asks, sentences
from theact_tui.story.matching import is_unspaced, plain
from theact_tui.story.speech import spoken

SIDES = 20
BEST, WORST = 20, 1
EASIEST, HARDEST = 5, 20
"""Range of difficulties."""


def is_of_line(words: str, line: str) -> bool:
    """True if the player's line, without hidden parts, contains these words."""
    return bool(plain(words)) and plain(words) in plain(spoken(line))


def named_risk(line: str, words: tuple[str, ...]) -> str:
    """Return the first sentence with a risky word that is no question; "" if there is none."""
    risky = [text for text in map(plain, words) if text]
    for sentence in sentences(line):
        words_of_sentence = f" {plain(sentence)} "
        if not asks(sentence) and any(
            f" {text} " in words_of_sentence or (is_unspaced(text) and text in words_of_sentence)
            for text in risky
        ):
            return sentence.rstrip(".!。！")
    return ""


def roll(seed: int, rolls: int) -> int:
    """Roll the die after `rolls` earlier ones, 1 to 20. Equal arguments give equal rolls."""
    return random.Random(f"{seed}:{rolls}").randint(1, SIDES)


def verdict_of(roll: int, difficulty: int) -> str:
    """Word the result; 20 and 1 have their own."""
    if roll >= difficulty:
        return "it works, better than hoped" if roll == BEST else "it works"
    return "it fails badly" if roll == WORST else "it fails"


def resolution_of(roll: int, difficulty: int) -> str:
    """Return roll and result, such as `3 against 12: it fails`."""
    return f"{roll} against {difficulty}: {verdict_of(roll, difficulty)}"
