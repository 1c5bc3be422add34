"""Forms as servers without schemas send them: read where repair and model agree, else asked for once more."""

import json
from typing import Any

import pytest

from tests.parsing.cases import FACTS, ISLAND
from theact_tui.parsing import parse

FORM = '{"new": [{"fact": "Tom snores.", "kind": "gift"}], "changed": {"3": "Two are left."}}'
NEW = [{"fact": "Tom snores.", "kind": "gift"}]
CHANGED = [{"old": FACTS[2], "new": "Two are left."}]
READ: dict[str, tuple[str, dict[str, Any]]] = {
    "as asked": (FORM, {}),
    "in a fence": (f"Here it is:\n```json\n{FORM}\n```\nLet me know!", {}),
    "after a thought with a draft": (f'<think>Perhaps {{"new": []}}?</think>{FORM}', {}),
    "doubled": (f"{FORM}\n\n{FORM}", {}),
    "in a list": (f"[{FORM}]", {}),
    "below a key of its own": (f'{{"memory": {FORM}}}', {}),
    "without braces": (FORM[1:-1], {}),
    "with comments": (FORM.replace("[{", "[ // new\n{"), {}),
    "in single quotes": (FORM.replace('"', "'"), {}),
    "in smart quotes": (FORM.replace('{"new"', "{“new”"), {}),
    "trailing commas": (FORM.replace("]", ",]").replace("}}", ",},}"), {}),
    "unquoted keys": (FORM.replace('"new"', "new").replace('"changed"', "changed"), {}),
    "camel case": (FORM.replace('"changed"', '"Changed"'), {}),
    "NaN for a word": (FORM.replace('"gift"', "NaN"), {"new": [{"fact": "Tom snores.", "kind": ""}]}),
    "null for a list": (FORM.replace('{"3": "Two are left."}', "null"), {"changed": None}),
    "a number for an object": (FORM.replace('{"3": "Two are left."}', "5"), {"changed": None}),
    "cut in a change": (FORM[:70], {"changed": None}),
    "the last brace cut": (FORM[:-1], {}),
    "speech in a text": (
        FORM.replace("Tom snores.", 'Tom said "I lied," and left.'),
        {"new": [{"fact": 'Tom said "I lied," and left.', "kind": "gift"}]},
    ),
}
"""Each with the fields that are not those of `FORM`; None for one that is not read."""


@pytest.mark.parametrize("name", READ)
def test_a_form_is_read_where_repair_and_model_agree(name: str) -> None:
    raw, other = READ[name]
    reading = parse("memory", raw, ISLAND)
    expected = {field: value for field, value in ({"new": NEW, "changed": CHANGED} | other).items() if value}
    assert reading.ok and reading.fields == expected
    assert reading.repaired is (reading.steps != ("json",))


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "{}",
        "[]",
        '"nothing"',
        f"<think>{FORM}</think>",
        f"<think>{FORM}",
        FORM[:27],
        '{"new": null, "changed": null}',
        '{"new": [3, null, true], "changed": [1, 2]}',
        '{"new": [{"fact": "(a fact)"}]}',
        '{"reason": "so", "new_beats": [2], "chapter_complete": false}',
        '{"risk": "I jump", "difficulty": 12}',
        '{"type": "object", "properties": {"new": {"type": "array"}, "changed": {"type": "object"}}}',
        'changed: [{"old": 3, "new": "Two are left."',
        '{"new": [{"fact": "Tom said "a", "b": "c", "kind": "gift"}]}',
        "I'm sorry, but I can't help with that.",
    ],
)
def test_other_replies_are_asked_for_once_more(raw: str) -> None:
    reading = parse("memory", raw, ISLAND)
    assert not reading.ok and reading.reply is None and reading.missing


@pytest.mark.parametrize("cut", range(len(FORM)))
def test_a_form_cut_anywhere_holds_only_whole_values(cut: int) -> None:
    fields = parse("memory", FORM[:cut], ISLAND).fields
    assert fields.get("new") in (None, NEW, [{"fact": "Tom snores.", "kind": ""}])
    assert fields.get("changed") in (None, CHANGED)


@pytest.mark.parametrize(
    ("difficulty", "read"),
    [
        (12, 12),
        ("12", 12),
        (12.0, 12),
        (float("nan"), None),
        ("hard", None),
        (99, None),
        (True, None),
        ([12], None),
    ],
)
def test_a_number_is_read_within_its_bounds(difficulty: Any, read: int | None) -> None:
    raw = json.dumps({"risk": "I jump", "difficulty": difficulty})
    assert parse("risk", raw, ISLAND).fields == {"risk": "I jump"} | ({"difficulty": read} if read else {})


@pytest.mark.parametrize("said", ["true", '"yes"', "1", '"True."', "(false)", "[]", "2", '"soon"', "null"])
def test_a_yes_or_no_is_never_guessed(said: str) -> None:
    reading = parse("progress", f'{{"1": "no", "end": {said}}}', ISLAND)
    expected = {"true": True, '"yes"': True, "1": True, '"True."': True, "(false)": False}.get(said)
    assert reading.fields.get("end") is expected


def test_a_moment_alone_stands_for_the_list() -> None:
    moment = {
        "quote": "a key",
        "moment_type": "discovery",
        "moment_summary": "so",
        "moment_significance": 0.7,
    }
    for raw in (json.dumps(moment), json.dumps([moment]), json.dumps({"moments": [moment]})):
        assert parse("moment", raw, ISLAND).fields == {"moments": [moment]}
    high = parse("moment", json.dumps([{**moment, "moment_significance": "high"}]), ISLAND)
    assert high.fields["moments"][0]["moment_significance"] == 0.5
