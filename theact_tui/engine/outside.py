"""Files of a story that were changed by hand outside: made part of it, or put back (S9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theact_tui.engine.events import Edited
from theact_tui.engine.work import Work

if TYPE_CHECKING:
    from theact_tui.saves.edits import HandEdits


class Outside:
    """The part of a session that deals with them. Refused while a turn is told."""

    _work: Work

    async def hand_edits(self) -> HandEdits | None:
        """What was changed by hand outside in the save's files; None if nothing was, or if they can only be read."""
        return await self._work.hand_edits()

    async def adopt_edits(self) -> tuple[str, ...]:
        """Make files changed by hand outside part of the story, as an edit. Returns their names.

        Raises `SaveError`, and changes nothing, when the game would not load with them.
        """
        work = self._work
        async with work.still():
            found = await work.hand_edits()
            if found is None:
                return ()
            await work.keep()
            await work.run(work.save.adopt_edits)
            work.become(await work.run(work.save.load))
            await work.suit(work.game.pack)
        work.bus.publish(Edited(what="by hand outside"))
        return found.files

    async def discard_edits(self, *files: str) -> tuple[str, ...]:
        """Put files changed by hand outside back (default: all); what they held is kept beside them. Their names."""
        work = self._work
        async with work.still():
            found = await work.hand_edits()
            chosen = tuple(file for file in found.files if not files or file in files) if found else ()
            if chosen:
                await work.run(work.save.discard_edits, chosen)
        return chosen
