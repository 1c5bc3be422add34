"""What the player pins, and how much may be pinned (S4)."""

from dataclasses import replace

import pytest

from tests.support.fake_model import small_pack
from theact_tui.errors import UsageError
from theact_tui.story.edits import pin_line, pin_moment, set_entry_text
from theact_tui.story.game import Game, new_game
from theact_tui.story.memory import PIN_ROOM, Cell, CellsMemory, Fact, FactsMemory, change_facts, with_summary
from theact_tui.story.moments import MAX_PINNED_MOMENTS, Moment, add_moment, top_moments
from theact_tui.story.turn import Entry, Turn


def game(memory: FactsMemory | CellsMemory, moments: int = 0) -> Game:
    begun = new_game(small_pack(memory=memory.policy), title="Test", player="Alex", seed=1, created="")
    kept = tuple(Moment(turn=n, type="discovery", summary=f"door {n}") for n in range(1, moments + 1))
    return replace(begun.with_memory("ann", memory), moments=kept)


def facts(*texts: str) -> FactsMemory:
    return FactsMemory(key_facts=tuple(Fact(text=text, turn=n) for n, text in enumerate(texts, 1)))


def test_what_is_pinned_outlives_whatever_the_model_does() -> None:
    memory = pin_line(game(facts("the vow")), "ann", 0, pinned=True).game.memories["ann"]
    for turn in range(2, 300):
        assert isinstance(memory, FactsMemory)
        memory = change_facts(
            memory, turn_of=lambda line: 300, new=[(f"fact {turn}", "")], changed=[("1", "x")]
        )
    assert isinstance(memory, FactsMemory) and memory.key_facts[0].text == "the vow"


def test_pins_take_no_more_room_than_the_smallest_window_has() -> None:
    half = "so it is " * (PIN_ROOM // 18)
    played = pin_line(game(facts(half, half + "!", half + "?")), "ann", 0, pinned=True).game
    with pytest.raises(UsageError, match="1,500 characters in total"):
        pin_line(pin_line(played, "ann", 1, pinned=True).game, "ann", 2, pinned=True)
    freed = pin_line(played, "ann", 0, pinned=False).game
    assert pin_line(pin_line(freed, "ann", 1, pinned=True).game, "ann", 2, pinned=True)


def test_one_entry_stays_free_and_one_moment_too() -> None:
    cells = CellsMemory(cells=tuple(Cell(turn=n, text=f"day {n}") for n in (5, 4, 3, 2, 1)))
    played = game(cells, moments=6)
    for line in range(4):
        played = pin_line(played, "ann", line, pinned=True).game
        played = pin_moment(played, line, pinned=True).game
    with pytest.raises(UsageError, match="must stay unpinned"):
        pin_line(played, "ann", 4, pinned=True)
    with pytest.raises(UsageError, match=f"at most {MAX_PINNED_MOMENTS} moments"):
        pin_moment(played, 4, pinned=True)
    assert pin_moment(played, 0, pinned=True).game == played


def test_pinned_moments_are_all_told_and_a_new_one_beside_them() -> None:
    moments: tuple[Moment, ...] = tuple(
        Moment(
            turn=n, type="discovery", summary=f"door {n}", significance=0.0, pinned=n <= MAX_PINNED_MOMENTS
        )
        for n in range(1, 16)
    )
    moments = add_moment(moments, Moment(turn=99, type="discovery", summary="sea", significance=0.1))
    assert [moment.turn for moment in top_moments(moments)] == [1, 2, 3, 4, 99]


def test_an_edited_turn_marks_the_summary_made_of_it_until_that_is_written_anew() -> None:
    told = FactsMemory(summary="The stair was dry.", summary_turn=4)
    begun = game(told).with_memory("bob", told)
    entries = (Entry(role="narrator", text="The stair is dry."),)
    turns = {n: Turn(number=n, chapter="one", entries=entries, witnesses=("ann",)) for n in (3, 5)}
    edited = begun
    for turn in turns.values():
        edited = set_entry_text(edited, turn, 0, "The stair is wet.").game
    ann, bob = (edited.memories[name] for name in ("ann", "bob"))
    assert isinstance(ann, FactsMemory) and ann.summary_edited == (3,)
    assert bob == told, "who was not there"
    assert with_summary(ann, "The stair was wet.", 6).summary_edited == ()
