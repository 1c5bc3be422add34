"""An answer to something private: nobody else hears it, until the next form gives pieces of it back."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.fake_model import Scripted, narration, small_pack, stage

ANSWER = '"The QUINCE is rotten," Ann breathes. Then she turns round. "More TEA, Bob?"'


async def test_the_piece_said_aloud_is_heard_before_anybody_answers(tmp_path: Path) -> None:
    play = await stage(tmp_path, Scripted(), small_pack())
    play.model.answers |= {
        "narrator": narration("Rain.", "ann", present="ann, bob", heard_by=["ann"]),
        "character:ann": ANSWER,
    }
    await play.turn('I take Ann by the sleeve. "Well?"')
    turn = play.session.game.turns[1]
    assert not any("QUINCE" in text or "TEA" in text for text in play.model.prompts("memory:bob"))
    assert turn.missed_by("bob")[-4:] == ("a", "b", "c", "d")
    form = {"answer": ["bob"], "only": {}, "mood": "tense", "aloud": {"bob": "d"}}
    play.model.answers |= {"stage": json.dumps(form), "narrator": "Bob looks up."}
    await play.turn("I wait.")
    asked = play.model.prompts("stage")[-1]
    assert "[a]" in asked and "[d]" in asked and "aloud:" in asked
    prompt = play.model.prompts("character:bob")[-1]
    assert "TEA" in prompt and "QUINCE" not in prompt and "turns round" not in prompt
    assert play.session.game.turns[1].missed_by("bob")[-3:] == ("a", "b", "c")
    assert play.session.game.turns[2].mood == "tense"
    await play.session.close()


async def test_without_a_word_about_it_nothing_comes_back(tmp_path: Path) -> None:
    play = await stage(tmp_path, Scripted(), small_pack())
    play.model.answers |= {
        "narrator": narration("Rain.", "ann", present="ann, bob", heard_by=["ann"]),
        "character:ann": ANSWER,
    }
    await play.turn('I take Ann by the sleeve. "Well?"')
    for aloud in ({}, {"bob": ""}, {"bob": "xyz"}, {"bob": "all"}, {"zed": "d"}):
        form = {"answer": ["bob"], "only": {}, "mood": "calm", "aloud": aloud}
        play.model.answers |= {"stage": json.dumps(form), "narrator": "Bob looks up."}
        await play.turn("I wait.")
    assert not any(word in text for text in play.model.prompts("character:bob") for word in ("QUINCE", "TEA"))
    await play.session.close()


async def test_who_answers_is_told_what_the_others_did_not_notice(tmp_path: Path) -> None:
    play = await stage(tmp_path, Scripted(), small_pack())
    form = {"answer": ["ann"], "only": {"2": ["ann"]}, "mood": "calm"}
    play.model.answers |= {"stage": json.dumps(form), "narrator": "Rain."}
    await play.turn('I ask for the salt. I wink at Ann. "Thanks."')
    assert (
        "Only Ann Lee noticed: I wink at Ann. The others do not hear"
        in play.model.prompts("character:ann")[-1]
    )
    await play.session.close()


async def test_who_sleeps_when_a_chapter_opens_perceives_nothing_until_they_wake(tmp_path: Path) -> None:
    pack = small_pack()
    one = pack.chapters["one"].model_copy(update={"asleep": ("bob",)})
    play = await stage(
        tmp_path, Scripted(), pack.model_copy(update={"chapters": {**pack.chapters, "one": one}})
    )
    play.model.answers["narrator"] = narration("The QUINCE ripens.", "ann")
    await play.turn("I look.")
    assert play.session.game.turns[1].asleep == ("bob",) and "bob" not in play.session.game.turns[1].witnesses
    await play.session.close()
