"""Name common mistakes in YAML by the lines around the parser's complaint."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_LINE = re.compile(r"(?P<head>\s*(?:- +)*(?:[^\s:#\"'\[{|>&*!%@`][^:#]*: +)?)(?P<value>.*?)\s*")
_DOUBLE, _SINGLE = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL), re.compile(r"'(?:[^']|'')*'", re.DOTALL)
_AFTER = re.compile(r"[ \t]*(?:[,\]}:].*|#.*)?(?:\n|$)")
_BLOCK = re.compile(r"(?:.*: +|\s*(?:- +)+)[|>][-+0-9]*")
_BLOCK_WITHOUT_COLON = re.compile(r"(\s*(?:- +)*[\w-]+) +([|>][-+0-9]*)\s*")
_QUOTES = "put the whole text in quotes"
MISALIGNED = "the indentation does not fit; begin the line in the same column as those it belongs to"


@dataclass(frozen=True, slots=True)
class Slip:
    """Mistake in a line, counted from 1, and what to do."""

    line: int
    message: str
    meant: str | None = None
    """Corrected line; None if unclear."""


def slip_in(text: str, error: Exception) -> Slip | None:
    """Return the mistake behind a parser's error; None for an unusual one."""
    lines = text.split("\n")
    marks = [getattr(error, name, None) for name in ("problem_mark", "context_mark")]
    if not any(marks):
        return None
    at, began = (min(mark.line, len(lines) - 1) if mark else 0 for mark in marks)
    filled = [row for row in range(at) if lines[row].strip()]
    rows = dict.fromkeys((at, *filled[:-2:-1], began))
    for row in rows:
        if bare := _BLOCK_WITHOUT_COLON.fullmatch(lines[row]):
            message = "a colon is missing after the field's name"
            return Slip(row + 1, message, f"{bare[1]}: {bare[2]}")
    for row in rows:
        if slip := _look(lines, row):
            return slip
    if open := next((row for row in range(at, -1, -1) if _quoted(lines, row) == "open"), None):
        return Slip(open + 1, "a text in quotes begins here and does not end; add the quotation mark")
    complaint = f"{getattr(error, 'problem', '')} {getattr(error, 'context', '')}"
    return _by_complaint(complaint, lines, at, began)


def _look(lines: Sequence[str], row: int) -> Slip | None:
    line, parts = lines[row], _LINE.fullmatch(lines[row])
    head, value = (parts["head"], parts["value"]) if parts else ("", "")
    for message, meant in _faults(lines, row, line, head, value):
        return Slip(row + 1, message, meant)
    return None


def _faults(
    lines: Sequence[str], row: int, line: str, head: str, value: str
) -> Iterator[tuple[str, str | None]]:
    in_quotes = head + json.dumps(value.strip("\"'"), ensure_ascii=False)
    if "\t" in line[: len(line) - len(line.lstrip())]:
        yield "a tab at the beginning of the line: use spaces", None
    if bare := re.fullmatch(r"(\s*-)([^\s-].*)", line):
        yield "a space is missing after the '-'", f"{bare[1]} {bare[2]}"
    if re.match(r"[|>][-+0-9]*\s+[^\s#]", value):
        yield f"the text must begin on the line after the '{value[0]}', indented", None
    match _quoted(lines, row):
        case "early":
            yield "the quotes end before the text does: use the other kind of quotes around it", in_quotes
        case "open":
            yield "a text in quotes begins here and does not end; add the quotation mark", None
    if value[:1] in tuple("@`%&*!?") or re.fullmatch(r"\{[^{}]*\}\s*[^\s#,].*|\[[^]]*\]\s*[^\s#,].*", value):
        yield f"a text cannot begin with '{value[0]}': {_QUOTES}", in_quotes
    if value[:1] not in tuple("\"'[{|>#") and re.search(r":(?:\s|$)", value) and head.strip(" -"):
        yield f"a colon inside the text: {_QUOTES}", in_quotes
    if bare := re.fullmatch(r"(\s*(?:- +)?[\w-]+:)([^\s/:].*)", line):
        yield "a space is missing after the colon", f"{bare[1]} {bare[2]}"
    if line.strip() and ":" not in line and not line.lstrip().startswith(("-", "#")):
        yield from _bare(lines, row, line)


def _bare(lines: Sequence[str], row: int, line: str) -> Iterator[tuple[str, None]]:
    indent = len(line) - len(line.lstrip())
    above_row = next((n for n in range(row - 1, -1, -1) if re.match(r"\s*-|.*:", lines[n])), row)
    above, between = lines[above_row], lines[above_row + 1 : row]
    column = len(above) - len(above.lstrip())
    has_text = any(re.match(rf"\s{{{column + 1},}}\S", line) for line in between)
    if indent <= column and not has_text and _BLOCK.fullmatch(above.rstrip()):
        yield "the text below '|' or '>' must be indented", None
    elif above.lstrip().startswith("- ") and column == indent:
        yield "a '-' is missing at the beginning of the line", None
    elif not indent:
        yield "a colon is missing after the field's name, or the line must be indented", None


def _quoted(lines: Sequence[str], row: int) -> str:
    """Return "early" if a quoted text ends too early, "open" if it never ends, else ""."""
    parts = _LINE.fullmatch(lines[row])
    if not parts or parts["value"][:1] not in ('"', "'") or parts["value"] == "":
        return ""
    rest = "\n".join([parts["value"], *lines[row + 1 : row + 200]])
    whole = (_DOUBLE if rest[0] == '"' else _SINGLE).match(rest)
    if whole and _AFTER.match(rest, whole.end()):
        return ""
    return "early" if whole and "\n" not in whole[0] else "open"


def _by_complaint(complaint: str, lines: Sequence[str], at: int, began: int) -> Slip | None:
    if "escape" in complaint:
        return Slip(at + 1, "a backslash in double quotes: write it twice, or use single quotes")
    if "',' or" in complaint:
        return Slip(began + 1, "a bracket opened here is not closed, or a comma is missing")
    if "node content" in complaint:
        return Slip(at + 1, "a comma too many")
    if "block collection" in complaint:
        has_dash = lines[at].lstrip().startswith("-")
        return Slip(at + 1, MISALIGNED if has_dash else "a '-' is missing at the beginning of the line")
    if "mapping values" in complaint:
        return Slip(at + 1, f"indented too far, or a colon inside a text: indent it less, or {_QUOTES}")
    if any(
        phrase in complaint for phrase in ("expected key", "block end", "document start", "block mapping")
    ):
        return Slip(at + 1, MISALIGNED)
    return None
