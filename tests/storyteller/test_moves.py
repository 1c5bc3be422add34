"""What the offline storyteller makes of what a player does beside its script."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.support.storyteller_games import Table
from theact_tui.packs.loader import load_pack
from theact_tui.story.pack import Pack
from theact_tui.storyteller.stock import stock

PACKS = ("guest-in-nine", "horsell-pit", "lost-island", "salt-road")
MOVES: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("moves.yaml"))
ANSWERED = [move for move in MOVES if "by" in move]


@lru_cache
def pack_of(name: str) -> Pack:
    return load_pack(Path(__file__).parents[2] / "content" / name)


def at(pack: str, after: int) -> Table:
    table = Table(pack_of(pack))
    table.open()
    table.play_all(["I wait."] * after)
    return table


def test_nearly_all_moves_are_answered() -> None:
    assert len(MOVES) == 40 and len(ANSWERED) >= 34


@pytest.mark.parametrize("move", ANSWERED, ids=lambda move: move["move"])
def test_a_move_is_answered_before_the_next_beat(move: dict[str, Any]) -> None:
    turn = at(move["pack"], move["after"]).play(move["move"])
    told = " ".join(" ".join(entry.text.split()) for entry in turn.entries if entry.role != "player")
    assert move["by"] in told and not turn.new_beats


@pytest.mark.parametrize("name", PACKS)
def test_who_walks_off_is_let_go_and_fetched_back(name: str) -> None:
    table, leaving = at(name, 2), pack_of(name).script.leaving
    before = table.game.state.present
    gone = table.play("I walk away from them, alone.")
    assert gone.narration in leaving.away and not table.game.state.present and not gone.new_beats
    assert [entry.role for entry in gone.told] == ["player", "narrator"], "nobody is there to answer"
    back = table.play("I sit down somewhere.")
    assert any(part in leaving.back for part in back.narration.split("\n\n"))
    assert set(before) <= set(table.game.state.present) and back.new_beats
    again = table.play("I walk off on my own.")
    assert again.narration in leaving.away and again.narration != gone.narration


@pytest.mark.parametrize("name", PACKS)
def test_a_turn_lies_between_two_beats(name: str) -> None:
    table, pack = at(name, 0), pack_of(name)
    while not table.game.state.game_complete:
        before = table.turns[-1]
        turn = table.play("I go on.")
        if turn.new_beats and before.new_beats:
            chapter = pack.chapters[turn.chapter]
            scene = pack.script.chapters[turn.chapter].scenes[chapter.beats.index(turn.new_beats[0])]
            assert scene.follows


@pytest.mark.parametrize("name", PACKS)
def test_chapters_of_one_who_goes_along_are_eight_to_fourteen_turns_long(name: str) -> None:
    table, lines = at(name, 0), ("I look around.", "Let us go on.", "I wait.")
    while not table.game.state.game_complete:
        table.play(lines[len(table.turns) % len(lines)])
    assert all(8 <= past.last_turn - past.first_turn + 1 <= 14 for past in table.game.state.chapter_history)


def test_a_question_at_a_chapter_s_start_is_answered() -> None:
    table = at("guest-in-nine", 0)
    while not table.game.state.transition:
        table.play("I wait.")
    turn = table.play("Dorothy, what is in Room Nine?")
    assert turn.chapter == "02-mr-frayne" and turn.told[2].character == "dorothy"
    book = pack_of("guest-in-nine").script
    known = [*book.chapters[turn.chapter].answers["dorothy"], *book.voices["dorothy"].answers]
    assert any(" ".join(answer.line.split()) in turn.told[2].text for answer in known)
    assert not any(text in turn.narration for text in stock().carried)
