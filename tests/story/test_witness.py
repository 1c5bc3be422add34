"""What a character knows of past turns (S4), and how its verbatim turns grow and are cut (S6)."""

from __future__ import annotations

from dataclasses import replace

from tests.engine.scripted import small_pack
from theact_tui.engine.opening import new_game
from theact_tui.story.game import Game
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.witness import extend_views, memory_view_of, viewpoint_of


def told() -> Game:
    """Ann was alone in turn 1, and with Bob in turn 2, at whose end the program told the epilogue."""
    game = new_game(small_pack(), title="Test", player="Alex", seed=1, created="")
    turns = {
        1: Turn(
            number=1, chapter="one", entries=(Entry(role="narrator", text="Alone."),), witnesses=("ann",)
        ),
        2: Turn(
            number=2,
            chapter="one",
            entries=(Entry(role="narrator", text="Together."), Entry(role="system", text="Years later.")),
            witnesses=("ann", "bob"),
        ),
    }
    views = dict.fromkeys(("ann", "bob"), (1, 2))
    return replace(game, turns=turns, state=game.state.model_copy(update={"turn": 2, "views": views}))


def test_a_memory_is_made_of_witnessed_turns_even_if_others_are_asked_for() -> None:
    game = told()
    assert [turn.number for turn in memory_view_of(game, "ann", (1, 2)).turns] == [1, 2]
    assert [turn.number for turn in memory_view_of(game, "bob", (1, 2)).turns] == [2]
    assert [turn.number for turn in viewpoint_of(game, "bob", (), ("bob",)).turns] == [2]


def test_what_the_program_itself_told_is_known_to_nobody() -> None:
    game = told()
    for view in (memory_view_of(game, "bob", (2,)), viewpoint_of(game, "bob", (), ("bob",))):
        assert [entry.text for turn in view.turns for entry in turn.entries] == ["Together."]


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
