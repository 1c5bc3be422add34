"""Every text comes back from a save as it went in, and hostile files are refused."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from theact_tui import yaml
from theact_tui.errors import SaveError

texts = st.text(max_size=60) | st.text(
    alphabet=" \t\n\r:-#'\"|>&*!%@`{}[],?\\ab0~\u0085\u2028\ufeff", max_size=40
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
data = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)  # fmt: skip


@given(st.dictionaries(texts, data, max_size=4))
@example(
    {"": "", "no": "no", "012": "012", "a": "2001-01-01", "b": "1:30", "c": "null", "d": "~", "e": " x\n"}
)
@example({"a": "one\r\ntwo", "b": "\n", "c": "x\n\n", "d": "x\n \ny", "e": "\u0085", "f": "x" * 5_000})
def test_what_is_written_reads_back_the_same(value: dict[str, Any]) -> None:
    assert yaml.load(yaml.dump(value)) == value


@given(st.dictionaries(st.sampled_from("abc"), texts))
def test_the_parser_in_python_and_other_readers_agree(value: dict[str, Any]) -> None:
    raw = yaml.dump(value)
    assert yaml.document_of(yaml.pure_events(raw.decode())) == value
    assert (YAML(typ="safe").load(raw) or {}) == value


def test_prose_is_a_block_that_a_person_can_edit() -> None:
    raw = yaml.dump({"text": 'You kneel.\n\n"No," she says.', "mood": "calm", "said": "I look: around"})
    assert raw.decode() == 'text: |-\n  You kneel.\n\n  "No," she says.\nmood: calm\nsaid: "I look: around"\n'


def test_lone_surrogates_become_replacement_characters() -> None:
    assert yaml.load(yaml.dump({"text": "a\ud800b"})) == {"text": "a\ufffdb"}


def test_numbers_with_a_leading_zero_and_words_of_old_yaml_stay_text() -> None:
    assert yaml.load(b"a: 01\nb: no\nc: 2001-01-01\nd: 1_000\ne: 1.5\nf: 12\ng:\n") == {
        "a": "01", "b": "no", "c": "2001-01-01", "d": "1_000", "e": 1.5, "f": 12, "g": None,
    }  # fmt: skip


HOSTILE = {
    "deep lists": b"[" * 20_000,
    "deep rows": b"- " * 100_000,
    "deep mappings": b"{a: " * 5_000,
    "an alias": b"a: &x [1]\nb: *x",
    "a python object": b"a: !!python/object:os.system x",
    "a set": b"!!set {a}",
    "a key twice": b"a: 1\na: 2",
    "a list as a key": b"? [a]\n: b",
    "no UTF-8": b"\xff\xfe\xfa",
    "two documents": b"a: 1\n---\nb: 2",
    "no value": b"a: b: c",
    "a control character": b"a: \x1b",
    "too long": b"x" * 4_000_001,
    "too many values": b"[" + b"1," * 250_000 + b"]",
}
SLOW = {"too long", "too many values"}
"""The parser in Python has the same limits, but takes long to reach them."""


@pytest.mark.parametrize(
    ("kind", "pure"),
    [(kind, pure) for kind in HOSTILE for pure in (False, True) if not pure or kind not in SLOW],
)
def test_hostile_files_are_refused_with_their_name(
    kind: str, pure: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pure:
        monkeypatch.setattr(yaml, "events", yaml.pure_events)
    with pytest.raises(SaveError, match=r"state\.yaml"):
        yaml.load(HOSTILE[kind], "state.yaml")
