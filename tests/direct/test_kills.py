"""Killed in the middle of a call (D5): nothing is lost, and the state is one from which play goes on."""

import json
import subprocess
import sys

import pytest

from tests.direct.conftest import LOCK, Table, delta
from tests.direct.test_history import fsck
from tests.support.fake_server import ScriptedServer, say, silence, status
from theact_tui.errors import CallError, TurnError


def kill_during(table: Table, *command: str, calls: int = 1) -> None:
    """Run a command of direct mode and kill it when its last call has reached the server."""
    expected = len(table.server.calls) + calls
    run = "import sys; from theact_tui.cli import main; main(sys.argv[1:])"
    model = ["--home", str(table.home), "--base-url", table.server.url, "--model", "tiny"]
    process = subprocess.Popen(
        [sys.executable, "-c", run, "direct", *command, *model], stdout=subprocess.DEVNULL
    )
    try:
        table.server.wait_for_calls(expected)
    finally:
        process.kill()
        process.wait()


async def test_d5_killed_while_locking_it_is_a_draft_with_its_inputs(
    table: Table, server: ScriptedServer
) -> None:
    """Killed while a prompt is given again, the reply that was there is current."""
    session = await table.create()
    await session.close()
    server.script("lock", silence())
    kill_during(table, "lock", "Tower")
    again = await table.reopen()
    assert again.session.state == "DRAFT" and again.setup == session.setup and again.game.blocks == ()
    assert any("was being locked" in event.to_json() for event in table.heard)
    server.script("lock", say(json.dumps(LOCK)))
    await again.lock()
    await table.play(again, 7)
    await again.close()
    server.script("actor", silence())
    kill_during(table, "retry", "Tower")
    third = await table.reopen()
    assert third.game == again.game and third.takes == (1, 1)
    fsck(third.save.folder)


async def test_d9_sixteen_prompts_with_failures_kills_and_reopenings_lose_nothing(
    table: Table, server: ScriptedServer
) -> None:
    """Reply, notes and chapter fail and are killed; between these the chapter is closed and opened again."""
    broken = status(401, {"error": {"message": "bad key"}})
    session = await table.played(3)
    server.script("actor", broken)
    with pytest.raises(TurnError):
        await table.play(session, 1)
    await session.close()
    server.script("actor", silence())
    kill_during(table, "prompt", "Tower", "1", "Scene 4.")
    session = await table.reopen()
    assert session.session.prompt_index == 3
    server.script("actor", say("I hold on."))
    server.script("delta", broken)
    await table.play(session, 4)
    assert "1 to 7" in session.banner
    await session.close()
    server.script("delta", silence())
    kill_during(table, "prompt", "Tower", "2", "Scene 8.", calls=2)
    session = await table.reopen()
    assert (session.session.prompt_index, session.session.last_summarized_prompt_index) == (8, 0)
    server.script("delta", say(delta()))
    await table.play(session, 8)
    assert (session.session.prompt_index, session.session.last_summarized_prompt_index) == (16, 14)
    await session.close()
    server.script("delta", silence())
    kill_during(table, "end", "Tower")
    session = await table.reopen()
    assert session.session.state == "ACTIVE" and session.session.pending == 2
    server.script("delta", say(delta()))
    server.script("chapter", broken)
    await session.end()
    with pytest.raises(CallError):
        await session.build()
    assert session.game.drafts == ()
    server.script("chapter", say("The bell came down."))
    draft = await session.build()
    assert draft.source_snapshot.max_prompt_index_used == 16
    await session.close()
    server.script("chapter", silence())
    kill_during(table, "build", "Tower")
    session = await table.reopen()
    assert session.session.state == "ENDED" and session.game.drafts == (draft,)
    asked = [event.text for event in await session.events() if event.role == "user"]
    assert asked == [f"Scene {number}." for number in range(1, 17)]
    spans = [(note.from_prompt_index, note.to_prompt_index) for note in session.game.blocks]
    assert spans == [(0, 0), (1, 7), (8, 14), (15, 16)]
    fsck(session.save.folder)
