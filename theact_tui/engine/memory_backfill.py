"""Write memories of past turns: after an edit, or for an imported chat."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from theact_tui.engine.after_turn.memories import remember, remember_quietly
from theact_tui.engine.cancellation import Stopped
from theact_tui.engine.events import CatchingUp
from theact_tui.engine.session import StorySession
from theact_tui.engine.turn_context import TurnContext
from theact_tui.errors import CallError, UsageError
from theact_tui.story.character_view import is_for_memory
from theact_tui.story.edits import Edit
from theact_tui.story.forgetting_and_recall import archive, archived_lines
from theact_tui.story.game import Game, Pending
from theact_tui.story.memory import Memory, empty_memory, lines_of, origins_of, with_earlier, with_lines
from theact_tui.story.turn import Turn

OLDER_BATCH = 8


async def renew_memories(session: StorySession, number: int | None = None) -> tuple[int, ...]:
    """Rewrite the memories of an edited turn (default: all), a commit per turn; return the turn numbers.

    Raises `CallError`; all memories of that turn then stay.
    """
    await session.probed()
    await session.catching_up.stop()
    async with session.exclusive():
        stale = session.game.state.edited
        wanted = stale if number is None else tuple(n for n in stale if n == number)
        with session.catching_up.begin():
            for turn in wanted:
                (edited,) = await session.turns(turn, turn)
                context = TurnContext(session.agents, session.bus, work=session.catching_up)
                game = await _renew(session.game, edited, context)
                await session.apply(Edit(game, f"memories of turn {turn} rewritten"))
    return wanted


async def _renew(game: Game, turn: Turn, context: TurnContext) -> Game:
    """Rewrite a turn's memories, archived facts included, and clear its edited mark; pinned lines stay. Raises
    `CallError`.
    """
    names = [name for name, memory in game.memories.items() if turn.number in origins_of(memory)]
    renewed = game
    for name in dict.fromkeys([*turn.witnesses, *names]):
        memory = _without(renewed.memory_of(name), turn.number)
        work = _work([turn] if is_for_memory(turn, name) else [], name)
        done = await remember(_only(renewed, [turn], name, memory), name, work, context)
        if done.error:
            failure = f"The memory of {game.pack.name_of(name)} was not changed."
            raise CallError("unknown", f"{failure} {done.error.message}")
        since = max(memory.summary_turn, done.memory.summary_turn)
        whole = done.memory.model_copy(update={"summary_turn": since})
        renewed = renewed.with_memory(name, whole)
    edited = tuple(number for number in game.state.edited if number != turn.number)
    return renewed.with_state(edited=edited)


def _only(game: Game, turns: Sequence[Turn], name: str, memory: Memory) -> Game:
    """Return the game reduced to these turns, with `name`'s memory before them."""
    only = replace(game, turns={turn.number: turn for turn in turns}, memories={name: memory})
    return only.with_state(turn=turns[-1].number, pending=())


def _work(turns: Sequence[Turn], name: str) -> tuple[Pending, ...]:
    return tuple(Pending(agent="memory", turn=turn.number, character=name) for turn in turns)


def _without(memory: Memory, turn: int) -> Memory:
    remaining = tuple(line for line in lines_of(memory) if line.pinned or line.turn != turn)
    older = archive("", (line for line in archived_lines(memory.older) if line.turn != turn))
    return with_lines(memory, remaining, older=older)


async def write_missing_memories(session: StorySession) -> int:
    """Write missing memories of past turns in batches, newest first, each as a commit; return the number of turns
    left.

    `stop` ends it; a turn interrupts it, see `wants_memories`. Raises `UsageError` if there are none, `CallError` on
    failure; finished batches stay.
    """
    session.check_free()
    work, bus = session.catching_up, session.bus
    if not session.game.state.unremembered:
        raise UsageError("No older turn waits for memories. Those of new turns are written after each turn.")
    if not work.is_free:
        raise UsageError("Memories of older turns are being written.")
    session.wants_memories = True
    await session.probed()
    try:
        with work.begin(), suppress(Stopped):
            while last := session.game.state.unremembered:
                turns = await session.turns(_first_of_batch(session.game), last)
                bus.publish(CatchingUp(first=turns[0].number, last=last, left=last))
                memories = await work.run(
                    _remember_alone(session.game, turns, TurnContext(session.agents, session.bus))
                )
                await session.edit(_merge_earlier, turns, memories)
            session.wants_memories = False
    except CallError:
        session.wants_memories = False
        raise
    finally:
        left = session.game.state.unremembered
        bus.publish(CatchingUp(first=0, last=0, left=left))
        session.warm_up()
    return left


async def _remember_alone(game: Game, turns: Sequence[Turn], context: TurnContext) -> dict[str, Memory]:
    """Return each witness's memory of consecutive past turns alone. Raises `CallError`."""
    limit = asyncio.Semaphore(max(1, context.agents.model("memory").max_parallel))

    async def one(name: str) -> Memory:
        memory = game.memory_of(name)
        blank = empty_memory(memory.policy).model_copy(update={"reflection": memory.reflection})
        witnessed_turns = [turn for turn in turns if name in turn.witnesses]
        async with limit:
            alone = _only(game, witnessed_turns, name, blank)
            done = await remember_quietly(alone, name, _work(witnessed_turns, name), context)
        if done.error:
            raise done.error
        return done.memory

    names = list(dict.fromkeys(name for turn in turns for name in turn.witnesses))
    try:
        async with asyncio.TaskGroup() as group:
            tasks = {name: group.create_task(one(name)) for name in names if name in game.pack.characters}
    except* CallError as failed:
        raise failed.exceptions[0] from None
    return {name: task.result() for name, task in tasks.items()}


def _first_of_batch(game: Game) -> int:
    info = game.pack.game
    batch = OLDER_BATCH if info.memory == "facts" else info.memory_cells
    return max(1, game.state.unremembered + 1 - batch)


def _merge_earlier(game: Game, turns: Sequence[Turn], earlier: Mapping[str, Memory]) -> Edit:
    first, last = turns[0].number, turns[-1].number
    if game.state.unremembered != last:
        return Edit(game, "")
    cells = game.pack.game.memory_cells
    whole = {name: with_earlier(game.memory_of(name), older, cells) for name, older in earlier.items()}
    merged = replace(game, memories={**game.memories, **whole}).with_state(unremembered=first - 1)
    return Edit(merged, f"memories of turns {first} to {last} written")
