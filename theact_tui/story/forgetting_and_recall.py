"""The archive: remembered lines that gave way to newer ones, and their retrieval by keywords when a scene speaks of them.

They are kept as one text, a line each, `12 text` or `12! text` for what the model called important: so a person can
read them in the save, and a long memory costs a turn no time.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol, TypeVar

from theact_tui.sentences import sentences
from theact_tui.story.matching import is_unspaced, plain

MAX_ARCHIVED = 350
_LINE = re.compile(r"(\d+)(!?) (.+)")
_MARK = re.compile(
    r"\s*[(\[]\s*important\s*[)\]]\s*[.!]?\s*$|^\s*[(\[]?\s*important\s*(?::|[)\]]:?)\s*"
    r"|\s*[(\[]\s*important\s*[)\]](?=[.,;!?]|\s)"
    r"|\s*[(\[](?:(?:important|secret|promise|refusal|gift|lie|debt|discovery|death)[\s,;]*)+[)\]]\s*[.!]?\s*$",
    re.IGNORECASE,
)


class MemoryLine(Protocol):
    """A remembered line of any kind: fact, entry or older one."""

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
    """A line from long ago."""

    turn: int
    text: str
    important: bool = False
    pinned: bool = False


def parse_importance(line: str) -> tuple[str, bool]:
    """A line as a model wrote it, without its mark `(important)`, or the cause of one, and whether it had one."""
    text = _MARK.sub("", line).strip()
    return (text, True) if text and text != line.strip() else (line.strip(), False)


LEAST_UNIMPORTANT = 2
"""Places that important lines never take, or a third of them where there are fewer than six."""


def crowded_out(lines: Sequence[L], most: int) -> tuple[list[L], list[L]]:
    """The lines that stay so that they are at most `most`, and those that go: never a pinned one, first those that are
    not important, but for the newest `LEAST_UNIMPORTANT`, then the important ones; of each the oldest first."""
    loose = sorted((line for line in lines if not line.pinned), key=lambda line: line.turn)
    places = max(0, most - (len(lines) - len(loose)))
    common = [line for line in loose if not line.important]
    first = max(0, len(common) - min(LEAST_UNIMPORTANT, places // 3))
    important = [line for line in loose if line.important]
    going = [*common[:first], *important, *common[first:]][: max(0, len(loose) - places)]
    gone = {id(line) for line in going}
    return [line for line in lines if id(line) not in gone], going


def archived_lines(older: str) -> tuple[ArchivedLine, ...]:
    """The lines of a memory's `older`, oldest first; what is no such line is left out."""
    found = (_LINE.fullmatch(line.strip()) for line in older.splitlines())
    return tuple(ArchivedLine(int(line[1]), line[3], bool(line[2])) for line in found if line)


def archive(older: str, gone: Iterable[MemoryLine], *, known: Iterable[str] = ()) -> str:
    """`older` with the lines that went, each once, at most `MAX_ARCHIVED`; what is `known` again is left out."""
    here = {plain(text) for text in known}
    unique: dict[str, ArchivedLine] = {}
    for line in [*archived_lines(older), *gone]:
        text = " ".join(line.text.split())
        key = plain(text)
        if key and key not in here:
            unique[key] = ArchivedLine(line.turn, text, line.important)
    kept, _ = crowded_out(list(unique.values()), MAX_ARCHIVED)
    kept.sort(key=lambda line: line.turn)
    return "\n".join(f"{line.turn}{'!' if line.important else ''} {line.text}" for line in kept)


def archive_sentences(chronicle: str, before: str, after: str, turn: int, known: Iterable[str] = ()) -> str:
    """Add to the chronicle the sentences of a summary that its next version, written after `turn`, left out."""
    said = [*sentences(after), *known, *(line.text for line in archived_lines(chronicle))]
    return archive(chronicle, not_told([ArchivedLine(turn, line) for line in sentences(before)], said))


ALIKE, LEAST_ALIKE = 0.5, 3
"""Share of the shorter one's words, and how many, from which two lines count as versions of one."""


def unlike(lines: Sequence[L], known: Iterable[str], names: Iterable[str] = (), said: str = "") -> list[L]:
    """The lines, oldest first, without older versions of one another and of what is `known`; `names` do not count. One
    that holds a word of what was `said`, and the newer version does not, is none."""
    common = frozenset(word for name in names for word in words_of(name))
    told = [words_of(text) - common for text in known]
    asked = words_of(said)
    kept = list[L]()

    def tells(text: frozenset[str], own: frozenset[str]) -> bool:
        alike = len(own & text) >= max(LEAST_ALIKE, ALIKE * min(len(own), len(text)))
        return alike and own & asked <= text

    for line in reversed(lines):
        own = words_of(line.text) - common
        if not any(tells(text, own) for text in told):
            kept.append(line)
            told.append(own)
    return kept[::-1]


TOLD = 0.6
"""Share of a line's words that a text must hold to tell it."""


def not_told(lines: Iterable[L], known: Iterable[str], names: Iterable[str] = ()) -> list[L]:
    """The lines that none of the `known` texts tells; `names` do not count."""
    common = words_of(" ".join(names))
    told = [words_of(text) for text in known]
    words = ((line, words_of(line.text) - common) for line in lines)
    return [line for line, own in words if all(len(own & text) < TOLD * len(own) for text in told)]


RETRIEVED = 4
"""Lines that may come to mind at a time."""
MOST_RETRIEVED = 10
"""The same, where there is room."""
ENOUGH = 1.0
"""A word that only one line has counts almost 1; one that all lines have, 0."""
LENGTH = 0.25
"""How much a line's length, in words, counts against it."""
SPOKEN = 4.0
"""What a word counts for that the player said, against one of the narration."""
_COMMON = frozenset(
    "the and for was were with that this from his her him she they them their its has had have not but who whom what "
    "when where why how are you your our out into onto over under then than there here about one two all any some been "
    "being will would can could did does said says say tell told ask asked know knows knew again once more very just "
    "only like back see saw look looks turn turns still now old new long way thing things something somebody man men woman "
    "women people past away around behind before after between".split()
)
_ENDINGS = ("ing", "ies", "ed", "es", "s", "e", "y")


def retrieve(lines: Sequence[L], said: str, told: str = "", *, names: Iterable[str] = ()) -> tuple[L, ...]:
    """The `RETRIEVED` best of the lines that `ranked` finds, in turn order."""
    best = ranked(lines, said, told, names=names)[:RETRIEVED]
    return tuple(sorted(best, key=lambda line: line.turn))


def ranked(lines: Sequence[L], said: str, told: str = "", *, names: Iterable[str] = ()) -> list[L]:
    """The lines, at most `MOST_RETRIEVED`, that have most to do with what was `said` and `told`, the best first; none if
    none has enough. `names`, of those who are there, bring nothing back."""
    words = [words_of(line.text) for line in lines]
    spread = Counter(word for each in words for word in each)
    here = words_of(" ".join(names))
    loud, quiet = words_of(said) - here, words_of(told) - here

    def weight(word: str) -> float:
        rarity = 1 - math.log(spread[word]) / math.log(len(lines) + 1)
        return rarity * (SPOKEN if word in loud else 1)

    scores = [sum(weight(word) for word in each & (loud | quiet)) for each in words]
    # of two lines with the same words the shorter one says more of them
    order = sorted(
        range(len(lines)), key=lambda i: (-scores[i] / (len(words[i]) or 1) ** LENGTH, -lines[i].turn)
    )
    return [lines[i] for i in order if scores[i] > ENOUGH][:MOST_RETRIEVED]


@lru_cache(maxsize=4096)
def words_of(text: str) -> frozenset[str]:
    """The words that say what a text is about, without common endings; pairs of signs where no spaces part words."""
    found = set()
    for word in plain(text).split():
        if is_unspaced(word):
            found |= {word[i : i + 2] for i in range(len(word) - 1)} or {word}
        elif len(word) > 2 and word not in _COMMON:
            found.add(_stem(word))
    return frozenset(found)


def _stem(word: str) -> str:
    endings = (end for end in _ENDINGS if word.endswith(end) and len(word) - len(end) > 2)
    return word.removesuffix(next(endings, ""))
