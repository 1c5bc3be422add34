"""S5.2: which beats count as hit, and when the narrator is nudged to the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from theact_tui.packs.loader import load_pack
from theact_tui.story.beats import (
    MOST_NEW_BEATS,
    Claim,
    asked_about,
    mark_beats,
    nudge_due,
    proven,
    quotable,
    telling_parts,
)
from theact_tui.story.game import Game, State, new_game
from theact_tui.story.pack import Chapter
from theact_tui.story.turn import Entry, Turn

ONE = Chapter(
    id="one", title="One", summary="s", beats=("a", "b", "c", "d"), completion="done", characters=("ann",)
)


def test_only_beats_of_the_chapter_count_and_each_once() -> None:
    state, new = mark_beats(State(chapter="one"), ONE, ["b", "x", "a", "b"], 3)
    assert new == ("a", "b") and state.beats_hit == ("a", "b") and state.last_beat_turn == 3
    assert mark_beats(state, ONE, ["a"], 4) == (state, ())


GUEST = load_pack(Path(__file__).parents[2] / "content" / "guest-in-nine")
KEYS, FORKS, TRAY, EMPTY, REGISTER = GUEST.first_chapter.beats
SHOES = GUEST.chapters["02-mr-frayne"].beats[1]
PAGE = """Dorothy Vane hands you the bunch. You tick them off, one to eight, ten to forty, and one is wanting; and on her \
left is a pocket that has been sewn shut.

In the pantry someone drops a drawer of cutlery. Knives, spoons and more forks than there are people lie on the tiles, \
and Teddy counts them into your hand as if it were your fault.

The lift bumps, and Ines takes the tray out of the hatch. The egg is gone, crusts and all, and the stout has left a ring.

You turn the pages of the register. A. Frayne, gentleman, by the month; the column on the right is blank."""


def told(page: str, *replies: str, language: str = "", line: str = "I look on.") -> tuple[Game, Turn]:
    """A game after a page, and the turn."""
    game = new_game(GUEST, title="T", player="Jo Pellew", seed=1, created="")
    entries = [Entry(role="narrator", text=page), Entry(role="player", text=line)]
    entries += [Entry(role="character", character="teddy", text=text) for text in replies]
    turn = Turn(number=1, chapter=game.state.chapter, entries=tuple(entries))
    steering = game.state.steering.model_copy(update={"language": language})
    return game.with_state(steering=steering), turn


def shown(
    page: str,
    *claims: tuple[str, str],
    replies: Sequence[str] = (),
    language: str = "",
    line: str = "I look on.",
) -> list[str]:
    game, turn = told(page, *replies, language=language, line=line)
    return list(proven([Claim(*claim) for claim in claims], [turn], game, most=MOST_NEW_BEATS))


@pytest.mark.parametrize(
    ("beat", "quote"),
    [
        (REGISTER, "someone drops a drawer of cutlery"),
        (TRAY, "a pocket that has been sewn shut"),
        (SHOES, "the column on the right is blank"),
        (FORKS, "I do his voice, a little"),
        (EMPTY, "You turn the pages"),
        (KEYS, "the register lies open at a dash"),
    ],
)
def test_a_quote_that_has_nothing_to_do_with_its_beat_or_is_not_true_proves_nothing(
    beat: str, quote: str
) -> None:
    assert not shown(PAGE, (beat, quote), replies=['"I do his voice, a little," says Teddy.'])


@pytest.mark.parametrize(
    ("beat", "quote"),
    [
        (KEYS, "You tick them off, one to eight, ten to forty"),
        (FORKS, "Teddy counts them into your hand"),
        (TRAY, "The lift bumps"),
        (TRAY, "The egg is gone, crusts and all"),
        (EMPTY, "the stout has left a ring"),
        (REGISTER, "A. Frayne, gentleman, by the month"),
    ],
)
def test_a_true_quote_without_a_word_of_its_beat_is_believed_by_its_paragraph(beat: str, quote: str) -> None:
    assert shown(PAGE, (beat, quote)) == [beat]


def test_the_right_one_of_three_claims_survives_the_cap() -> None:
    claims = (
        (FORKS, "Ines takes the tray"),
        (EMPTY, "a pocket that has been"),
        (REGISTER, "the pages of the register"),
    )
    assert shown(PAGE, *claims) == [REGISTER]
    page = PAGE + "\n\nYou read on: the guest is the one who never left this register."
    weak = (FORKS, "more forks than"), (TRAY, "The egg is gone"), (REGISTER, "the one who never left")
    assert shown(page, *weak)[0] == REGISTER, "what is proven best comes first"


def test_a_word_that_fills_the_turn_which_tells_a_beat_proves_it_and_of_words_often_said_it_takes_two() -> (
    None
):
    page = "\n\n".join(f"In drawer {n} lie forks." for n in "abc")
    assert shown(page, (FORKS, "In drawer b lie forks")) == [FORKS]
    game, turn = told(page)
    before = game.with_turn(turn.model_copy(update={"number": 1}))
    claims = [Claim(FORKS, "In drawer b lie forks")]
    after = [turn, turn.model_copy(update={"number": 2})]
    assert not proven(claims, after, before, most=2), "it was said often before"
    more = told(page.replace("forks", "many forks"))[1]
    before = game.with_turn(more.model_copy(update={"number": 1}))
    claims = [Claim(FORKS, "In drawer b lie many forks")]
    assert proven(claims, [more.model_copy(update={"number": 2})], before, most=2) == (FORKS,)


def test_what_the_player_is_to_do_is_proved_by_their_line_and_the_page_after_it() -> None:
    game, turn = told("A. Frayne, by the month.")
    entries = (Entry(role="player", text="I read on."), *turn.entries[:1])
    turn = turn.model_copy(update={"entries": entries, "number": 1})
    claim = Claim(REGISTER, "by the month")
    assert not proven([Claim(TRAY, "by the month")], [turn], game, most=2)
    assert proven([claim], [turn], game, most=2) == (REGISTER,)


def test_a_beat_of_the_next_chapter_takes_most_of_its_words() -> None:
    back_stairs = GUEST.chapters["02-mr-frayne"].beats[2]
    half = "Teddy Lusk goes off up the back stairs with the custard"
    assert not shown(half, (back_stairs, half))
    whole = "Teddy comes up the back stairs, whistling, and the supper steams"
    assert shown(whole, (back_stairs, whole)) == [back_stairs]


def test_in_the_reply_of_its_owner_a_word_that_is_often_said_proves_a_beat() -> None:
    game, often = told("\n\n".join(f"The tray stands on shelf {n}." for n in "abc"))
    before = game.with_turn(often)
    _, turn = told("Rain.")
    for speaker, shown in (("ines", (TRAY,)), ("teddy", ())):
        reply = Entry(role="character", character=speaker, text='"Up goes the tray," and the rope hums.')
        after = turn.model_copy(update={"number": 2, "entries": (*turn.entries, reply)})
        assert proven([Claim(TRAY, "the rope hums")], [after], before, most=2) == shown


def test_a_reply_counts_as_a_whole_and_a_quote_may_leave_something_out() -> None:
    reply = (
        '"One always keeps a spare," says Teddy.\n\n"Like a tyre. The fourth of the trays and forks is mine."'
    )
    assert shown("Rain.", (TRAY, "Like a tyre"), replies=[reply]) == [TRAY]
    assert not shown("Rain.", (FORKS, "Like a tyre"), replies=[reply]), "what is the player's to do, they do"
    assert shown("Rain.", (FORKS, "Like a tyre"), replies=[reply], line="I count the forks.") == [FORKS]
    assert shown(PAGE, (TRAY, "takes the tray out ... crusts and all")) == [TRAY]
    assert not shown(PAGE, (TRAY, "takes the tray out ... into the sea"))


def test_a_story_told_in_another_language_than_its_pack_gets_its_beats() -> None:
    page = "Dorothy reicht dir die Karte. Neununddreißig Schlüssel zählst du, und einer fehlt."
    assert shown(page, (KEYS, "Neununddreißig Schlüssel zählst du"), language="German") == [KEYS]
    assert not shown(page, (KEYS, "Vierzig Schlüssel zählst du"), language="German")
    assert not shown(page, (KEYS, "Neununddreißig Schlüssel zählst du")), "in the pack's own, a word decides"
    for own in ("English", "en"):
        assert not shown(page, (KEYS, "Neununddreißig Schlüssel zählst du"), language=own), (
            "the same, by name"
        )
    german, turn = told(page, language="German")
    assert telling_parts([turn], (), [KEYS], german) == (turn,), "any part may prove it"
    english, turn = told(PAGE, "She yawns.")
    (left,) = telling_parts([turn], (), [KEYS], english)
    assert (
        left.narration and left.narration in PAGE and len(left.narration) < len(PAGE) and not left.player_text
    )


def test_the_last_beat_of_a_chapter_is_asked_about_when_nearly_all_others_are_behind_it() -> None:
    chapter = GUEST.first_chapter
    assert asked_about(chapter, (), 1) == (KEYS, FORKS, TRAY)
    assert asked_about(chapter, (KEYS, FORKS), 9) == (TRAY, EMPTY)
    assert asked_about(chapter, (KEYS, FORKS, TRAY), 4) == (EMPTY, REGISTER)
    assert asked_about(chapter, (KEYS, FORKS, TRAY), 3) == (EMPTY,)
    assert asked_about(chapter, (), 1, [REGISTER])[-1] == REGISTER, "what was confessed may be told"


def test_beats_may_be_quoted_from_the_last_three_pages_of_their_chapter() -> None:
    game, turn = told(PAGE)
    turns = {n: turn.model_copy(update={"number": n}) for n in (1, 2, 3, 4)}
    turns[2] = turns[2].model_copy(update={"chapter": "another"})
    game = replace(game.with_state(turn=4), turns=turns)
    assert [each.number for each in quotable(game, [turns[4]])] == [3]
    turns[2] = turns[1].model_copy(update={"number": 2})
    assert [each.number for each in quotable(game, [turns[4]])] == [2, 3]


def test_a_nudge_is_due_once_after_eight_turns_without_a_beat() -> None:
    state = State(chapter="one", last_beat_turn=2)
    assert not nudge_due(state, 10) and nudge_due(state, 11)
    assert not nudge_due(state.model_copy(update={"nudged": True}), 12)
