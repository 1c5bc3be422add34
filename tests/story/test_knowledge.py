"""Who knows what: remembered, witnessed, or not at all."""

from dataclasses import replace

from tests.support.fake_model import small_pack
from theact_tui.story.game import Game, new_game
from theact_tui.story.knowledge import turns_needed, who_knows
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.story.moments import Moment
from theact_tui.story.turn import Turn

TURNS = {
    1: Turn(number=1, chapter="one", witnesses=("ann", "bob")),
    2: Turn(number=2, chapter="one", witnesses=("ann",), new_beats=("one finds the stair",)),
    3: Turn(number=3, chapter="one", witnesses=("bob",)),
}


def game() -> Game:
    """Three turns; both hold a line about the stair, in other words and from other turns."""
    begun = new_game(small_pack(), title="Test", player="Alex", seed=1, created="")
    ann = FactsMemory(
        key_facts=(Fact(turn=1, text="The stair is wet."), Fact(turn=2, text="The lamp is out."))
    )
    bob = FactsMemory(key_facts=(Fact(turn=3, text="Wet is the stair."),))
    moment = Moment(turn=2, type="discovery", summary="a lamp that went out")
    known = replace(begun, memories={"ann": ann, "bob": bob}, moments=(moment,))
    return known.with_state(turn=3, beats_hit=("one finds the stair",))


def test_each_line_stands_once_with_the_turn_each_learned_it_in() -> None:
    table = {known.text: known for known in who_knows(game(), TURNS)}
    stair, lamp = table["The stair is wet."], table["The lamp is out."]
    assert dict(stair.remembers) == {"ann": 1, "bob": 3}
    assert (lamp.learned("ann"), lamp.learned("bob")) == (2, None)
    assert "Wet is the stair." not in table


def test_who_was_there_knows_of_moments_and_beats() -> None:
    for known in who_knows(game(), TURNS)[:2]:
        assert (known.turn, known.learned("ann"), known.learned("bob")) == (2, 2, None)


def test_kinds_stand_apart_and_newest_first() -> None:
    assert [(known.kind, known.turn) for known in who_knows(game(), TURNS)] == [
        ("moment", 2),
        ("beat", 2),
        ("line", 2),
        ("line", 1),
    ]


def test_turns_that_were_not_read_give_no_witness_and_no_beat() -> None:
    assert [(known.kind, sorted(known.witnessed)) for known in who_knows(game(), {})] == [
        ("moment", []),
        ("line", []),
        ("line", []),
    ]


def test_it_asks_for_the_chapters_turns_and_those_lines_came_from() -> None:
    assert turns_needed(game().with_state(turn=9, chapter_since=7)) == (1, 2, 3, 8, 9)


def test_a_line_that_denies_another_is_another_line() -> None:
    assert says_the_same("The door is open", ["the door is open!"])
    assert not says_the_same("The door is not open", ["The door is open"])
    assert not says_the_same("Nine lines", ["A door"])
