"""What a character knows of past turns, and how its verbatim turns grow and are cut."""

from dataclasses import replace

import pytest

from tests.support.fake_model import small_pack
from theact_tui.story.character_view import (
    add_to_views,
    apply_turn,
    attendance,
    cut_view,
    heard_all_words,
    is_for_memory,
    memory_view_of,
    story_of,
    viewpoint_of,
)
from theact_tui.story.game import Game, Spoken, new_game
from theact_tui.story.turn import UNCUT, Cuts, Entry, Heard, Stage, Turn


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
    return replace(game, turns=turns).with_state(turn=2, views=views)


def test_a_memory_is_made_of_witnessed_turns_even_if_others_are_asked_for() -> None:
    game = told()
    assert [turn.number for turn in memory_view_of(game, "ann", (1, 2)).turns] == [1, 2]
    assert [turn.number for turn in memory_view_of(game, "bob", (1, 2)).turns] == [2]
    assert [turn.number for turn in viewpoint_of(game, "bob", (), ("bob",)).turns] == [2]


def test_what_the_program_itself_told_is_known_to_nobody() -> None:
    game = told()
    for view in (memory_view_of(game, "bob", (2,)), viewpoint_of(game, "bob", (), ("bob",))):
        assert [entry.text for turn in view.turns for entry in turn.entries] == ["Together."]


def test_who_the_player_is_no_character_is_told() -> None:
    pack = small_pack()
    hero = pack.game.player.model_copy(update={"description": "A spy.", "known_as": "a guest"})
    pack = pack.model_copy(update={"game": pack.game.model_copy(update={"player": hero})})
    game = new_game(pack, title="Test", player="Alex", seed=1, created="")
    assert story_of(game).player.description == "A spy."
    for view in (viewpoint_of(game, "bob", (), ("bob",)), memory_view_of(game, "bob", ())):
        assert (view.story.player.description, view.story.player.known_as) == ("", "a guest")
    other = new_game(pack, title="Test", player="Kim", about="A cook.", seed=1, created="")
    assert (other.info.player.description, other.info.player.known_as) == ("A cook.", "")


def grow(turns: int, size: int, room: int) -> list[tuple[int, ...]]:
    """Ann's view after each of so many turns of `size` tokens."""
    views: dict[str, tuple[int, ...]] = {}
    grown = []
    for number in range(1, turns + 1):
        entries = (Entry(role="narrator", text="The tide turns."),)
        turn = Turn(number=number, chapter="one", entries=entries, witnesses=("ann",))
        views = add_to_views(views, turn)
        views = {**views, "ann": cut_view(views["ann"], dict.fromkeys(range(1, number + 1), size), room)}
        grown.append(views["ann"])
    return grown


def test_a_view_grows_and_is_cut_in_blocks_to_the_last_four() -> None:
    views = grow(turns=24, size=200, room=10_000)
    assert views[8] == tuple(range(1, 10))
    assert views[9] == (7, 8, 9, 10)
    cuts = [number for number, view in enumerate(views, 1) if len(view) < number and len(view) == 4]
    assert cuts == [10, 16, 22], "when the narrator's turns are folded, so that their prompts begin alike"


def test_short_turns_stay_until_they_are_as_long_as_folding_needs() -> None:
    views = grow(turns=40, size=50, room=10_000)
    assert max(map(len, views)) == 30


def test_little_room_cuts_earlier_but_never_below_three_turns() -> None:
    assert {len(view) for view in grow(turns=30, size=500, room=3_000)[5:]} == {3, 4, 5}
    assert [len(view) for view in grow(turns=6, size=500, room=100)] == [1, 2, 3, 3, 3, 3]


def test_who_was_not_there_keeps_an_older_view() -> None:
    entries = (Entry(role="narrator", text="The tide turns."),)
    turn = Turn(number=5, chapter="one", entries=entries, witnesses=("bob",))
    assert add_to_views({"ann": (1, 2)}, turn) == {"ann": (1, 2), "bob": (5,)}


PAGE = "Bob counts the steps. He goes.\n\nAnn lights the lamp."


def two_turns(first: dict[str, object], *, number: int = 2) -> Game:
    """A turn with the given fields, and a later one that both saw."""
    game = told()
    entries = (Entry(role="narrator", text=PAGE), Entry(role="player", text="I wait (for Ann)."))
    turns = {
        1: Turn.model_validate({"number": 1, "chapter": "one", "entries": entries, **first}),
        number: game.turns[2].model_copy(update={"number": number}),
    }
    views = {"ann": (1, number), "bob": (1, number)}
    return replace(game, turns=turns).with_state(turn=number, views=views)


def visible_to(game: Game, character: str) -> list[list[str]]:
    view = viewpoint_of(game, character, (Entry(role="narrator", text="Now."),), ("ann", "bob"))
    assert view.now is not None
    return [[turn.gap, *(entry.text for entry in turn.entries)] for turn in (*view.turns, view.now)]


GAP = "(Bob was not with Alex for a while and does not know what happened there.)"


CUTS = Cuts(page=((0, PAGE.index("He goes.") + 8), (PAGE.index("He goes.") + 10, len(PAGE))))


def test_a_turn_stored_before_spans_were_is_known_whole_but_for_asides() -> None:
    game = two_turns({"witnesses": ("ann", "bob")})
    assert visible_to(game, "bob")[0] == ["", "I wait.", PAGE]


def test_who_left_knows_the_turn_up_to_the_exit_and_that_something_is_missing() -> None:
    game = two_turns(
        {"witnesses": ("ann", "bob"), "cuts": CUTS, "heard": {"bob": Heard(missed=("B", "a", "b"))}}
    )
    first, second, now = visible_to(game, "bob")
    assert first == ["", "I wait.", "Bob counts the steps. He goes."]
    assert (second[0], now[0]) == (GAP, "")
    assert [page[0] for page in visible_to(game, "ann")] == ["", "", ""]


def test_who_left_in_an_answer_did_not_hear_the_answers_after_it() -> None:
    said = [Entry(role="character", character=id, text=f"{id} speaks.") for id in ("bob", "ann")]
    game = two_turns({"witnesses": ("ann", "bob")})
    game = game.with_turn(game.turns[2].model_copy(update={"entries": said, "witnesses": ("ann", "bob")}))
    after = Turn(number=3, chapter="one", stage=Stage(gone=("bob",)), entries=said, witnesses=("ann",))
    told = apply_turn(game, Spoken(parent="", branch="main", turn=after, present=("ann",)))
    assert visible_to(told, "bob")[1] == ["", "bob speaks."]
    assert visible_to(told, "ann")[1] == ["", "bob speaks.", "ann speaks."]


def test_turns_that_are_missing_leave_a_word_but_none_before_the_first() -> None:
    game = two_turns({"witnesses": ("ann", "bob")}, number=4)
    assert [page[0] for page in visible_to(game, "bob")] == ["", GAP, ""]
    game = two_turns({"witnesses": ("ann",)}, number=4)
    assert [page[0] for page in visible_to(game, "bob")] == ["", ""]


def test_who_was_there_and_lost_a_turn_whose_form_failed_was_not_away() -> None:
    game = two_turns({"witnesses": ("ann", "bob")}, number=3)
    pending = Turn(number=2, chapter="one", stage=Stage(here=("ann", "bob"), by="pending"))
    gaps = [page[0] for page in visible_to(game.with_turn(pending), "bob")]
    assert gaps == ["", "(Bob did not catch what happened meanwhile.)", ""]


def test_who_heard_nothing_of_a_turn_is_no_witness() -> None:
    heard = {"ann": Heard(), "bob": Heard(missed=("1", "A"))}
    entries = (Entry(role="player", text="(Hm.)"), Entry(role="narrator", text="Rain."))
    assert attendance(UNCUT, heard, entries) == {"cuts": UNCUT, "witnesses": ("ann",), "heard": {}}


def test_who_knows_of_a_beat_heard_all_that_was_told_of_it() -> None:
    game = two_turns(
        {"witnesses": ("ann", "bob"), "cuts": CUTS, "heard": {"bob": Heard(missed=("B", "a", "b"))}}
    )
    turn = game.turns[1]
    for beat, knows in (("Bob counts the steps", True), ("Ann lights the lamp", False), ("A whale", False)):
        assert heard_all_words(turn, "bob", beat) is knows
        assert heard_all_words(turn, "ann", beat)
    assert not heard_all_words(turn, "cid", "Bob counts the steps")


@pytest.mark.parametrize(
    ("page", "line", "reply", "asked"),
    [
        ("Rain.", "", "", False), ("Rain.\n\nAnn nods.", "", "", True), ("Rain.", "I promise it.", "", True),
        ("Rain.", "", "Hm.", True), ("", "", "Hm.", False),
    ],
)  # fmt: skip
def test_who_perceived_one_paragraph_and_no_reply_is_not_asked_to_remember(
    page: str, line: str, reply: str, *, asked: bool
) -> None:
    texts = (
        Entry(role="narrator", text=page),
        Entry(role="player", text=line),
        Entry(role="character", text=reply, character="ann"),
    )
    entries = tuple(entry for entry in texts if entry.text)
    turn = Turn(number=1, chapter="one", entries=entries, witnesses=("ann",))
    assert is_for_memory(turn, "ann") is asked
