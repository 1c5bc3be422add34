"""S5.2: which beats count as hit."""

from dataclasses import replace

import pytest

from tests.support.packs import shipped_pack
from theact_tui.story.beats import (
    beat_answer,
    beats_to_ask_about,
    find_quote,
    is_used,
    mark_beats,
    page_before,
    places_of,
)
from theact_tui.story.game import State, new_game
from theact_tui.story.pack import Chapter
from theact_tui.story.turn import Entry, Turn

ONE = Chapter(
    id="one", title="One", summary="s", beats=("a", "b", "c", "d"), completion="done", characters=("ann",)
)


def test_only_beats_of_the_chapter_count_and_each_once() -> None:
    state, new = mark_beats(State(chapter="one"), ONE, ["b", "x", "a", "b"], 3)
    assert new == ("a", "b") and state.beats_hit == ("a", "b") and state.last_beat_turn == 3
    assert mark_beats(state, ONE, ["a"], 4) == (state, ())


GUEST = shipped_pack("guest-in-nine")
KEYS, FORKS, TRAY, EMPTY, REGISTER = GUEST.first_chapter.beats
PAGE = """Dorothy Vane hands you the bunch. You tick them off, one to eight, ten to forty, and one is wanting; and on her \
left is a pocket that has been sewn shut.

In the pantry someone drops a drawer of cutlery. Knives, spoons and more forks than there are people lie on the tiles, \
and Teddy counts them into your hand as if it were your fault.

The lift bumps, and Ines takes the tray out of the hatch. The egg is gone, crusts and all, and the stout has left a ring.

You turn the pages of the register. A. Frayne, gentleman, by the month; the column on the right is blank."""


def played(page: str, *replies: str, line: str = "I look on.") -> Turn:
    entries = [Entry(role="narrator", text=page), Entry(role="player", text=line)]
    entries += [Entry(role="character", character="teddy", text=text) for text in replies]
    return Turn(number=1, chapter=GUEST.first_chapter.id, entries=tuple(entries))


@pytest.mark.parametrize(
    ("quote", "begins"),
    [
        ("You tick them off, one to eight", "Dorothy Vane hands you"),
        ("the egg is gone crusts and ALL", "Dorothy Vane hands you"),
        ("Knives, spoons … Teddy counts them into your hand", "Dorothy Vane hands you"),
        ("a pocket that has been sewn shut. In the pantry someone drops", "Dorothy Vane hands you"),
        ("I do his voice, a little", '"I do his voice'), ("I look on", "I look on."),
        ("the register lies open at a dash", ""), ("The lift bumps ... and into the sea", ""), ("...", ""),
    ],
)  # fmt: skip
def test_a_quote_is_found_in_its_page_reply_or_line(quote: str, begins: str) -> None:
    place = find_quote(quote, places_of([played(PAGE, '"I do his voice, a little," says Teddy.')]))
    assert (place.text if place else "").startswith(begins) and (place is not None) is bool(begins)


def test_the_place_of_the_player_s_line_shows_what_came_of_it() -> None:
    *_, line = places_of([played("Nothing happens.\n\nIt rains.", line="I want to read the register.")])
    assert line.is_line and line.text == "I want to read the register.\n\nNothing happens.\n\nIt rains."


@pytest.mark.parametrize(
    ("quote", "used"), [("the lift BUMPS", True), ("The lift", True), ("The egg", False)]
)
def test_one_quote_proves_one_beat(quote: str, used: bool) -> None:
    assert is_used(quote, ["The lift bumps."]) is used


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("no", "no"), ("No.", "no"), ("", "no"), ("true", "no"), ("begun", "begun"), ("Begun: she opens it", "begun"),
        ("the lift bumps", "finished"), ("扉が開いた", "finished"),
    ],
)  # fmt: skip
def test_an_answer_is_no_or_begun_or_a_quote_of_two_words(text: str, answer: str) -> None:
    assert beat_answer(text) == answer


def test_the_next_three_beats_are_asked_about_and_always_the_last_one() -> None:
    chapter = GUEST.first_chapter.model_copy(update={"same_page": ()})
    assert beats_to_ask_about(chapter, ()) == (KEYS, FORKS, TRAY, REGISTER)
    assert beats_to_ask_about(chapter, (KEYS, FORKS)) == (TRAY, EMPTY, REGISTER)
    assert beats_to_ask_about(chapter, (REGISTER,)) == (KEYS, FORKS, TRAY)
    assert beats_to_ask_about(chapter, (), [EMPTY]) == chapter.beats, "what was confessed may be told"


def test_the_turn_before_may_be_quoted_if_it_is_of_the_chapter() -> None:
    turns = {n: played(PAGE).model_copy(update={"number": n}) for n in (1, 2, 3)}
    turns[1] = turns[1].model_copy(update={"chapter": "another"})
    game = new_game(GUEST, title="T", player="Jo Pellew", seed=1, created="")
    game = replace(game.with_state(turn=3), turns=turns)
    assert page_before(game, [turns[3]]) == (turns[2],)
    assert page_before(game, [turns[2], turns[3]]) == () == page_before(game, [turns[1]])


def test_a_beat_that_is_marked_has_not_begun_and_waits_no_more() -> None:
    state = State(chapter="one", begun=("a", "b"), passed=("b", "c"))
    marked, _ = mark_beats(state, ONE, ["b"], 3)
    assert (marked.begun, marked.passed) == (("a",), ("c",))
