"""A story can be left, and esc ends what runs, at once, whichever agent's server is silent or drips."""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import cycle

import pytest

from tests.faults.conftest import Save
from tests.support.fake_server import ScriptedServer, Step, chunk, forever, silence
from tests.support.faulty_server import Stand, part_of
from tests.support.faulty_sessions import SCENES, is_sound, playing
from tests.support.waiting import until
from theact_tui.engine import session as engine_session
from theact_tui.engine.events import CallFinished, TurnSpoken
from theact_tui.engine.session import StorySession
from theact_tui.errors import TheActError, UsageError
from theact_tui.saves.save import Save as OpenSave
from theact_tui.story.turn import Turn

LINE = "I hold the lamp over the stair."
PATIENCE_SECONDS = 20
"""A server that says nothing is waited for longer; two seconds are meant, but a busy machine may need more."""


@pytest.fixture(autouse=True)
def who_leaves_is_impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_session, "LEAVING_SECONDS", 0.05)


def silent(reply: str) -> Step:
    return silence()


def dripping(reply: str) -> Step:
    """A letter ten times a second, for ever."""
    return forever(chunk(f"{reply[:1]} "), 0.1)


async def turn_asking(agent: str, session: StorySession, server: ScriptedServer) -> asyncio.Task[Turn | None]:
    """Play a line until an agent is asked. Raises TimeoutError if it never is."""
    turn = asyncio.create_task(session.play(LINE))
    await until(lambda: any(part_of(request) == agent for request in server.calls), 0.01)
    return turn


@pytest.mark.parametrize(("name", "fault"), zip(SCENES, cycle([silent, dripping]), strict=False))
async def test_a_story_is_left_while_an_agent_is_asked(
    name: str, fault: Callable[[str], Step], save: Save, server: ScriptedServer, stand: Stand
) -> None:
    scene = SCENES[name]
    stand.answers |= scene.answers
    folder = await save(name)
    async with playing(folder, server, stand, probes=False) as play:
        stand.fail(scene.agent, fault)
        before = play.session.game.state.turn
        playing_turn = await turn_asking(scene.agent, play.session, server)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await play.session.close()
        outcome = (await asyncio.gather(playing_turn, return_exceptions=True))[0]
        assert outcome is None or not isinstance(outcome, Exception) or isinstance(outcome, TheActError)
        is_told = bool(play.of(TurnSpoken))
    assert is_sound(folder)
    with OpenSave.open(folder) as again:
        assert again.turn == before + is_told and again.unfinished.journalled() is None
        assert is_told or again.unfinished.typed().sent == LINE


@pytest.mark.parametrize("act", ["esc", "retry", "reply", "undo"])
@pytest.mark.parametrize("name", ["narrator", "stage", "character", "facts"])
async def test_esc_retry_and_undo_do_not_wait_for_an_agent_that_drips(
    name: str, act: str, save: Save, server: ScriptedServer, stand: Stand
) -> None:
    """A running turn refuses all but esc; the work after a turn makes way for each of them."""
    scene = SCENES[name]
    stand.answers |= scene.answers
    folder = await save(name)
    async with playing(folder, server, stand, probes=False) as play:
        session = play.session
        stand.fail(scene.agent, dripping)
        before = session.game.state.turn
        playing_turn = await turn_asking(scene.agent, session, server)
        acts: dict[str, Callable[[], Awaitable[object]]] = {
            "retry": session.retry,
            "reply": session.retry_reply,
            "undo": session.undo,
        }
        async with asyncio.timeout(PATIENCE_SECONDS):
            if session.busy and act != "esc":
                with pytest.raises(UsageError, match="A turn is in progress"):
                    await acts[act]()
            if session.busy or act == "esc":
                await session.stop()
            await asyncio.gather(playing_turn, return_exceptions=True)
        stand.fail("", None)
        turn = before + bool(play.of(TurnSpoken))
        takes = 1
        async with asyncio.timeout(PATIENCE_SECONDS):
            if act != "esc" and turn:
                try:
                    await acts[act]()
                    turn, takes = (turn - 1, 1) if act == "undo" else (turn, 2)
                except UsageError:
                    last = session.game.last_turn
                    assert act == "reply" and last and not last.replies
            await session.settle()
        assert (session.game.state.turn, session.phase) == (turn, "idle")
        assert session.takes[1] >= takes
    assert is_sound(folder)
    with OpenSave.open(folder) as again:
        assert again.turn == turn and again.unfinished.journalled() is None


async def test_esc_ends_the_work_after_a_turn(save: Save, server: ScriptedServer, stand: Stand) -> None:
    """What was answered by then is kept; the rest is done after the next turn."""
    async with playing(await save("facts"), server, stand, probes=False) as play:
        stand.fail("memory:ann", silent)
        await play.session.play(LINE)
        await until(lambda: "progress" in {call.agent for call in play.of(CallFinished)}, 0.01)
        assert play.session.phase == "after"
        async with asyncio.timeout(PATIENCE_SECONDS):
            await play.session.stop()
            await play.session.settle()
        left = {(work.agent, work.character) for work in play.session.game.state.pending}
        assert ("memory", "ann") in left and {agent for agent, _ in left} == {"memory"}
        stand.fail("", None)
        await play.turn("I go on.")
        assert not play.session.game.state.pending
