"""`theact-tui recover`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from theact_tui.cli.saves import recover
from theact_tui.errors import NothingRecovered, UsageError

REPLY = '```json\n{"narration": "You wake.", "mood": "calm"}\n```'
CONTEXT = {"active_characters": {"maya": "Maya Chen"}, "beats": [], "facts": []}


def test_the_fields_of_one_reply_are_printed_as_json(tmp_path: Path) -> None:
    context = tmp_path / "context.json"
    context.write_text(json.dumps(CONTEXT))
    result = CliRunner().invoke(recover, ["narrator", "--context", str(context)], input=REPLY)
    assert result.exit_code == 0
    assert json.loads(result.output) == {"narration": "You wake."}


def test_nothing_usable_ends_with_exit_code_3() -> None:
    result = CliRunner().invoke(recover, ["narrator"], input="<think>The player waits.")
    assert isinstance(result.exception, NothingRecovered)
    assert result.exception.exit_code == 3
    assert result.output == ""


def test_bytes_that_are_no_text_are_read_as_far_as_they_go() -> None:
    result = CliRunner().invoke(recover, ["character"], input=b"Not \xff today.")
    assert json.loads(result.output) == {"text": "Not \ufffd today."}


@pytest.mark.parametrize("arguments", [[], ["poet"], ["narrator", "--jsonl", "-"]])
def test_wrong_use_is_refused(arguments: list[str]) -> None:
    result = CliRunner().invoke(recover, arguments, input="x")
    assert isinstance(result.exception, UsageError)


def test_a_context_of_another_form_is_refused(tmp_path: Path) -> None:
    context = tmp_path / "context.json"
    for told in ("[]", "no", '{"facts": "one"}', '{"active_characters": "maya"}'):
        context.write_text(told)
        result = CliRunner().invoke(recover, ["narrator", "--context", str(context)], input=REPLY)
        assert isinstance(result.exception, UsageError), told


def test_every_line_is_answered_by_a_line_and_the_exit_code_is_0(tmp_path: Path) -> None:
    asked = [
        {"id": "a", "agent": "narrator", "raw": REPLY, "context": CONTEXT},
        {"id": "b", "agent": "progress", "raw": "<think>end: true", "context": CONTEXT},
        {"id": "c", "agent": "character", "raw": "Maya: No.", "context": CONTEXT},
        {"id": "d", "agent": "poet", "raw": "", "context": CONTEXT},
    ]
    lines = tmp_path / "replies.jsonl"
    lines.write_text("\n".join(map(json.dumps, asked)) + "\n\nnot json\n")
    result = CliRunner().invoke(recover, ["--jsonl", str(lines)])
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 0
    assert [(line["id"], line["ok"]) for line in told] == [
        ("a", True),
        ("b", False),
        ("c", True),
        ("d", False),
        (None, False),
    ]
    assert all(set(line) == {"id", "ok", "fields", "steps"} for line in told)
    assert told[2]["fields"] == {"text": "No."}
    assert told[1]["fields"] == {}
