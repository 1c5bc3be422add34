"""Fill in the model of a form from an object of a reply. An unreadable value counts as absent."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from theact_tui.parsing.forms import FieldKind, FieldSpec, Form, fields_of
from theact_tui.parsing.json_objects import objects_in
from theact_tui.parsing.name_matching import ids_in
from theact_tui.parsing.no_answer import is_instruction, is_nothing, is_unfilled
from theact_tui.parsing.refusals import is_refusal
from theact_tui.parsing.types import ReplyContext
from theact_tui.parsing.unwrap import bare_item, with_line_feeds
from theact_tui.story.matching import match_line, plain
from theact_tui.story.names import short_name

_MAX_ITEMS = 64
_MAX_INSTRUCTION = 400
"""Characters of the longest text that may be an instruction."""
_MAX_NAME = 60
_ABSENT: Any = object()
_BETWEEN_LABELS = re.compile(r"[\s,;.\[\]()+&/]+")
_NAME_KEYS = ("name", "title", "character", "chapter", "person", "to")


def objects_of_form(model: type[Form], value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects with fields of a form: `value`, its items, or those below outer keys, also as JSON strings. A
    form of one list may be that list or an item. A JSON schema is no form.
    """
    items = value if isinstance(value, list) else [value]
    only = next(iter(fields_of(model).values())) if len(fields_of(model)) == 1 else None
    if (
        only
        and only.form
        and any(isinstance(item, dict) and values_by_field(only.form, item) for item in items)
    ):
        yield {only.name: items}
        return
    for item in items:
        if not isinstance(item, dict) or "properties" in item:
            continue
        if values_by_field(model, item):
            if item is value or not has_other_keys(model, item):
                yield item
        else:
            for inner in item.values():
                texts = objects_in(inner) if isinstance(inner, str) and "{" in inner else [("", inner)]
                for _, below in texts:
                    yield from objects_of_form(model, below)


def has_other_keys(model: type[Form], value: Any) -> bool:
    """True if an object has keys, at any depth, that are no fields: in repaired JSON those are pieces of a misread text."""
    if isinstance(value, list):
        return any(has_other_keys(model, item) for item in value)
    if not isinstance(value, dict):
        return False
    for key, item in value.items():
        spec = fields_of(model).get(_key(key))
        if spec is None or (spec.form and spec.kind.name != "pairs" and has_other_keys(spec.form, item)):
            return True
    return False


def values_by_field(model: type[Form], value: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the values of a form's fields, whose names may be spelled another way."""
    return {name: item for key, item in value.items() if (name := _key(key)) in model.model_fields}


def _key(text: Any) -> str:
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(text))
    return re.sub(r"[\W_]+", "_", spaced.casefold()).strip("_")


def filled_form(model: type[Form], values: Mapping[str, Any], context: ReplyContext) -> Form:
    """Validate the readable `values`; `model_fields_set` of the form names them."""
    fields = _read_fields(model, values_by_field(model, values), context)
    if context.offered is not None:
        fields = {name: value for name, value in fields.items() if name in context.offered}
    while True:
        try:
            return model.model_validate(fields)
        except ValidationError as error:
            _remove(fields, error.errors(include_url=False)[0]["loc"])


def _remove(fields: Any, location: Sequence[int | str]) -> None:
    for step in location[:-1]:
        fields = fields[step]
    del fields[location[-1]]


def _read_fields(model: type[Form], values: Mapping[str, Any], context: ReplyContext) -> dict[str, Any]:
    specs = fields_of(model)
    read = {name: _read(specs[name], value, context) for name, value in values.items()}
    return {name: value for name, value in read.items() if value is not _ABSENT}


def _read(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    """Convert a value by its field's kind; `_ABSENT` if it is none."""
    if value is None:
        return _ABSENT
    if isinstance(value, str) and value.strip() and spec.kind.name != "flag" and is_unfilled(value.strip()):
        return _ABSENT
    return _READERS[spec.kind.name](spec, value, context)


def _text_of(value: Any) -> str:
    """Convert a value to text: of a list its texts, of an object the texts of its values."""
    match value:
        case str():
            return value.strip()
        case bool() | None:
            return ""
        case int() | float():
            return f"{value:g}" if abs(value) < 1e15 else ""
        case list():
            return "\n\n".join(filter(None, map(_text_of, value)))
        case dict() if len(value) == 1 and " " in (text := _text_of(next(iter(value.values())))):
            key = str(next(iter(value)))
            return text if key.islower() else f"{key}: {text}"
        case dict():
            return ": ".join(filter(None, map(_text_of, value.values())))
        case _:
            return ""


def _text(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    """Return a text, unless it repeats an instruction or refuses to answer."""
    kind = spec.kind
    if isinstance(value, dict | bool):
        return _ABSENT
    text = _text_of(value) if kind.name == "prose" else " ".join(_text_of(value).split())
    text = with_line_feeds(text)
    if len(text) < _MAX_INSTRUCTION and is_instruction(text):
        return _ABSENT
    if kind.name == "prose" and not context.is_scripted and is_refusal(text):
        return _ABSENT
    if is_nothing(text):
        return _ABSENT if kind.optional else ""
    return text if not kind.most or len(text) <= kind.most else text[: kind.most].rpartition(" ")[0]


def _items(value: Any) -> list[Any]:
    """Return the items of a list; a text has one a line, any other value is one."""
    if isinstance(value, str):
        value = value.split("\n")
    return [*(value if isinstance(value, list) else [value])][:_MAX_ITEMS]


def _texts(value: Any) -> list[str]:
    """Return texts without list marks, empty ones and repetitions. Keys of an object go in front of their values."""
    if isinstance(value, dict):  # names with what is said of them, numbered texts, or what is true
        true_items = {str(name): item for name, item in value.items() if item is not False}
        value = [
            name if item is True else item if name.isdigit() else f"{name}: {_text_of(item)}"
            for name, item in true_items.items()
        ]
    texts = (bare_item(_text_of(item)) for item in _items(value))
    return list(dict.fromkeys(text for text in texts if not is_nothing(text) and not is_unfilled(text)))


def _ids(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    """Return allowed ids. A list with an unknown name is absent; the player's own is left out."""
    ids, unknown = ids_in(value, context.active_characters)
    if not {*map(plain, unknown)} <= _names_of_player(context):
        return _ABSENT
    if context.offered is not None:
        ids = [id for id in ids if id in context.offered.get(spec.name, ())]
    return ids[: spec.kind.most or None]


def _changes(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    """Return old and new text of each changed fact: an object by number, or `old` and `new`. An unmatched one keeps
    its text.
    """
    pairs, facts = list[tuple[str, str]](), context.facts
    for item in _items(value):
        if isinstance(item, dict) and "new" in item:
            pairs.append((_text_of(item.get("old")), _text_of(item["new"])))
        elif isinstance(item, dict) and "old" not in item:
            for old, new in item.items():
                is_wrapped = isinstance(new, dict) and "new" not in new
                pairs += [(str(o), _text_of(n)) for o, n in (new if is_wrapped else {old: new}).items()]
        elif not (isinstance(item, str) and is_nothing(item)):
            return _ABSENT
    changes = []
    for old, new in pairs[:_MAX_ITEMS]:
        if new and not is_nothing(new) and not is_unfilled(new):
            at = match_line(old, facts) if old and facts is not None else None
            changes.append({"old": facts[at] if at is not None and facts else old, "new": new})
    return changes


def _names_of_player(context: ReplyContext) -> set[str]:
    return {"you", "player", "the player", plain(context.player), plain(short_name(context.player))}


def _labels(text: Any, labels: Sequence[str]) -> list[str] | None:
    """Return the labels in a text or list, such as "12" or "[1], 2"; None if it holds anything else."""
    found = _BETWEEN_LABELS.sub("", "".join(_texts(text)))
    return [*found] if {*found} <= {*labels} else None


def _marks(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    """Return labels of pieces as one text by person, without the player's."""
    if not isinstance(value, dict):
        return _ABSENT
    marks: dict[str, str] = {}
    for name, text in value.items():
        ids, unknown = ids_in(name, context.active_characters)
        if not ids and unknown and {*map(plain, unknown)} <= _names_of_player(context):
            continue
        labels = _labels(text, context.labels.get(spec.name, ()))
        if len(ids) != 1 or labels is None or len(labels) > (spec.kind.most or len(labels)):
            return _ABSENT
        if labels:
            marks[ids[0]] = "".join(labels)
    return marks


def _hearers(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    """Return the only hearers of each piece. With a word in place of a label or name it is absent: asked once more, for
    it would keep nothing from anybody.
    """
    if value == []:
        return {}
    if not isinstance(value, dict):
        return _ABSENT
    hearers: dict[str, list[str]] = {}
    for label, people in value.items():
        labels = _labels(label, context.labels.get("only", ()))
        ids, unknown = ids_in(people, context.active_characters)
        is_known = isinstance(people, str | list) and {*map(plain, unknown)} <= _names_of_player(context)
        if not labels or not is_known:
            return _ABSENT
        for piece in labels:
            hearers[piece] = [id for id in ids if piece not in hearers or id in hearers[piece]]
    return hearers


def _choice(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    word = _key(value[0] if isinstance(value, list) and value else value)
    return next((choice for choice in spec.kind.choices if _key(choice) == word), _ABSENT)


def _whole(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    kind, digits = spec.kind, re.fullmatch(r"(-?\d{1,3})(?:\.0)?", str(value))
    if digits is None or (kind.most and not kind.least <= int(digits[1]) <= kind.most):
        return _ABSENT
    return int(digits[1])


def _object(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    if spec.form is None or not isinstance(value, dict):
        return _ABSENT
    return _read_fields(spec.form, values_by_field(spec.form, value), context)


def _objects(spec: FieldSpec, value: Any, context: ReplyContext) -> Any:
    """Objects with text; a text alone is the first field. `noted` ones need that field, once each."""
    model = spec.form
    if model is None or (isinstance(value, dict) and value and not values_by_field(model, value)):
        return _ABSENT
    first = next(iter(model.model_fields))
    objects: list[dict[str, Any]] = []
    for item in _items(value):
        if isinstance(item, dict) and len(item) == 1 and not values_by_field(model, item):
            item = _text_of(item)
        if isinstance(item, str):
            item = {first: bare_item(item)} if not is_nothing(item) else {}
        if not isinstance(item, dict):
            return _ABSENT
        fields = _read_fields(model, values_by_field(model, item), context)
        texts = [earlier[first] for earlier in objects if first in earlier]
        is_new = bool(fields.get(first)) and fields[first] not in texts
        if is_new if spec.kind.name == "noted" else has_text(fields):
            objects.append(fields)
    return objects


def has_text(value: Any) -> bool:
    """True if `value` has a text or number, at any depth."""
    if isinstance(value, dict | list | tuple):
        return any(map(has_text, value.values() if isinstance(value, dict) else value))
    return bool(value.strip()) if isinstance(value, str) else value is not None


def _named(spec: FieldSpec, value: Any, context: ReplyContext) -> list[dict[str, str]]:
    """Return `name` and `text` of each item, once a name; "" for a missing text."""
    named: dict[str, dict[str, str]] = {}
    for item in _items(value):
        for name, text in _name_and_text(item):
            name, text = (" ".join(bare_item(part.replace("**", "")).split()) for part in (name, text))
            if re.search(r"\w", name) and not is_nothing(name) and not is_unfilled(name):
                text = "" if is_nothing(text) or is_unfilled(text) else text
                named.setdefault(_key(name), {"name": name[:_MAX_NAME], "text": text})
    return list(named.values())


def _name_and_text(item: Any) -> Iterator[tuple[str, str]]:
    """Split `Name: text`, an object with a name, or names as keys."""
    if isinstance(item, dict):
        key = next((key for key in item if _key(key) in _NAME_KEYS), None)
        if key is None:
            yield from ((str(name), _text_of(text)) for name, text in item.items())
        else:
            texts = [text for name, value in item.items() if name != key and (text := _text_of(value))]
            yield _text_of(item[key]), ". ".join([*(text.rstrip(".") for text in texts[:-1]), *texts[-1:]])
    else:
        parts = re.split(r"\s*:\s+|\s+[-–—]\s+", bare_item(_text_of(item)), maxsplit=1)
        yield parts[0], parts[1] if len(parts) > 1 else ""


_READERS: dict[FieldKind, Callable[[FieldSpec, Any, ReplyContext], Any]] = {
    "prose": _text,
    "line": _text,
    "texts": lambda _, value, __: _texts(value),
    "ids": _ids,
    "pairs": _changes,
    "marks": _marks,
    "hearers": _hearers,
    "named": _named,
    "choice": _choice,
    "flag": lambda _, value, __: value.strip(" .!()") if isinstance(value, str) else value,
    "number": lambda _, value, __: _ABSENT if isinstance(value, bool) else value,
    "whole": _whole,
    "object": _object,
    "objects": _objects,
    "noted": _objects,
}
