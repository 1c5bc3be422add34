"""A reply that goes round in circles is ended while it comes, and counts as cut (S8.3)."""

import json
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, small_pack, stage
from theact_tui.engine.events import CallFinished, CallProgress, CharacterToken
from theact_tui.models.ledger import Ledger

ROUND = "I wait and listen to the sea, and the sea goes on and on against the stones. "


async def test_a_looping_answer_is_cut_back_to_its_first_round(tmp_path: Path) -> None:
    model = Scripted({"character": "“No,” I say. " + ROUND * 60})
    made = await stage(tmp_path, model, small_pack())
    await made.turn("I look around.")
    [turn] = await made.session.turns(1, 1)
    reply = next(entry for entry in turn.entries if entry.role == "character")
    assert reply.text == "“No,” I say. " + ROUND.strip()
    call = next(c for c in Ledger(made.session.save.private).turn(1) if c.agent == "character")
    assert (call.outcome, call.finish) == ("cut", "loop")
    assert len(call.reply) < 6 * len(ROUND)
    shown = ""
    for event in made.events:
        if isinstance(event, CharacterToken):
            shown = event.text if event.replace else shown + event.text
    assert shown == reply.text
    ended = [e.outcome for e in made.of(CallFinished) if e.agent.startswith("character")]
    assert ended == ["cut"]


@pytest.mark.parametrize("agent", ["memory"])
async def test_a_looping_form_is_ended_and_read_up_to_there(agent: str, tmp_path: Path) -> None:
    facts = "".join(
        f'"{text}", ' for text in ("Ann lent Sam her key.", "Bob lent Sam his coat and hat.") * 90
    )
    raw = '{"summary": "The stair is wet.", "new": [], "add": [' + facts
    model = Scripted({agent: raw})
    made = await stage(tmp_path, model, small_pack())
    await made.turn("I look around.")
    await made.session.settle()
    calls = [c for c in Ledger(made.session.save.private).turn(1) if c.agent == agent]
    assert calls and all(len(call.reply) < 600 and call.finish == "loop" for call in calls)
    assert json.dumps([call.outcome for call in calls]).count("cut") + sum(
        call.outcome == "failed" for call in calls
    ) == len(calls)


async def test_the_others_are_told_to_end_a_reply_but_not_to_a_model_that_thinks(tmp_path: Path) -> None:
    model = Scripted({"character": "“No,” I say."})
    made = await stage(tmp_path, model, small_pack())
    await made.turn("I look around.")
    first = next(ask for ask in model.asked if ask.agent == "character")
    assert "\nAlex:" in first.stop and not any(name in first.key for name in first.stop)
    assert all(not ask.stop for ask in model.asked if ask.agent in ("memory", "progress"))
    model.asked.clear()
    model.answers["character"] = "<think>What now?</think>“No,” I say."
    await made.turn("I wait.", "I wait again.")
    asked = [ask.stop for ask in model.asked if ask.agent == "character"]
    assert asked[0] and not any(asked[1:])


@pytest.mark.parametrize(("text", "tokens"), [("海が石に打ちつける。", 190), ("The sea goes on. ", 54)])
async def test_the_tokens_of_a_coming_reply_are_estimated_by_its_script(
    text: str, tokens: int, tmp_path: Path
) -> None:
    reply = "".join(f"{number} {text}" for number in range(60))
    made = await stage(tmp_path, Scripted({"character": reply}), small_pack())
    await made.turn("I look around.")
    progress = made.of(CallProgress)
    begun = next(event for event in progress if event.agent.startswith("character"))
    assert begun.tokens == pytest.approx(tokens, rel=0.1)
