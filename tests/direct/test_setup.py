"""Slots and Setup (D1, D2)."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.support.direct_chapters import active, after_moves, draft
from theact_tui.errors import UsageError
from theact_tui.story.direct.blocks import delta_payload
from theact_tui.story.direct.records import (
    COLORS,
    TEXT_LIMIT,
    MemoryBlock,
    SessionRecord,
    Setup,
    default_name,
    following,
    roster,
)
from theact_tui.story.direct.state import (
    BEFORE,
    LOCK,
    LOCKED,
    NOW,
    OPEN,
    DirectGame,
    following_setup,
    set_chapter_text,
    set_count,
    set_identity,
    set_name,
    set_world,
)
from theact_tui.story.game import SaveInfo


def after(*notes: dict[str, Any], scene: str = "x" * TEXT_LIMIT) -> str:
    """The scene of the chapter after one with this scene, and a block with each of these notes."""
    session = SessionRecord(session_id="s")
    blocks = tuple(
        MemoryBlock(
            block_id="b", session_id="s", type="turn_delta", from_prompt_index=1, to_prompt_index=7, created_at="",
            json_payload=delta_payload(session, [said], 1, 7),
        )
        for said in notes
    )  # fmt: skip
    info = SaveInfo(id="s", title="Tower", pack="", seed=0)
    return following_setup(DirectGame(info, session, Setup(chapter=scene), blocks=blocks)).chapter


def events(*texts: str) -> dict[str, Any]:
    return {"major_events": [{"event": text} for text in texts]}


def open_threads(*texts: str) -> dict[str, Any]:
    return {"unresolved_threads": [{"thread": text} for text in texts]}


def test_a_following_chapter_begins_with_whole_events_the_newest_ones_and_never_too_long() -> None:
    bell = "Kara cuts the rope of the bell while Bo holds the door against the men of the harbour master."
    assert after(events(bell)).startswith(f"{BEFORE}\n- {bell}\n")
    many = after(events(*(f"{number}: {bell}" for number in range(99))))
    assert f"- 98: {bell}" in many and f"- 1: {bell}" not in many
    for length in (200, 2_480, 2_490, 2_500, 9_000):
        assert len(after({**events("y" * length), **open_threads("z" * length)})) <= TEXT_LIMIT
    assert len(after()) <= TEXT_LIMIT


def test_a_following_chapter_knows_what_was_settled_what_is_open_and_the_chapters_before() -> None:
    first = after(
        {**events("The bell falls."), **open_threads("Who paid?"), "canon_locks": ["Bo is deaf."]},
        {**events("Kara swims."), **open_threads("Where is Wenna?")},
        {"canon_locks": ["The tower is lost."]},
        scene="In the tower.",
    )
    told = f"{BEFORE}\n- The bell falls.\n- Bo is deaf.\n- Kara swims.\n- The tower is lost.\n"
    assert first == f"{told}\n{OPEN}\n- Where is Wenna?\n\n{NOW}\n"
    second = after(events("Wenna is found."), scene=f"{first}A quay at night.")
    assert second == f"{told}- Wenna is found.\n\n{NOW}\n"


def test_d1_slots_have_fixed_colours_and_default_names() -> None:
    assert [(slot, COLORS[slot - 1], default_name(slot)) for slot in roster(7)] == [
        (1, "red", "Agent Red"),
        (2, "orange", "Agent Orange"),
        (3, "yellow", "Agent Yellow"),
        (4, "green", "Agent Green"),
        (5, "blue", "Agent Blue"),
        (6, "indigo", "Agent Indigo"),
        (7, "violet", "Agent Violet"),
    ]


def test_d1_renaming_changes_neither_slot_nor_colour() -> None:
    game = draft(2, {2: "Kara"})
    assert game.session.agent_names == {1: "Agent Red", 2: "Kara"}
    assert game.session.selected_agent_slots == (1, 2)
    assert COLORS[1] == "orange" and game.setup.agents[0].name == ""


@pytest.mark.parametrize(
    "set_text", [set_world, set_chapter_text, lambda game, text: set_identity(game, 2, text)]
)
def test_d2_world_chapter_and_identities_hold_5000_characters_and_not_one_more(
    set_text: Callable[[DirectGame, str], DirectGame],
) -> None:
    kept = set_text(draft(), "x" * 5_000)
    assert str(kept.setup).count("x") >= 5_000
    with pytest.raises(UsageError, match=r"5,001 .* 5,000"):
        set_text(kept, "x" * 5_001)


def test_d2_one_to_seven_agents_are_selected() -> None:
    for count in (1, 7):
        made = set_count(draft(), count)
        assert made.session.selected_agent_slots == tuple(range(1, count + 1)) == roster(count)
    for count in (0, 8, -1):
        with pytest.raises(UsageError):
            set_count(draft(), count)


def test_d2_lowering_the_number_hides_and_does_not_erase() -> None:
    made = set_identity(draft(5, {4: "Bo"}), 4, "A diver.")
    fewer = set_count(made, 2)
    assert fewer.session.agent_names == {1: "Agent Red", 2: "Agent Orange"}
    again = set_count(fewer, 4)
    assert again.session.agent_names[4] == "Bo" and again.setup.agents[3].identity == "A diver."


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("  Kara  ", "Kara"), ("", "Agent Yellow"), (" \t ", "Agent Yellow"), ("Ka\nra", "Ka ra"),
        (f" {'n' * 120} ", "n" * 120),
    ],
)  # fmt: skip
def test_d2_names_are_trimmed_to_at_most_120_characters_and_a_blank_one_means_the_default(
    typed: str, shown: str
) -> None:
    assert set_name(draft(), 3, typed).session.name_of(3) == shown
    with pytest.raises(UsageError):
        set_name(draft(), 3, "n" * 121)


def test_d2_equal_names_are_allowed() -> None:
    assert draft(2, {1: "Twin", 2: "Twin"}).session.agent_names == {1: "Twin", 2: "Twin"}


def test_d2_there_is_no_eighth_panel() -> None:
    with pytest.raises(UsageError, match="no 8"):
        set_name(draft(7), 8, "Ghost")
    with pytest.raises(UsageError, match="no 0"):
        set_identity(draft(7), 0, "Ghost")


def test_d2_after_the_lock_the_core_refuses_every_edit() -> None:
    game = draft()
    session = game.session
    for state in (
        after_moves(session, LOCK),
        after_moves(session, LOCK, LOCKED),
        active(index=9, boundary=7),
    ):
        for change in (
            partial(set_world, text="new"),
            partial(set_chapter_text, text="new"),
            partial(set_count, count=7),
            partial(set_name, slot=1, name="new"),
            partial(set_identity, slot=1, identity="new"),
        ):
            with pytest.raises(UsageError, match="locked"):
                change(replace(game, session=state))


def test_d2_text_from_outside_is_cleaned_before_it_is_kept() -> None:
    changed = set_world(draft(), "A city\x1b[31m under\u202e water\r\nat night")
    assert changed.setup.world == "A city under water\nat night"


def test_d3_the_focus_goes_round_the_slots_from_wherever_it_was() -> None:
    assert [following((1, 2, 3), slot) for slot in (1, 2, 3)] == [2, 3, 1]
    assert following((1,), 1) == 1
