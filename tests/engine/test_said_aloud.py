"""An answer to something private: nobody else hears it, until the next form gives pieces of it back."""

import json
from pathlib import Path

import pytest

from tests.engine.conftest import beginning_with, reopened
from tests.support.fake_model import Scripted, Stage, narration, small_pack, stage
from theact_tui.models.model import Request
from theact_tui.story.lore import LoreEntry

ANSWER = '"The QUINCE is rotten," Ann breathes. Then she turns round. "More TEA, Bob?"'


pytestmark = pytest.mark.usefixtures("memories_of_replies_wait")


async def ask_ann(play: Stage) -> None:
    """Ann alone hears the line that she answers."""
    page = narration("Rain.", "ann", present="ann, bob", heard_by=["ann"])
    play.model.answers |= {"narrator": page, "character:ann": ANSWER}
    await play.turn('I take Ann by the sleeve. "Well?"')


async def test_the_piece_said_aloud_is_heard_before_anybody_answers(play: Stage) -> None:
    await ask_ann(play)
    turn = play.game.turns[1]
    assert not any("QUINCE" in text or "TEA" in text for text in play.model.prompts("memory:bob"))
    assert turn.missed_by("bob")[-4:] == ("a", "b", "c", "d")
    form = {"answer": ["bob"], "only": {}, "mood": "tense", "aloud": {"bob": "d"}}
    await play.turn("I wait.", stage=json.dumps(form), narrator="Bob looks up.")
    asked = play.prompt("stage")
    assert "[a]" in asked and "[d]" in asked and '\naloud: {"bob":"..."}, ' in asked
    prompt = play.prompt("character:bob")
    assert "TEA" in prompt and "QUINCE" not in prompt and "turns round" not in prompt
    assert play.game.turns[1].missed_by("bob")[-3:] == ("a", "b", "c")
    assert play.game.turns[2].mood == "tense"


async def test_without_a_word_about_it_nothing_comes_back(play: Stage) -> None:
    await ask_ann(play)
    for aloud in ({}, {"bob": ""}, {"bob": "xyz"}, {"bob": "all"}, {"zed": "d"}):
        form = {"answer": ["bob"], "only": {}, "mood": "calm", "aloud": aloud}
        await play.turn("I wait.", stage=json.dumps(form), narrator="Bob looks up.")
    assert not any(word in text for text in play.model.prompts("character:bob") for word in ("QUINCE", "TEA"))


async def test_who_answers_is_told_what_the_others_did_not_notice(play: Stage) -> None:
    form = {"answer": ["ann"], "only": {"2": ["ann"]}, "mood": "calm"}
    await play.turn('I ask for the salt. I wink at Ann. "Thanks."', stage=json.dumps(form), narrator="Rain.")
    assert "Only Ann Lee noticed: I wink at Ann. The others do not hear" in play.prompt("character:ann")


async def test_who_sleeps_when_a_chapter_opens_perceives_nothing_until_they_wake(tmp_path: Path) -> None:
    play = await stage(tmp_path, Scripted(), beginning_with(asleep=("bob",)))
    await play.turn("I look.", narrator=narration("The QUINCE ripens.", "ann"))
    assert play.game.turns[1].asleep == ("bob",) and "bob" not in play.game.turns[1].witnesses


TWO_HALVES = '"Good MORNING, all!" Ann calls. She bends to you. "The QUINCE is rotten."'


async def _after_two_halves(tmp_path: Path) -> Stage:
    play = await stage(tmp_path, Scripted(), small_pack())
    play.model.answers |= {
        "narrator": narration("Rain.", "ann", present="ann, bob"),
        "character:ann": TWO_HALVES,
    }
    await play.turn("I look round.")
    play.model.answers["character:ann"] = "Ann nods."
    return play


async def test_a_low_half_of_an_answer_that_all_might_hear_stays_with_whom_it_was_for(tmp_path: Path) -> None:
    play = await _after_two_halves(tmp_path)
    assert play.model.prompts("memory:ann") and not play.model.prompts("memory:bob"), (
        "until a form has said it"
    )
    form = {"answer": ["bob"], "only": {"d": []}, "mood": "calm"}
    await play.turn("I wait.", stage=json.dumps(form), narrator="Bob looks up.")
    asked = play.prompt("stage")
    assert "[d]" in asked and "also of the last replies" in asked
    for key in ("character:bob", "memory:bob"):
        assert "MORNING" in play.prompt(key) and "QUINCE" not in play.prompt(key)
    turn = play.game.turns[1]
    assert turn.missed_by("bob") == ("d",) and not turn.missed_by("ann")
    again = await reopened(play)
    assert again.game.turns[1] == turn


async def test_while_no_form_has_said_who_heard_an_answer_nobody_is_given_it(tmp_path: Path) -> None:
    play = await _after_two_halves(tmp_path)
    await play.turn("→ Bob: well?", stage="no form", narrator="Bob looks up.")
    (prompt,) = play.model.prompts("character:bob")
    assert "Rain." in prompt and "MORNING" not in prompt and "QUINCE" not in prompt
    assert not play.model.prompts("memory:bob")

    def late(ask: Request) -> str:
        only: dict[str, list[str]] = {} if "I wait." in str(ask.prompt.messages()) else {"d": []}
        return json.dumps({"answer": ["bob"], "only": only, "mood": "calm"})

    await play.turn("I wait.", stage=late)
    for key in ("character:bob", "memory:bob"):
        shown = "\n".join(play.model.prompts(key)[-2:])
        assert "MORNING" in shown and "QUINCE" not in shown, "a late form says the same to prompt and memory"


async def test_nobody_learns_lore_from_a_low_half_that_was_for_others(tmp_path: Path) -> None:
    hidden = LoreEntry(
        id="quince", title="Quince", text="The last quince in the cellar is rotten.", keys=("quince",)
    )
    pack = small_pack().model_copy(
        update={"lore": {"book": (hidden.model_copy(update={"known_by": ("ann",)}),)}}
    )
    play = await stage(tmp_path, Scripted(), pack)
    low = '"Hm!" Ann calls. She bends to you. "The last quince in the cellar is rotten."'
    play.model.answers |= {"narrator": narration("Rain.", "ann", present="ann, bob"), "character:ann": low}
    await play.turn("I look round.")
    assert not play.game.state.lore_known
    play.model.answers["character:ann"] = "Ann nods."
    play.model.answers |= {
        "stage": json.dumps({"answer": [], "only": {"d": []}, "mood": "calm"}),
        "narrator": "Rain.",
    }
    await play.turn("I wait.")
    assert not play.game.state.lore_known
