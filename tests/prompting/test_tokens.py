"""Counting tokens (S6): cheap, deterministic, corrected by what servers report, never a download."""

import hashlib
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theact_tui.paths import Remembered
from theact_tui.prompting.sections import Message
from theact_tui.prompting.tokens import Tokens, load_encoding
from theact_tui.text import estimate_tokens

NARRATION = (
    "You follow the warm water upstream until the trees lean away from it. The stones here are cut, and somebody has "
    "swept them. Joaquin kneels, lays two fingers on the carving and says nothing for a long time. "
)


def messages(text: str) -> list[Message]:
    return [{"role": "system", "content": "You are the narrator."}, {"role": "user", "content": text}]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (NARRATION, 46),
        ("静かな夜、二人は岩礁に座って海を見ていた。", 21),
        ("Она долго смотрела на воду и ничего не говорила.", 17),
        ("🕯️🌊🏝️", 10),
        ("", 0),
    ],
)
def test_the_estimate_is_near_what_tokenizers_say(text: str, tokens: int) -> None:
    assert Tokens().count(text) == pytest.approx(tokens, rel=0.4)


@given(st.text(), st.text())
def test_the_estimate_adds_up_and_is_never_negative(one: str, other: str) -> None:
    assert estimate_tokens(one) + estimate_tokens(other) == pytest.approx(estimate_tokens(one + other))
    assert estimate_tokens(one) >= 0


def test_the_first_report_counts_whole_and_later_ones_weigh_less() -> None:
    tokens = Tokens()
    text = messages(NARRATION * 20)
    raw = tokens.count_messages(text)
    tokens.learn(text, round(raw * 1.5))
    assert tokens.factor == pytest.approx(1.5, rel=0.01)
    tokens.learn(text, raw)
    assert tokens.factor == pytest.approx(1.35, rel=0.01)


def test_after_three_reports_counts_are_right_and_the_reserve_is_small() -> None:
    tokens = Tokens()
    assert tokens.reserve == 0.15
    for number in range(3, 6):
        text = messages(NARRATION * number)
        tokens.learn(text, round(sum(len(m["content"]) for m in text) / 4.9 + 11))
    assert tokens.settled and tokens.reserve == 0.05
    long = messages(NARRATION * 9)
    assert tokens.count_messages(long) == pytest.approx(sum(len(m["content"]) for m in long) / 4.9, rel=0.05)


@pytest.mark.parametrize(("reported", "factor"), [(10, 0.5), (100_000, 2.5)])
def test_the_correction_is_bounded(reported: int, factor: float) -> None:
    tokens = Tokens()
    tokens.learn(messages("word " * 100), reported)
    assert tokens.factor == factor


def test_the_correction_is_remembered_per_model(tmp_path: Path) -> None:
    memory = Remembered(tmp_path / "tokens.json")
    Tokens("http://h/v1 tiny", memory).learn(messages(NARRATION), 100)
    factor = Tokens("http://h/v1 tiny", memory).factor
    assert factor != 1.0
    assert Tokens("http://h/v1 other", memory).factor == 1.0


@pytest.mark.parametrize("content", ["", "{", "[]", '{"m estimate": {"factor": "x", "samples": 1}}'])
def test_a_damaged_memory_is_forgotten(tmp_path: Path, content: str) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(content)
    assert Tokens("m", Remembered(file)).factor == 1.0


def test_a_prompt_that_was_cut_teaches_the_window_and_not_the_measure() -> None:
    tokens = Tokens()
    assert tokens.learn(messages(NARRATION * 120), 2050) == 4100
    assert tokens.factor == 1.0


def test_a_server_that_refuses_long_prompts_just_counts_differently() -> None:
    tokens = Tokens()
    assert not tokens.learn(messages(NARRATION * 120), 2050, may_cut=False)
    assert tokens.factor < 1.0


def test_the_same_report_for_a_longer_prompt_means_a_cut() -> None:
    tokens = Tokens()
    assert not tokens.learn(messages(NARRATION * 50), 2900)
    assert tokens.learn(messages(NARRATION * 55), 2900)


def test_a_tiny_report_for_a_long_prompt_is_not_believed() -> None:
    tokens = Tokens()
    assert not tokens.learn(messages(NARRATION * 120), 30)
    assert tokens.factor == 1.0


def test_a_wrong_file_is_not_an_encoding_and_nothing_is_downloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: Any, **__: Any) -> Any:
        raise AssertionError("no network")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    name = hashlib.sha1(
        b"https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
    ).hexdigest()
    (tmp_path / name).write_bytes(b"IQ== 0\n")
    assert load_encoding("gpt-4o", {"TIKTOKEN_CACHE_DIR": str(tmp_path)}) is None
    assert load_encoding("gpt-4o", {"TIKTOKEN_CACHE_DIR": ""}) is None
    assert (tmp_path / name).exists()
