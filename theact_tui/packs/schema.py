"""From the plain values of a file to the values of a story, with every mistake explained (S2)."""

from __future__ import annotations

from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError

from theact_tui.packs.document import Document, Where
from theact_tui.packs.findings import Finding, did_you_mean, nearest, quoted

Part = TypeVar("Part", bound=BaseModel)


def validated(model: type[Part], document: Document) -> Part | list[Finding]:
    """The value of `model` that a file holds, or everything that keeps it from being one."""
    value = document.value
    if isinstance(value, dict):
        value = {
            key: item for key, item in value.items() if item is not None or not _may_be_empty(model, key)
        }
    try:
        return model.model_validate(value)
    except ValidationError as error:
        return [_explain(model, document, each) for each in _telling(model, error.errors(include_url=False))]


def _may_be_empty(model: type[BaseModel], key: str) -> bool:
    field = model.model_fields.get(key)
    return field is not None and not field.is_required()


def _telling(model: type[BaseModel], errors: list[Any]) -> list[Any]:
    """The errors worth telling, unknown fields first: a field that is only misspelt is not also called missing."""
    unknown = [each for each in errors if each["type"] == "extra_forbidden"]
    meant = {(*each["loc"][:-1], _nearest(model, each["loc"])) for each in unknown}
    others = [each for each in errors if each not in unknown]
    return unknown + [each for each in others if each["type"] != "missing" or each["loc"] not in meant]


def _nearest(model: type[BaseModel], where: Where) -> str | None:
    return nearest(str(where[-1]), _known_fields(model, where[:-1]))


def _explain(model: type[BaseModel], document: Document, error: Any) -> Finding:
    where: Where = error["loc"]
    if where and where[-1] == "[key]":
        where = where[:-1]
    field = ".".join(str(step) for step in where)
    message = _message(model, where, error)
    return Finding("error", document.file, document.line(where), field, message)


def _message(model: type[BaseModel], where: Where, error: Any) -> str:
    name = quoted(where[-1]) if where else "the file"
    context = error.get("ctx", {})
    match error["type"]:
        case "extra_forbidden":
            return f"unknown field {name}{did_you_mean(str(where[-1]), _known_fields(model, where[:-1]))}"
        case "missing" if isinstance(where[-1], int):
            return f"{quoted(where[-2])} needs at least {where[-1] + 1} entries"
        case "missing":
            return f"the field {name} is missing"
        case "literal_error":
            near = did_you_mean(str(error["input"]), _choices(model, where))
            return f"{name} must be {context['expected']}, not {_what(error['input'])}{near}"
        case "string_type":
            return f"{name} must be text, not {_what(error['input'])}{_colon_hint(error['input'])}"
        case "tuple_type" | "list_type":
            return f"{name} must be a list, not {_what(error['input'])}"
        case "dict_type" | "model_type" | "model_attributes_type":
            return f"{name} must hold fields, not {_what(error['input'])}"
        case "too_short":
            return f"{name} needs at least {context['min_length']} in its list"
        case "too_long":
            return (
                f"{name} may have at most {context['max_length']} in its list, not {context['actual_length']}"
            )
        case "int_parsing" | "int_type" | "int_from_float":
            return f"{name} must be a whole number, not {_what(error['input'])}"
        case "float_parsing" | "float_type":
            return f"{name} must be a number, not {_what(error['input'])}"
        case "greater_than_equal":
            return f"{name} must be at least {context['ge']:g}, not {_what(error['input'])}"
        case "less_than_equal":
            return f"{name} must be at most {context['le']:g}, not {_what(error['input'])}"
        case _:
            return f"{name}: {error['msg']}"


def _what(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case dict():
            return "fields"
        case list():
            return "a list"
        case _:
            return quoted(value)


def _colon_hint(value: object) -> str:
    if isinstance(value, dict) and len(value) == 1:
        return "; put quotes around a line that has a colon in it"
    return ""


def _annotation(model: type[BaseModel], where: Where) -> Any:
    """The type that the schema asks for at `where`."""
    kind: Any = model
    for step in where:
        kind = _bare(kind)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            field = kind.model_fields.get(str(step))
            kind = field.annotation if field else Any
        else:
            arguments = get_args(kind)
            kind = arguments[-1 if isinstance(step, str) else 0] if arguments else Any
    return _bare(kind)


def _bare(kind: Any) -> Any:
    """`kind` without "or None"."""
    inner = [each for each in get_args(kind) if each is not NoneType]
    return inner[0] if len(inner) == 1 and NoneType in get_args(kind) else kind


def _known_fields(model: type[BaseModel], where: Where) -> list[str]:
    kind = _annotation(model, where)
    return list(kind.model_fields) if isinstance(kind, type) and issubclass(kind, BaseModel) else []


def _choices(model: type[BaseModel], where: Where) -> list[str]:
    """The words allowed at `where`, be it a value or a key."""
    for kind in (_annotation(model, where), *get_args(_annotation(model, where[:-1]))[:1]):
        if get_origin(kind) is Literal:
            return [str(choice) for choice in get_args(kind)]
    return []
