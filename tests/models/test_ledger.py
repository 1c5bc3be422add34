"""The ledger: every call of a turn can be read again exactly, at a cost that does not grow with the story."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from theact_tui.models.ledger import Call, FirstWords, Ledger
from theact_tui.models.model import Usage
from theact_tui.prompting.sections import Prompt, Section
from theact_tui.saves.atomic import Folder


def finished(turn: int = 1, key: str = "narrator", sent: Prompt | None = None, **changes: Any) -> Call:
    """A finished call."""
    call = Call(
        id="c1",
        agent=key.partition(":")[0],
        character=key.partition(":")[2],
        provider="127.0.0.1:8080",
        model="tiny",
        turn=turn,
        reply="narration: yes",
        reasoning="Hm.",
        steps=("strict",),
        usage=Usage(prompt=40, completion=9),
        finish="stop",
        first_token=0.25,
        seconds=1.5,
        attempts=1,
        outcome="ok",
    )
    call.asks(sent or prompt(1))
    return replace(call, **changes)


def prompt(turn: int) -> Prompt:
    """A prompt that holds the world, every turn before, and a task."""
    turns = [Section(f"turn {n}", f"What happened in turn {n}. " * 40, priority="turn") for n in range(turn)]
    world = Section("world", "An island. " * 100, source="world.yaml", part="system", tokens=300)
    gone = Section("summary", "Long ago.", kept="dropped", why="did not fit")
    return Prompt((world, gone, *turns, Section("task", "Now tell.")), tokens=500, limit=8192)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    private = tmp_path / "my-save" / ".git" / "theact"
    private.mkdir(parents=True)
    return Ledger(Folder(private), now=lambda: datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """The folder of the ledger."""
    return tmp_path / "my-save" / ".git" / "theact" / "calls"


def test_a_call_is_read_as_it_was(ledger: Ledger) -> None:
    call = finished(key="memory:maya", turn=3)
    ledger.add(call, "main")
    (read,) = ledger.turn(3)
    assert read.messages == call.messages
    assert read.sections == call.sections
    assert (read.save, read.branch, read.agent, read.character, read.key) == (
        "my-save", "main", "memory", "maya", "memory:maya",
    )  # fmt: skip
    assert (read.usage, read.first_token, read.seconds) == (call.usage, 0.25, 1.5)
    assert (read.reply, read.reasoning, read.steps) == (call.reply, call.reasoning, call.steps)
    assert read.at == "2026-01-01T00:00:00+00:00"
    assert len(read.input_hash) == 64


def test_messages_with_a_correction_are_kept_as_sent(ledger: Ledger) -> None:
    corrected = prompt(2).messages("Only YAML.")
    other = [{"role": "user", "content": "something else \ud83d"}]
    ledger.add(finished(sent=prompt(2), messages=tuple(corrected)), "main")
    ledger.add(finished(sent=prompt(2), messages=tuple(other)), "main")
    first, second = ledger.turn(1)
    assert list(first.messages) == corrected
    assert list(second.messages) == other


def test_calls_keep_their_order_and_branch(ledger: Ledger) -> None:
    for number, branch in enumerate(["main", "other", "main"]):
        ledger.add(finished(id=f"c{number}"), branch)
    assert [call.id for call in ledger.turn(1)] == ["c0", "c1", "c2"]
    assert [call.id for call in ledger.turn(1, "main")] == ["c0", "c2"]
    assert ledger.turn(2) == ()


def test_a_failed_call_is_kept_with_its_error(ledger: Ledger) -> None:
    ledger.add(
        finished(outcome="failed", error="refused: nothing answers", first_token=None, usage=Usage()), "main"
    )
    (read,) = ledger.turn(1)
    assert (read.outcome, read.error, read.first_token, read.usage) == (
        "failed", "refused: nothing answers", None, Usage()
    )  # fmt: skip


def test_a_turn_costs_what_is_new_in_it(ledger: Ledger, kept: Path) -> None:
    def size() -> int:
        return sum(file.stat().st_size for file in kept.rglob("*.jsonl"))

    sizes = []
    for turn in range(1, 61):
        before = size()
        ledger.add(finished(turn=turn, sent=prompt(turn)), "main")
        sizes.append(size() - before)
    whole = len(json.dumps(prompt(60).messages()))
    assert sizes[-1] < whole / 3
    assert ledger.turn(60)[0].messages == tuple(prompt(60).messages())


def test_a_hundred_turns_share_their_texts_and_no_more(ledger: Ledger, kept: Path) -> None:
    for turn in (99, 100):
        ledger.add(finished(turn=turn), "main")
    (kept / "00000" / "texts.jsonl").unlink()
    assert "lost" in ledger.turn(99)[0].messages[0]["content"]
    assert ledger.turn(100)[0].messages == tuple(prompt(1).messages())


@pytest.mark.parametrize("cut", [1, 40])
def test_a_torn_last_line_is_skipped_and_closed(ledger: Ledger, kept: Path, cut: int) -> None:
    ledger.add(finished(id="whole"), "main")
    ledger.add(finished(id="torn"), "main")
    for name in ("0000001.jsonl", "texts.jsonl"):
        file = kept / "00000" / name
        file.write_bytes(file.read_bytes()[:-cut])
    again = Ledger(Folder(kept.parent))
    again.add(finished(id="after", sent=prompt(2)), "main")
    calls = again.turn(1)
    assert [call.id for call in calls] == (["whole", "torn", "after"] if cut == 1 else ["whole", "after"])
    assert calls[-1].messages == tuple(prompt(2).messages())
    assert calls[0].messages == tuple(prompt(1).messages())


def test_lines_of_another_kind_are_skipped(ledger: Ledger, kept: Path) -> None:
    ledger.add(finished(), "main")
    with (kept / "00000" / "0000001.jsonl").open("a") as out:
        out.write('[]\n{"id": "x"}\n\xff\n')
    with (kept / "00000" / "texts.jsonl").open("a") as out:
        out.write('{"hash": "x"}\n{"hash": ["x"], "text": "y"}\n{"hash": "x", "text": 7}\n')
    again = Ledger(Folder(kept.parent))
    again.add(finished(id="after"), "main")
    assert [call.id for call in again.turn(1)] == ["c1", "after"]


def test_a_ledger_that_cannot_be_written_does_not_stop_the_story(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    ledger = Ledger(Folder(tmp_path / "file"))
    ledger.add(finished(), "main")
    assert "could not be kept" in caplog.text
    assert ledger.turn(1) == ()


@pytest.mark.posix("file modes")
def test_the_folder_is_private(ledger: Ledger, kept: Path) -> None:
    ledger.add(finished(), "main")
    assert kept.stat().st_mode & 0o077 == 0


def test_a_call_that_ends_after_its_save_was_deleted_brings_no_folder_back(
    ledger: Ledger, tmp_path: Path
) -> None:
    ledger.add(finished(), "main")
    (tmp_path / "my-save").rename(tmp_path / "trash")
    ledger.add(finished(id="c2"), "main")
    assert not (tmp_path / "my-save").exists()
    assert len(Ledger(Folder(tmp_path / "trash" / ".git" / "theact")).turn(1)) == 1


def test_usage_is_added_up_by_agent_and_character(ledger: Ledger) -> None:
    ledger.add(finished(1, usage=Usage(prompt=40, cached=30, completion=9)), "main")
    ledger.add(finished(2, usage=Usage(prompt=60, completion=1), outcome="failed"), "aside")
    ledger.add(finished(2, "memory:maya", usage=Usage(), seconds=0.5), "main")
    told, remembered = sorted(ledger.usage(2), key=lambda one: one.key != "narrator")
    assert (told.key, told.calls, told.prompt, told.reused, told.fresh, told.completion) == (
        "narrator", 2, 100, 30, 70, 10,
    )  # fmt: skip
    assert told.seconds == 3.0
    assert (remembered.key, remembered.prompt) == ("memory:maya", 500), "what no server reports is estimated"


def test_no_calls_no_usage(ledger: Ledger) -> None:
    assert ledger.usage(100) == ()


def test_the_totals_of_a_hundred_of_turns_are_counted_once(
    ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for turn in (*range(0, 310, 10), 99):
        ledger.add(finished(turn, usage=Usage(prompt=turn, cached=1, completion=2), seconds=0.5), "main")
        ledger.add(finished(turn, "memory:maya"), "main")
    counted = {newest: ledger.usage(newest) for newest in (98, 99, 120, 300)}
    ledger.keep_totals(300)
    read = list[str]()
    whole = Folder.read

    def noted(self: Folder, name: str, *limits: int) -> bytes:
        read.append(name)
        return whole(self, name, *limits)

    monkeypatch.setattr(Folder, "read", noted)
    assert {newest: ledger.usage(newest) for newest in counted} == counted
    read.clear()
    ledger.usage(300)
    assert read == [f"calls/0000{hundred}/totals.json" for hundred in range(3)] + [
        f"calls/00003/{turn:07}.jsonl" for turn in (300, 301)
    ]
    ledger.add(finished(30), "aside")
    assert sum(total.calls for total in ledger.usage(300)) == 2 * 32 + 1, (
        "a hundred that grew is counted anew"
    )


@pytest.mark.parametrize(
    "kept", [b"", b"{}", b"[1]", b'{"sizes": {}, "totals": [{"key": "x"}]}', b"[" * 9_999]
)
def test_totals_that_cannot_be_read_are_counted_anew(kept: bytes, ledger: Ledger, tmp_path: Path) -> None:
    ledger.add(finished(3), "main")
    ledger.keep_totals(100)
    counted = ledger.usage(150)
    files = next(tmp_path.rglob("totals.json"))
    files.write_bytes(kept)
    assert ledger.usage(150) == counted and counted[0].calls == 1


def test_first_words_are_those_of_the_newest_calls(ledger: Ledger) -> None:
    assert ledger.first_words(3) == {}
    for turn, seconds in ((1, 9.0), (60, 1.0), (61, 3.0), (62, None)):
        ledger.add(finished(turn, first_token=seconds), "main")
    assert ledger.first_words(61) == {"narrator": FirstWords(median=2.0, p95=3.0)}


def test_a_section_is_stored_without_what_is_as_usual(ledger: Ledger, kept: Path) -> None:
    ledger.add(finished(), "main")
    (file,) = kept.rglob("0000001.jsonl")
    world, gone, *_ = json.loads(file.read_text("utf-8"))["sections"]
    assert world.keys() == {"name", "text", "source", "part", "tokens"}
    assert gone.keys() == {"name", "text", "kept", "why"}
    assert ledger.turn(1)[0].sections == prompt(1).sections
