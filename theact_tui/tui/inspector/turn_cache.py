"""Read games, turns and calls for the inspector."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from textual.cache import LRUCache

from theact_tui.engine import events as e
from theact_tui.engine.base_session import BaseSession
from theact_tui.models.calls_of_turn import calls_of_other_takes, calls_of_take, failed_attempt
from theact_tui.models.ledger import Call, FirstWords, Ledger, UsageTotal
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.tui.running_turn import RunningTurn

CACHED_TURNS = 64
T = TypeVar("T")
TURNS_PER_READ = 8
"""Few, so that a save never waits long."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Everything shown of one turn, read at one moment."""

    number: int
    game: Game
    """State after this turn."""
    before: Game | None
    """State before it; None at the beginning."""
    turn: Turn | None
    """None before the first turn."""
    calls: tuple[Call, ...] = ()
    """Calls of the current take, in the order they ended."""
    others: int = 0
    untold: tuple[Call, ...] = ()
    """Calls of a failed attempt at the next turn."""
    asked: tuple[Call, ...] = ()
    """Running calls of this turn, without replies."""
    live: bool = False
    """The turn is running, or its memories are."""
    busy: frozenset[str] = frozenset()
    """Characters whose memory is being written."""
    turns: Mapping[int, Turn] = field(default_factory=dict)
    usage: tuple[UsageTotal, ...] = ()
    """Calls of the whole save, once requested."""
    first_words: FirstWords | None = None
    """Time to the first words of the newest pages."""

    @property
    def prompted_calls(self) -> tuple[Call, ...]:
        return (*self.calls, *self.asked, *self.untold)


class TurnCache:
    """Caches turns, games and calls until an event changes them."""

    def __init__(self, session: BaseSession[Any]) -> None:
        self._session = session
        self._games = LRUCache[int, Game](CACHED_TURNS)
        self._calls = LRUCache[int, tuple[Call, ...]](CACHED_TURNS)
        self._usage: tuple[tuple[UsageTotal, ...], FirstWords | None] | None = None
        self._changes = 0
        """Number of changes; reads that overlap one are not cached."""
        self.turns: dict[int, Turn] = {}

    def apply(self, event: e.Event) -> None:
        match event:
            case e.CallFinished(turn=turn):
                self._calls.discard(turn)
                self._usage = None
            case e.TurnSaved(turn=turn) | e.PromptSaved(prompt=turn):
                self._games.discard(turn)
                self.turns.pop(turn, None)
            case e.Edited() | e.Undone() | e.Redone() | e.BranchSwitched() | e.BlockStored():
                self._games.clear()
                self.turns.clear()
            case _:
                return
        self._changes += 1

    async def frame(self, number: int, running: RunningTurn) -> Frame:
        """Read everything about a turn, which may be running. Raises TheActError."""
        before = await self.game(number - 1) if number > 0 else None
        every = await self.calls(number)
        if running.turn and number == running.turn and before is not None:
            running_turn, asked = running.as_turn(before.state.chapter), self._session.agents.running.values()
            return Frame(
                number,
                running.applied_to(before),
                before,
                running_turn,
                tuple(call for call in every if call.id in running.finished),
                asked=tuple(replace(call, outcome="running", reply="") for call in asked),
                live=True,
                busy=running.busy,
                turns={**self.turns, number: running_turn},
            )
        game = await self.game(number)
        await self.read([number])
        turn = self.turns.get(number)
        calls = calls_of_take(every, turn) if turn else list(every)
        is_newest = number == self._session.story.state.turn
        untold = failed_attempt(await self.calls(number + 1)) if is_newest else []
        others = len(calls_of_other_takes(every, calls))
        if others and (await self._session.run(self._session.save.takes, number))[1] == 1:
            others = 0  # they told what was undone since
        return Frame(number, game, before, turn, tuple(calls), others, tuple(untold), turns=dict(self.turns))

    async def game(self, number: int) -> Game:
        """Return the game after a turn; for the newest with later edits."""
        if number == self._session.story.state.turn:
            return self._session.story
        return await self._cached(self._games, number, self._session.story_at)

    async def calls(self, number: int) -> tuple[Call, ...]:
        ledger = Ledger(self._session.save.private)
        return await self._cached(self._calls, number, lambda turn: asyncio.to_thread(ledger.turn, turn))

    async def _cached(self, cache: LRUCache[int, T], number: int, read: Callable[[int], Awaitable[T]]) -> T:
        if (value := cache.get(number)) is None:
            changes = self._changes
            value = await read(number)
            if changes == self._changes:
                cache[number] = value
        return value

    async def read(self, numbers: Iterable[int]) -> bool:
        """Read the newest few missing turns. False if none is missing."""
        missing = [
            number for number in sorted(numbers, reverse=True) if number > 0 and number not in self.turns
        ]
        chosen = sorted(missing[:TURNS_PER_READ])
        changes, turns = self._changes, list[Turn]()
        for first, last in runs_of(chosen):
            turns += await self._session.turns(first, last)
        if changes != self._changes:
            return bool(chosen)
        self.turns |= {turn.number: turn for turn in turns}
        return bool(turns)

    async def with_usage(self, frame: Frame) -> Frame:
        if self._usage is None:
            newest, ledger = self._session.story.state.turn, Ledger(self._session.save.private)
            usage = await asyncio.to_thread(ledger.usage, newest)
            words = await asyncio.to_thread(ledger.first_words, newest)
            self._usage = usage, words.get("narrator")
        usage, first_words = self._usage
        return replace(frame, usage=usage, first_words=first_words)


def runs_of(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Return first and last of each run of ascending numbers."""
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans


def calls_of(calls: Iterable[Call], person: str) -> list[Call]:
    """Return the calls for a character; for the narrator (`""`) those without one."""
    return [call for call in calls if call.character == person]
