"""Drafts of the chapter (D4): building a new one, and writing one to a file of the user's."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from theact_tui.engine.desk import Desk, Tally
from theact_tui.engine.direct_chapter import ChapterWriter
from theact_tui.engine.direct_events import BuildFailed, DraftBuilt
from theact_tui.engine.direct_work import Calling, Work, allow, failure
from theact_tui.errors import CallError, SaveError, UsageError
from theact_tui.exports.download import write_download
from theact_tui.story.direct.game import DirectGame, with_draft
from theact_tui.story.direct.log import Events
from theact_tui.story.direct.moves import Build, Built
from theact_tui.story.direct.records import Draft
from theact_tui.text import words


@dataclass(slots=True)
class Drafts:
    """Builds the chapter of a session."""

    work: Work
    desk: Desk
    call: Calling

    async def build(self, events: Events) -> Draft:
        """A new draft from the whole log, stored. Raises `TurnError` or `SaveError`; the older drafts stay."""
        work, started = self.work, self.work.bus.time()
        try:
            async with work.during("narrating", Build(), Built()):
                text = await self.call(ChapterWriter(work.game, events, self.desk, work.bus, Tally()).write())
                game = allow(with_draft(work.game, text, started, work.stamp()))
                commit = await work.store(game, f"Draft {len(game.drafts)}")
        except (CallError, SaveError) as error:
            work.bus.publish(BuildFailed(reason=error.message))
            raise failure(error) from error
        draft = work.game.drafts[-1]
        work.bus.publish(DraftBuilt(draft=draft.draft_id, words=words(draft.chapter_text), commit=commit))
        return draft


async def download(game: DirectGame, target: Path | None, number: int | None) -> Path:
    """Write the newest draft, or the one of this number from 1, to `target` or to the download folder; where it is.

    Raises `UsageError` when there is no such draft, or it cannot be written.
    """
    drafts = game.drafts
    if not drafts:
        raise UsageError("There is no chapter to download yet: build it first.")
    if number is not None and not 1 <= number <= len(drafts):
        raise UsageError(f"There is no draft {number}: there are {len(drafts)}.")
    text = drafts[(number or len(drafts)) - 1].chapter_text
    return await asyncio.to_thread(write_download, text, game.info.title, target)
