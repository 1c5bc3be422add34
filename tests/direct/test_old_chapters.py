"""Ten chapters made by the program at 6a6fc425: each opens, is shown as it was then, is read as a story, and goes on.

`tests/saves/saved/6a6fc425.tar.xz` holds the saves, made from the example with scripted replies: not locked, locked, 3 and
7 prompts, ended with a draft, a failed reply, failed notes after 8 prompts, a failed chapter, a branch with two takes, one
prompt undone; and `said.json`: what `direct show --json` said of each.
"""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.direct.conftest import Table
from tests.direct.test_history import fsck
from tests.support.fake_server import ScriptedServer
from theact_tui.cli.json_documents import direct_json
from theact_tui.saves.compare import Comparison

ARCHIVE = Path(__file__).parents[1] / "saves/saved/6a6fc425.tar.xz"
KINDS = "fresh locked three seven ended no-reply no-notes no-chapter branched undone".split()


@pytest.fixture
def said(tmp_path: Path, request: pytest.FixtureRequest) -> dict[str, Any]:
    """Unpack one of the chapters; what the old program said of it."""
    with tarfile.open(ARCHIVE) as archive:
        members = [
            m for m in archive if m.name == "said.json" or m.name.startswith(f"saves/{request.param}/")
        ]
        archive.extractall(tmp_path, members, filter="data")
    documents = json.loads((tmp_path / "said.json").read_text())["saves"]
    shown: dict[str, Any] = documents[request.param]["show"]
    return shown


@pytest.mark.parametrize(("said", "kind"), [(kind, kind) for kind in KINDS], indirect=["said"])
async def test_d10_an_old_chapter_opens_is_read_as_a_story_and_goes_on(
    said: dict[str, Any], kind: str, table: Table, server: ScriptedServer
) -> None:
    session = await table.reopen(kind)
    shown = direct_json(session.game, await session.events(), session.branch, session.takes[1])
    assert shown == {name: said[name] for name in shown}
    prompts = said["session"]["prompt_index"]
    turns = await session.turns(1, prompts)
    assert [turn.player_text for turn in turns] == [e["text"] for e in said["events"] if e["role"] == "user"]
    assert session.story.state.turn == prompts and len(session.story.recaps) == len(said["drafts"])
    match said["session"]["state"]:
        case "DRAFT":
            await session.lock()
            assert session.session.state == "ACTIVE"
        case "ENDED":
            await session.build()
            assert len(session.game.drafts) == len(said["drafts"]) + 1
            compared = await session.run(session.save.compare, "main", str(prompts - 1))
            assert isinstance(compared, Comparison) and compared.fork_turn == prompts - 1
        case _:
            await table.play(session, 1)
            assert session.session.prompt_index == prompts + 1
            if kind == "no-notes":
                assert session.session.last_summarized_prompt_index == 7 and session.banner == ""
            await session.undo(1)
            assert session.session.prompt_index == prompts
    fsck(session.save.folder)
