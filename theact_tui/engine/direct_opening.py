"""Creating and opening a direct session: save, models and ledger put together. Both faces begin here."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.engine.bus import Bus
from theact_tui.engine.direct import DirectSession
from theact_tui.engine.direct_store import create
from theact_tui.engine.direct_work import Ids, new_id
from theact_tui.errors import UsageError
from theact_tui.models.port import Model, Models
from theact_tui.saves.library import Library

if TYPE_CHECKING:
    from theact_tui.saves.store import Save


class NoModels:
    """Stands in where no call is going to be made."""

    def for_agent(self, agent: str) -> Model:
        """Raises `UsageError`."""
        raise UsageError(f"No model was chosen for the agent '{agent}'.")

    async def look(self) -> tuple[str, ...]:
        """Nothing to see."""
        return ()

    async def close(self) -> None:
        """Nothing to close."""


async def create_direct(
    library: Library, title: str, models: Models, bus: Bus, *, ids: Ids = new_id
) -> DirectSession:
    """A new direct save, open, in DRAFT. Raises `UsageError` when the name is taken."""
    folder = await asyncio.to_thread(library.new_folder, title)
    save = await asyncio.to_thread(create, folder, " ".join(title.split()), ids(), bus.now)
    return await _start(save, models, bus, ids)


async def open_direct(
    folder: Path, models: Models, bus: Bus, *, write: bool = True, ids: Ids = new_id
) -> DirectSession:
    """A direct save, open. Raises `UsageError` for a save of play mode, `SaveInUse` and `SaveDamaged`."""
    from theact_tui.saves.store import Save

    save = await asyncio.to_thread(Save.open, folder, write=write, clock=bus.now)
    try:
        check_direct(save)
        return await _start(save, models, bus, ids)
    except BaseException:
        await asyncio.to_thread(save.close)
        raise


async def _start(save: Save, models: Models, bus: Bus, ids: Ids) -> DirectSession:
    from theact_tui.models.ledger import Ledger

    def ledger(save: Save) -> Ledger:
        return Ledger(save.ledger_folder, bus.now)

    return await DirectSession.start(save, models, bus, ledger=ledger, ids=ids)


def check_direct(save: Save) -> None:
    """Raises `UsageError` for a save of play mode."""
    if save.info.mode != "direct":
        raise UsageError(
            f"'{save.info.title}' is a story to be played, not a directed chapter: use 'play' for it."
        )
