"""How a character's verbatim turns grow and are cut (S6)."""

from __future__ import annotations

from theact_tui.story.turn import Entry, Turn
from theact_tui.story.witness import extend_views


def grow(turns: int, size: int, room: int) -> list[tuple[int, ...]]:
    """Ann's view after each of so many turns of `size` tokens."""
    views: dict[str, tuple[int, ...]] = {}
    grown = []
    for number in range(1, turns + 1):
        entries = (Entry(role="narrator", text="The tide turns."),)
        turn = Turn(number=number, chapter="one", entries=entries, witnesses=("ann",))
        views = extend_views(views, turn, dict.fromkeys(range(1, number + 1), size), room)
        grown.append(views["ann"])
    return grown


def test_a_view_grows_and_is_cut_in_blocks_to_the_last_four() -> None:
    views = grow(turns=24, size=200, room=10_000)
    assert views[9] == tuple(range(1, 11))
    assert views[10] == (8, 9, 10, 11)
    cuts = [number for number, view in enumerate(views, 1) if len(view) < number and len(view) == 4]
    assert cuts == [11, 18]


def test_short_turns_stay_until_they_are_as_long_as_folding_needs() -> None:
    views = grow(turns=40, size=50, room=10_000)
    assert max(map(len, views)) == 30


def test_little_room_cuts_earlier_but_never_below_three_turns() -> None:
    assert {len(view) for view in grow(turns=30, size=500, room=3_000)[5:]} == {3, 4, 5}
    assert [len(view) for view in grow(turns=6, size=500, room=100)] == [1, 2, 3, 3, 3, 3]


def test_who_was_not_there_keeps_an_older_view() -> None:
    entries = (Entry(role="narrator", text="The tide turns."),)
    turn = Turn(number=5, chapter="one", entries=entries, witnesses=("bob",))
    assert extend_views({"ann": (1, 2)}, turn, {5: 10}, 1_000) == {"ann": (1, 2), "bob": (5,)}
