"""What each witness remembers of a turn: one call per character, sharing nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from theact_tui.agents.base import Agent
from theact_tui.agents.memory import CELL, FACTS, MERGE
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.engine.agent_runner import AgentRunner, CallTally
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import MemoryFailed, MemoryStarted, MemoryUpdated
from theact_tui.errors import CallError
from theact_tui.parsing.replies import FactsReply
from theact_tui.story.archive import archive, archived_lines, parse_importance
from theact_tui.story.game import Game, Pending
from theact_tui.story.matching import plain
from theact_tui.story.memory import (
    MAX_NEW_FACTS,
    NOTHING_HAPPENED,
    Cell,
    CellsMemory,
    FactsMemory,
    Memory,
    cells_to_merge,
    change_facts,
    empty_memory,
    lines_of,
    push_cells,
    with_earlier,
)
from theact_tui.story.transitions import with_state
from theact_tui.story.turn import Turn
from theact_tui.story.views import MemoryView, MergeView, Witnessed
from theact_tui.story.witness import memory_view_of
from theact_tui.text import clean, clip

OLDER_BATCH = 8
"""Turns told long ago whose memories are made at a time."""
MOST_OF_A_FACT = 300
"""Characters; a model asked for a short sentence may write a page, which would crowd everything else out."""
MOST_OF_AN_ENTRY = 900
"""Characters of a diary entry."""
MOST_OF_A_SUMMARY = 1_200
"""Characters of a summary; with the lines it must leave room for a turn in a window of 2,048 tokens."""


@dataclass(frozen=True, slots=True)
class MemoryOutcome:
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


def postponed(game: Game, character: str) -> MemoryOutcome:
    """The outcome when the call is left for the next turn."""
    number = game.state.turn
    turn = game.turns.get(number)
    new = (
        (Pending(agent="memory", turn=number, character=character),)
        if turn and character in turn.witnesses
        else ()
    )
    return MemoryOutcome(character, _memory(game, character), (*waiting_work(game, character), *new))


async def remember(
    game: Game, character: str, agents: AgentRunner, bus: Bus, tally: CallTally, take: int
) -> MemoryOutcome:
    """Bring one character's memory up to date with every turn it witnessed and has not remembered yet."""
    before = _memory(game, character)
    bus.publish(MemoryStarted(character=character))
    policy = _remember_facts if isinstance(before, FactsMemory) else _remember_cells
    try:
        done = await policy(game, character, agents, tally, take)
    except _Failed as failed:
        bus.publish(MemoryFailed(character=character, kind=failed.error.kind, reason=failed.error.message))
        done = MemoryOutcome(character, failed.memory, failed.pending, failed.error.message)
    if done.memory != before:
        bus.publish(
            MemoryUpdated(
                character=character,
                before=before.model_dump(mode="json"),
                after=done.memory.model_dump(mode="json"),
            )
        )
    return done


async def renew(game: Game, turn: Turn, agents: AgentRunner, bus: Bus, tally: CallTally) -> Game:
    """The game with the memories of an edited turn made again, and the turn no longer marked as edited.

    So are its lines that were set aside; pinned ones stay. Raises `CallError`, and nothing changes, when a memory
    could not be written.
    """
    names = [name for name, memory in game.memories.items() if turn.number in _origins(memory)]
    made = game
    for name in dict.fromkeys([*turn.witnesses, *names]):
        memory = _without(_memory(made, name), turn.number)
        state = made.state.model_copy(update={"turn": turn.number, "pending": ()})
        there = replace(
            made, state=state, turns={turn.number: turn}, memories={**made.memories, name: memory}
        )
        done = await remember(there, name, agents, bus, tally, 1)
        if done.reason:
            raise CallError(
                "unknown", f"The memory of {game.pack.name_of(name)} was not changed. {done.reason}"
            )
        since = max(memory.summary_turn, done.memory.summary_turn)
        whole = done.memory.model_copy(update={"summary_turn": since})
        made = replace(made, memories={**made.memories, name: whole})
    edited = tuple(number for number in game.state.edited if number != turn.number)
    return replace(made, state=made.state.model_copy(update={"edited": edited}))


async def remember_older(game: Game, turns: Sequence[Turn], agents: AgentRunner) -> dict[str, Memory]:
    """What each witness of turns in a row, told long ago, makes of these alone. Raises `CallError`."""
    limit = asyncio.Semaphore(max(1, agents.model("memory").max_parallel))

    async def one(name: str) -> Memory:
        known = _memory(game, name)
        blank = empty_memory(known.policy).model_copy(update={"reflection": known.reflection})
        *before, last = [turn.number for turn in turns if name in turn.witnesses]
        todo = tuple(Pending(agent="memory", turn=number, character=name) for number in before)
        there = replace(
            game,
            state=game.state.model_copy(update={"turn": last, "pending": todo}),
            turns={turn.number: turn for turn in turns},
            memories={name: blank},
        )
        policy = _remember_facts if isinstance(blank, FactsMemory) else _remember_cells
        async with limit:
            return (await policy(there, name, agents, CallTally(), 1)).memory

    names = list(dict.fromkeys(name for turn in turns for name in turn.witnesses))
    try:
        async with asyncio.TaskGroup() as group:
            tasks = {name: group.create_task(one(name)) for name in names if name in game.pack.characters}
    except* _Failed as failed:
        raise next(each.error for each in failed.exceptions if isinstance(each, _Failed)) from None
    return {name: task.result() for name, task in tasks.items()}


def first_of_batch(game: Game) -> int:
    """The first of the turns whose memories are made next; with cells as many as are kept apart, so none is merged."""
    info = game.pack.game
    return max(
        1, game.state.unremembered + 1 - (OLDER_BATCH if info.memory == "facts" else info.memory_cells)
    )


def with_older(game: Game, turns: Sequence[Turn], earlier: Mapping[str, Memory]) -> Game:
    """The game with what was made of older turns, unless it has gone to another state meanwhile."""
    if game.state.unremembered != turns[-1].number:
        return game
    whole = {
        name: with_earlier(_memory(game, name), memory, game.pack.game.memory_cells)
        for name, memory in earlier.items()
    }
    return with_state(replace(game, memories={**game.memories, **whole}), unremembered=turns[0].number - 1)


def is_remembered(game: Game, turn: int) -> bool:
    """True if anybody has a line of memory from this turn."""
    return any(turn in _origins(memory) for memory in game.memories.values())


def _origins(memory: FactsMemory | CellsMemory) -> set[int]:
    return {line.turn for line in (*lines_of(memory), *archived_lines(memory.older))}


def _without(memory: FactsMemory | CellsMemory, turn: int) -> FactsMemory | CellsMemory:
    """The memory without unpinned lines from a turn, however long ago."""
    field = "key_facts" if isinstance(memory, FactsMemory) else "cells"
    kept = tuple(line for line in lines_of(memory) if line.pinned or line.turn != turn)
    older = archive("", (line for line in archived_lines(memory.older) if line.turn != turn))
    return memory.model_copy(update={field: kept, "older": older})


class _Failed(Exception):
    """A call failed; `memory` holds what was done before it, `pending` is what must be done later."""

    def __init__(
        self, error: CallError, memory: FactsMemory | CellsMemory, pending: Sequence[Pending]
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.memory = memory
        self.pending = tuple(pending)


def _memory(game: Game, character: str) -> FactsMemory | CellsMemory:
    return game.memories.get(character) or empty_memory(game.pack.game.memory)


async def _remember_facts(
    game: Game, character: str, agents: AgentRunner, tally: CallTally, take: int
) -> MemoryOutcome:
    """One call, or as many as pages that had to wait need; what a failing call did not see stays pending."""
    memory = _memory(game, character)
    todo = postponed(game, character).pending
    view = memory_view_of(game, character, [item.turn for item in todo], take=take)
    if not view.turns or not isinstance(memory, FactsMemory):
        return MemoryOutcome(character, memory)
    sound = memory
    pages = pages_of(view.turns, partial(_whole, agents, FACTS, view))
    while pages:
        view = replace(view, memory=memory)
        now = portion(pages, partial(_whole, agents, FACTS, view))
        try:
            answer = await agents.ask(FACTS, replace(view, turns=now), key=f"memory:{character}", tally=tally)
        except CallError as error:
            left = {page.number for page in pages}
            raise _Failed(error, sound, [item for item in todo if item.turn in left]) from error
        memory = _changed(memory, answer.reply, now, view.stage.hero)
        pages = pages[len(now) :]
        if not pages or pages[0].number != now[-1].number:
            sound = memory
    return MemoryOutcome(character, memory)


def _whole(
    agents: AgentRunner, agent: Agent[MemoryView], view: MemoryView, pages: tuple[Witnessed, ...]
) -> bool:
    """True if the prompt holds `pages` whole."""
    try:
        return agents.prepare(agent, replace(view, turns=pages), f"memory:{view.id}").prompt.whole
    except CallError:
        return False


def _is_copied(fact: str, player: str) -> bool:
    """True for words of the prompt itself, such as its example, which small models copy."""
    asked = plain(TEMPLATES["memory"].replace("{player}", player))
    return f" {plain(parse_importance(fact)[0])} " in f" {asked} "


def _changed(memory: FactsMemory, reply: FactsReply, pages: Sequence[Witnessed], player: str) -> FactsMemory:
    return change_facts(
        memory,
        turn_of=origin_in(pages),
        summary=clip(clean(reply.summary), MOST_OF_A_SUMMARY),
        add=[fact for line in reply.add if not _is_copied(fact := _fact(line), player)],
        remove=reply.remove,
        update=[(pair.old, _fact(pair.new)) for pair in reply.update],
        most=MAX_NEW_FACTS * len({page.number for page in pages}),
    )


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


async def _remember_cells(
    game: Game, character: str, agents: AgentRunner, tally: CallTally, take: int
) -> MemoryOutcome:
    memory = _memory(game, character)
    if not isinstance(memory, CellsMemory):
        return MemoryOutcome(character, memory)
    todo = list(postponed(game, character).pending)
    for place, item in enumerate(todo):
        if item.entry is not None:
            continue
        view = memory_view_of(game, character, [item.turn], take=take)
        try:
            entry = await _written(view, agents, tally)
        except CallError as error:
            raise _Failed(error, memory, todo) from error
        todo[place] = item.model_copy(update={"entry": entry})
    new = [cell for cell in map(_cell, todo) if cell.text]
    merged = cells_to_merge(memory, new, game.pack.game.memory_cells)
    try:
        summary = await _merged(memory_view_of(game, character, (), take=take), merged, agents, tally)
    except CallError as error:
        raise _Failed(error, memory, todo) from error
    return MemoryOutcome(character, push_cells(memory, new, merged, summary, game.state.turn))


async def _written(view: MemoryView, agents: AgentRunner, tally: CallTally) -> str:
    """The diary entry about the view's turn; empty when nothing of it was witnessed, or nothing happened in it."""
    fits = partial(_whole, agents, CELL, view)
    pages, entries = pages_of(view.turns, fits), list[str]()
    while pages:
        now = portion(pages, fits)
        answer = await agents.ask(CELL, replace(view, turns=now), key=f"memory:{view.id}", tally=tally)
        text = clean(answer.reply.text).strip()
        entries += [text] if text != NOTHING_HAPPENED else []
        pages = pages[len(now) :]
    return clip(" ".join(entries), MOST_OF_AN_ENTRY)


async def _merged(view: MemoryView, cells: Sequence[Cell], agents: AgentRunner, tally: CallTally) -> str:
    """The old summary and `cells` in one new summary; no cells, no call."""
    if not cells:
        return ""
    merge = MergeView(
        stage=view.stage, id=view.id, name=view.name, summary=view.memory.summary, cells=tuple(cells)
    )
    answer = await agents.ask(MERGE, merge, key=f"memory:{view.id}", tally=tally)
    return clip(clean(answer.reply.text).strip(), MOST_OF_A_SUMMARY)


def _cell(item: Pending) -> Cell:
    text, important = parse_importance(item.entry or "")
    return Cell(turn=item.turn, text=text, important=important)


Fits = Callable[[tuple[Witnessed, ...]], bool]
"""True if a prompt holds these pages whole."""


def pages_of(turns: Sequence[Witnessed], fits: Fits) -> list[Witnessed]:
    """The turns; one that is too long for a call of its own is taken apart, entry by entry."""
    return [page for turn in turns for page in _parts(turn, fits)]


def _parts(turn: Witnessed, fits: Fits) -> list[Witnessed]:
    if len(turn.entries) < 2 or fits((turn,)):
        return [turn]
    return [replace(turn, entries=(entry,)) for entry in turn.entries]


def portion(pages: Sequence[Witnessed], fits: Fits) -> tuple[Witnessed, ...]:
    """The first pages that one call can take in whole; at least one."""
    taken = 1
    while taken < len(pages) and fits(tuple(pages[: taken + 1])):
        taken += 1
    return tuple(pages[:taken])
