"""What each witness remembers of a turn: one call per character, sharing nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from theact_tui.agents.base import Agent
from theact_tui.agents.memory import CELL, FACTS, MERGE
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.engine.agent_runner import AgentRunner, TurnContext
from theact_tui.engine.events import MemoryFailed, MemoryStarted, MemoryUpdated
from theact_tui.errors import CallError
from theact_tui.parsing.replies import FactsReply
from theact_tui.story.archive import parse_importance
from theact_tui.story.game import Game, Pending
from theact_tui.story.matching import plain
from theact_tui.story.memory import (
    MAX_NEW_FACTS,
    NOTHING_HAPPENED,
    Cell,
    CellsMemory,
    FactsMemory,
    cells_to_merge,
    change_facts,
    push_cells,
)
from theact_tui.story.views import MemoryView, MergeView, Witnessed
from theact_tui.story.witness import memory_view_of
from theact_tui.text import clean, clip

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
    return MemoryOutcome(character, game.memory_of(character), (*waiting_work(game, character), *new))


async def remember(game: Game, character: str, context: TurnContext) -> MemoryOutcome:
    """Bring one character's memory up to date with every turn it witnessed and has not remembered yet."""
    before = game.memory_of(character)
    context.bus.publish(MemoryStarted(character=character))
    try:
        done = await remember_quietly(game, character, context)
    except RememberError as failed:
        context.bus.publish(
            MemoryFailed(character=character, kind=failed.error.kind, reason=failed.error.message)
        )
        done = MemoryOutcome(character, failed.memory, failed.pending, failed.error.message)
    if done.memory != before:
        context.bus.publish(
            MemoryUpdated(
                character=character,
                before=before.model_dump(mode="json"),
                after=done.memory.model_dump(mode="json"),
            )
        )
    return done


async def remember_quietly(game: Game, character: str, context: TurnContext) -> MemoryOutcome:
    """As `remember`, but nothing is published. Raises `RememberError`."""
    policy = _remember_facts if isinstance(game.memory_of(character), FactsMemory) else _remember_cells
    return await policy(game, character, context)


class RememberError(Exception):
    """A call failed; `memory` holds what was done before it, `pending` is what must be done later."""

    def __init__(
        self, error: CallError, memory: FactsMemory | CellsMemory, pending: Sequence[Pending]
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.memory = memory
        self.pending = tuple(pending)


async def _remember_facts(game: Game, character: str, context: TurnContext) -> MemoryOutcome:
    """One call, or as many as pages that had to wait need; what a failing call did not see stays pending."""
    memory = game.memory_of(character)
    todo = postponed(game, character).pending
    view = memory_view_of(game, character, [item.turn for item in todo], take=context.take)
    if not view.turns or not isinstance(memory, FactsMemory):
        return MemoryOutcome(character, memory)
    sound = memory
    pages = pages_of(view.turns, partial(_whole, context.agents, FACTS, view))
    while pages:
        view = replace(view, memory=memory)
        now = portion(pages, partial(_whole, context.agents, FACTS, view))
        try:
            answer = await context.agents.ask(
                FACTS, replace(view, turns=now), key=f"memory:{character}", tally=context.tally
            )
        except CallError as error:
            left = {page.number for page in pages}
            raise RememberError(error, sound, [item for item in todo if item.turn in left]) from error
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


async def _remember_cells(game: Game, character: str, context: TurnContext) -> MemoryOutcome:
    memory = game.memory_of(character)
    if not isinstance(memory, CellsMemory):
        return MemoryOutcome(character, memory)
    todo = list(postponed(game, character).pending)
    for place, item in enumerate(todo):
        if item.entry is not None:
            continue
        view = memory_view_of(game, character, [item.turn], take=context.take)
        try:
            entry = await _written(view, context)
        except CallError as error:
            raise RememberError(error, memory, todo) from error
        todo[place] = item.model_copy(update={"entry": entry})
    new = [cell for cell in map(_cell, todo) if cell.text]
    merged = cells_to_merge(memory, new, game.pack.game.memory_cells)
    try:
        summary = await _merged(memory_view_of(game, character, (), take=context.take), merged, context)
    except CallError as error:
        raise RememberError(error, memory, todo) from error
    return MemoryOutcome(character, push_cells(memory, new, merged, summary, game.state.turn))


async def _written(view: MemoryView, context: TurnContext) -> str:
    """The diary entry about the view's turn; empty when nothing of it was witnessed, or nothing happened in it."""
    fits = partial(_whole, context.agents, CELL, view)
    pages, entries = pages_of(view.turns, fits), list[str]()
    while pages:
        now = portion(pages, fits)
        answer = await context.agents.ask(
            CELL, replace(view, turns=now), key=f"memory:{view.id}", tally=context.tally
        )
        text = clean(answer.reply.text).strip()
        entries += [text] if text != NOTHING_HAPPENED else []
        pages = pages[len(now) :]
    return clip(" ".join(entries), MOST_OF_AN_ENTRY)


async def _merged(view: MemoryView, cells: Sequence[Cell], context: TurnContext) -> str:
    """The old summary and `cells` in one new summary; no cells, no call."""
    if not cells:
        return ""
    merge = MergeView(
        stage=view.stage, id=view.id, name=view.name, summary=view.memory.summary, cells=tuple(cells)
    )
    answer = await context.agents.ask(MERGE, merge, key=f"memory:{view.id}", tally=context.tally)
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
