"""S16: a file that somebody changed by hand or broke is refused, or every word of it is kept or named."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.importing.test_nothing_lost import named
from tests.importing.test_words_in_and_out import (
    FORMATS,
    WORD,
    as_json,
    as_lines,
    as_yaml,
    filled,
    new_words,
    taken_in,
    words_kept,
)
from theact_tui.errors import UsageError
from theact_tui.importing.report import ImportReport

Place = tuple[Any, Any]
"""A container and the key or index of a value in it."""
ODD = (
    "\u200d", "\u202e", "\u2028", "\0", "\x1b[31m", "\ud800", "\ufeff", "\u3000", "ﷺ", "👩🏽‍🚀", "\uffff",
    "\ue003",
)  # fmt: skip
MARKS = (
    "{{", "}}", "{{user}}", "{{char}}", "{{if x}}", "{{/if}}", "<START>", "<think>", "</think>", "```html\n<div>", "<b>",
    "&lt;", "${", "<!--", "{{// ", "<%", "[", "*", "@@depth ", "<script>", '"', "“", "\n> ", "---\n",
)  # fmt: skip


def places(value: Any) -> Iterator[Place]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, content in inside:
        yield value, key
        yield from places(content)


def of_another_type(value: Any, chance: Random) -> Any:
    if isinstance(value, dict):
        return chance.choice([[*value.values()], [value], dict(enumerate(value.values()))])
    if isinstance(value, list):
        return chance.choice([dict(enumerate(value)), [value], value[0] if value else {}, {"list": value}])
    return chance.choice([[value], {"text": value}, [[value]], {"0": value}, None, True, 7, -1e300])


def deeper(value: Any, chance: Random) -> Any:
    for _ in range(chance.choice([1, 3, 20])):
        value = chance.choice([[value], {"inside": value}])
    return value


def sprinkled(value: Any, signs: tuple[str, ...], chance: Random) -> Any:
    """A document with a sign before or behind some of its texts, or between two of their words."""
    if isinstance(value, dict):
        return {key: sprinkled(content, signs, chance) for key, content in value.items()}
    if isinstance(value, list):
        return [sprinkled(content, signs, chance) for content in value]
    if not isinstance(value, str) or chance.random() < 0.6:
        return value
    sign = chance.choice(signs)
    return chance.choice([sign + value, value + sign, value.replace(" ", f" {sign} ", 1)])


def one_changed(change: Callable[[Any, Random], Any]) -> Callable[[Any, Random], Any]:
    def changed(document: Any, chance: Random) -> Any:
        holder, key = chance.choice([*places(document)])
        holder[key] = change(holder[key], chance)
        return document

    return changed


def without_a_field(document: Any, chance: Random) -> Any:
    holder, key = chance.choice([*places(document)])
    del holder[key]
    return document


def renamed(document: Any, chance: Random) -> Any:
    tables = [(holder, key) for holder, key in places(document) if isinstance(holder, dict)]
    holder, key = chance.choice(tables)
    holder[chance.choice([str(key).upper(), f"{key}s", f"my_{key}"])] = holder.pop(key)
    return document


VARIATIONS: dict[str, Callable[[Any, Random], Any]] = {
    "a field is missing": without_a_field,
    "a field is empty": one_changed(lambda value, chance: chance.choice([None, "", [], {}])),
    "a field has another type": one_changed(of_another_type),
    "a field is nested deeper": one_changed(deeper),
    "a field is called otherwise": renamed,
    "a part is there twice": one_changed(lambda value, _: value * 2 if isinstance(value, list) else value),
    "a text is very long": one_changed(
        lambda value, chance: (
            value + chance.choice(["—", "\n", "* "]) * 20_000 if isinstance(value, str) else value
        )
    ),
    "odd letters": lambda document, chance: sprinkled(document, ODD, chance),
    "marks of programs": lambda document, chance: sprinkled(document, MARKS, chance),
}


def cut_off(data: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(len(data))]


def with_a_sign_inside(data: bytes, chance: Random) -> bytes:
    place = chance.randrange(len(data))
    return (
        data[:place]
        + chance.choice([b"\0", b"\xff", b"\r\n", b"\xc3\xa9", b"}", b'"', b"\xed\xa0\x80"])
        + data[place:]
    )


SPOILT: dict[str, Callable[[bytes, Random], bytes]] = {
    "cut off": cut_off,
    "a sign inside": with_a_sign_inside,
    "UTF-16": lambda data, _: data.decode().encode("utf-16"),
    "byte order mark, lines of Windows": lambda data, _: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
    "written twice": lambda data, _: data + b"\n" + data,
}


def spoilt(name: str, variation: str) -> tuple[bytes, str]:
    """A file of a format, changed, and the text that it holds."""
    form, written = FORMATS[name]
    document = copy.deepcopy(filled(form, new_words(), planted=False))
    chance = Random(f"{name} {variation} 0")
    if variation in VARIATIONS:
        document = VARIATIONS[variation](document, chance)
        return written(document), json.dumps(document, ensure_ascii=False)
    data = SPOILT[variation](written(document), chance)
    is_wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data, data.decode("utf-16" if is_wide else "utf-8", "replace")


def lost_words(name: str, data: bytes, text: str, folder: Path) -> tuple[set[str], ImportReport | None]:
    """The words that are neither kept nor spoken of, and the report; no report if the file is refused."""
    try:
        report = taken_in(folder, name, data)
    except UsageError as refusal:
        assert refusal.message
        return set(), None
    read = set(WORD.findall(str((report.taken, report.changed, report.left_out))))
    return set(WORD.findall(text)) - read - words_kept(folder, report), report


TRIED = 5
"""Variations of each format, some 200 in all."""
TEXTS = (as_json, as_lines, as_yaml)
"""Of their bytes it can be said which words they hold, however they are spoilt."""
TRIALS = [
    (name, variation)
    for name, (_, written) in FORMATS.items()
    for variation in Random(name).sample([*VARIATIONS, *(SPOILT if written in TEXTS else ())], TRIED)
]


@pytest.mark.parametrize(("name", "variation"), TRIALS)
def test_of_a_changed_file_every_word_is_kept_or_named(name: str, variation: str, tmp_path: Path) -> None:
    data, text = spoilt(name, variation)
    missing, report = lost_words(name, data, text, tmp_path)
    assert report is None or len(missing) <= named(report), (missing, report.left_out, text)
