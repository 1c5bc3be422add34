"""What a chapter leaves behind: what each character makes of it, and beats of the next one that were told already."""

import json
from pathlib import Path

import pytest

from tests.engine.conftest import beginning_with, reopened
from tests.support.fake_model import Scripted, Stage, beat_form, narration, small_pack, stage
from tests.support.packs import with_chapter
from theact_tui.errors import CallError

DONE = beat_form(4, complete=True)
NOTHING = '{"end": false}'
REFLECTION = (
    '{"want": "To reach the sea alone.", "hide": "nothing", '
    '"beliefs": ["Bob: He cannot swim and will not say so.", "Nobody Known: Is not here."]}'
)


async def test_what_a_character_made_of_a_chapter_replaces_its_card_though_it_was_asked_for_late(
    play: Stage,
) -> None:
    play.model.answers |= {"progress": DONE, "reflection": CallError("timeout", "Too slow.")}
    await play.mark(1, 2)
    await play.turn("I open the door.")
    assert [w.agent for w in play.game.state.pending] == ["reflection", "reflection"]
    await play.turn("I look.", progress=NOTHING, reflection=REFLECTION)
    assert play.game.state.pending == ()
    seen = play.game.memories["ann"].reflection
    assert seen is not None and seen.turn <= 2 and seen.hide == ""
    assert seen.beliefs == {"Bob": "He cannot swim and will not say so."}
    await play.turn("I go on.")
    prompt = play.prompt("character:ann")
    assert "You want: To reach the sea alone." in prompt
    assert "Bob: He cannot swim and will not say so." in prompt
    again = await reopened(play)
    assert again.game.memories["ann"].reflection == seen
    unchanged = '{"want": "", "hide": "", "beliefs": ["Alex: Listens."]}'
    await again.mark(1, 2)
    await again.turn("I light it.", progress=DONE, reflection=unchanged)
    later = again.game.memories["ann"].reflection
    assert later is not None and later.turn > seen.turn and later.want == seen.want, "nothing new leaves it"


async def test_nobody_is_asked_what_it_thinks_of_one_it_has_not_met(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), beginning_with(present=("ann",)))
    made.model.answers |= {"narrator": narration("Rain falls.", "ann", present="ann"), "progress": DONE}
    await made.mark(1, 2)
    await made.turn("I open the door.")
    asked = made.prompt("memory:ann")
    assert "A chapter of Ann Lee's life is over." in asked
    assert "what Ann Lee now thinks of Alex." in asked


@pytest.mark.parametrize(("first", "asked"), [("Then one lights the lamp.", 2), ("They went down.", 1)])
async def test_a_recap_that_tells_what_did_not_happen_is_asked_for_once_more(
    play: Stage, first: str, asked: int
) -> None:
    recaps = iter((first, "They opened the door."))
    play.model.answers |= {"progress": DONE, "recap": lambda ask: next(recaps)}
    await play.mark(1, 3)
    await play.turn("I open the door.")
    assert "lights the lamp" not in play.prompt("recap")
    assert len(play.model.prompts("recap")) == asked
    assert play.game.recaps[0].text == ("They opened the door." if asked == 2 else first)


async def test_a_recap_that_tells_of_the_next_chapter_is_asked_for_once_more(tmp_path: Path) -> None:
    pack = with_chapter(small_pack(), "two", beats=("ann burns the ledger",))
    made = await stage(tmp_path, Scripted(), pack)
    recaps = iter(("They burned a ledger.", "They opened the door."))
    made.model.answers |= {"progress": DONE, "recap": lambda ask: next(recaps)}
    await made.mark(1, 2)
    await made.turn("I open the door.")
    assert made.game.recaps[0].text == "They opened the door."


async def test_all_beats_of_a_page_count(play: Stage) -> None:
    page = "One finds the stair.\n\nShe lights the lamp.\n\nHe opens the door."
    quotes = {"1": "One finds the stair", "2": "lights the lamp", "3": "opens the door"}
    play.model.answers |= {
        "narrator": narration(page, "ann"),
        "progress": json.dumps({**quotes, "end": True}),
    }
    await play.turn("I go.")
    assert play.game.state.beats_hit == (
        "one finds the stair", "one lights the lamp", "one opens the door",
    )  # fmt: skip


async def test_a_begun_beat_is_shown_to_the_narrator_until_it_is_told(play: Stage) -> None:
    await play.turn("I look.", progress='{"1": "begun", "end": false}')
    assert play.game.state.begun == ("one finds the stair",)
    await play.turn("I go on.", progress=NOTHING)
    assert "else the first: one finds the stair (has begun); or " in play.prompt("narrator")
    assert play.game.state.begun == ("one finds the stair",), "it does not go back"
    await play.turn("I go on.", progress=beat_form(1))
    state = play.game.state
    assert state.beats_hit and not state.begun
