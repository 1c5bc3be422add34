"""When a secret may come out, and when it is out."""

from dataclasses import replace

import pytest

from tests.support.packs import shipped_pack, with_card
from theact_tui.story.game import Game, new_game
from theact_tui.story.secrets import gate_of
from theact_tui.story.turn import Entry, Turn

SECRET = "Mr Frayne died in 1951, and Teddy has eaten his supper ever since. It would have ended in the bin, uncovered."


def game(hit: int) -> Game:
    """Teddy's secret comes out in the third beat of the first chapter, of which so many are hit."""
    pack = with_card(shipped_pack("guest-in-nine"), "teddy", secret=SECRET, reveal="01-the-count/3")
    made = new_game(pack, title="T", player="Jo", seed=1, created="")
    page = Entry(role="narrator", text="Teddy looks at the supper of 1951, which nobody has eaten.")
    last = Turn(number=1, chapter=made.state.chapter, entries=(page,))
    return replace(made.with_state(turn=1, beats_hit=pack.first_chapter.beats[:hit]), turns={1: last})


@pytest.mark.parametrize(("hit", "gate"), [(0, "shut"), (1, "open"), (2, "open"), (3, "passed")])
def test_a_gate_opens_when_its_beat_may_be_on_the_next_page_until_the_secret_is_told(
    hit: int, gate: str
) -> None:
    assert gate_of(game(hit), "teddy") == gate
    assert gate_of(game(hit).with_state(told_secrets=("teddy",)), "teddy") == "out"


def test_a_gate_is_shut_before_and_what_passed_is_over() -> None:
    pack = shipped_pack("guest-in-nine")
    start = new_game(pack, title="T", player="Jo", seed=1, created="")
    assert gate_of(start, "dorothy") == "shut", "of another chapter"
    beat = pack.chapters["02-mr-frayne"].beats[3]
    there = start.with_state(chapter="02-mr-frayne")
    assert (
        gate_of(there, "dorothy") == "shut"
        and gate_of(there.with_state(passed=(beat,)), "dorothy") == "passed"
    )
