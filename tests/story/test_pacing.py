"""Where a page is to go, chosen by what was told lately."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from theact_tui.agents.narrator import NARRATOR
from theact_tui.packs.loader import load_pack
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.game import Game, new_game
from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.story.pacing import Lead, lead_of, record_return
from theact_tui.story.scene import scene_of
from theact_tui.story.secrets import cue_of, decisions_of
from theact_tui.story.turn import Decisions, Turn

PACK = load_pack(Path(__file__).parents[2] / "content" / "guest-in-nine")
KEYS = PACK.first_chapter.beats[0]


def at(turn: int, *, beat: int = 0, new: bool = False, hit: int = 0) -> Game:
    """A game after a turn, its last beat in turn `beat`; `new`: this one."""
    game = new_game(PACK, title="T", player="Jo Pellew", seed=1, created="")
    last = Turn(number=turn, chapter=game.state.chapter, new_beats=(KEYS,) if new else ())
    hits = PACK.first_chapter.beats[:hit]
    return replace(game.with_state(turn=turn, last_beat_turn=beat, beats_hit=hits), turns={turn: last})


def task(game: Game, line: str) -> str:
    return "\n".join(one.text for one in NARRATOR.sections(narrator_view(game, "play", line, None, 1), {}))


@pytest.mark.parametrize(
    ("game", "line", "way"),
    [
        (at(4, beat=4, new=True), "I nod.", "react"),
        (at(5, beat=4), "I nod.", "advance"),
        (at(5, beat=4), "Where is the key?", "react"),
        (at(6, beat=4), "“Wo?”", "react"),
        (at(6, beat=4), "鍵はどこ？", "react"),
        (at(6, beat=4), "Where is it? I look under the desk.", "advance"),
        (at(7, beat=4), "Where is the key?", "complicate"),
        (at(8, beat=4), "Where is the key?", "advance"),
        (at(10, beat=4), "I nod.", "complicate"),
        (at(3), "I nod.", "complicate"),
    ],
)
def test_the_first_way_that_fits_is_taken(game: Game, line: str, way: str) -> None:
    lead = lead_of(game, line)
    assert lead.way == way and (lead.about == KEYS) == (way == "advance")
    assert decisions_of(game, line).lead == way


def test_a_story_reacts_to_beats_for_one_turn_and_not_for_a_chapter() -> None:
    game = at(5, beat=5, new=True)
    (turn,) = game.turns.values()
    reacted = game.with_turn(turn.model_copy(update={"decisions": Decisions(lead="react")}))
    assert lead_of(game, "I nod.").way == "react" and lead_of(reacted, "I nod.").way == "advance"


def test_nothing_leads_where_a_story_or_chapter_begins_or_no_beat_is_left() -> None:
    start = new_game(PACK, title="T", player="Jo", seed=1, created="")
    done = at(9, beat=8, hit=5)
    for game in (start, at(5).with_state(transition=True), done, at(5).with_state(game_complete=True)):
        assert lead_of(game, "Where?") == Lead()
    assert "Bring the chapter to its end: " in task(done, "I nod.")
    assert "Bring the chapter to its end: " not in task(start, "I nod.")


def test_the_way_stands_in_the_narrators_task_and_a_page_that_stays_cues_nobody() -> None:
    after, later = at(4, beat=4, new=True), at(5, beat=4)
    assert "Stay in this moment" in task(after, "I nod.")
    assert "Bring this a little nearer" in task(later, "I nod.")
    assert "Something gets in the way" in task(at(7, beat=4), "I nod.")
    assert cue_of(after, "dorothy") == "" and cue_of(later, "dorothy") == KEYS
    assert cue_of(later, "dorothy", "Where is the key?") == ""
    assert scene_of(later, "I nod.").owner == "dorothy" and scene_of(after, "I nod.").owner == ""


class Owing(Fact):
    """A fact of a kind."""

    kind: Any = ""


def owing(game: Game, *facts: tuple[str, int, str], only: str = "") -> Game:
    lines = tuple(Owing(text=text, turn=turn, important=True, kind=kind) for text, turn, kind in facts)
    for holder in [only] if only else game.state.present:
        game = game.with_memory(holder, FactsMemory(key_facts=lines))
    return game


def test_a_promise_comes_back_once_and_not_too_often() -> None:
    promise, gift = ("Jo promised Teddy a song.", 2, "promise"), ("Jo gave Teddy a coin.", 3, "gift")
    game = owing(at(8, beat=7), gift, promise, ("Teddy wore a tie.", 1, "none"))
    assert lead_of(game, "I nod.") == Lead("come back", promise[0])
    assert f"Let this matter again: {promise[0]}" in task(game, "I nod.")
    assert decisions_of(game).returns == promise[0]
    told = record_return(game.with_state(turn=9, last_beat_turn=8), promise[0])
    assert told.state.came_back == {promise[0]: 9}
    assert lead_of(told.with_state(turn=11, last_beat_turn=10), "I nod.").way == "advance"
    again = told.with_state(turn=12, last_beat_turn=11)
    assert lead_of(again, "I nod.") == Lead("come back", gift[0]), "each comes back once"
    secretly = owing(at(8, beat=7), promise, only="teddy")
    assert lead_of(secretly, "I nod.").way == "advance", "Dorothy is there, who does not know of it"
    summary = "Dorothy promised nothing. Teddy sat down. A song came from the street."
    told = secretly.with_memory("dorothy", FactsMemory(summary=summary))
    assert lead_of(told, "I nod.").way == "advance", (
        "its words are strewn over her summary, which does not tell it"
    )
    alone = secretly.with_state(present=("teddy",))
    assert lead_of(alone, "I nod.") == Lead("come back", promise[0])
    reworded = "Jo has promised a song to Teddy."
    assert lead_of(alone.with_state(came_back={reworded: 2}), "I nod.").way == "advance", "in other words"
    for unnamed in ("She promised Teddy a song.", "Er versprach Teddy ein Lied.", "彼は歌を約束した。"):
        assert lead_of(owing(at(8, beat=7), (unnamed, 2, "promise")), "I nod.").way == "advance", "who did?"
    young = owing(at(5, beat=4), promise)
    assert lead_of(young, "I nod.").way == "advance"
    away = owing(at(8, beat=7), promise, only="ines")
    assert lead_of(away, "I nod.").way == "advance", "its holder is not there"
    still = owing(at(12, beat=3), promise)
    assert lead_of(still, "I nod.") == Lead("advance", KEYS), "the nudge wants nothing else"
