"""Failures that pass: tried again within bounds, and the player loses nothing (S8.3)."""

from itertools import cycle

import pytest

from tests.faults.cases import FAULTS, wire
from tests.faults.conftest import Save
from tests.support.fake_server import Exchange, ScriptedServer, Step, chunk, say, stream
from tests.support.faulty_server import Stand
from tests.support.faulty_sessions import SCENES, playing
from theact_tui.engine.events import CallRetried, NarrationToken
from theact_tui.story.turn import Turn

PASSING = [
    "408", "429 seconds", "500", "JSON error in 200", "cut", "reset", "malformed", "empty choices", "empty text",
]  # fmt: skip


def once(fault: Step, then: str) -> Step:
    done: list[bool] = []

    async def step(exchange: Exchange) -> None:
        if done:
            await say(then)(exchange)
            return
        done.append(True)
        await fault(exchange)

    return step


@pytest.mark.parametrize(("name", "fault"), zip(SCENES, cycle(["500", "cut"]), strict=False))
async def test_one_failure_of_an_agent_is_not_noticed(
    name: str, fault: str, save: Save, server: ScriptedServer, stand: Stand
) -> None:
    scene, wrong = SCENES[name], FAULTS[fault].step
    assert wrong is not None
    stand.answers |= scene.answers
    reply = stand.answers.get("narrator" if name == "narrator" else "", "")
    steps: dict[str, Step] = {}

    def passing(sensible: str) -> Step:
        return steps.setdefault("it", once(wrong(sensible), sensible))

    async with playing(await save(name), server, stand) as play:
        stand.fail(scene.agent, passing)
        turn = await play.turn("I hold the lamp over the stair.")
        assert isinstance(turn, Turn) and turn.notices == () and play.session.game.state.pending == ()
        assert turn.calls[scene.key].retries == 1
        assert [event.agent for event in play.of(CallRetried)] == [scene.key]
        assert reply == "" or "Water stands on the stair" in turn.narration


@pytest.mark.parametrize("fault", PASSING)
async def test_the_narrator_is_asked_again_and_what_was_shown_is_taken_back(
    fault: str, save: Save, server: ScriptedServer, stand: Stand
) -> None:
    wrong = FAULTS[fault].step
    assert wrong is not None
    step = once(wrong(""), stand.answers["narrator"])
    async with playing(await save("narrator"), server, stand) as play:
        stand.fail("narrator", lambda reply: step)
        turn = await play.turn("I hold the lamp over the stair.")
        assert isinstance(turn, Turn) and turn.narration == "The lamp gutters. Water stands on the stair."
        shown = ""
        for event in play.of(NarrationToken):
            shown = event.text if event.replace else shown + event.text
        assert shown.strip() == turn.narration
        if fault == "429 seconds":  # the wait that the server asks for is kept, and told
            (retried,) = play.of(CallRetried)
            assert play.pauses == [7.0] and retried.reason.endswith("Trying again in 7 seconds.")


async def test_unreadable_replies_are_asked_for_once_more_with_a_correction(
    save: Save, server: ScriptedServer, stand: Stand
) -> None:
    async with playing(await save("progress"), server, stand) as play:
        stand.fail("progress", wire("", stream(chunk("Well."), chunk(None, "stop"))).step)
        assert isinstance(await play.turn("I wait."), Turn)
        first, second = [call for call in server.calls if call.agent == "progress"]
        assert second.prompt.startswith(first.prompt)
        assert "one JSON object only" in second.prompt[len(first.prompt) :]
