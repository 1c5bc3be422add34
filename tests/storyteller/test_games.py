"""Whole games: every pack is told to its end."""

import re
from itertools import pairwise

import pytest

from tests.storyteller.conftest import light
from tests.support.packs import shipped_pack
from tests.support.storyteller_games import Table
from theact_tui.story.pack import Pack
from theact_tui.story.script import Script

LINES = (
    "look around", "Who are you?", "I take what lies there and put it in my pocket.", "wait", "I go on, carefully",
    "We should stay together.", "I try to climb up and hit the thing with a stick!", "你好，你是谁？", "",
    "I tell them that my name is {player} and that I am sorry.",
)  # fmt: skip
MOST_TURNS = 90


def packs() -> list[Pack]:
    return [light(), light(keeper="always", memory="cells", memory_cells=3), light(Script())]


def play_to_the_end(pack: Pack, seed: int) -> Table:
    table = Table.opened(pack, seed)
    for number in range(MOST_TURNS):
        if table.game.state.game_complete:
            return table
        table.play(LINES[number % len(LINES)] or "...")
    raise AssertionError(f"{pack.id} did not end in {MOST_TURNS} turns")


def check(table: Table) -> None:
    """What holds for every game that was told to its end."""
    pack = table.game.pack
    assert [recap.chapter for recap in table.game.recaps] == list(pack.game.chapters)
    beats = [beat for turn in table.turns for beat in turn.new_beats]
    assert beats == [beat for chapter in pack.chapters.values() for beat in chapter.beats]
    assert table.epilogue
    for turn in table.turns:
        told = " ".join(entry.text for entry in turn.entries if entry.role != "player")
        assert not re.search(r"\{\w+\}", told)
        assert not re.search(r"[?!]\.(?!\.)|\.\"\.|\s,|,,", told.replace("...", "…"))
    for earlier, later in pairwise(table.turns):
        assert earlier.narration != later.narration


@pytest.mark.parametrize("number", range(3))
def test_small_packs_are_told_to_their_end(number: int) -> None:
    check(play_to_the_end(packs()[number], seed=number))


@pytest.mark.parametrize("name", ["lost-island", "guest-in-nine"])
def test_shipped_packs_are_told_without_their_script_too(name: str) -> None:
    pack = shipped_pack(name).model_copy(update={"script": Script()})
    check(play_to_the_end(pack, seed=4))
