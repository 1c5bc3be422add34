"""Files of a directed chapter that were changed by hand outside: made part of it, or put back (S9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theact_tui.engine.bus import Bus
from theact_tui.engine.direct_work import Work
from theact_tui.engine.events import Edited

if TYPE_CHECKING:
    from theact_tui.saves.edits import HandEdits


class Edits:
    """The part of a session that deals with them. Refused while a call runs."""

    bus: Bus
    _work: Work

    async def hand_edits(self) -> HandEdits | None:
        """What was changed in the save's files; None if nothing was, or if they can only be read."""
        save = self._work.save
        found = None if save.read_only or self._work.closed else await self._work.run(save.hand_edits)
        return found if found and found.files else None

    async def adopt_edits(self) -> tuple[str, ...]:
        """Make it part of the chapter, as an edit; the names of the files. Raises `SaveError` where it cannot be."""
        work = self._work
        work.check_free()
        found = await self.hand_edits()
        if found is None:
            return ()
        await work.keep()
        await work.run(work.save.adopt_edits)
        await work.reload()
        self.bus.publish(Edited(what="by hand outside"))
        return found.files

    async def discard_edits(self, *files: str) -> tuple[str, ...]:
        """Put files (default: all) back; what they held is kept beside them. Their names."""
        self._work.check_free()
        found = await self.hand_edits()
        chosen = tuple(file for file in found.files if not files or file in files) if found else ()
        if chosen:
            await self._work.run(self._work.save.discard_edits, chosen)
        return chosen
