"""What commands have in common: finding packs, opening saves, choosing models."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from theact_tui.engine.session import ModelsFor
from theact_tui.errors import UsageError
from theact_tui.models.profiles import ModelOptions
from theact_tui.packs import load_pack, pack_folder
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.pack import Pack

if TYPE_CHECKING:
    from theact_tui.saves.store import Save


def pack_named(home: Home, name: str) -> Pack:
    """The pack of an id, or in a folder. Raises `PackError` when it does not load."""
    return load_pack(pack_folder(home.packs, name))


def models_for(home: Home, options: ModelOptions, *, pace: bool) -> ModelsFor:
    """How models are chosen for a game: options, environment, config, else the offline storyteller.

    `pace`: the storyteller speaks at the reading pace of the settings.
    """
    from theact_tui.models.choose import models_chooser

    return models_chooser(home, options, pace=pace)


@contextmanager
def opened(home: Home, name: str, *, write: bool = False) -> Iterator[Save]:
    """The save called `name`, open. Raises `UsageError` for an unknown one, `SaveInUse`, `SaveDamaged`."""
    from theact_tui.saves.store import Save

    save = Save.open(Library(home.data).path(name), write=write)
    try:
        yield save
    finally:
        save.close()


@contextmanager
def at_rest(home: Home, name: str) -> Iterator[Save]:
    """A save open for writing, whose last turn is complete. Raises `UsageError` when one is still to be finished."""
    with opened(home, name, write=True) as store:
        spoken = store.journalled() if store.info.mode == "play" else None
        if spoken is not None:
            raise UsageError(
                f"Turn {spoken.turn.number} was told but is not saved yet. Open the story in the app, or with "
                f"'theact-tui play {store.info.pack} --save {store.folder.name}', and it is finished."
            )
        yield store
