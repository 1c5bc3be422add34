"""Lines that gave way to newer ones: no longer told in every prompt, but not lost. They come back when a scene speaks of
them.

They are kept as one text, a line each, `12 text` or `12! text` for what the model called important: so a person can
read them in the save, and a long memory costs a turn no time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from theact_tui.story.matching import plain

MAX_OLDER = 150
_LINE = re.compile(r"(\d+)(!?) (.+)")
_MARK = re.compile(
    r"\s*[(\[]\s*important\s*[)\]]\s*[.!]?\s*$|^\s*[(\[]?\s*important\s*(?::|[)\]]:?)\s*", re.IGNORECASE
)


class Line(Protocol):
    """A remembered line of any kind: fact, entry or older one."""

    @property
    def turn(self) -> int: ...
    @property
    def text(self) -> str: ...
    @property
    def pinned(self) -> bool: ...
    @property
    def important(self) -> bool: ...


L = TypeVar("L", bound=Line)


@dataclass(frozen=True, slots=True)
class Older:
    """A line from long ago."""

    turn: int
    text: str
    important: bool = False
    pinned: bool = False


def weighed(line: str) -> tuple[str, bool]:
    """A line as a model wrote it, without its mark `(important)`, and whether it had one."""
    text = _MARK.sub("", line).strip()
    return (text, True) if text and text != line.strip() else (line.strip(), False)


def crowded_out(lines: Sequence[L], most: int, *, share: int) -> tuple[L, ...]:
    """Which lines go so that at most `most` stay: never a pinned one, and the oldest first. But of the places that
    pinned ones leave, one in `share` belongs to the newest important lines, which go last."""
    loose = sorted((line for line in lines if not line.pinned), key=lambda line: line.turn)
    places = max(0, most - (len(lines) - len(loose)))
    important = [line for line in loose if line.important]
    kept = important[max(0, len(important) - places // share) :]
    safe = {id(line) for line in kept}
    going = [line for line in loose if id(line) not in safe] + kept
    return tuple(going[: max(0, len(loose) - places)])


def older_lines(older: str) -> tuple[Older, ...]:
    """The lines of a memory's `older`, oldest first; what is no such line is left out."""
    found = (_LINE.fullmatch(line.strip()) for line in older.splitlines())
    return tuple(Older(int(line[1]), line[3], bool(line[2])) for line in found if line)


def with_older(older: str, gone: Iterable[Line], *, known: Iterable[str] = ()) -> str:
    """`older` with the lines that went, each once, at most `MAX_OLDER`; what is `known` again is left out."""
    here = {plain(text) for text in known}
    unique: dict[str, Older] = {}
    for line in [*older_lines(older), *gone]:
        text = " ".join(line.text.split())
        key = plain(text)
        if key and key not in here:
            unique[key] = Older(line.turn, text, line.important)
    kept = list(unique.values())
    surplus = {id(line) for line in crowded_out(kept, MAX_OLDER, share=2)}
    kept = sorted((line for line in kept if id(line) not in surplus), key=lambda line: line.turn)
    return "\n".join(f"{line.turn}{'!' if line.important else ''} {line.text}" for line in kept)
