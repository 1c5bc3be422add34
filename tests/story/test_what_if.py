"""What somebody knows is taken away or given, and nothing else of it changes."""

from dataclasses import replace

import pytest

from tests.support.fake_model import small_pack
from theact_tui.errors import UsageError
from theact_tui.story.character_view import witnessed
from theact_tui.story.game import Game, new_game
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import Fact, FactsMemory, Reflection, lines_of
from theact_tui.story.turn import Cuts, Entry, Turn
from theact_tui.story.what_if import change_knowledge, telling_parts

PAGE = "The lamp burns.\n\nAnn hides a key."


def told(*, witnesses: tuple[str, ...]) -> Game:
    begun = new_game(small_pack(), title="Test", player="Alex", seed=1, created="")
    turn = Turn(
        number=1,
        chapter=begun.state.chapter,
        entries=(Entry(role="player", text="I look."), Entry(role="narrator", text=PAGE)),
        witnesses=witnesses,
        cuts=Cuts(line=((0, 7),), page=((0, 15), (17, len(PAGE)))),
    )
    views = dict.fromkeys(witnesses, (1,))
    return replace(begun, turns={1: turn}).with_state(turn=1, views=views)


def heard(game: Game, character: str) -> str:
    return " ".join(entry.text for entry in witnessed(game.turns[1], character).entries)


def test_who_was_away_is_given_that_piece_and_no_other() -> None:
    edit, text = change_knowledge(told(witnesses=("ann",)), "1:B", "bob", give=True)
    assert text == "Ann hides a key." and "Ann hides a key." in heard(edit.game, "bob")
    assert "lamp" not in heard(edit.game, "bob") and "look" not in heard(edit.game, "bob")


def test_a_piece_is_taken_from_those_who_had_it() -> None:
    game = told(witnesses=("ann", "bob"))
    edit, _ = change_knowledge(game, "1:B", "bob", give=False)
    assert "key" not in heard(edit.game, "bob") and "lamp" in heard(edit.game, "bob")
    assert heard(edit.game, "ann") == heard(game, "ann")


def test_nothing_changes_for_who_had_nothing_of_it() -> None:
    game = told(witnesses=("ann",))
    assert change_knowledge(game, "1:B", "bob", give=False)[0].game == game


@pytest.mark.parametrize(
    ("words", "why"), [("1:Z", "no piece"), ("7:A", "word for word"), ("   ", "fact is empty")]
)
def test_a_piece_that_is_not_there_is_a_sentence(words: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        change_knowledge(told(witnesses=("ann",)), words, "ann", give=False)


def test_lore_that_all_know_is_hidden_from_one_alone() -> None:
    game = told(witnesses=("ann", "bob"))
    entry = LoreEntry(id="bell", keys=("bell",), text="The bell is cracked.", known_by=("everyone",))
    game = replace(game, pack=game.pack.model_copy(update={"lore": {"book": (entry,)}}))
    edit, text = change_knowledge(game, "bell", "bob", give=False)
    assert text == entry.text and edit.game.pack.lore_entries[0].known_by == ("ann",)
    back, _ = change_knowledge(edit.game, "bell", "bob", give=True)
    assert back.game.state.lore_known["bell"] == {"bob": 1}


def test_an_archived_line_is_taken_and_none_that_ends_alike() -> None:
    game = told(witnesses=("ann",)).with_memory(
        "ann", FactsMemory(older="1 Bob came.\n2! Ann swore in court: Bob came.")
    )
    edit, text = change_knowledge(game, "Bob came.", "ann", give=False)
    assert text == "Bob came." and edit.game.memory_of("ann").older == "2! Ann swore in court: Bob came."


def test_what_is_taken_is_in_no_line_summary_archive_or_conclusion_any_more() -> None:
    fact = "The brass key is under the cot."
    memory = FactsMemory(
        summary=f"Bob came. {fact} It rained.",
        key_facts=(Fact(text=fact, turn=1), Fact(text="Bob is late.", turn=1)),
        older=f"1 {fact}\n1 The key under the cot is brass.\n2 Bob came.",
        reflection=Reflection(turn=2, want=fact, beliefs={"Bob": "Late again.", "Alex": fact}),
    )
    game = told(witnesses=("ann",)).with_memory("ann", memory)
    edit, _ = change_knowledge(game, fact, "ann", give=False)
    left = edit.game.memory_of("ann")
    assert left.summary == "Bob came. It rained." and left.older == "2 Bob came."
    assert [line.text for line in lines_of(left)] == ["Bob is late."]
    assert left.reflection == Reflection(turn=2, beliefs={"Bob": "Late again."})
    assert not [*telling_parts(edit.game, "ann", fact)]
