"""What each witness remembers of a turn (S4): one call per character, sharing nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from theact_tui.agents.memory import CELL, FACTS, MERGE
from theact_tui.engine.bus import Bus
from theact_tui.engine.desk import Answer, Desk, Tally
from theact_tui.engine.events import MemoryFailed, MemoryStarted, MemoryUpdated
from theact_tui.errors import CallError
from theact_tui.models.replies import FactsReply
from theact_tui.story.cells import cells_to_merge, push_cells
from theact_tui.story.facts import change_facts
from theact_tui.story.game import Game, Pending
from theact_tui.story.matching import plain
from theact_tui.story.memory import Cell, CellsMemory, FactsMemory, empty_memory
from theact_tui.story.views import MergeView, Witnessed
from theact_tui.story.witness import memory_view_of
from theact_tui.text import clean, clip

MOST_OF_A_FACT = 300
"""Characters; a model asked for a short sentence may write a page, which would crowd everything else out."""
MOST_OF_AN_ENTRY = 2_000
"""Characters of a diary entry or of a summary."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """The outcome for one character: its memory (unchanged on failure) and what is still to be done."""

    character: str
    memory: FactsMemory | CellsMemory
    pending: tuple[Pending, ...] = ()
    reason: str = ""
    """Why a call failed, in a sentence."""


def waiting_work(game: Game, character: str) -> tuple[Pending, ...]:
    """A character's pending memory work of earlier turns, oldest first."""
    work = [item for item in game.state.pending if item.agent == "memory" and item.character == character]
    return tuple(sorted(work, key=lambda item: item.turn))


def postponed(game: Game, character: str) -> Remembered:
    """The outcome when the call is left for the next turn."""
    number = game.state.turn
    turn = game.turns.get(number)
    new = (
        (Pending(agent="memory", turn=number, character=character),)
        if turn and character in turn.witnesses
        else ()
    )
    return Remembered(character, _memory(game, character), (*waiting_work(game, character), *new))


async def remember(game: Game, character: str, desk: Desk, bus: Bus, tally: Tally, take: int) -> Remembered:
    """Bring one character's memory up to date with every turn it witnessed and has not remembered yet."""
    before = _memory(game, character)
    bus.publish(MemoryStarted(character=character))
    policy = _remember_facts if isinstance(before, FactsMemory) else _remember_cells
    try:
        done = await policy(game, character, desk, tally, take)
    except _Failed as failed:
        bus.publish(MemoryFailed(character=character, kind=failed.error.kind, reason=failed.error.message))
        return Remembered(character, before, failed.pending, failed.error.message)
    if done.memory != before:
        bus.publish(
            MemoryUpdated(
                character=character,
                before=before.model_dump(mode="json"),
                after=done.memory.model_dump(mode="json"),
            )
        )
    return done


class _Failed(Exception):
    """A call failed; `pending` is what must be done later."""

    def __init__(self, error: CallError, pending: Sequence[Pending]) -> None:
        super().__init__(error.message)
        self.error = error
        self.pending = tuple(pending)


def _memory(game: Game, character: str) -> FactsMemory | CellsMemory:
    return game.memories.get(character) or empty_memory(game.pack.game.memory)


async def _remember_facts(game: Game, character: str, desk: Desk, tally: Tally, take: int) -> Remembered:
    memory = _memory(game, character)
    todo = postponed(game, character).pending
    view = memory_view_of(game, character, [item.turn for item in todo], take=take)
    if not view.turns or not isinstance(memory, FactsMemory):
        return Remembered(character, memory)
    try:
        answer = await desk.ask(FACTS, view, key=f"memory:{character}", tally=tally)
    except CallError as error:
        raise _Failed(error, todo) from error
    reply: FactsReply = answer.reply
    changed = change_facts(
        memory,
        turn_of=origin_in(view.turns),
        summary=clip(clean(reply.summary), MOST_OF_AN_ENTRY),
        add=[_fact(line) for line in reply.add],
        remove=reply.remove,
        update=[(pair.old, _fact(pair.new)) for pair in reply.update],
    )
    return Remembered(character, changed)


def _fact(line: str) -> str:
    return clip(clean(line).strip(), MOST_OF_A_FACT)


def origin_in(turns: Sequence[Witnessed]) -> Callable[[str], int]:
    """Which of several turns a remembered line came from: the one that shares most words with it, the newest at a tie."""
    spoken = [
        (turn.number, set(plain(" ".join(entry.text for entry in turn.entries)).split())) for turn in turns
    ]

    def origin(line: str) -> int:
        wanted = set(plain(line).split())
        return max(spoken, key=lambda turn: (len(wanted & turn[1]), turn[0]))[0]

    return origin


def _entry(answer: Answer) -> str:
    return clip(clean(answer.reply.text).strip(), MOST_OF_AN_ENTRY)


async def _remember_cells(game: Game, character: str, desk: Desk, tally: Tally, take: int) -> Remembered:
    memory = _memory(game, character)
    if not isinstance(memory, CellsMemory):
        return Remembered(character, memory)
    todo = list(postponed(game, character).pending)
    for place, item in enumerate(todo):
        if item.entry is not None:
            continue
        view = memory_view_of(game, character, [item.turn], take=take)
        if not view.turns:
            todo[place] = item.model_copy(update={"entry": ""})
            continue
        try:
            answer = await desk.ask(CELL, view, key=f"memory:{character}", tally=tally)
        except CallError as error:
            raise _Failed(error, todo) from error
        todo[place] = item.model_copy(update={"entry": _entry(answer)})
    new = [Cell(turn=item.turn, text=item.entry or "") for item in todo]
    limit = game.pack.game.memory_cells
    merged = cells_to_merge(memory, new, limit)
    summary = ""
    if merged:
        view_merge = MergeView(
            stage=memory_view_of(game, character, (), take=take).stage,
            id=character,
            name=game.pack.name_of(character),
            summary=memory.summary,
            cells=merged,
        )
        try:
            answer = await desk.ask(MERGE, view_merge, key=f"memory:{character}", tally=tally)
        except CallError as error:
            raise _Failed(error, todo) from error
        summary = _entry(answer)
    return Remembered(character, push_cells(memory, new, merged, summary, game.state.turn))
