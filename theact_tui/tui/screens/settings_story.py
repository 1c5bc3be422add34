"""What changed settings mean for the story that is open meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from theact_tui.models.choose import ConsentNeeded
from theact_tui.models.settings import Settings
from theact_tui.tui.screens.consent import AGREE, consent

if TYPE_CHECKING:
    from theact_tui.tui.screens.settings import SettingsScreen


async def change_over(screen: SettingsScreen, before: Settings, after: Settings) -> None:
    """Let the story that is open be told by who is chosen now, if that is somebody else or the pace is new."""
    session, backstage = screen.session, screen.theact.backstage
    if session is None or session.read_only:
        return
    paced = session.offline and before.ui.pace != after.ui.pace
    if not paced and screen.desk.targets(before) == screen.desk.targets(after):
        return
    if session.phase != "idle":
        screen.status.hint = f"{screen.status.hint} The story changes over when its turn is saved."
    try:
        await session.use(await asyncio.to_thread(backstage.models))
    except ConsentNeeded as error:
        if await screen.app.push_screen_wait(consent(error.hosts, offline=False)) != AGREE:
            screen.status.hint = f"{session.model_name} goes on with the story that is open."
            return
        await backstage.allow(error.hosts)
        screen.take(await screen.desk.read())
        await session.use(await asyncio.to_thread(backstage.models))
    teller = "The offline storyteller" if session.offline else session.model_name
    screen.status.hint = f"Saved. {teller} goes on with the story that is open."
