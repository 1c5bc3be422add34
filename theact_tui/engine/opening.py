"""Creating and opening a playthrough: pack, save, models and ledger put together. Both faces begin here."""

from __future__ import annotations

import asyncio
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from theact_tui.engine.bus import Bus
from theact_tui.engine.session import ModelsFor, Session
from theact_tui.story.game import Game, SaveInfo, State
from theact_tui.story.memory import empty_memory
from theact_tui.story.pack import Pack
from theact_tui.text import one_line

if TYPE_CHECKING:
    from theact_tui.engine.desk import Ledger
    from theact_tui.saves.library import Library


def new_game(pack: Pack, *, title: str, player: str, seed: int, created: str, id: str = "") -> Game:
    """A game before its first turn."""
    chosen = one_line(player, 60) or pack.game.player.name
    chapter = pack.first_chapter
    return Game(
        info=SaveInfo(
            id=id or uuid4().hex,
            title=one_line(title, 80),
            pack=pack.id,
            seed=seed,
            player=pack.game.player.model_copy(update={"name": chosen}),
            created=created,
        ),
        pack=pack,
        state=State(chapter=chapter.id, present=chapter.opening_cast),
        memories={name: empty_memory(pack.game.memory) for name in pack.characters},
    )


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
) -> Session:
    """A new save of a pack, open. Raises `UsageError` when the name is taken."""
    created = bus.now().astimezone(UTC).isoformat(timespec="seconds")
    game = new_game(pack, title=title, player=player, seed=seed, created=created, id=id)
    chosen = models(pack, seed)
    save = await asyncio.to_thread(library.create, game, clock=bus.now)
    return await Session.start(save, lambda _pack, _seed: chosen, bus, ledger=_ledger(save.ledger_folder))


async def open_session(folder: Path, models: ModelsFor, bus: Bus, *, write: bool = True) -> Session:
    """An existing save, open. A spoken turn that was not saved is finished in the background.

    Raises `SaveInUse` when another process writes it and `SaveDamaged` when nothing of it can be read.
    """
    from theact_tui.saves.store import Save

    save = await asyncio.to_thread(Save.open, folder, write=write, clock=bus.now)
    try:
        return await Session.start(save, models, bus, ledger=_ledger(save.ledger_folder))
    except BaseException:
        save.close()
        raise


def _ledger(folder: Path) -> Ledger:
    from theact_tui.models import ledger

    return ledger.Ledger(folder)
