"""Read one YAML file of a pack, with the line of every value and mistake. Scalars stay text: `01` is an id, `off` a
word.
"""

import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from theact_tui import yaml
from theact_tui.field_errors import field_message, field_names, nearest
from theact_tui.packs.diagnostics import MAX_FINDINGS, Finding, PackError
from theact_tui.text import clean
from theact_tui.yaml import Data, Where
from theact_tui.yaml_slips import MISALIGNED, slip_in

Part = TypeVar("Part", bound=BaseModel)
_MAX_BYTES = 2_000_000
_MAX_DEPTH = 20
_MAX_ALIASES = 100
_MAX_SLIPS = 10
_MAX_VALUES = 50_000
"""Values in one file, counting those repeated by aliases."""


@dataclass(frozen=True, slots=True)
class Document:
    file: str
    value: Data
    lines: dict[Where, int]
    slips: tuple[Finding, ...] = ()
    """Corrected mistakes in the YAML."""

    def line(self, where: Where) -> int | None:
        """Return the line, from 1, of a value or the nearest value around it."""
        while where and where not in self.lines:
            where = where[:-1]
        return self.lines.get(where)


def read_text(folder: Path, file: str, limit: int = _MAX_BYTES) -> str:
    """Raises PackError if `file` is missing, outside of `folder`, too large or not UTF-8."""
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
    """Return `file` as plain values, with obvious mistakes corrected. Raises PackError for others."""
    text = read_text(folder, file)
    slips: list[Finding] = []
    while True:
        try:
            value, lines = _read(text, file)
            return Document(file, value, lines, tuple(slips))
        except MarkedYAMLError as error:
            finding, text = _slip(file, text, error)
            slips.append(finding)
            if not text or len(slips) == _MAX_SLIPS:
                raise PackError(*slips) from error
        except yaml.Unusable as error:
            raise PackError(*slips, Finding("error", file, error.line, error.field, error.message)) from error
        except YAMLError as error:
            rows = enumerate(text.split("\n"), 1)
            bad = (n for n, row in rows if any(not (c.isprintable() or c in "\t\r") for c in row))
            line, message = next(bad, None), "contains a character YAML does not allow"
            raise PackError(*slips, Finding("error", file, line, "", message)) from error


@lru_cache(maxsize=64)
def _read(text: str, file: str) -> tuple[Data, dict[Where, int]]:
    lines: dict[Where, int] = {}
    reader = yaml.Reader(
        yaml.events(text),
        scalar=partial(_scalar, text.split("\n")),
        key=lambda event: clean(event.value),
        depth=_MAX_DEPTH,
        values=_MAX_VALUES,
        aliases=_MAX_ALIASES,
        lines=lines,
    )
    is_filled, value = reader.document()
    if not is_filled:
        raise broken(file, None, "is empty")
    return value, lines


def _slip(file: str, text: str, error: MarkedYAMLError) -> tuple[Finding, str]:
    """Return the finding, and the corrected text; "" if its meaning is unclear."""
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
    return PackError(Finding("error", file, line, "", message))


def _scalar(rows: Sequence[str], event: Any) -> str | None:
    first, last = event.start_mark.line, event.end_mark.line
    if not event.style and last > first and rows[first].lstrip().startswith("- "):
        for row in range(first + 1, min(last + 1, len(rows))):
            if rows[row].lstrip().startswith("- "):
                raise yaml.Unusable(MISALIGNED, row + 1)
    text = event.value.strip()
    if not text.replace("\n", "").isprintable():
        text = clean(text).strip()
    return None if not event.style and text in _NOTHING else text


_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})


# --- fields ------------------------------------------------------------------------------------------------------


def read_part(model: type[Part], folder: Path, file: str) -> Part:
    part, findings = validated(model, read_document(folder, file))
    if findings or part is None:
        raise PackError(*findings)
    return part


def validated(model: type[Part], document: Document) -> tuple[Part | None, list[Finding]]:
    """Validate a document as `model`, dropping invalid optional fields; None if too little is valid."""
    value, findings = document.value, [*document.slips]
    if isinstance(value, dict):
        optional = {name for name, field in model.model_fields.items() if not field.is_required()}
        value = {key: item for key, item in value.items() if item is not None or key not in optional}
    try:
        return model.model_validate(value), findings
    except ValidationError as error:
        errors = error.errors(include_url=False)
    findings += [
        _explain(model, document, error_details) for error_details in _worth_reporting(model, errors)
    ]
    wrong = {error_details["loc"][0] for error_details in errors if error_details["loc"]}
    with suppress(ValidationError):
        if isinstance(value, dict):
            rest = {key: item for key, item in value.items() if key not in wrong}
            return model.model_validate(rest), findings
    return None, findings


def _worth_reporting(model: type[BaseModel], errors: list[Any]) -> list[Any]:
    """Return the errors to report: a misspelt field is not reported as missing too."""
    unknown = [details for details in errors if details["type"] == "extra_forbidden"][:MAX_FINDINGS]
    meant = {
        (*where[:-1], nearest(str(where[-1]), field_names(model, where[:-1])))
        for where in (details["loc"] for details in unknown)
    }
    others = [details for details in errors if details["type"] != "extra_forbidden"][:MAX_FINDINGS]
    return unknown + [
        details for details in others if details["type"] != "missing" or details["loc"] not in meant
    ]


def _explain(model: type[BaseModel], document: Document, error: Any) -> Finding:
    where: Where = error["loc"][:-1] if error["loc"][-1:] == ("[key]",) else error["loc"]
    message = field_message(model, error)
    return Finding("error", document.file, document.line(where), ".".join(map(str, where)), message)
