"""What the inspector reads: the game as a turn left it, its words and its calls. All of it off the screen's loop."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from theact_tui.engine import events as e
from theact_tui.engine.session import Session
from theact_tui.models.ledger import Call, Ledger
from theact_tui.story.game import Game
from theact_tui.story.matching import plain
from theact_tui.story.turn import Turn
from theact_tui.tui.screens.inspector_live import Live

KEPT = 64
"""Turns whose state and calls are kept at hand."""
T = TypeVar("T")
PAGE = 8
"""Turns read in one go, so that a save never waits long for its turn in the storage thread."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A turn under the glass."""

    number: int
    game: Game
    """As this turn left it."""
    before: Game | None
    """As the turn before left it; None at the beginning."""
    turn: Turn | None
    """Its words; None before the first turn."""
    calls: tuple[Call, ...] = ()
    """Those of the telling that is in the story, in the order they ended."""
    others: int = 0
    """How many calls other takes of this turn took."""
    untold: tuple[Call, ...] = ()
    """With the newest turn: the calls of an attempt at the next one that came to nothing."""
    live: bool = False
    """It is being told or remembered now."""


class Book:
    """Reads a session's turns and keeps what was read."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._games: dict[int, Game] = {}
        self._kept: dict[int, tuple[Call, ...]] = {}
        self._changes = 0
        """How often something was told to have changed: what was read meanwhile is not kept."""
        self.turns: dict[int, Turn] = {}
        """Those read so far, by number."""

    def take(self, event: e.Event) -> None:
        """Read anew what an event says has changed."""
        match event:
            case e.CallFinished(turn=turn):
                self._kept.pop(turn, None)
            case e.TurnSaved(turn=turn):
                self._games.pop(turn, None)
                self.turns.pop(turn, None)
            case e.Edited() | e.Undone() | e.Redone() | e.BranchSwitched():
                self._games.clear()
                self.turns.clear()
            case _:
                return
        self._changes += 1

    async def frame(self, number: int, live: Live) -> Frame:
        """All about a turn. Raises `TheActError` when it cannot be read."""
        before = await self.game(number - 1) if number > 0 else None
        if live.turn and number == live.turn and before is not None:
            calls = [call for call in await self._calls(number) if call.id in live.finished]
            words = live.words(before.state.chapter)
            return Frame(number, live.over(before), before, words, tuple(calls), live=True)
        game = await self.game(number)
        await self.read([number])
        turn = self.turns.get(number)
        every = await self._calls(number)
        calls = told_calls(every, turn) if turn else []
        untold = (
            failed_telling(await self._calls(number + 1)) if number == self._session.game.state.turn else []
        )
        return Frame(number, game, before, turn, tuple(calls), len(retold(every, calls)), tuple(untold))

    async def game(self, number: int) -> Game:
        """The game as a turn left it; the newest with what was changed since by hand."""
        if number == self._session.game.state.turn:
            return self._session.game
        if number in self._games:
            return self._games[number]
        changes = self._changes
        game = await self._session.game_at(number)
        if changes == self._changes:
            _keep(self._games, number, game)
        return game

    async def read(self, numbers: Iterable[int]) -> bool:
        """Read the newest few of these turns that are not known yet; False when there is nothing more to read."""
        missing = [
            number for number in sorted(numbers, reverse=True) if number > 0 and number not in self.turns
        ]
        chosen = sorted(missing[:PAGE])
        changes, found = self._changes, list[Turn]()
        for first, last in _runs(chosen):
            found += await self._session.turns(first, last)
        if changes != self._changes:
            return bool(chosen)
        self.turns |= {turn.number: turn for turn in found}
        return bool(found)

    async def _calls(self, number: int) -> tuple[Call, ...]:
        if number in self._kept:
            return self._kept[number]
        changes = self._changes
        calls = await asyncio.to_thread(Ledger(self._session.save.ledger_folder).turn, number)
        if changes == self._changes:
            _keep(self._kept, number, calls)
        return calls


def _keep(known: dict[int, T], number: int, value: T) -> None:
    """Keep what was read, and let go of what was read first."""
    known[number] = value
    while len(known) > KEPT:
        del known[next(iter(known))]


def _runs(numbers: Sequence[int]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for number in numbers:
        if spans and spans[-1][1] == number - 1:
            spans[-1] = (spans[-1][0], number)
        else:
            spans.append((number, number))
    return spans


# --- which calls told a turn --------------------------------------------------------------------------------------


def told_calls(calls: Iterable[Call], turn: Turn) -> list[Call]:
    """The calls that told `turn` as it stands in the story: a turn that was retried has those of every take."""
    groups = tellings(calls)
    begun = plain(turn.narration)[:60]
    for group in reversed(groups):
        told = (plain(call.reply) for call in group if call.agent == "narrator")
        if begun and any(begun in reply for reply in told):
            return group
    return groups[-1] if groups else []


def retold(calls: Iterable[Call], told: Sequence[Call]) -> list[Call]:
    """The calls of the other takes of what was `told`: a telling that came to nothing is none, and what was told on
    another branch is another story."""
    branch = told[0].branch if told else ""
    return [
        call
        for group in tellings(calls)
        if group != told and group[0].branch == branch and not _came_to_nothing(group)
        for call in group
    ]


def failed_telling(calls: Iterable[Call]) -> list[Call]:
    """The last telling, if it came to nothing."""
    last = tellings(calls)[-1:]
    return last[0] if last and _came_to_nothing(last[0]) else []


def _came_to_nothing(telling: Collection[Call]) -> bool:
    """True if its narrator did not come to an end."""
    ended = [call.outcome for call in telling if call.agent == "narrator"]
    return bool(ended) and ended[-1] in ("failed", "cancelled")


def tellings(calls: Iterable[Call]) -> list[list[Call]]:
    """Calls of a turn in one group per telling. Nobody is narrator or keeper twice in one."""
    branches: dict[str, list[list[Call]]] = {}
    for call in calls:
        groups = branches.setdefault(call.branch, [])
        if not groups or _is_next(call, groups[-1]):
            groups.append([])
        groups[-1].append(call)
    return [group for groups in branches.values() for group in groups]


def _is_next(call: Call, group: Collection[Call]) -> bool:
    return call.agent in ("narrator", "keeper") and any(known.agent == call.agent for known in group)


def calls_of(calls: Iterable[Call], person: str) -> list[Call]:
    """The calls made for a character; for the narrator (`""`) those made for nobody else."""
    return [call for call in calls if call.character == person]
