"""Create and open sessions from save, pack, models and ledger."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

from theact_tui.engine.bus import Bus
from theact_tui.engine.direct.session import DirectSession, Ids, new_id
from theact_tui.engine.live_events import publish_live
from theact_tui.engine.session import ModelsFor, StorySession
from theact_tui.errors import UsageError
from theact_tui.models.model import Model, Models
from theact_tui.saves.codec import GAMES
from theact_tui.saves.direct_codec import CHAPTERS
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.game import new_game
from theact_tui.story.pack import Pack


async def create_session(
    library: Library,
    pack: Pack,
    title: str,
    player: str,
    seed: int,
    models: ModelsFor,
    bus: Bus,
    *,
    id: str = "",
) -> StorySession:
    """Create and open a save of a pack. `player` as for `Personas.chosen`. Raises `UsageError` for a taken name."""
    cast = [character.name for character in pack.characters.values()]
    persona = await asyncio.to_thread(library.personas.chosen, player, cast)
    created = bus.now().astimezone(UTC).isoformat(timespec="seconds")
    game = new_game(
        pack, title=title, player=persona.name, about=persona.description, seed=seed, created=created, id=id
    )
    chosen = models(pack, seed)
    save = await asyncio.to_thread(library.create, game, clock=bus.now)
    publish_live(bus, save.private)
    return await StorySession.start(save, models, bus, chosen=chosen)


async def open_session(
    folder: Path, models: ModelsFor, bus: Bus, *, write: bool = True, packs: Path | None = None
) -> StorySession:
    """Open a save; a spoken, unsaved turn is finished in the background. `packs`: folder of the user's packs, watched
    for changes.

    Raises `SaveInUse` or `SaveDamaged`.
    """
    async with _open(folder, bus, write) as save:
        return await StorySession.start(save.of(GAMES), models, bus, packs=packs)


class NoModels(Models):
    def for_agent(self, agent: str) -> Model:
        raise UsageError(f"No model is configured for the agent '{agent}'.")


async def create_direct(
    library: Library, title: str, models: Models, bus: Bus, *, ids: Ids = new_id
) -> DirectSession:
    """Create and open a directed chapter in DRAFT. Raises `UsageError` for a taken name."""
    save = await asyncio.to_thread(library.create_chapter, title, ids(), clock=bus.now)
    publish_live(bus, save.private)
    return await DirectSession.start(save, models, bus, ids=ids)


async def open_direct(
    folder: Path, models: Models, bus: Bus, *, write: bool = True, ids: Ids = new_id
) -> DirectSession:
    """Open a directed chapter. Raises `UsageError` for a story, `SaveInUse` or `SaveDamaged`."""
    async with _open(folder, bus, write) as save:
        return await DirectSession.start(save.of(CHAPTERS), models, bus, ids=ids)


@asynccontextmanager
async def _open(folder: Path, bus: Bus, write: bool) -> AsyncIterator[Save[Any]]:
    save = await asyncio.to_thread(Save.open, folder, write=write, clock=bus.now)
    stop_publishing = publish_live(bus, save.private) if write else None
    try:
        yield save
    except BaseException:
        if stop_publishing:
            stop_publishing()
        await asyncio.to_thread(save.close)
        raise
