"""Memories of a turn: one call per witness."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from theact_tui.agents.agent import Agent
from theact_tui.agents.memory import CELL, FACTS, MERGE
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.engine.events import MemoryFailed, MemoryStarted, MemoryUpdated
from theact_tui.engine.turn_context import TurnContext
from theact_tui.errors import CallError
from theact_tui.parsing import PlainReply
from theact_tui.parsing.forms import FactsReply
from theact_tui.sentences import clip
from theact_tui.story.character_view import is_for_memory, memory_view_of, unsettled_turns, witnessed
from theact_tui.story.forgetting_and_recall import parse_importance
from theact_tui.story.game import Game, Pending
from theact_tui.story.matching import nearest_text, plain
from theact_tui.story.memory import (
    MAX_NEW_FACTS,
    NOTHING_HAPPENED,
    Cell,
    CellsMemory,
    FactsMemory,
    Memory,
    cells_to_merge,
    change_facts,
    kind_of,
    push_cells,
)
from theact_tui.story.turn import Turn
from theact_tui.story.views import MemoryView, MergeView, Witnessed
from theact_tui.text import clean

MOST_OF_A_FACT = 300
"""Characters; some models write a page."""
MOST_OF_AN_ENTRY = 900
MOST_OF_A_SUMMARY = 1_200
"""Characters; with the lines it must leave room for a turn in a window of 2,048 tokens."""


@dataclass(frozen=True, slots=True)
class MemoryOutcome:
    """Memory of one character as far as it was written, and the work left."""

    character: str
    memory: Memory
    pending: tuple[Pending, ...] = ()
    error: CallError | None = None


def characters_to_remember(game: Game) -> list[str]:
    turn = game.turns[game.state.turn]
    waiting = [item.character for item in game.state.pending if item.agent == "memory" and item.character]
    witnesses = [name for name in turn.witnesses if is_for_memory(turn, name)]
    return [name for name in dict.fromkeys((*waiting, *witnesses)) if name in game.pack.characters]


def waiting_work(game: Game, character: str) -> tuple[Pending, ...]:
    """Return a character's pending memory work of earlier turns, oldest first."""
    work = [item for item in game.state.pending if item.agent == "memory" and item.character == character]
    return tuple(sorted(work, key=lambda item: item.turn))


def all_work(game: Game, character: str) -> tuple[Pending, ...]:
    """Return a character's memory work, that of the last turn included."""
    todo, turn = waiting_work(game, character), game.turns.get(game.state.turn)
    if turn and is_for_memory(turn, character) and turn.number not in {item.turn for item in todo}:
        todo = (*todo, Pending(agent="memory", turn=turn.number, character=character))
    return todo


def settled_work(game: Game, character: str) -> tuple[Pending, ...]:
    """Return the memory work without the turns of which it is not known yet who heard another's reply: the form about
    the next page says it.
    """
    open_turns = {*unsettled_turns(game), game.state.turn}
    return tuple(
        work
        for work in all_work(game, character)
        if work.turn not in open_turns or not _heard_another(game.turns[work.turn], character)
    )


def _heard_another(turn: Turn, character: str) -> bool:
    return any(entry.character not in (None, character) for entry in witnessed(turn, character).entries)


def postponed(game: Game, character: str) -> MemoryOutcome:
    """Return the outcome of leaving the call for the next turn."""
    return MemoryOutcome(character, game.memory_of(character), all_work(game, character))


async def remember(
    game: Game, character: str, work: Sequence[Pending], context: TurnContext
) -> MemoryOutcome:
    """Bring one character's memory up to date with the turns of the `work`, and publish it. Failed work is in the
    outcome's `pending`; a CallError is in `error`, not raised.
    """
    before, publish = game.memory_of(character), context.bus.publish
    publish(MemoryStarted(character=character))
    done = await remember_quietly(game, character, work, context)
    if done.error:
        publish(MemoryFailed(character=character, kind=done.error.kind, reason=done.error.message))
    if done.memory != before:
        was, now = before.model_dump(mode="json"), done.memory.model_dump(mode="json")
        publish(MemoryUpdated(character=character, before=was, after=now))
    return done


async def remember_quietly(
    game: Game, character: str, work: Sequence[Pending], context: TurnContext
) -> MemoryOutcome:
    """Do the same without events."""
    memory = game.memory_of(character)
    if isinstance(memory, FactsMemory):
        return await _remember_facts(game, character, memory, work, context)
    return await _remember_cells(game, character, memory, work, context)


async def _remember_facts(
    game: Game, character: str, memory: FactsMemory, todo: Sequence[Pending], context: TurnContext
) -> MemoryOutcome:
    """Make one call, or several for long pages; turns that a failed call did not see stay pending."""
    view = memory_view_of(game, character, [item.turn for item in todo], take=context.take)
    sound, pages, player = memory, _pages_of(view, FACTS, context), view.story.hero
    names = (player, *game.pack.names.values())
    while pages:
        view = replace(view, memory=memory)
        now = _portion(pages, view, FACTS, context)
        try:
            reply: FactsReply = await context.ask(FACTS, replace(view, turns=now), f"memory:{character}")
        except CallError as error:
            left = {page.number for page in pages}
            return MemoryOutcome(character, sound, tuple(item for item in todo if item.turn in left), error)
        texts = [(page.number, " ".join(entry.text for entry in page.entries)) for page in now]
        memory = change_facts(
            memory,
            turn_of=partial(nearest_text, texts=texts),
            new=[
                (fact, kind_of(one.kind))
                for one in reply.new
                if not _is_copied(fact := _fact(one.fact), player)
            ],
            changed=[(pair.old, _fact(pair.new)) for pair in reply.changed],
            names=names,
            most=MAX_NEW_FACTS * len({page.number for page in now}),
        )
        pages = pages[len(now) :]
        if not pages or pages[0].number != now[-1].number:
            sound = memory
    return MemoryOutcome(character, memory)


def _is_copied(fact: str, player: str) -> bool:
    """True for words of the prompt itself, such as its example, which small models copy."""
    asked = plain(TEMPLATES["memory"].replace("{player}", player))
    return f" {plain(parse_importance(fact)[0])} " in f" {asked} "


def _fact(line: str) -> str:
    return clip(clean(line).strip(), MOST_OF_A_FACT)


async def _remember_cells(
    game: Game, character: str, memory: CellsMemory, work: Sequence[Pending], context: TurnContext
) -> MemoryOutcome:
    todo = list(work)
    try:
        for place, item in enumerate(todo):
            if item.entry is None:
                view = memory_view_of(game, character, [item.turn], take=context.take)
                todo[place] = item.model_copy(update={"entry": await _write_entry(view, context)})
        new = [cell for cell in map(_cell, todo) if cell.text]
        merged = cells_to_merge(memory, new, game.pack.game.memory_cells)
        view = memory_view_of(game, character, (), take=context.take)
        summary = await _merge_cells(view, merged, context)
    except CallError as error:
        return MemoryOutcome(character, memory, tuple(todo), error)
    return MemoryOutcome(character, push_cells(memory, new, merged, summary, game.state.turn))


async def _write_entry(view: MemoryView, context: TurnContext) -> str:
    """Return the diary entry about the view's turn; "" if nothing happened."""
    pages, entries = _pages_of(view, CELL, context), list[str]()
    while pages:
        now = _portion(pages, view, CELL, context)
        reply: PlainReply = await context.ask(CELL, replace(view, turns=now), f"memory:{view.id}")
        text = clean(reply.text).strip()
        entries += [text] if text != NOTHING_HAPPENED else []
        pages = pages[len(now) :]
    return clip(" ".join(entries), MOST_OF_AN_ENTRY)


async def _merge_cells(view: MemoryView, cells: Sequence[Cell], context: TurnContext) -> str:
    if not cells:
        return ""
    merge = MergeView(
        story=view.story, id=view.id, name=view.name, summary=view.memory.summary, cells=tuple(cells)
    )
    reply: PlainReply = await context.ask(MERGE, merge, f"memory:{view.id}")
    return clip(clean(reply.text).strip(), MOST_OF_A_SUMMARY)


def _cell(item: Pending) -> Cell:
    text, important = parse_importance(item.entry or "")
    return Cell(turn=item.turn, text=text, important=important)


def _pages_of(view: MemoryView, agent: Agent[MemoryView], context: TurnContext) -> list[Witnessed]:
    pages: list[Witnessed] = []
    for turn in view.turns:
        whole = len(turn.entries) < 2 or _fits(view, [turn], agent, context)
        pages += [turn] if whole else [replace(turn, entries=(entry,)) for entry in turn.entries]
    return pages


def _portion(
    pages: Sequence[Witnessed], view: MemoryView, agent: Agent[MemoryView], context: TurnContext
) -> tuple[Witnessed, ...]:
    """Return the first pages that one call can hold whole; at least one."""
    taken = 1
    while taken < len(pages) and _fits(view, pages[: taken + 1], agent, context):
        taken += 1
    return tuple(pages[:taken])


def _fits(
    view: MemoryView, pages: Sequence[Witnessed], agent: Agent[MemoryView], context: TurnContext
) -> bool:
    try:
        call = context.agents.prepare(agent, replace(view, turns=tuple(pages)), f"memory:{view.id}")
    except CallError:
        return False
    return call.prompt.whole
