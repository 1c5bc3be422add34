"""Games without a disk, for laws that need many turns: the engine's own turns on a save that is only in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar, cast

from tests.support.fake_model import Scripted, Ticking, small_pack
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import Event
from theact_tui.engine.turn import StoryState, TurnRunner
from theact_tui.saves.save_thread import SaveThread
from theact_tui.story.game import Game, Spoken, new_game
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Event)


@dataclass
class Kept:
    """What turns need of a save."""

    branch: str = "main"
    head: str = "0"
    told: dict[int, Turn] = field(default_factory=dict)

    @property
    def unfinished(self) -> Kept:
        return self

    def journal(self, spoken: Spoken) -> None:
        self.head = f"spoken {spoken.turn.number}"

    def commit(self, game: Game) -> str:
        number = game.state.turn
        self.told[number] = game.turns[number]
        self.head = str(number)
        return self.head

    def turns(self, first: int, last: int) -> tuple[Turn, ...]:
        return tuple(self.told[number] for number in range(first, last + 1))


class Memory:
    """A storage without a thread."""

    def __init__(self) -> None:
        self.save = Kept()

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        return function(*args, **kwargs)


class Unsaved:
    """A game that is played without a save, on a model whose answers arrive whole."""

    def __init__(self, model: Scripted, pack: Pack | None = None, *, seed: int = 1) -> None:
        bus = Bus(Ticking())
        self.model = model
        model.piece = 4_000
        self.events: list[Event] = []
        bus.listen(self.events.append)
        game = new_game(pack or small_pack(), title="Test", player="Alex", seed=seed, created="")
        self._store = Memory()
        thread = cast(SaveThread[Game], self._store)
        self._state = StoryState(game, AgentRunner(model, bus, pack=game.pack))
        self._turns = TurnRunner(self._state, thread, bus, self._commit)

    @property
    def game(self) -> Game:
        return self._state.game

    async def _commit(self, game: Game) -> str:
        return self._store.save.commit(game)

    async def turn(self, *lines: str) -> None:
        for line in lines:
            await self._turns.run_turn(self._turns.new_turn(self.game, line))
            await self._turns.settle()

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]
