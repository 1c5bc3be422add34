"""S8.1: a key is nowhere on disk, whatever servers say; and every request says which agent it is for."""

import subprocess
from pathlib import Path

from tests.faults.cases import refusal
from tests.faults.conftest import Save
from tests.support.fake_server import ScriptedServer
from tests.support.faulty_server import TALK, Stand
from tests.support.faulty_sessions import SCENES, playing
from theact_tui.errors import TurnError
from theact_tui.exports.write_file import FORMATS, export_save
from theact_tui.story.turn import Turn

KEY = "sk-hush-0123456789abcdef"


async def test_a_key_is_sent_and_never_written(
    save: Save, server: ScriptedServer, stand: Stand, tmp_path: Path
) -> None:
    folder = await save("keeper after")
    stand.answers |= TALK
    echo = refusal(401, f"Incorrect API key provided: {KEY}. Find yours at the usual place.")
    async with playing(folder, server, stand, key=KEY) as play:
        assert isinstance(await play.turn("I go down."), Turn)
        for agent in ("character:ann", "memory:bob", "progress", "keeper", "narrator"):
            stand.fail(agent, lambda reply: echo)
            outcome = await play.turn("I go on.")
            assert isinstance(outcome, TurnError) == (agent == "narrator")
        assert all(KEY not in event.to_json() for event in play.events)
        for format in FORMATS:
            await play.session.run(export_save, play.session.save, format)
    assert all(call.headers["authorization"] == f"Bearer {KEY}" for call in server.calls)
    assert KEY not in everything(tmp_path)
    assert "[key]" in everything(tmp_path)


async def test_every_request_says_which_agent_it_is_for(
    save: Save, server: ScriptedServer, stand: Stand
) -> None:
    stand.answers |= {**TALK, **SCENES["keeper after"].answers}
    async with playing(await save("keeper after"), server, stand) as play:
        assert isinstance(await play.turn("I go down."), Turn)
    assert {request.agent for request in server.calls} == {
        "narrator", "stage", "character:ann", "character:bob", "memory:ann", "memory:bob", "progress", "keeper", "recap",
    }  # fmt: skip
    assert {request.agent for request in server.requests if request not in server.calls} == {"probe"}


def everything(home: Path) -> str:
    """All bytes below a folder, and the content of every git object in it, as text."""
    found = [file.read_bytes() for file in home.rglob("*") if file.is_file()]
    for repository in home.rglob(".git"):
        command = ["git", "cat-file", "--batch-all-objects", "--batch"]
        found.append(subprocess.run(command, cwd=repository.parent, capture_output=True, check=True).stdout)
    return b"\n".join(found).decode("latin-1")
