"""A stage that fails: nobody learns more, it is asked again, and a player can decide it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, Stage, narration, small_pack, stage
from theact_tui.engine.commands import run_command
from theact_tui.errors import CallError, UsageError
from theact_tui.story.turn import FULLY_HEARD

DOWN = CallError("connection", "No answer from the server.")
WHISPER = 'I take Ann by the sleeve, low: "The QUINCE is in the cellar."'
BROKEN = {
    "no server": DOWN,
    "prose": "I would rather not say.",
    "nothing": "",
    "the prompt again": "For this page, one JSON object:",
    "another form": '{"new": [], "changed": {}}',
    "cut": '{"answer": ["bob"], "missed": {"ann": "",',
    "unknown people": '{"answer": ["zed"], "missed": {"zed": "1", "yma": "A"}}',
    "a list": "[1, 2, 3]",
    "only some": '{"answer": ["bob"], "missed": {"bob": ""}}',
}


@pytest.fixture
async def three(tmp_path: Path) -> Stage:
    play = await stage(tmp_path, Scripted(), small_pack())
    play.model.answers["narrator"] = narration("Rain. Nobody moves.", "ann", present="ann, bob")
    return play


def asked_of(play: Stage, key: str) -> str:
    return "\n".join(play.model.prompts(key))


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN)
async def test_whatever_the_form_is_only_who_answers_perceives_the_turn(
    three: Stage, answer: str | CallError
) -> None:
    await three.turn("Ann, hm?")
    three.model.answers["stage"] = answer
    await three.turn(WHISPER)
    turn = three.session.game.last_turn
    assert turn is not None and turn.stage is not None and turn.stage.by == "pending"
    assert turn.witnesses in (("ann",), ()) and "QUINCE" not in asked_of(three, "character:bob")
    assert [work.agent for work in three.session.game.state.pending].count("stage") == 1
    assert not any("QUINCE" in asked_of(three, key) for key in ("memory:ann", "memory:bob"))
    notices = [notice for notice in turn.notices if "who heard this turn" in notice]
    assert len(notices) == 1 and "/heard all" in notices[0]
    await three.session.close()


async def test_it_is_asked_again_before_the_next_page_and_memories_follow(three: Stage) -> None:
    await three.turn("Ann, hm?")
    three.model.answers["stage"] = DOWN
    await three.turn(WHISPER)
    form = {"answer": ["ann"], "missed": {"ann": "", "bob": "12"}}
    three.model.answers["stage"] = json.dumps(form)
    await three.turn("I wait.")
    game = three.session.game
    settled = game.turns[2]
    assert settled.stage is not None and settled.stage.by == "form" and not game.state.pending
    assert set(settled.witnesses) == {"ann", "bob"} and settled.unaware == ("bob",)
    assert "QUINCE" in asked_of(three, "memory:ann") and "QUINCE" not in asked_of(three, "memory:bob")
    await three.session.close()
    again = await three.reopened()
    assert again.session.game.turns[2] == settled, "the decided turn is kept"
    await again.session.close()


async def test_while_it_is_pending_a_gap_line_says_so_and_a_third_failure_says_what_works_without_it(
    three: Stage,
) -> None:
    await three.turn("Ann, hm?")
    three.model.answers["stage"] = DOWN
    for line in ("Ann, one.", "Ann, two.", "Ann, three.", "Ann, four."):
        await three.turn(line)
    hints = [
        turn.number
        for turn in (await three.session.turns(1, 5))
        if any("failed three times" in notice for notice in turn.notices)
    ]
    assert hints == [4]
    three.model.answers["stage"] = json.dumps({"answer": ["bob"], "missed": {"ann": "", "bob": "all"}})
    three.model.answers["narrator"] = narration("Bob coughs.", "bob", present="ann, bob")
    await three.turn("Bob?")
    assert "Ann, two." not in asked_of(three, "character:bob")
    await three.session.close()


@pytest.mark.parametrize(
    ("command", "witnesses", "unaware"),
    [
        ("/heard all", {"ann", "bob"}, ()),
        ("/heard 2 all", {"ann", "bob"}, ()),
        ("/heard bob", {"bob"}, ("ann",)),
        ("/heard nobody", set(), ("ann", "bob")),
    ],
)
async def test_a_player_can_decide_it(
    three: Stage, command: str, witnesses: set[str], unaware: tuple[str, ...]
) -> None:
    await three.turn("Ann, hm?")
    three.model.answers["stage"] = DOWN
    await three.turn(WHISPER)
    await run_command(three.session, command)
    turn = three.session.game.turns[2]
    assert turn.stage is not None and turn.stage.by == "player"
    assert (set(turn.witnesses), turn.unaware) == (witnesses, unaware)
    assert all(turn.heard.get(id, FULLY_HEARD) == FULLY_HEARD for id in witnesses)
    assert not any(work.agent == "stage" for work in three.session.game.state.pending)
    await three.session.close()


async def test_of_a_turn_that_was_decided_the_others_keep_what_they_saw(three: Stage) -> None:
    await three.turn("Ann, hm?")
    await three.turn(WHISPER)
    await run_command(three.session, "/heard ann")
    turn = three.session.game.turns[2]
    assert turn.heard["bob"].missed[:2] == ("1", "2") and "A" not in turn.heard["bob"].missed
    with pytest.raises(UsageError, match="Usage: /heard"):
        await run_command(three.session, "/heard")
    await three.session.close()


async def test_the_stage_alone_can_be_asked_again_and_the_page_stays(three: Stage) -> None:
    await three.turn("Ann, hm?")
    three.model.answers["stage"] = DOWN
    await three.turn(WHISPER)
    page = three.session.game.turns[2].narration
    assert "could not say" in (await run_command(three.session, "/retry --stage")).text
    three.model.answers["stage"] = json.dumps({"answer": ["ann"], "missed": {"ann": "", "bob": "2"}})
    assert "Asked again" in (await run_command(three.session, "/retry --stage")).text
    turn = three.session.game.turns[2]
    assert turn.narration == page and turn.heard["bob"].missed[:1] == ("2",)
    assert three.session.takes == (1, 1)
    await three.session.close()
