"""Changes of memories and decisions by hand; the session makes them."""

from collections.abc import Sequence
from typing import Any, Literal

from textual.app import App

from theact_tui.engine.session import StorySession
from theact_tui.errors import UsageError
from theact_tui.story import edits
from theact_tui.story.memory import MAX_FACTS, CellsMemory, Fact, FactsMemory, Memory, lines_of, with_lines
from theact_tui.story.turn import FULLY_HEARD
from theact_tui.text import clean, flat
from theact_tui.tui.blocks import Cast
from theact_tui.tui.widgets.dialogs import TextDialog
from theact_tui.tui.widgets.lists import Row

MEANWHILE = "The story changed this memory meanwhile. Your edit was not saved."


async def pin(session: StorySession, person: str, row: Row | None) -> None:
    await session.settle()
    if row and row.kind == "moment":
        moments = session.game.moments
        place = line_index([(moment.turn, moment.summary) for moment in moments], row)
        await session.edit(edits.pin_moment, place, pinned=not moments[place].pinned)
    elif row and row.kind == "line":
        lines = lines_of(edits.memory_of(session.game, person))
        place = line_index([(line.turn, line.text) for line in lines], row)
        await session.edit(edits.pin_line, person, place, pinned=not lines[place].pinned)
    else:
        raise UsageError("Only lines and moments can be pinned. Choose one with ↑ and ↓.")


async def overrule(session: StorySession, row: Row | None) -> None:
    await session.settle()
    game, turn = session.game, session.game.last_turn
    kind, _, name = row.key.partition(" ") if row else ("", "", "")
    match kind:
        case "beat":
            number = int(name)
            hit = game.chapter.beats[number - 1] not in game.state.beats_hit
            await session.edit(edits.mark_beat, number, hit=hit)
        case "gate":
            now = game.state.gates.get(name)
            await session.edit(edits.set_gate, name, {None: True, True: False, False: None}[now])
        case "chapter":
            follows: dict[str, Literal["", "end", "keep"]] = {"": "end", "end": "keep", "keep": ""}
            await session.edit(edits.set_chapter, follows[game.state.chapter_set])
        case "heard" if turn:
            was_present, heard = name in turn.witnesses, turn.heard.get(name, FULLY_HEARD)
            part: edits.Hearing = "all" if not was_present else "page" if heard == FULLY_HEARD else "none"
            await session.edit_turn(turn.number, edits.set_heard, name, part)
        case _:
            raise UsageError("Choose a decision with ↑ and ↓ to overrule it.")


async def edit_memory(app: App[Any], session: StorySession, person: str, row: Row | None) -> None:
    if row is None or row.kind not in ("line", "summary"):
        raise UsageError("Choose a line or the summary with ↑ and ↓, or press a to add a line.")
    source = f"from turn {row.turn}" if row.kind == "line" else "in short"
    title = f"What {Cast.of(session.game.pack).name(person)} remembers {source}"
    title += " · leave empty to delete" if row.kind == "line" else ""
    text = await app.push_screen_wait(TextDialog(title, row.text, single=True))
    if text is None or text.strip() == row.text.strip():
        return
    await session.settle()
    memory = edits.memory_of(session.game, person)
    await session.edit(edits.set_memory, person, rewritten(memory, row, clean(text).strip()))


async def add_fact(app: App[Any], session: StorySession, person: str, row: Row | None) -> None:
    require_fact_room(edits.memory_of(session.game, person))
    offered = row.text if row and row.kind in ("gone", "older") else ""
    title = f"New memory of {Cast.of(session.game.pack).name(person)}"
    text = await app.push_screen_wait(TextDialog(title, offered, single=True))
    if text is None or not text.strip():
        return
    await session.settle()
    memory = require_fact_room(edits.memory_of(session.game, person))
    fact = Fact(text=flat(text), turn=session.game.state.turn)
    added = memory.model_copy(update={"key_facts": (*memory.key_facts, fact)})
    await session.edit(edits.set_memory, person, added)


def require_fact_room(memory: Memory) -> FactsMemory:
    if isinstance(memory, CellsMemory):
        raise UsageError("Diary entries come one per turn. You can rewrite them (e), not add any.")
    if len(memory.key_facts) >= MAX_FACTS:
        raise UsageError(f"The limit is {MAX_FACTS} facts. Delete one first: press e and clear it.")
    return memory


def rewritten(memory: Memory, row: Row, text: str) -> Memory:
    """Replace the words of a row. Raises UsageError if they changed meanwhile."""
    if row.kind == "summary":
        if memory.summary != row.text:
            raise UsageError(MEANWHILE)
        return memory.model_copy(update={"summary": text})
    lines = list(lines_of(memory))
    place = line_index([(line.turn, line.text) for line in lines], row)
    lines[place : place + 1] = [lines[place].model_copy(update={"text": text})] if text else []
    return with_lines(memory, lines)


def line_index(lines: Sequence[tuple[int, str]], row: Row) -> int:
    """Raises UsageError if the row is missing."""
    if (row.turn, row.text) not in lines:
        raise UsageError(MEANWHILE)
    return lines.index((row.turn, row.text))
