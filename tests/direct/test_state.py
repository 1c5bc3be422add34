"""The states of a session and the moves between them (D5)."""

from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.direct_chapters import AT, Action, active, after_moves, draft
from theact_tui.errors import UsageError
from theact_tui.story.direct.records import SessionRecord, State
from theact_tui.story.direct.state import (
    BUILD,
    BUILT,
    LOCK,
    LOCKED,
    RESET,
    SUMMARIZE,
    answered,
    check_prompt,
    end_chapter,
    open_tabs,
    recovered,
    set_voice,
    summarized,
)

STATES: tuple[State, ...] = get_args(State)


def in_state(state: State) -> SessionRecord:
    """A session that can do whatever its state allows: a whole chunk pending where that is possible."""
    settled = state in {"ENDED", "NARRATING"}
    locked = state not in {"DRAFT", "LOCKING"}
    played = {"prompt_index": 9, "last_summarized_prompt_index": 9 if settled else 2} if locked else {}
    return draft().session.model_copy(update={"state": state, "tab1_locked": locked, **played})


def through(last: int, *, ending: bool = False) -> Action:
    """The end of a summary that reaches up to a prompt."""
    return partial(summarized, through=last, ending=ending)


SUMMARIZED = through(9)
LEGAL: list[tuple[State, Action, State]] = [
    ("DRAFT", LOCK, "LOCKING"),
    ("LOCKING", LOCKED, "ACTIVE"),
    ("ACTIVE", answered, "ACTIVE"),
    ("ACTIVE", SUMMARIZE, "SUMMARIZING"),
    ("ACTIVE", end_chapter, "SUMMARIZING"),
    ("SUMMARIZING", SUMMARIZED, "ACTIVE"),
    ("SUMMARIZING", through(9, ending=True), "ENDED"),
    ("ENDED", BUILD, "NARRATING"),
    ("NARRATING", BUILT, "ENDED"),
    *((state, RESET, "RESETTING") for state in STATES if state != "RESETTING"),
]
ACTIONS: tuple[Action, ...] = tuple({id(action): action for _, action, _ in LEGAL}.values())


@pytest.mark.parametrize(("before", "action", "after"), LEGAL)
def test_d5_every_legal_move_is_possible(before: State, action: Action, after: State) -> None:
    moved = after_moves(in_state(before), action)
    assert (moved.state, moved.updated_at) == (after, AT)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("action", ACTIONS)
def test_d5_everything_else_is_refused_with_a_reason_and_changes_nothing(
    state: State, action: Action
) -> None:
    if any(before == state and legal is action for before, legal, _ in LEGAL):
        return
    session = in_state(state)
    before = session.model_dump_json()
    with pytest.raises(UsageError, match=r"\.$"):
        after_moves(session, action)
    assert session.model_dump_json() == before


def test_d5_ending_is_done_only_when_both_indexes_are_equal() -> None:
    session = after_moves(active(index=16, boundary=2), end_chapter, through(9, ending=True))
    assert (session.state, session.last_summarized_prompt_index) == ("ACTIVE", 9)
    session = after_moves(session, end_chapter, through(16, ending=True))
    assert (session.state, session.last_summarized_prompt_index) == ("ENDED", 16)


def test_d5_an_ended_session_with_unequal_indexes_cannot_even_be_written_down() -> None:
    with pytest.raises(ValueError, match="not summarised"):
        SessionRecord(
            session_id="s", state="ENDED", tab1_locked=True, prompt_index=3, last_summarized_prompt_index=2
        )
    with pytest.raises(ValueError, match="beyond"):
        SessionRecord(session_id="s", prompt_index=2, last_summarized_prompt_index=3)


def test_d0_the_index_starts_at_0_and_rises_only_with_an_answered_prompt() -> None:
    session = active()
    for expected in range(1, 4):
        session = after_moves(session, answered)
        assert session.prompt_index == expected
    session = after_moves(session.model_copy(update={"prompt_index": 7}), SUMMARIZE, through(7))
    assert session.prompt_index == 7
    assert after_moves(session, end_chapter, BUILD, BUILT).prompt_index == 7


def test_d5_a_summary_cannot_move_the_boundary_back_or_beyond_the_last_prompt() -> None:
    session = after_moves(active(index=9, boundary=2), SUMMARIZE)
    for last in (2, 10):
        with pytest.raises(UsageError, match="cannot be the end"):
            after_moves(session, through(last))


@pytest.mark.parametrize(
    ("stopped", "goes_on"),
    [
        ("LOCKING", "DRAFT"),
        ("SUMMARIZING", "ACTIVE"),
        ("NARRATING", "ENDED"),
        ("RESETTING", "ACTIVE"),
        *((state, state) for state in ("DRAFT", "ACTIVE", "ENDED")),
    ],
)
def test_d5_a_restart_in_the_middle_of_a_call_recovers(stopped: State, goes_on: State) -> None:
    assert recovered(in_state(stopped)).state == goes_on


def test_d5_in_draft_only_setup_can_be_entered() -> None:
    assert open_tabs(in_state("DRAFT")) == open_tabs(in_state("LOCKING")) == ("setup",)
    assert open_tabs(in_state("ACTIVE")) == ("setup", "direct", "chapter")


@pytest.mark.parametrize("state", [state for state in STATES if state != "ACTIVE"])
def test_d3_input_is_closed_outside_active(state: State) -> None:
    with pytest.raises(UsageError):
        check_prompt(in_state(state), 1, "Hello")


@pytest.mark.parametrize(("slot", "allowed"), [(0, False), (1, True), (3, True), (4, False), (8, False)])
def test_d3_a_slot_outside_the_roster_is_refused(slot: int, allowed: bool) -> None:
    with nullcontext() if allowed else pytest.raises(UsageError, match=f"no character {slot}"):
        check_prompt(active(3), slot, "Hello")


def test_d3_a_prompt_has_at_most_5000_characters() -> None:
    check_prompt(active(), 1, "p" * 5_000)
    with pytest.raises(UsageError, match="5,001"):
        check_prompt(active(), 1, "p" * 5_001)


def test_d4_the_voice_has_at_most_5000_characters_and_needs_a_locked_chapter() -> None:
    ended = replace(draft(), session=in_state("ENDED"))
    set_voice(ended, "v" * 5_000)
    with pytest.raises(UsageError, match="5,001"):
        set_voice(ended, "v" * 5_001)
    with pytest.raises(UsageError, match="not locked"):
        set_voice(draft(), "v")


@given(st.lists(st.sampled_from([*ACTIONS, through(7), through(3, ending=True)]), max_size=60))
def test_d5_whatever_is_tried_in_whatever_order_the_rules_hold(actions: list[Action]) -> None:
    session = draft().session
    for action in actions:
        before = session
        with suppress(UsageError):
            session = after_moves(before, action)
        assert session.session_id == before.session_id
        assert session.prompt_index >= before.prompt_index
        assert session.last_summarized_prompt_index >= before.last_summarized_prompt_index
        assert session.state not in {"ENDED", "NARRATING"} or session.pending == 0
        assert session.tab1_locked or session.prompt_index == 0
