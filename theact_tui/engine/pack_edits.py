"""The offer to take a changed pack over into the story that is open."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import TheActError
from theact_tui.saves.edits import KEPT, ChangedPack, HandEdits, changed_pack, is_kept
from theact_tui.story.edits import Edit
from theact_tui.story.game import Game

Apply = Callable[[Callable[[Game], Edit]], Awaitable[None]]
"""`edit` of a session."""

if TYPE_CHECKING:
    from theact_tui.engine.base_session import BaseSession


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
        try:
            found = await self._found()
            kept = found is None or await self._session.run(is_kept, self._session.save, found.mark)
        except (TheActError, OSError):
            return ()
        return found.edits.files if found and not kept else ()

    async def hand_edits(self) -> HandEdits | None:
        """What differs, or why the pack cannot be taken over; None if nothing differs."""
        try:
            found = await self._found()
        except TheActError as error:
            return HandEdits(broken={"the pack": error.message})
        return found.edits if found else None

    async def adopt_edits(self) -> tuple[str, ...]:
        """Take the pack over, as an edit; the names of its files that changed. UsageError where it does not fit."""
        found = await self._found()
        if found is None:
            return ()
        await self._edit(found.taken_over)
        return found.edits.files

    async def discard_edits(self, *files: str) -> tuple[str, ...]:
        """Keep the story as it is, and say nothing of it until the pack is changed again."""
        if found := await self._found():
            await self._session.run(self._session.save.private.replace, KEPT, found.mark)
        return ()

    async def _found(self) -> ChangedPack | None:
        session = self._session
        found = await session.run(changed_pack, session.save, session.game, self._packs)
        self.changed = found is not None
        return found
