"""What holds for every text, however broken: the reader never raises, never invents, and leaves good replies alone."""

import json
from functools import partial
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parsing.cases import CAST, FACTS, ISLAND, cases, flat
from tests.support.cpu_time import cpu_seconds
from theact_tui.parsing import ParsedReply, parse
from theact_tui.parsing.forms import MODELS
from theact_tui.parsing.reader import AGENTS
from theact_tui.story.matching import plain

MARKS = (
    "narration: |\n", "responding_characters: [", "mood:", '{"narration": "', '"', "}", "]", "```yaml\n",
    "```", "<think>", "</think>", "<|im_start|>", "Player: ", "- ", "\n", "\n\n", "  ", "maya", "2",
    "true", "new_beats:", "add:", "update:\n- old: ", "new: ", "summary: ", "chapter_complete: ", "risk: ",
    "You wake up.", "\\", "\\u00", ",", ": ", "|", "*", "\ufeff", "\ud83d",
)  # fmt: skip
REASONS = (
    "Nobody has found water yet.",
    "The storm came, but the beacon is still a secret: Maya keeps quiet.",
    'They heard "something" on the radio; it isn\'t enough.',
    "Two of five beats are open",
)
TEXTS = (
    "Tom snores.",
    "The player promised Maya the last flare.",
    "Locker #7 holds a map, a torch and rope.",
    'Joaquin calls the ridge "the pulpit".',
    "Lena's arm is broken: she hides it.",
    "It's 2 hours to the reef at low tide",
)
RISKS = ("jump across the crevasse", "I climb the mast, in this wind", "pick the lock of the hatch")


def truths(agent: str, random: Random) -> dict[str, Any]:
    """A random right answer of `agent`."""
    match agent:
        case "progress":
            answers = {label: random.choice(["no", "no", "begun", *REASONS]) for label in ("1", "2", "s1")}
            return {**answers, "end": random.random() < 0.3}
        case "memory":
            updates = [
                {"old": old, "new": random.choice(TEXTS)}
                for old in random.sample(FACTS, random.choice([0, 0, 1, 2]))
            ]
            return {
                "new": [
                    {"fact": text, "kind": random.choice(["promise", "secret", "none"])}
                    for text in random.sample(TEXTS, random.choice([0, 1, 2, 2]))
                ],
                "changed": updates,
            }
        case _:
            return {"risk": random.choice(RISKS), "difficulty": random.choice([8, 12, 15])}


broken = st.lists(st.sampled_from(MARKS) | st.text(max_size=12), max_size=30).map("".join)
agents = st.sampled_from(AGENTS)


@settings(max_examples=150, deadline=None)
@given(agents, broken)
def test_no_text_makes_it_raise_or_name_what_does_not_exist(agent: str, raw: str) -> None:
    reading = parse(agent, raw, ISLAND)
    assert reading.ok is not bool(reading.missing)
    assert_known(reading)
    json.dumps(reading.fields)


@settings(max_examples=100, deadline=None)
@given(agents, broken)
def test_its_own_output_is_read_as_it_stands(agent: str, raw: str) -> None:
    first = parse(agent, raw, ISLAND)
    if first.ok:
        assert parse(agent, json.dumps(first.fields, ensure_ascii=False), ISLAND).fields == first.fields


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["progress", "memory", "risk"]), st.integers(0, 10_000))
def test_a_well_formed_reply_is_left_alone(agent: str, seed: int) -> None:
    fields = truths(agent, Random(seed))
    for raw in (
        json.dumps(fields),
        json.dumps(fields, ensure_ascii=False, indent=2),
        f"```json\n{json.dumps(fields)}\n```",
    ):
        reading = parse(agent, raw, ISLAND)
        assert reading.fields == fields
        assert not reading.repaired


@pytest.mark.parametrize("seed", range(3))
def test_a_good_reply_with_accidents_yields_only_what_it_said(seed: int) -> None:
    random = Random(seed)
    for case in cases():
        if case.context is not ISLAND:
            continue
        raw = _struck(case.raw, random)
        reading = parse(case.agent, raw, ISLAND)
        assert_known(reading)
        assert_said(reading, raw)


@pytest.mark.parametrize("agent", ["progress", "memory", "risk"])
def test_a_reply_cut_anywhere_yields_beginnings_of_what_it_was_to_say(agent: str) -> None:
    random = Random(agent)
    for _ in range(80):
        fields = truths(agent, random)
        raw = random.choice(
            [json.dumps(fields), json.dumps(fields, indent=2), f"```json\n{json.dumps(fields)}\n```"]
        )
        cut = raw[: random.randrange(len(raw))]
        for name, value in parse(agent, cut, ISLAND).fields.items():
            assert _begins(value, fields[name]), (name, value, cut)


@pytest.mark.parametrize(
    "unit",
    [
        "{", "[", '{"a":', "- ", "? ", "- - ", '"', "\\", "<think>", "<narration>", "```\n", "narration: ",
        "&a *a ", "\n - ",
    ],
)  # fmt: skip
@pytest.mark.parametrize("agent", sorted(MODELS))
def test_nesting_and_repetition_without_end_are_survived(agent: str, unit: str) -> None:
    for before in ("", "narration: |\n  You wake.\n", '{"narration": "You wake.'):
        assert_known(parse(agent, before + unit * (12_000 // len(unit)), ISLAND))


SIGNS = [
    *"{[(\"'`“«„<>|\\/*_#:;,.=-~ \n\t09a", " \n", "\t ", '{"', '" ', "{=", "//", "/*", "a: ", "1. ", "- ",
    "-> ", '"a" ',
]  # fmt: skip


@pytest.mark.parametrize("before", ["", "summary: ", '{"add": ["', '{"reason": "'])
@pytest.mark.parametrize("sign", SIGNS, ids=[repr(sign) for sign in SIGNS])
def test_no_sign_takes_long_to_read_however_often_it_comes(sign: str, before: str) -> None:
    for agent in ("narrator", "character", "memory", "progress"):
        text = (before + sign * 24_000)[:24_000]
        assert cpu_seconds(partial(parse, agent, text, ISLAND)) < 0.5


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-" + "9" * 4_000, "1e999"], ids=["many", "less", "inf"])
@pytest.mark.parametrize("agent", sorted(MODELS))
def test_numbers_without_end_are_survived(agent: str, number: str) -> None:
    for name in MODELS[agent].model_fields:
        assert_known(parse(agent, f'{{"{name}": {number}}}', ISLAND))


def assert_known(reading: ParsedReply) -> None:
    """Every id, beat and fact of a reading is one of the context."""
    fields = reading.fields
    for key in ("here", "asleep", "heard_by", "answer"):
        assert set(fields.get(key, ())) <= set(CAST)
        assert len(set(fields.get(key, ()))) == len(fields.get(key, ()))
    assert set(fields.get("remove", ())) <= set(FACTS)
    assert {pair["old"] for pair in fields.get("update", ())} <= set(FACTS)


def assert_said(reading: ParsedReply, raw: str) -> None:
    """Every word of a recovered text stands in the reply."""
    said = plain(raw.replace("\\n", " ").replace("\\", "")).replace(" ", "")
    for key in ("narration", "reason", "summary", "risk", "text"):
        for word in plain(str(reading.fields.get(key) or "")).split():
            assert word in said, (key, word)
    for text in reading.fields.get("add", ()):
        assert all(word in said for word in plain(text).split())


def _begins(value: Any, whole: Any) -> bool:
    """True if `value` is where `whole` begins: a text's first characters, items of a list, the last one perhaps cut."""
    match value:
        case str():
            return str(flat(whole)).startswith(str(flat(value)))
        case list():
            return all(any(_begins(item, other) for other in whole) for item in value)
        case dict():
            return all(_begins(text, whole[key]) for key, text in value.items())
        case int() if not isinstance(value, bool):
            return str(whole).startswith(str(value))
        case _:
            return value in (whole, None)


def _struck(raw: str, random: Random) -> str:
    """`raw` after one to three accidents: characters lost, doubled, swapped, cut off or struck by another key."""
    for _ in range(random.randint(1, 3)):
        if len(raw) < 4:
            return raw
        at, length = random.randrange(len(raw)), random.randint(1, 6)
        match random.randrange(6):
            case 0:
                raw = raw[:at] + raw[at + length :]
            case 1:
                raw = raw[:at] + raw[at : at + length] + raw[at:]
            case 2:
                raw = raw[:at]
            case 3:
                raw = raw[:at] + random.choice("\"'{}[]:,\n`|<>-#\\ ") + raw[at:]
            case 4:
                lines = raw.split("\n")
                random.shuffle(lines)
                raw = "\n".join(lines)
            case _:
                raw = raw.replace(random.choice("\"'{}[]:,\n|"), "", 1)
    return raw


def test_white_space_is_all_that_comparison_forgives() -> None:
    assert flat({"a": ["b  c\n"]}) == {"a": ["b c"]}
