"""What the inspector changes by hand: pins, and the words of a memory. The session does it; the newest state only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theact_tui.errors import TheActError, UsageError
from theact_tui.story.edits import memory_of
from theact_tui.story.memory import MAX_FACTS, CellsMemory, Fact, FactsMemory, lines_of
from theact_tui.text import clean
from theact_tui.tui.screens.inspector_draw import NARRATOR
from theact_tui.tui.screens.sheets import Write
from theact_tui.tui.widgets.inspect_list import Row

if TYPE_CHECKING:
    from theact_tui.tui.screens.inspector import InspectorScreen
    from theact_tui.tui.screens.play import PlayScreen

Memory = FactsMemory | CellsMemory
MEANWHILE = "The story has changed this memory meanwhile. Nothing was changed by hand; look again."


async def pin(screen: InspectorScreen) -> None:
    """Pin the line or moment under the cursor, or unpin it."""
    row = screen.memory.row
    session = screen.session
    await session.settle()
    if row and row.kind == "moment":
        moments = session.game.moments
        place = _place([(moment.turn, moment.summary) for moment in moments], row)
        await session.pin_moment(place, pinned=not moments[place].pinned)
    elif row and row.kind == "line":
        lines = lines_of(memory_of(session.game, screen.person))
        place = _place([(line.turn, line.text) for line in lines], row)
        await session.pin(screen.person, place, pinned=not lines[place].pinned)
    else:
        raise UsageError("Lines and moments can be pinned. Choose one with ↑ and ↓.")


async def edit(screen: InspectorScreen) -> None:
    """Rewrite the line or summary under the cursor; a line left empty is removed."""
    row = screen.memory.row
    if screen.person == NARRATOR:
        raise UsageError(
            "The narrator's summary is made from the turns. Change their words instead: edit in play."
        )
    if row is None or row.kind not in ("line", "summary"):
        raise UsageError("Choose a line or the summary with ↑ and ↓; a writes a new line.")
    name = screen.cast.name(screen.person)
    what = f"from turn {row.turn}" if row.kind == "line" else "in short"
    title = f"What {name} remembers {what}" + (" · empty removes it" if row.kind == "line" else "")
    text = await screen.app.push_screen_wait(Write(title, row.text, single=True))
    if text is None or text.strip() == row.text.strip():
        return
    await screen.session.settle()
    memory = memory_of(screen.session.game, screen.person)
    await screen.session.edit_memory(screen.person, rewritten(memory, row, clean(text).strip()))


async def add(screen: InspectorScreen) -> None:
    """Write a new fact; a line that went, now or long ago, is offered to be put back."""
    session, row = screen.session, screen.memory.row
    if screen.person == NARRATOR:
        raise UsageError("Lines are added to people's memories. Tab goes to them.")
    _fact_room(memory_of(session.game, screen.person))
    offered = row.text if row and row.kind in ("gone", "older") else ""
    title = f"What {screen.cast.name(screen.person)} remembers from now on"
    text = await screen.app.push_screen_wait(Write(title, offered, single=True))
    if text is None or not text.strip():
        return
    await session.settle()
    memory = _fact_room(memory_of(session.game, screen.person))
    fact = Fact(text=" ".join(clean(text).split()), turn=session.game.state.turn)
    await session.edit_memory(
        screen.person, memory.model_copy(update={"key_facts": (*memory.key_facts, fact)})
    )


def _fact_room(memory: Memory) -> FactsMemory:
    """The memory, if a fact may be added to it."""
    if isinstance(memory, CellsMemory):
        raise UsageError(
            "Here each turn is one entry, written by the person. e rewrites it; none can be added."
        )
    if len(memory.key_facts) >= MAX_FACTS:
        raise UsageError(
            f"There are {MAX_FACTS} facts already, which is as many as fit. Remove one first: e."
        )
    return memory


def rewritten(memory: Memory, row: Row, text: str) -> Memory:
    """The memory with the words a row stands for replaced. UsageError if they are not in it any more."""
    if row.kind == "summary":
        if memory.summary != row.text:
            raise UsageError(MEANWHILE)
        return memory.model_copy(update={"summary": text})
    lines = list(lines_of(memory))
    place = _place([(line.turn, line.text) for line in lines], row)
    lines[place : place + 1] = [lines[place].model_copy(update={"text": text})] if text else []
    return memory.model_copy(
        update={"key_facts" if isinstance(memory, FactsMemory) else "cells": tuple(lines)}
    )


def _place(lines: list[tuple[int, str]], row: Row) -> int:
    if (row.turn, row.text) not in lines:
        raise UsageError(MEANWHILE)
    return lines.index((row.turn, row.text))


async def turn_to(play: PlayScreen, number: int) -> None:
    """Bring a turn to the top of the story."""
    try:
        await play.desk.pages.jump(number)
    except TheActError as error:
        play.notify(error.message, severity="warning", markup=False)
