"""A user's pack that was changed after a save began with it: what differs, and the offer to take it over into the story."""

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

KEPT = "pack-kept"
"""The private file that says which changed pack the user did not want."""
Apply = Callable[[Callable[[Game], Edit]], Awaitable[None]]
"""`edit` of a session."""

if TYPE_CHECKING:
    from theact_tui.engine.base_session import BaseSession
    from theact_tui.saves.save import Save


@dataclass(frozen=True, slots=True)
class ChangedPack:
    """What a save could take over."""

    began: Pack
    """The pack as the story began with it."""
    now: Pack
    edits: HandEdits
    """What differs, or why it cannot be taken over."""

    @property
    def mark(self) -> bytes:
        """Names this version of the pack."""
        return sha1(repr(self.now).encode()).hexdigest().encode()

    def taken_over(self, game: Game) -> Edit:
        """Tell the game by the pack as it is now. UsageError where it does not fit."""
        return Edit(_retold(game, self.began, self.now), "changes of the pack applied")


def changed_pack(save: Save[Game], game: Game, packs: Path) -> ChangedPack | None:
    """What the pack among the user's own that a story began with has changed since; None if there is nothing to take
    over. PackError where the pack cannot be played."""
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
    """What the user's pack has that the story has not; told and taken over like files changed by hand."""

    def __init__(self, session: BaseSession[Game], packs: Path, edit: Apply) -> None:
        self._session = session
        self._edit = edit
        self._packs = packs
        self.changed = False
        """Something differed when it was last looked at."""

    async def news(self) -> tuple[str, ...]:
        """The files that differ, if there is anything that the user was not asked about. Never raises."""
        change, session = None, self._session
        with suppress(TheActError, OSError):
            change = await self._look_up()
            if change and await session.run(session.save.private.read, KEPT) == change.mark:
                return ()
        return change.edits.files if change else ()

    async def hand_edits(self) -> HandEdits | None:
        """What differs, or why the pack cannot be taken over; None if nothing differs."""
        try:
            change = await self._look_up()
        except TheActError as error:
            return HandEdits(broken={"the pack": error.message})
        return change.edits if change else None

    async def adopt_edits(self) -> tuple[str, ...]:
        """Take the pack over, as an edit; the names of its files that changed. UsageError where it does not fit."""
        change = await self._look_up()
        if change is None:
            return ()
        await self._edit(change.taken_over)
        return change.edits.files

    async def discard_edits(self, *files: str) -> tuple[str, ...]:
        """Keep the story as it is, and say nothing of it until the pack is changed again."""
        if change := await self._look_up():
            await self._session.run(self._session.save.private.replace, KEPT, change.mark)
        return ()

    async def _look_up(self) -> ChangedPack | None:
        session = self._session
        change = await session.run(changed_pack, session.save, session.game, self._packs)
        self.changed = change is not None
        return change
