"""Reading one YAML file of a pack: safe, bounded, and with the line of every value.

Scalars stay text, because the schema knows what they are to be: `01` is an id and `off` a word, never a number and a
boolean. Only an empty plain value and `null` mean that nothing is there.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ruamel.yaml.error import MarkedYAMLError, YAMLError

from theact_tui import yaml
from theact_tui.packs.diagnostics import Finding, PackError
from theact_tui.text import clean
from theact_tui.yaml import Data, Where
from theact_tui.yaml_slips import slip_in

MAX_BYTES = 2_000_000
MAX_DEPTH = 20
MAX_ALIASES = 100
MAX_SLIPS = 10
MAX_VALUES = 50_000
"""Values in one file, with those that aliases repeat."""


@dataclass(frozen=True, slots=True)
class Document:
    """One file of a pack, read."""

    file: str
    value: Data
    lines: dict[Where, int]
    slips: tuple[Finding, ...] = ()
    """What was wrong with the YAML and could be read all the same."""

    def line(self, where: Where) -> int | None:
        """The line of a value, or of the nearest thing around it that has one; counted from 1."""
        while where and where not in self.lines:
            where = where[:-1]
        return self.lines.get(where)


def read_text(folder: Path, file: str, limit: int = MAX_BYTES) -> str:
    """The text of `file` inside the pack `folder`. PackError if it is missing, elsewhere, too large or not UTF-8."""
    path = folder / file
    try:
        target = path.resolve(strict=True)
        if not target.is_relative_to(folder.resolve()):
            raise broken(file, None, "is outside the pack; a pack may only use its own files")
        if not stat.S_ISREG(target.stat().st_mode):
            raise broken(file, None, "is not a file")
        with target.open("rb") as stream:
            data = stream.read(limit + 1)
    except FileNotFoundError:
        raise broken(file, None, "is missing") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise broken(file, None, f"cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if len(data) > limit:
        raise broken(file, None, f"is larger than {limit // 1000} KB, more than a pack file may have")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise broken(file, line, "is not UTF-8 text; save it again with the encoding UTF-8") from error


def read_document(folder: Path, file: str) -> Document:
    """`file` of the pack `folder` as plain values. PackError if it is no YAML, or YAML a pack may not hold.

    Lines whose meaning is clear in spite of a slip are read as they were meant; the slips are among the findings.
    """
    text = read_text(folder, file)
    slips: list[Finding] = []
    while True:
        try:
            value, lines = _read(text, file)
            return Document(file, value, lines, tuple(slips))
        except MarkedYAMLError as error:
            finding, text = _slip(file, text, error)
            slips.append(finding)
            if not text or len(slips) == MAX_SLIPS:
                raise PackError(*slips) from error
        except yaml.Unusable as error:
            raise PackError(*slips, Finding("error", file, error.line, error.field, error.message)) from error
        except YAMLError as error:
            rows = enumerate(text.split("\n"), 1)
            bad = (n for n, row in rows if any(not (c.isprintable() or c in "\t\r") for c in row))
            line, message = next(bad, None), "contains a character YAML does not allow"
            raise PackError(*slips, Finding("error", file, line, "", message)) from error


def _read(text: str, file: str) -> tuple[Data, dict[Where, int]]:
    lines: dict[Where, int] = {}
    reader = yaml.Reader(
        yaml.events(text),
        scalar=_scalar,
        key=lambda event: clean(event.value),
        depth=MAX_DEPTH,
        values=MAX_VALUES,
        aliases=MAX_ALIASES,
        lines=lines,
    )
    found, value = reader.document()
    if not found:
        raise broken(file, None, "is empty")
    return value, lines


def _slip(file: str, text: str, error: MarkedYAMLError) -> tuple[Finding, str]:
    """What is wrong, and the text without it; no text where nobody can tell what was meant."""
    slip = slip_in(text, error)
    if slip is None:
        mark = error.problem_mark or error.context_mark
        line = min(mark.line, text.count("\n")) + 1 if mark else None
        problem = " ".join(filter(None, (error.problem, error.context)))
        return Finding("error", file, line, "", f"is not valid YAML: {problem}"), ""
    rows = text.split("\n")
    same = slip.meant in (None, rows[slip.line - 1])
    rows[slip.line - 1] = slip.meant or ""
    return Finding("error", file, slip.line, "", slip.message), "" if same else "\n".join(rows)


def broken(file: str, line: int | None, message: str) -> PackError:
    """The error that says `message` about a place in a pack."""
    return PackError(Finding("error", file, line, "", message))


def _scalar(event: Any) -> str | None:
    text = event.value.strip()
    if not text.replace("\n", "").isprintable():
        text = clean(text).strip()
    return None if not event.style and text in _NOTHING else text


_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
