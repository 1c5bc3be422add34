"""One turn of a shipped story, told by the models in use, in a home that goes afterwards: whether they are good enough."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from theact_tui.engine.bus import Bus
from theact_tui.engine.factory import create_session
from theact_tui.engine.session import ModelsFor
from theact_tui.errors import TheActError
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn
from theact_tui.text import counted, words

LINE = "Maya, are you hurt? What do you see from here?"
LEAST_WORDS = 25
"""Of a page."""


@dataclass(frozen=True, slots=True)
class TrialTurn:
    """How it went."""

    told: str
    """In one sentence; empty where there is no turn."""
    faults: tuple[str, ...] = ()
    """What was not good enough, in sentences."""


async def try_turn(models: ModelsFor) -> TrialTurn:
    """Have a turn told and written down. Never raises for what a model does."""
    with tempfile.TemporaryDirectory() as folder:
        pack = await asyncio.to_thread(_pack)
        session = await create_session(Library(Path(folder)), pack, "Trial", "", 1, models, Bus())
        began = time.monotonic()
        try:
            turn = await session.play(LINE)
            spoken = time.monotonic()
            await session.settle()
            ended = time.monotonic()
            left = {work.agent for work in session.game.state.pending}
            turn = session.game.last_turn
        except TheActError as error:
            return TrialTurn("", (error.message,))
        finally:
            await session.close()
    if turn is None:
        return TrialTurn("", ("Nothing was told.",))
    told = (
        f"a page of {counted(words(turn.narration), 'word')} and {counted(_answers(turn), 'answer')} "
        f"in {spoken - began:.0f} s, and {ended - spoken:.0f} s for what is remembered"
    )
    return TrialTurn(told, tuple(_faults(turn, left)))


def _pack() -> Pack:
    """A story whose first page the narrator writes."""
    pack = load_pack(shipped_folder() / "lost-island")
    first = pack.first_chapter.model_copy(update={"openings": ()})
    return pack.model_copy(update={"chapters": {**pack.chapters, first.id: first}})


def _answers(turn: Turn) -> int:
    return sum(entry.role == "character" for entry in turn.entries)


def _faults(turn: Turn, left: Collection[str]) -> list[str]:
    found = [*turn.notices]
    if (length := words(turn.narration)) < LEAST_WORDS:
        found.append(f"Its page has only {counted(length, 'word')}.")
    if turn.stage is None or turn.stage.by == "fallback":
        found.append("It did not say who answers.")
    if not _answers(turn):
        found.append("Nobody answered a question.")
    if left and not turn.notices:
        found.append(f"Its notes could not be used: {', '.join(sorted(left))}.")
    return list(dict.fromkeys(found))
