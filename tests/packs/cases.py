"""Faults that a pack may have, one a line: a file, a text in it, what is put instead, and what must be said about it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FIRST, SECOND = "chapters/01-the-platform.yaml", "chapters/02-the-up-train.yaml"


def faults(name: str) -> list[Any]:
    """The rows of a file here, without their ids."""
    rows = map(json.loads, (Path(__file__).parent / name).read_text("utf-8").splitlines())
    return [pytest.param(*row.values(), id=id) for row in rows for id in [row.pop("id", None)]]


def texts_in(value: object) -> Iterator[str]:
    """All texts of a document."""
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from texts_in(item)
        case list() | tuple():
            for item in value:
                yield from texts_in(item)


FAULTS = faults("faults.jsonl")
