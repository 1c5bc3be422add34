"""What counts as the same or as told: each share of words, at its limit and just below it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.support.fake_model import small_pack
from theact_tui.agents.character import attitude
from theact_tui.story.forgetting_and_recall import ArchivedLine, not_told, unlike
from theact_tui.story.game import Game, new_game
from theact_tui.story.lore import LoreEntry
from theact_tui.story.matching import overlap, stems
from theact_tui.story.memory import Reflection
from theact_tui.story.secrets import gate_of
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.viewpoints import lore_learned, viewpoint_of
from theact_tui.storyteller.record_keepers import is_told
from theact_tui.storyteller.remember import is_alike

WORDS = "lamp stair kettle anchor cellar candle wagon harbor mirror barrel".split()
OTHERS = "pencil garden window bridge saddle ribbon copper valley".split()


def text(count: int, *, of: list[str] = WORDS) -> str:
    return " ".join(of[:count]).capitalize() + "."


def half(count: int, shared: int) -> str:
    """A sentence of `count` words that shares so many with `text`."""
    return text(count, of=[*WORDS[:shared], *OTHERS])


def small_game(**card: object) -> Game:
    pack = small_pack()
    ann = pack.characters["ann"].model_copy(update=card)
    pack = pack.model_copy(update={"characters": {**pack.characters, "ann": ann}})
    return new_game(pack, title="T", player="Alex", seed=1, created="")


def test_a_share_is_of_the_first_words_and_of_none_it_is_nothing() -> None:
    assert overlap(stems(text(4)), stems(half(6, 3))) == 0.75
    assert overlap(frozenset(), stems(text(4))) == 0


@pytest.mark.parametrize(("shared", "told"), [(3, True), (2, False)])
def test_a_line_is_told_by_a_text_with_six_tenths_of_its_words(shared: int, told: bool) -> None:
    line = ArchivedLine(1, text(5))
    assert not_told([line], [half(9, shared)]) == ([] if told else [line])


@pytest.mark.parametrize(
    ("words", "shared", "is_version"), [(6, 3, True), (7, 3, False), (4, 2, False)], ids=str
)
def test_versions_of_a_line_share_half_of_their_words_and_three(
    words: int, shared: int, is_version: bool
) -> None:
    old, new = ArchivedLine(1, text(words)), ArchivedLine(2, half(words, shared))
    assert unlike([old, new], []) == ([new] if is_version else [old, new])


@pytest.mark.parametrize(("words", "shared", "is_out"), [(6, 3, True), (7, 3, False), (4, 2, False)], ids=str)
def test_a_secret_is_out_with_half_of_the_words_of_a_sentence_and_three(
    words: int, shared: int, is_out: bool
) -> None:
    game = small_game(secret=text(words), reveal="one/1")
    said = Entry(role="character", character="ann", text=half(9, shared))
    turn = Turn(number=1, chapter=game.state.chapter, entries=(said,))
    game = replace(game.with_state(turn=1), turns={1: turn})
    assert (gate_of(game, "ann") == "out") is is_out


@pytest.mark.parametrize(
    ("words", "shared", "is_learned"), [(5, 3, True), (6, 3, False), (3, 2, False)], ids=str
)
def test_lore_is_learned_from_six_tenths_of_the_words_of_a_sentence_and_three(
    words: int, shared: int, is_learned: bool
) -> None:
    entry = LoreEntry(id="lamps", text=text(words), keys=("zebra",), known_by=("narrator",))
    game = small_game()
    game = replace(game, pack=game.pack.model_copy(update={"lore": {"book": (entry,)}}))
    page = Entry(role="narrator", text=half(9, shared))
    turn = Turn(number=1, chapter=game.state.chapter, entries=(page,), witnesses=("ann",))
    assert ("lamps" in lore_learned(game, turn)) is is_learned


@pytest.mark.parametrize(("shared", "is_same"), [(3, True), (2, False)])
def test_what_a_character_hides_is_its_secret_from_half_of_the_words_on(shared: int, is_same: bool) -> None:
    game = small_game(secret=half(9, shared))
    memory = game.memories["ann"].model_copy(update={"reflection": Reflection(turn=1, hide=text(6))})
    game = replace(game, memories={**game.memories, "ann": memory})
    lines = attitude(viewpoint_of(game, "ann", [], ("ann",)))
    assert any("also hides" in line for line in lines) is not is_same


@pytest.mark.parametrize(("shared", "alike"), [(3, True), (2, False)])
def test_an_older_fact_is_alike_from_six_tenths_of_the_shorter_one_on(shared: int, alike: bool) -> None:
    assert is_alike(text(5), half(9, shared)) is is_alike(half(9, shared), text(5)) is alike


@pytest.mark.parametrize(("shared", "told"), [(6, True), (5, False)])
def test_a_beat_is_told_offline_by_three_quarters_of_its_words(shared: int, told: bool) -> None:
    assert is_told(text(8), half(9, shared)) is told
