"""Archive of memories that were set aside, and their recall by keywords.

Stored as one text, a line each: `12 text`, `12! text` if important, or `12!promise text` with its kind.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from theact_tui.sentences import sentences
from theact_tui.story.matching import overlap, plain, same_roles, stems

MAX_ARCHIVED = 350
_LINE = re.compile(r"(\d+)(!?)([a-z]*) (.+)")
_MARK = re.compile(
    r"\s*[(\[]\s*important\s*[)\]]\s*[.!]?\s*$|^\s*[(\[]?\s*important\s*(?::|[)\]]:?)\s*"
    r"|\s*[(\[]\s*important\s*[)\]](?=[.,;!?]|\s)"
    r"|\s*[(\[](?:(?:important|secret|promise|refusal|gift|lie|debt|discovery|death)[\s,;]*)+[)\]]\s*[.!]?\s*$",
    re.IGNORECASE,
)


class MemoryLine(Protocol):
    @property
    def turn(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def important(self) -> bool: ...


L = TypeVar("L", bound=MemoryLine)


@dataclass(frozen=True, slots=True)
class ArchivedLine:
    turn: int
    text: str
    important: bool = False
    pinned: bool = False
    kind: str = ""


def parse_importance(line: str) -> tuple[str, bool]:
    """Split a model's line into text and importance: the mark `(important)`, or its cause."""
    text = _MARK.sub("", line).strip()
    return (text, True) if text and text != line.strip() else (line.strip(), False)


LEAST_UNIMPORTANT = 2
"""Places that important lines never take; a third of all if there are fewer than six."""


def crowded_out(lines: Sequence[L], most: int) -> tuple[list[L], list[L]]:
    """Split lines into at most `most` that stay, and others. Old unimportant ones go first, then old important ones;
    pinned ones stay.
    """
    loose = sorted((line for line in lines if not line.pinned), key=lambda line: line.turn)
    places = max(0, most - (len(lines) - len(loose)))
    common = [line for line in loose if not line.important]
    first = max(0, len(common) - min(LEAST_UNIMPORTANT, places // 3))
    important = [line for line in loose if line.important]
    going = [*common[:first], *important, *common[first:]][: max(0, len(loose) - places)]
    going_ids = {id(line) for line in going}
    return [line for line in lines if id(line) not in going_ids], going


def archived_lines(older: str) -> tuple[ArchivedLine, ...]:
    matches = (_LINE.fullmatch(line.strip()) for line in older.splitlines())
    return tuple(ArchivedLine(int(line[1]), line[4], bool(line[2]), kind=line[3]) for line in matches if line)


def archive(older: str, removed: Iterable[MemoryLine], *, current: Iterable[str] = ()) -> str:
    """Add removed lines to `older`, each once, at most `MAX_ARCHIVED`, without `current` ones."""
    current_texts = {plain(text) for text in current}
    unique: dict[str, ArchivedLine] = {}
    for line in [*archived_lines(older), *removed]:
        text = " ".join(line.text.split())
        key = plain(text)
        if key and key not in current_texts:
            unique[key] = ArchivedLine(line.turn, text, line.important, kind=getattr(line, "kind", ""))
    remaining, _ = crowded_out(list(unique.values()), MAX_ARCHIVED)
    remaining.sort(key=lambda line: line.turn)
    return "\n".join(f"{line.turn}{'!' * line.important}{line.kind} {line.text}" for line in remaining)


def archive_sentences(
    chronicle: str, before: str, after: str, turn: int, remembered: Iterable[str] = ()
) -> str:
    """Archive the sentences of `before` that the summary `after`, written after `turn`, left out."""
    present_texts = [*sentences(after), *remembered, *(line.text for line in archived_lines(chronicle))]
    return archive(
        chronicle, unmentioned([ArchivedLine(turn, line) for line in sentences(before)], present_texts)
    )


MIN_VERSION_SHARE, MIN_VERSION_WORDS = 0.5, 3
"""Common words of two versions of a line: share of the shorter one's, and number."""


def are_versions(one: str, other: str) -> bool:
    """True if one text says what the other says."""
    return _are_alike(stems(one), stems(other)) and same_roles(one, other)


def _are_alike(words: frozenset[str], others: frozenset[str]) -> bool:
    share = max(overlap(words, others), overlap(others, words))
    return share >= MIN_VERSION_SHARE and len(words & others) >= MIN_VERSION_WORDS


def without_versions(
    lines: Sequence[L], current: Iterable[str], names: Iterable[str] = (), spoken: str = ""
) -> list[L]:
    """Drop older versions of a line or of `current` ones; `names` do not count. A line with a `spoken` word that the
    newer version lacks stays.
    """
    common = frozenset(word for name in names for word in stems(name))
    current_words = [(text, stems(text) - common) for text in current]
    asked = stems(spoken)
    distinct = list[L]()

    def tells(text: frozenset[str], own: frozenset[str]) -> bool:
        return _are_alike(own, text) and own & asked <= text

    for line in reversed(lines):
        own = stems(line.text) - common
        if not any(tells(words, own) and same_roles(text, line.text) for text, words in current_words):
            distinct.append(line)
            current_words.append((line.text, own))
    return distinct[::-1]


_MIN_TOLD_SHARE = 0.6


def unmentioned(lines: Iterable[L], texts: Iterable[str], names: Iterable[str] = ()) -> list[L]:
    """Return the lines that no text tells; `names` do not count."""
    common = stems(" ".join(names))
    text_stems = [(text, stems(text)) for text in texts]
    words = ((line, stems(line.text) - common) for line in lines)
    return [
        line
        for line, own in words
        if all(
            (own and overlap(own, text_words) < _MIN_TOLD_SHARE) or not same_roles(line.text, text)
            for text, text_words in text_stems
        )
    ]


RETRIEVED = 4
"""Lines recalled at a time."""
MOST_RETRIEVED = 10
ENOUGH = 1.0
"""Least score. A word of a single line counts almost 1, a word of all lines 0."""
LENGTH = 0.25
SPOKEN = 4.0
"""Weight of the player's words."""


def retrieve(
    lines: Sequence[L], spoken: str, narration: str = "", *, names: Iterable[str] = ()
) -> tuple[L, ...]:
    """Return the best lines of `ranked`, in turn order."""
    best = ranked(lines, spoken, narration, names=names)[:RETRIEVED]
    return tuple(sorted(best, key=lambda line: line.turn))


def ranked(lines: Sequence[L], spoken: str, narration: str = "", *, names: Iterable[str] = ()) -> list[L]:
    """Return at most `MOST_RETRIEVED` lines about the `spoken` and `narration` texts, best first. `names` recall
    nothing.
    """
    words = [stems(line.text) for line in lines]
    spread = Counter(word for line_words in words for word in line_words)
    name_words = stems(" ".join(names))
    loud, quiet = stems(spoken) - name_words, stems(narration) - name_words

    def weight(word: str) -> float:
        rarity = 1 - math.log(spread[word]) / math.log(len(lines) + 1)
        return rarity * (SPOKEN if word in loud else 1)

    scores = [sum(weight(word) for word in line_words & (loud | quiet)) for line_words in words]
    # of two lines with the same words the shorter one says more of them
    order = sorted(
        range(len(lines)), key=lambda i: (-scores[i] / (len(words[i]) or 1) ** LENGTH, -lines[i].turn)
    )
    return [lines[i] for i in order if scores[i] > ENOUGH][:MOST_RETRIEVED]
