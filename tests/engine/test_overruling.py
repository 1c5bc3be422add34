"""The director's decisions are kept with the turn, and each can be overruled by hand."""

from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, Stage, beat_form, narration, small_pack, stage
from tests.support.packs import with_card
from theact_tui.errors import UsageError
from theact_tui.tui.blocks import Cast
from theact_tui.tui.inspector.direction import direction_rows


@pytest.fixture
async def play(tmp_path: Path) -> Stage:
    return await stage(tmp_path, Scripted(), with_card(small_pack(), "ann", reveal="one/2"))


async def test_a_turn_keeps_what_was_decided_and_why(play: Stage) -> None:
    await play.turn("I wait.", progress='{"1": "not in the text at all", "end": true}')
    decisions = play.game.turns[1].decisions
    assert decisions is not None
    assert decisions.next_beat == "one finds the stair"
    assert decisions.gates == {"ann": "open", "bob": "free"}
    assert decisions.reason == "no new beat."
    assert decisions.named == ("one finds the stair",) and play.game.state.beats_hit == ()
    assert decisions.chapter == "The check calls it complete, but only 0 of 4 beats were reached."
    (saved,) = await play.session.turns(1, 1)
    assert saved.decisions == decisions


async def test_a_beat_is_marked_and_unmarked(play: Stage) -> None:
    await play.turn("I wait.")
    assert await play.said("/beat 1") == "Beat 1 is marked."
    assert play.game.state.beats_hit == ("one finds the stair",)
    await play.turn("I go on.")
    assert "one lights the lamp" in play.prompt("narrator")
    assert "It may come out now" in play.prompt("character:ann"), "the gate follows its beat"
    assert await play.said("/beat 1") == "Beat 1 is no longer marked."
    assert not play.game.state.beats_hit
    with pytest.raises(UsageError, match="There is no beat 9"):
        await play.said("/beat 9")


async def test_a_secret_is_let_out_or_held_back_by_hand(play: Stage) -> None:
    for how, told in (
        ("open", "It may come out now"),
        ("shut", "say the part that everybody knows"),
        ("auto", "It may come out now"),
    ):
        await play.said(f"/secret ann {how}")
        await play.turn("I ask.")
        assert told in play.prompt("character:ann")
    assert play.game.state.gates == {}


async def test_a_chapter_is_ended_or_kept_open_by_hand(play: Stage) -> None:
    await play.said("/chapter keep")
    await play.mark(1, 2)
    await play.turn("I open the door.", progress=beat_form(4, complete=True))
    assert play.game.state.chapter == "one"
    play.model.answers["progress"] = '{"end": false}'
    for line in ("/secret ann shut", "/chapter end"):
        await play.said(line)
    status = (await play.said("/status")).split("\n")
    assert "You decided that the secret of Ann Lee is held back." in status
    assert "You decided that the chapter ends with the next turn." in status
    await play.turn("I go on.")
    state = play.game.state
    assert (state.chapter, state.chapter_set) == ("two", "")
    decisions = play.game.turns[2].decisions
    assert decisions is not None and decisions.chapter == "Ended by you."


async def test_what_was_decided_about_the_next_chapter_names_it_beside_the_ended_one(play: Stage) -> None:
    def told() -> str:
        game = play.game
        return direction_rows(game, game.last_turn, Cast.of(game.pack))[-1].text

    await play.said("/chapter end")
    assert "You chose" not in told()
    await play.turn("I look.")
    assert told() == "Ended by you."
    await play.said("/chapter end")
    assert told() == f"Ended by you. You chose to end “{play.game.chapter.title}” with the next turn."


async def test_who_heard_a_turn_is_changed_by_hand_and_prompts_follow(play: Stage) -> None:
    await play.turn(
        "I name the KETTLE.", narrator=narration("The LAMP gutters.", "ann, bob", present="ann, bob")
    )
    assert await play.said("/heard 1 bob none")
    await play.said("/heard 1 ann page")
    await play.turn("I wait.")
    assert "LAMP" not in play.prompt("character:bob").split("I wait.")[0]
    ann = play.prompt("character:ann")
    assert "LAMP" in ann and "KETTLE" not in ann
    await play.said("/heard 1 bob all")
    await play.turn("I go.")
    assert "KETTLE" in play.prompt("character:bob")
