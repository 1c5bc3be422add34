"""S16: in the app the memories of an imported chat are offered, made with progress, and stopped."""

import asyncio
from pathlib import Path

from tests.importing.made import long_chat
from tests.support.fake_model import Scripted
from tests.support.pilot import Player, make_app, still, until
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import open_session
from theact_tui.tui.inspector.screen import InspectorScreen


async def test_memories_of_older_turns_are_offered_made_with_progress_and_stopped(tmp_path: Path) -> None:
    app, model = make_app(tmp_path / "home"), Scripted()
    folder = long_chat(app.home.data, tmp_path / "in", 44)
    async with app.run_test(size=(80, 24)) as pilot:
        player = Player(pilot)
        session = await open_session(folder, lambda pack, seed: model, Bus(still))
        await player.open(session, opening=False)
        await until(pilot, lambda: "20 older turns are not written yet: ^g v" in player.status.hint)
        gate = model.gates["memory:seraphina"] = asyncio.Event()
        await player.press("ctrl+g", "v")
        await until(pilot, lambda: player.status.doing == "Writing memories of older turns: 20 left")
        await player.press("f2")
        await until(
            pilot,
            lambda: (
                isinstance(app.screen, InspectorScreen) and app.screen.status.doing.endswith("turns: 20 left")
            ),
            "the same in the inspector",
        )
        await player.press("escape")
        await until(pilot, lambda: not isinstance(app.screen, InspectorScreen), "the story")
        await player.press("escape")
        await until(pilot, lambda: player.status.hint.startswith("Stopped. Memories of 20 older turns"))
        gate.set()
        await player.press("ctrl+g", "v")
        await until(pilot, lambda: player.status.hint == "All memories are up to date.")
        assert not player.screen.check_action("stop", ()) and not session.game.state.unremembered
