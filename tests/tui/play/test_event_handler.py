"""Events become calls on the screen, in one place, without a screen."""

from __future__ import annotations

from typing import Any, cast

import pytest

from theact_tui.engine import events as e
from theact_tui.story.memory import Change, Fact, FactsMemory
from theact_tui.tui.activity import Activity
from theact_tui.tui.play.event_handler import EventHandler
from theact_tui.tui.play.live_turn import LiveTurn
from theact_tui.tui.play.presenter import PlayPresenter
from theact_tui.tui.play.side_panel import SidePanel


class Recorder:
    """Notes every call of a method that one view has."""

    def __init__(self, view: type, notes: list[tuple[str, Any]], *, answers: bool) -> None:
        self._view = view
        self._notes = notes
        self.answers = answers

    def __getattr__(self, name: str) -> Any:
        assert hasattr(self._view, name), f"{self._view.__name__} has no {name}"

        def call(*args: Any) -> bool:
            self._notes.append((name, args[0] if len(args) == 1 else args))
            return self.answers

        return call


def shown(*events: e.Event, answers: bool = True) -> list[tuple[str, Any]]:
    notes: list[tuple[str, Any]] = []
    turn, panel, screen = (
        cast(Any, Recorder(view, notes, answers=answers)) for view in (LiveTurn, SidePanel, PlayPresenter)
    )
    handler = EventHandler(turn, panel, screen, Activity(str.title))
    for event in events:
        handler.show(event)
    return [note for note in notes if note[0] != "activity_changed"]


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
        "new_turn", "turn_began", "add_thought", "add_narration", "end_narration", "mood",
        "begin_reply", "add_thought", "add_reply", "end_reply", "end",
        "turn_spoken", "turn_saved",
    ]  # fmt: skip


def test_tokens_may_replace_what_came_before() -> None:
    assert shown(e.NarrationToken(text="", replace=True)) == [
        ("add_thought", ""),
        ("add_narration", ("", True)),
    ]


def test_a_failed_and_a_cancelled_turn_are_taken_back() -> None:
    failed = e.TurnFailed(text="I run.", reason="Nobody answers.")
    assert shown(failed) == [("discard", ()), ("turn_failed", failed)]
    assert shown(e.TurnCancelled(text="I run.")) == [("discard", ()), ("turn_cancelled", "I run.")]


def test_memories() -> None:
    before = FactsMemory().model_dump(mode="json")
    after = FactsMemory(key_facts=(Fact(text="The lamp is out.", turn=3),)).model_dump(mode="json")
    assert shown(e.MemoryStarted(character="bob")) == [("remembering", "bob")]
    assert shown(e.MemoryUpdated(character="bob", before=before, after=after)) == [
        ("remembered", ("bob", (Change("added", "The lamp is out."),))),
        ("news", "Bob has a new memory"),
    ]
    assert shown(e.MemoryFailed(character="bob", kind="timeout", reason="late")) == [
        ("forgot", ("bob", "late"))
    ]


@pytest.mark.parametrize("event", [e.Undone(turns=1), e.Redone(turns=1), e.BranchSwitched(previous="main")])
def test_another_place_in_the_story_is_read_anew(event: e.Event) -> None:
    assert shown(event) == [("reload_all", ())]


def test_notices() -> None:
    assert shown(e.Notice(text="fyi")) == [("toast", ("fyi", "info"))]
    late = e.Notice(text="Bob is late.", level="warning")
    assert shown(late) == [("add_note", "Bob is late.")]
    assert shown(late, answers=False) == [
        ("add_note", "Bob is late."),
        ("toast", ("Bob is late.", "warning")),
    ]


def test_repairs_on_opening_are_told() -> None:
    assert shown(e.SaveOpened(title="x", recovered="A half-written turn was put aside.")) == [
        ("toast", ("A half-written turn was put aside.", "warning"))
    ]
    assert shown(e.SaveOpened(title="x")) == []


def test_what_was_changed_by_hand_is_asked_about() -> None:
    assert shown(e.EditsFound(files=("state.yaml",))) == [("edits_found", ())]


def test_other_events_are_for_others() -> None:
    assert shown(e.EpilogueTold(text="It ended."), e.Event()) == []
