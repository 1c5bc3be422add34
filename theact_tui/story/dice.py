"""Dice: lines that the keeper is asked about, rolls and their results."""

import random
from typing import Literal

from theact_tui.sentences import asks, outside_quotations, quotation_spans, sentences
from theact_tui.story.matching import is_unspaced, plain, words_of
from theact_tui.story.speech import addressed_to, spoken
from theact_tui.story.turn import Ruling

SIDES = 20
BEST, WORST = 20, 1
EASIEST, HARDEST = 5, 20
"""Range of difficulties."""
_CLOSE = 4
"""A throw that misses by so much still works, at a price."""
MOST_BESIDE_QUESTION = 3
"""Words, or characters of scripts without spaces."""

Outcome = Literal["triumph", "success", "price", "instead", "disaster"]
RESOLUTIONS: dict[Outcome, str] = {
    "triumph": "it works, better than hoped",
    "success": "it works",
    "price": "it works, at a price",
    "instead": "not that, but something else",
    "disaster": "not that, and at a price",
}


def is_in_line(words: str, line: str) -> bool:
    """True if the player's line, without hidden parts, contains these words."""
    return bool(plain(words)) and plain(words) in plain(spoken(line))


def may_risk(line: str, risky_words: tuple[str, ...]) -> bool:
    """True if the keeper is to be asked about a line: one with a risky word, or any but a single word, a single
    question, mere quotations, and quoted questions with at most `MOST_BESIDE_QUESTION` words beside them.
    """
    text = addressed_to(line)[1]
    if named_risk(text, risky_words):
        return True
    if len(words_of(text)) < 2 or (asks(text) and len(sentences(text)) == 1):
        return False
    quotations = [text[start:end] for start, end in quotation_spans(text)]
    beside = len(words_of(outside_quotations(text)))
    is_question = any(map(asks, quotations)) and beside <= MOST_BESIDE_QUESTION
    return not quotations or (beside > 0 and not is_question)


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


def outcome_of(roll: int, difficulty: int) -> Outcome:
    if roll >= difficulty:
        return "triumph" if roll == BEST else "success"
    if roll == WORST:
        return "disaster"
    return "price" if difficulty - roll <= _CLOSE else "instead"


def is_missed(ruling: Ruling | None) -> bool:
    """True if a throw fell short of its difficulty."""
    return bool(ruling and ruling.roll and ruling.difficulty and ruling.roll < ruling.difficulty)


def resolution_of(roll: int, difficulty: int) -> str:
    """Return roll and result, such as `9 against 12: it works, at a price`."""
    return f"{roll} against {difficulty}: {RESOLUTIONS[outcome_of(roll, difficulty)]}"
