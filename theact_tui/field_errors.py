"""Messages about wrong fields."""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from types import NoneType
from typing import Any, get_args

from pydantic import BaseModel

from theact_tui.text import counted, one_line

MAX_NAME, MAX_KNOWN = 80, 500
"""Characters, and names compared."""
MIN_BEGINNING = 3  # characters that may stand for a whole name
_MESSAGES = {
    "missing": "the field {name} is missing",
    "literal_error": "{name} must be {expected}, not {what}",
    "string_type": "{name} must be text, not {what}",
    "tuple_type": "{name} must be a list, not {what}",
    "list_type": "{name} must be a list, not {what}",
    "dict_type": "{name} must contain fields, not {what}",
    "model_type": "{name} must contain fields, not {what}",
    "model_attributes_type": "{name} must contain fields, not {what}",
    "too_short": "{name} needs at least {min_length} in its list",
    "too_long": "{name} may have at most {max_length} in its list, not {actual_length}",
    "int_parsing": "{name} must be a whole number, not {what}",
    "int_type": "{name} must be a whole number, not {what}",
    "int_from_float": "{name} must be a whole number, not {what}",
    "float_parsing": "{name} must be a number, not {what}",
    "float_type": "{name} must be a number, not {what}",
    "greater_than_equal": "{name} must be at least {ge:g}, not {what}",
    "less_than_equal": "{name} must be at most {le:g}, not {what}",
}


def field_message(model: Any, error: Any, title: str = "") -> str:
    """Describe a validation error. `title` names the field."""
    where = error["loc"][:-1] if error["loc"][-1:] == ("[key]",) else error["loc"]
    name, value = title or (quoted(where[-1]) if where else "the file"), error["input"]
    match error["type"]:
        case "extra_forbidden":
            return f"unknown field {name}{did_you_mean(str(where[-1]), field_names(model, where[:-1]))}"
        case "missing" if isinstance(where[-1], int):
            return f"{quoted(where[-2])} needs at least {counted(where[-1] + 1, 'entry', 'entries')}"
        case kind if kind not in _MESSAGES:
            return f"{name}: {error['msg'].removeprefix('Value error, ')}"
    kinds = {type(None): "nothing", dict: "fields", list: "a list"}
    message = _MESSAGES[error["type"]].format(
        name=name, what=kinds.get(type(value)) or quoted(value), **error.get("ctx", {})
    )
    if error["type"] == "literal_error":
        message += did_you_mean(str(value), re.findall(r"'(.*?)'", error["ctx"]["expected"]))
    if error["type"] == "string_type" and isinstance(value, dict) and len(value) == 1:
        message += "; put quotes around a line that has a colon in it"
    return message


def field_names(kind: Any, where: Sequence[str | int]) -> list[str]:
    inner = [inner_type for inner_type in get_args(kind) if inner_type is not NoneType]
    kind = inner[0] if len(inner) == 1 and NoneType in get_args(kind) else kind  # without "or None"
    is_table = isinstance(kind, type) and issubclass(kind, BaseModel)
    if not where:
        return list(kind.model_fields) if is_table else []
    step, *rest = where
    if is_table:
        field = kind.model_fields.get(str(step))
        return field_names(field.annotation, rest) if field else []
    arguments = get_args(kind)
    return field_names(arguments[-1 if isinstance(step, str) else 0], rest) if arguments else []


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    near = nearest(name, candidates)
    return f"; did you mean '{near}'?" if near else ""


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    if len(name) > MAX_NAME:
        return None
    by_folded = {
        candidate.casefold(): candidate
        for candidate in islice(candidates, MAX_KNOWN)
        if len(candidate) <= MAX_NAME
    }
    folded = name.casefold()
    begun = [
        candidate for candidate in by_folded if len(folded) >= MIN_BEGINNING and candidate.startswith(folded)
    ]
    near = get_close_matches(folded, by_folded, n=1, cutoff=0.6) or begun[:1]
    return by_folded[near[0]] if near else None


def quoted(text: object) -> str:
    return f"'{one_line(str(text), 40)}'"
