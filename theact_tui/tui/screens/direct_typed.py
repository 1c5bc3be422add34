"""What is typed on the direct screen goes into the session, which has the rules."""

from __future__ import annotations

from collections.abc import Iterable

from theact_tui.engine.direct import DirectSession
from theact_tui.story.direct.setup import set_chapter, set_identity, set_name, set_world
from theact_tui.tui.widgets.direct_cell import Cell
from theact_tui.tui.widgets.direct_setup import Typed


def take_over(session: DirectSession, typed: Iterable[Typed], voice: Cell) -> None:
    """Give the session what stands in Setup and voice, as far as they are open. Raises `UsageError`."""
    if session.session.state == "DRAFT" and not session.save.read_only:
        for part, slot, text in typed:
            _edit(session, part, slot, text)
    if voice.text != session.game.voice and not voice.read_only:
        session.set_voice(voice.text)


def _edit(session: DirectSession, part: str, slot: int, text: str) -> None:
    match part:
        case "world":
            session.edit(set_world, text)
        case "chapter":
            session.edit(set_chapter, text)
        case "name":
            session.edit(set_name, slot, text)
        case _:
            session.edit(set_identity, slot, text)
