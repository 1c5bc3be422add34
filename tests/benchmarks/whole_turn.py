"""A turn through the whole program on a save that is there already, with a model that answers at once.

Everything but the model is real: session, prompts, reading of replies, memories, journal, commit, visible files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.fake_model import Scripted, narration
from theact_tui.engine.bus import Bus
from theact_tui.engine.factory import open_session

Timed = Callable[[str, Callable[[], Any]], Any]
PROSE = "The stones are warm here, and somebody has cut them; a line of ants goes by with a petal. " * 10


def instant() -> Scripted:
    """The model: a narration, two answers, and what everybody remembers."""
    return Scripted({"narrator": narration(PROSE, "maya, joaquin", "tense"), "character": PROSE[:400]})


def whole_turn(folder: Path, timed: Timed) -> None:
    """Open the story, play a turn to its commit, take it back; each step is timed."""
    with asyncio.Runner() as runner:
        opening = open_session(folder, lambda pack, seed: instant(), Bus())
        session = timed("program_open", lambda: runner.run(opening))

        async def turn() -> None:
            await session.play("I look at the stone and wait.")
            await session.settle()

        runner.run(session.run(session.save._showing.wait))
        timed("program_turn", lambda: runner.run(turn()))
        runner.run(session.run(session.save._showing.wait))
        timed("program_undo", lambda: runner.run(session.undo()))
        timed("program_redo", lambda: runner.run(session.redo()))
        runner.run(session.close())
