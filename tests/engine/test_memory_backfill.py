"""S16: nobody remembers the older turns of an imported chat until memories are asked for: newest first, in batches."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.importing.made import long_chat
from tests.support.fake_model import Scripted, Stage, Ticking, learnt, view_of
from tests.support.waiting import until
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import CatchingUp, Event
from theact_tui.engine.memory_backfill import write_missing_memories
from theact_tui.engine.open_sessions import open_session
from theact_tui.errors import CallError, UsageError
from theact_tui.models.model import Request
from theact_tui.saves.codec import GAMES
from theact_tui.story.edits import set_memory
from theact_tui.story.forgetting_and_recall import archived_lines
from theact_tui.story.memory import lines_of
from theact_tui.story.views import MemoryView

TURNS = 44


def remembering(ask: Request) -> str:
    numbers = dict.fromkeys(re.findall(r"key (\d+) turns", str(ask.prompt.messages(""))))
    return learnt(*(f"The key {number} turns." for number in numbers))


@pytest.fixture
async def play(tmp_path: Path) -> AsyncIterator[Stage]:
    """A chat of 44 turns that was imported, and is open."""
    model, bus, events = Scripted({"memory": remembering}), Bus(Ticking()), list[Event]()
    bus.listen(events.append)
    session = await open_session(
        long_chat(tmp_path / "home", tmp_path / "in", TURNS), lambda pack, seed: model, bus
    )
    yield Stage(session, model, events, tmp_path)
    await session.close()


def remembered(play: Stage) -> list[int]:
    """The turns of which she has a line, at hand or among the older."""
    memory = play.game.memories["seraphina"]
    return sorted({line.turn for line in (*lines_of(memory), *archived_lines(memory.older))})


def shown(play: Stage) -> list[list[int]]:
    """The turns that each call was about."""
    return [[turn.number for turn in view_of(ask, MemoryView).turns] for ask in play.model.asked]


async def test_older_turns_are_remembered_newest_first_and_each_batch_is_kept(play: Stage) -> None:
    assert play.game.state.unremembered == TURNS - 24 and remembered(play) == []
    assert await play.said("/remember") == "All memories are up to date."
    assert shown(play) == [list(range(13, 21)), list(range(5, 13)), list(range(1, 5))]
    assert remembered(play) == list(range(1, 21)) and play.game.state.unremembered == 0
    told = [(event.first, event.last, event.left) for event in play.of(CatchingUp)]
    assert told == [(13, 20, 20), (5, 12, 12), (1, 4, 4), (0, 0, 0)]
    assert await play.session.run(lambda: GAMES.read(play.session.save.files())) == play.game
    with pytest.raises(UsageError, match="No older turn waits"):
        await play.said("/remember")
    await play.turn("I turn the last key.")
    assert remembered(play)[:20] == list(range(1, 21)), "those of newer turns push nothing out"


async def test_newer_memories_stay_at_hand_and_the_summary_is_theirs(play: Stage) -> None:
    await play.turn("I go on.")
    told = play.game.memories["seraphina"].model_copy(update={"summary": "Of old.", "summary_turn": 4})
    await play.session.edit(set_memory, "seraphina", told)
    before = play.game.memories["seraphina"]
    assert before.summary == "Of old."
    await write_missing_memories(play.session)
    after = play.game.memories["seraphina"]
    assert after.summary == before.summary and lines_of(after)[-5:] == lines_of(before)[-5:]
    assert len(lines_of(after)) <= 10


async def test_it_can_be_stopped_and_goes_on_where_it_was(play: Stage) -> None:
    gate = play.model.gates["memory:seraphina"] = asyncio.Event()
    gate.set()

    def stop(event: Event) -> None:
        if isinstance(event, CatchingUp) and event.first == 5 and not stopping:
            gate.clear()
            asyncio.get_running_loop().call_soon(
                lambda: stopping.append(asyncio.ensure_future(play.session.stop()))
            )

    stopping: list[asyncio.Future[None]] = []
    play.session.bus.listen(stop)
    assert (
        await play.said("/remember")
        == "Stopped. Memories of 12 older turns are not written yet. /remember continues."
    )
    assert remembered(play) == list(range(13, 21)) and not play.session.wants_memories
    gate.set()
    await play.said("/remember")
    assert remembered(play) == list(range(1, 21))


async def test_a_turn_comes_between_and_a_failing_model_changes_nothing(play: Stage) -> None:
    gate = play.model.gates["memory:seraphina"] = asyncio.Event()
    making = asyncio.create_task(write_missing_memories(play.session))
    await until(lambda: play.model.asked)
    telling = asyncio.create_task(play.turn("I knock."))
    assert await making == 20 and play.session.wants_memories, "it goes on after this turn"
    gate.set()
    await telling
    assert play.game.state.turn == TURNS + 1 and play.game.state.unremembered == 20
    play.model.answers["memory"] = CallError("refused", "Not now.")
    game = play.game
    with pytest.raises(CallError, match="Not now"):
        await write_missing_memories(play.session)
    assert play.game == game and not play.session.wants_memories
