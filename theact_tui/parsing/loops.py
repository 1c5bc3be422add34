"""Replies that go in circles. Linear in the length of the text."""

import re
from collections import deque

from rapidfuzz.distance import LCSseq

from theact_tui.parsing.thoughts import without_thoughts
from theact_tui.sentences import finished_sentences

_LEAST_ROUND = 60
_ALIKE = 0.55
"""Least share of a round's words that the round before has too, in the same order."""
_FAR = 0.5
"""Least share for the round before that."""
_EVEN = 0.15
"""Most difference between the shares of two pairs of rounds; beyond it a loop has only begun."""
_AGREED = 0.88
"""Least share of words, in three rounds in a row, on which two of the three agree."""
_ROUNDS = 3
_MORE_ROUNDS = 5
"""Rounds needed if they are short (a chant) or differ in the same places (a litany, a list)."""

_WORD = re.compile(
    r"[^\W_\u2e80-\U0003ffff]{1,20}|[\u3005-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
)
"""A word, a part of an endless one, or a character of a script without spaces."""
_NO_WORDS = re.compile(r"[\W_]{360,}")
_OPENING = "\"'“„«‹「『([{<*_#-–—•¿¡"
"""Signs before the first word of a round that belong to it."""
_REST = 40
"""Characters within which a sentence begun by the first round may end."""
_RECENT, _AGREE, _SLACK = 8, 3, 2
"""A loop is looked for if `_AGREE` of the `_RECENT` last words were repeated at the same distance, within `_SLACK`."""


def goes_round(reply: str) -> bool:
    """True if answer or thoughts loop."""
    return any(second_round(part) is not None for part in without_thoughts(reply))


def without_loop(text: str, *, prose: bool) -> str:
    """Cut `text` after the first round of its first loop; `prose` ends with a sentence if possible."""
    second = second_round(text)
    if second is None:
        return text
    once = text[:second].rstrip()
    whole = finished_sentences(once) if prose else once
    if whole == once:
        return once
    longer = finished_sentences(
        text[: second + _REST]
    )  # what led to the loop may have been the end of its round
    return longer if len(longer) > second else whole or once


def second_round(text: str) -> int | None:
    """Return the index of the second round of the first loop in `text`, or None.

    A loop is `_ROUNDS` alike rounds in a row, each of at least `_LEAST_ROUND` characters, or a long run without a word.
    """
    blank = _NO_WORDS.search(text)
    end = blank.start() + _LEAST_ROUND if blank else None
    matches = list(_WORD.finditer(text, 0, len(text) if end is None else end))
    words, starts = [one[0].casefold() for one in matches], [one.start() for one in matches]
    places: dict[tuple[str, str], int] = {}
    recent: deque[int] = deque(maxlen=_RECENT)
    wait: dict[int, int] = {}
    for place in range(1, len(words)):
        pair = words[place - 1], words[place]
        distance = place - places[pair] if pair in places else 0
        places[pair] = place
        recent.append(distance)
        if not distance or place < wait.get(distance, 0):
            continue
        if sum(abs(one - distance) <= _SLACK for one in recent if one) < _AGREE:
            continue
        size = _size(starts, place, distance)
        if not size:
            continue
        if rounds := _rounds(words, place + 1, size, chant=size > distance):
            first = _first(words, place + 1 - rounds * size, size)
            if words[first : first + distance] == words[first + distance : first + 2 * distance]:
                size = distance
            return len(text[: starts[first + size]].rstrip(_OPENING))
        wait[distance] = place + 1 + size // 8
    return end


def _size(starts: list[int], place: int, distance: int) -> int:
    """Return the words of a round that ends at a place: `distance`, multiplied until it is long enough; 0 if too few
    rounds were said yet.
    """
    size = distance
    while (begin := place + 1 - size) >= 0 and starts[place] - starts[begin] < _LEAST_ROUND - 8:
        size += distance
    return size if place + 1 >= _ROUNDS * size else 0


def _rounds(words: list[str], end: int, size: int, *, chant: bool) -> int:
    """Count the rounds of this size before `end`; 0 if they are too few. A `chant` is short."""
    alike, counts = _alike(words, end, size)
    if not alike or not (counts or chant):
        return _ROUNDS if alike else 0
    if end < _MORE_ROUNDS * size:
        return 0
    earlier = range(1, 1 + _MORE_ROUNDS - _ROUNDS)
    return _MORE_ROUNDS if all(_alike(words, end - n * size, size)[0] for n in earlier) else 0


def _alike(words: list[str], end: int, size: int) -> tuple[bool, bool]:
    """Return whether three rounds before `end` are alike, and whether they differ in the same places, as counting
    numbers do.
    """
    first, second, third = (words[end - n * size : end - (n - 1) * size] for n in (3, 2, 1))
    before, after = _matched(second, first), _matched(second, third)
    pairs = len(before) / size, len(after) / size
    if min(pairs) < max(_ALIKE, max(pairs) - _EVEN):
        return False, False
    ends, all_three = LCSseq.similarity(first, third), len(before & after)
    two = len(before ^ after) + max(0, ends - all_three)
    agreed = ends >= _FAR * size and all_three + two >= _AGREED * size
    return agreed, size - all_three - two > two


def _matched(words: list[str], others: list[str]) -> set[int]:
    """Return places in `words` of a longest common subsequence with `others`."""
    blocks = LCSseq.opcodes(words, others)
    return {at for one in blocks if one.tag == "equal" for at in range(one.src_start, one.src_end)}


def _first(words: list[str], place: int, size: int) -> int:
    while place and words[place - 1] == words[place - 1 + size]:
        place -= 1
    last = place + size // 6
    while place < last and words[place] != words[place + size]:
        place += 1
    return place
