"""Dice: a pack's risky words, rolls and their results."""

import random

from theact_tui.sentences import asks, sentences
from theact_tui.story.matching import is_unspaced, plain
from theact_tui.story.speech import spoken

SIDES = 20
BEST, WORST = 20, 1
EASIEST, HARDEST = 5, 20
"""Range of difficulties."""


def is_in_line(words: str, line: str) -> bool:
    """True if the player's line, without hidden parts, contains these words."""
    return bool(plain(words)) and plain(words) in plain(spoken(line))


def named_risk(line: str, words: tuple[str, ...]) -> str:
    """Return the first sentence with a risky word that is no question, or ""."""
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


def resolution_of(roll: int, difficulty: int) -> str:
    """Return roll and result, such as `3 against 12: it fails`."""
    if roll >= difficulty:
        verdict = "it works, better than hoped" if roll == BEST else "it works"
    else:
        verdict = "it fails badly" if roll == WORST else "it fails"
    return f"{roll} against {difficulty}: {verdict}"
