"""Changes of the user's pack after a story began with it, offered to the story."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import TheActError, UsageError
from theact_tui.packs.files import GAME
from theact_tui.packs.loader import errors_of, load_pack
from theact_tui.saves.codec import pack_files
from theact_tui.saves.hand_edits import HandEdits, shown_difference
from theact_tui.story.changed_pack import with_changed_pack
from theact_tui.story.edits import Edit
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack, addressed

_KEPT = "pack-kept"
"""Private file with the mark of a refused change."""
Apply = Callable[[Callable[[Game], Edit]], Awaitable[None]]

if TYPE_CHECKING:
    from theact_tui.engine.base_session import BaseSession
    from theact_tui.saves.save import Save


@dataclass(frozen=True, slots=True)
class ChangedPack:
    began: Pack
    now: Pack
    edits: HandEdits

    @property
    def mark(self) -> bytes:
        """Id of this version of the pack."""
        return sha1(repr(self.now).encode()).hexdigest().encode()

    def taken_over(self, game: Game) -> Edit:
        """Apply the pack to the game. Raises UsageError if it does not fit."""
        return Edit(_retold(game, self.began, self.now), "changes of the pack applied")


def changed_pack(save: Save[Game], game: Game, packs: Path) -> ChangedPack | None:
    """Return the changes of the user's pack since the story began, or None. Raises PackError for a broken pack."""
    folder = packs / game.info.pack
    if not (folder / GAME).is_file():
        return None
    began, now = save.state_at(0).pack, addressed(load_pack(folder), game.info.player)
    try:
        pack = _retold(game, began, now).pack
    except UsageError as error:
        return ChangedPack(began, now, HandEdits(broken={f"pack/{GAME}": error.message}))
    before, after = pack_files(game.pack), pack_files(pack)
    paths = sorted((before.keys() | after.keys()), key=lambda path: (path.endswith("storyteller.yaml"), path))
    contents = {path: after.get(path) for path in paths if before.get(path) != after.get(path)}
    edits = HandEdits(contents, {}, shown_difference(before, after, contents))
    return ChangedPack(began, now, edits) if contents else None


def _retold(game: Game, began: Pack, now: Pack) -> Game:
    changed_game = with_changed_pack(game, began, now)
    if faults := errors_of(changed_game.pack):
        raise UsageError(f"The changed pack does not fit this story. {faults[0]}.")
    return changed_game


class PackEdits:
    """Offers changes of the user's pack like edits of files."""

    def __init__(self, session: BaseSession[Game], packs: Path, edit: Apply) -> None:
        self._session = session
        self._edit = edit
        self._packs = packs
        self.changed = False

    async def news(self) -> tuple[str, ...]:
        """Return changed files, unless the user refused this version. Never raises."""
        change, session = None, self._session
        with suppress(TheActError, OSError):
            change = await self._look_up()
            if change and await session.run(session.save.private.read, _KEPT) == change.mark:
                return ()
        return change.edits.files if change else ()

    async def hand_edits(self) -> HandEdits | None:
        """Return differences, or why they cannot be applied; None if there are none."""
        try:
            change = await self._look_up()
        except TheActError as error:
            return HandEdits(broken={"the pack": error.message})
        return change.edits if change else None

    async def adopt_edits(self) -> tuple[str, ...]:
        """Apply the pack as an edit and return the changed files. Raises UsageError if it does not fit."""
        change = await self._look_up()
        if change is None:
            return ()
        await self._edit(change.taken_over)
        return change.edits.files

    async def discard_edits(self, *files: str) -> tuple[str, ...]:
        """Refuse this version: stay silent until the pack changes again."""
        if change := await self._look_up():
            await self._session.run(self._session.save.private.replace, _KEPT, change.mark)
        return ()

    async def _look_up(self) -> ChangedPack | None:
        session = self._session
        change = await session.run(changed_pack, session.save, session.game, self._packs)
        self.changed = change is not None
        return change
