"""Events become calls on the screen, in one place, without a screen."""

from __future__ import annotations

from typing import Any

import pytest

from theact_tui.engine import events as e
from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.tui.bridge import Bridge
from theact_tui.tui.changes import Change
from theact_tui.tui.doing import Doing


class Recorder:
    """Notes every call made on it."""

    def __init__(self, notes: list[tuple[str, Any]], *, answers: bool) -> None:
        self._notes = notes
        self.answers = answers

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> bool:
            self._notes.append((name, args[0] if len(args) == 1 else args))
            return self.answers

        return call


def shown(*events: e.Event, answers: bool = True) -> list[tuple[str, Any]]:
    notes: list[tuple[str, Any]] = []
    part = Recorder(notes, answers=answers)
    bridge = Bridge(part, part, part, Doing(str.title))
    for event in events:
        bridge.show(event)
    return [note for note in notes if note[0] != "doing"]


def test_a_turn_from_beginning_to_end() -> None:
    began = e.TurnStarted(turn=3, text="I run.")
    names = [
        name
        for name, _ in shown(
            began,
            e.NarrationToken(text="The "),
            e.NarrationFinished(text="The lamp.", mood="tense", responding=("bob",), present=("bob",)),
            e.CharacterStarted(character="bob", name="Bob"),
            e.CharacterToken(character="bob", text="Wait"),
            e.CharacterFinished(character="bob", name="Bob", text="Wait!"),
            e.TurnSpoken(turn=3),
            e.TurnSaved(turn=3, commit="c", chapter="one"),
        )
    ]
    assert names == [
        "new_turn", "turn_began", "think", "narrate", "narrated", "mood", "speak", "think", "say", "said", "end",
        "turn_spoken", "turn_saved",
    ]  # fmt: skip


def test_tokens_may_replace_what_came_before() -> None:
    assert shown(e.NarrationToken(text="", replace=True)) == [("think", ""), ("narrate", ("", True))]


def test_a_failed_and_a_cancelled_turn_are_taken_back() -> None:
    failed = e.TurnFailed(text="I run.", reason="Nobody answers.")
    assert shown(failed) == [("take_back", ()), ("turn_failed", failed)]
    assert shown(e.TurnCancelled(text="I run.")) == [("take_back", ()), ("turn_cancelled", "I run.")]


def test_memories() -> None:
    before = FactsMemory().model_dump(mode="json")
    after = FactsMemory(key_facts=(Fact(text="The lamp is out.", turn=3),)).model_dump(mode="json")
    assert shown(e.MemoryStarted(character="bob")) == [("remembering", "bob")]
    assert shown(e.MemoryUpdated(character="bob", before=before, after=after)) == [
        ("remembered", ("bob", (Change("added", "The lamp is out."),))),
        ("news", "Bob remembers 1 more"),
    ]
    assert shown(e.MemoryFailed(character="bob", kind="timeout", reason="late")) == [
        ("forgot", ("bob", "late"))
    ]


@pytest.mark.parametrize("event", [e.Undone(turns=1), e.Redone(turns=1), e.BranchSwitched(previous="main")])
def test_another_place_in_the_story_is_read_anew(event: e.Event) -> None:
    assert shown(event) == [("recall", ())]


def test_notices() -> None:
    assert shown(e.Notice(text="fyi")) == [("toast", ("fyi", "info"))]
    late = e.Notice(text="Bob is late.", level="warning")
    assert shown(late) == [("note", "Bob is late.")]
    assert shown(late, answers=False) == [("note", "Bob is late."), ("toast", ("Bob is late.", "warning"))]


def test_repairs_on_opening_are_told() -> None:
    assert shown(e.SaveOpened(title="x", recovered="A half-written turn was put aside.")) == [
        ("toast", ("A half-written turn was put aside.", "warning"))
    ]
    assert shown(e.SaveOpened(title="x")) == []


def test_what_was_changed_by_hand_is_asked_about() -> None:
    assert shown(e.EditsFound(files=("state.yaml",))) == [("edits_found", ())]


def test_other_events_are_for_others() -> None:
    assert shown(e.EpilogueTold(text="It ended."), e.Event()) == []
