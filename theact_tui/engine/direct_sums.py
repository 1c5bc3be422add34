"""Summing up what was played (D3, D9): chunk after chunk, again later where a call fails."""

from __future__ import annotations

from dataclasses import dataclass

from theact_tui.engine.desk import Desk, Tally
from theact_tui.engine.direct_events import BlockStored, DeltaFailed
from theact_tui.engine.direct_memory import note_down
from theact_tui.engine.direct_work import Calling, Work, allow
from theact_tui.errors import CallError, SaveError
from theact_tui.story.direct.game import with_delta
from theact_tui.story.direct.log import next_chunk, span_text
from theact_tui.story.direct.moves import End, Summarize, SummaryFailed
from theact_tui.story.direct.records import Block


@dataclass(slots=True)
class Sums:
    """Makes the blocks of a session that are due."""

    work: Work
    desk: Desk
    call: Calling
    trouble: str = ""
    """Why the last one failed; empty after a success."""

    @property
    def banner(self) -> str:
        """What is to be shown while a summary is missing; else nothing."""
        session = self.work.game.session
        span = next_chunk(session) if session.state == "ACTIVE" else None
        return self.trouble or (_waiting(span) if span else "")

    async def make(self, *, ending: bool) -> str:
        """Sum up what is due, chunk after chunk; why it went no further, if something failed.

        `ending`: all that is left is due, and the chapter has ended when it is done.
        """
        while span := next_chunk(self.work.game.session, ending=ending):
            try:
                await self._one(span, ending)
            except (CallError, SaveError) as error:
                self.trouble = f"{_waiting(span)} {error.message}"
                self.work.bus.publish(DeltaFailed(first=span[0], last=span[1], reason=error.message))
                return error.message
            self.trouble = ""
        return ""

    async def _one(self, span: tuple[int, int], ending: bool) -> None:
        work = self.work
        async with work.during("summarizing", End() if ending else Summarize(), SummaryFailed()):
            payload = await self.call(note_down(work.game, *span, self.desk, Tally()))
            game = allow(with_delta(work.game, payload, span, work.stamp(), ending=ending))
            commit = await work.store(game, f"Memory of {span_text(*span)}")
        tell_block(work, commit)


def tell_block(work: Work, commit: str) -> Block:
    """Tell of the newest block, which was just stored."""
    block = work.game.blocks[-1]
    first, last = block.from_prompt_index, block.to_prompt_index
    work.bus.publish(
        BlockStored(block=block.block_id, kind=block.type, first=first, last=last, commit=commit)
    )
    return block


def _waiting(span: tuple[int, int]) -> str:
    what, are = span_text(*span).capitalize(), "is" if span[0] == span[1] else "are"
    return f"{what} {are} not summed up yet; it is tried again with the next prompt."
