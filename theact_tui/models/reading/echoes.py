"""Tells an answer from the prompt's own example or skeleton coming back (step 4 of the ladder)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from theact_tui.models.reading.answers import blocks, chosen, drafts
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.fields import SHAPES
from theact_tui.models.reading.items import items_of, text_of
from theact_tui.models.reading.lines import Record
from theact_tui.models.reading.values import is_placeholder
from theact_tui.story.matching import plain


def without_echoes(found: list[Record], kind: str, context: Context) -> list[Record]:
    """`found` without answers that are the prompt's example again."""
    if not context.prompt_example:
        return found
    example = _texts_of_example(kind, context.prompt_example)
    return [record for record in found if not _is_echo(_texts(record.values), example)]


@lru_cache(maxsize=32)
def _texts_of_example(kind: str, example: str) -> dict[str, str]:
    shape = SHAPES[kind]
    for block in blocks(example):
        for draft in drafts(block.text, shape):
            record = chosen(draft, shape)
            if record:
                return _texts(record.values)
    return {}


def _texts(values: dict[str, Any]) -> dict[str, str]:
    """The texts of an answer as they are compared."""
    told = {
        name: plain(text_of(value)) for name, value in values.items() if name not in {"mood", "moment_type"}
    }
    return {name: text for name, text in told.items() if len(text.split()) > 2}


def _is_echo(texts: dict[str, str], example: dict[str, str]) -> bool:
    if "narration" in example:
        told = texts.get("narration", "")
        return bool(told) and (
            told == example["narration"] or (len(told) > 25 and example["narration"].startswith(told))
        )
    return bool(example) and all(texts.get(name) == text for name, text in example.items())


def has_placeholder(value: Any) -> bool:
    """True if anywhere in raw values a template was left unfilled."""
    match value:
        case str():
            return (
                any(is_placeholder(part) for part in (value, *items_of(value), *value.split("\n")))
                or "<" in value
            )
        case dict():
            return any(map(has_placeholder, value.values()))
        case list():
            return any(map(has_placeholder, value))
        case _:
            return False


def echoes_example(prose: str, context: Context) -> bool:
    """True if `prose` is a part of the example."""
    return bool(context.prompt_example) and plain(prose) in plain(context.prompt_example)
