"""What the player waits for on the screen, from the key to the painted frame, after few and after many turns: at
most 100 ms each.

    python -m tests.benchmarks.screens [SIZE ...]

The real app, headless at 140x40, on saves of a small pack; every size is measured in turns, three rounds each. Prints
JSON: by operation and size the median and the worst, milliseconds by the clock and by the processor, and how fast the
machine is now. Painting counts up to the terminal's bytes, not what the terminal does with them.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from inspect import getfile
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events
from textual.pilot import Pilot
from textual.screen import Screen

from tests.benchmarks.loop import speed
from tests.benchmarks.storage import next_turn
from tests.benchmarks.terminal import Terminal
from tests.support.games import new_game
from tests.support.pilot import Player, at_home, still, until
from theact_tui.models.settings import Settings, Ui
from theact_tui.paths import Home
from theact_tui.saves.save import Save
from theact_tui.tui.app import TheActApp
from theact_tui.tui.branches.compare import CompareScreen
from theact_tui.tui.branches.screen import BranchesScreen
from theact_tui.tui.inspector.screen import InspectorScreen
from theact_tui.tui.services import AppServices
from theact_tui.tui.widgets.menus import LeaderMenu

if TYPE_CHECKING:
    from rich.console import RenderableType

SIZES = (10, 5_000)
ROUNDS = 3
LIMIT = 100
QUIET = 0.25
"""Seconds without a key between two operations."""

Figures = dict[str, list[tuple[float, float]]]
"""Wall and processor milliseconds of each operation."""


class Watched(TheActApp):
    """Notes when a frame in which `shows` holds has been painted."""

    CSS_PATH = str(Path(getfile(TheActApp)).with_name("app.tcss"))
    shows: Callable[[], bool] | None = None
    painted: tuple[float, float] | None = None
    """The clock and the processor's time then."""

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        super()._display(screen, renderable)
        if self.shows and self.shows():
            self.shows, self.painted = None, (time.perf_counter(), time.process_time())


def fill(folder: Path, size: int) -> None:
    """A save with so many turns, a few branches and other takes. Filling does not wait for the disk."""
    sync, os.fsync = os.fsync, lambda fd: None
    game = new_game()
    game = replace(game, pack=game.pack.model_copy(update={"prompts": {}}))
    save = Save.create(folder, game)
    for number in range(1, size + 1):
        game = next_turn(game)
        save.commit(game)
        if number in (size // 7, size // 2, size - 3):
            save.switch_branch(save.create_branch(f"way {number}", number - number // 10))
            for _ in range(5):
                save.commit(next_turn(save.load()))
            save.begin_take()
            save.commit(next_turn(save.load()))
            save.switch_branch("main")
    save.close()
    os.fsync = sync


def app_at(home: Path) -> Watched:
    """The app on a home, with nothing that moves."""
    place = Home.find(home).create()
    settings = Settings(ui=Ui(cursor_blink=False, animations=False, pace=0))
    return Watched(place, settings=settings, services=AppServices(place, clock=still))


async def measure(home: Path, found: Figures) -> None:
    """Open the story and go about in it."""
    app = app_at(home)
    app.driver_class = Terminal
    async with app.run_test(headless=False, size=(140, 40)) as pilot:
        await at_home(pilot)
        player = Player(pilot)

        async def timed(what: str, key: str, shows: Callable[[], bool]) -> None:
            found[what].append(await _timed(pilot, app, key, shows))

        def told(turn: int) -> Callable[[], bool]:
            return lambda: player.playing and player.transcript.window.last == turn

        await _timed(pilot, app, "enter", lambda: player.playing and bool(player.page.strip()))
        newest = player.session.game.state.turn
        for what, letter, turn in 2 * (("undo", "u", newest - 1), ("redo", "r", newest)):
            await _timed(pilot, app, "ctrl+g", lambda: isinstance(app.screen, LeaderMenu))
            await timed(what, letter, told(turn))
        for _ in range(2):
            await timed("open the tree", "f3", lambda: _settled(app, BranchesScreen))
            for key in ("left", "left", "down", "left", "left"):
                await timed("step in the tree", key, lambda: _settled(app, BranchesScreen))
            await timed("compare", "c", lambda: _settled(app, CompareScreen))
            await _timed(pilot, app, "escape", lambda: isinstance(app.screen, BranchesScreen))
            await _timed(pilot, app, "escape", lambda: app.screen is player.screen)
            await timed("memories in the inspector", "f2", lambda: _lists_memories(app))
            await _timed(pilot, app, "f2", lambda: app.screen is player.screen)
            await timed("all of the inspector", "f2", lambda: _settled(app, InspectorScreen))
            for key in ("left", "left", "tab", "x", "c"):
                await timed("step in the inspector", key, lambda: _settled(app, InspectorScreen))
            await timed("close the inspector", "f2", lambda: app.screen is player.screen)
        await player.session.close()


async def _timed(
    pilot: Pilot[None], app: Watched, key: str, shows: Callable[[], bool]
) -> tuple[float, float]:
    await asyncio.sleep(QUIET)
    app.painted, app.shows = None, shows
    clock, cpu = time.perf_counter(), time.process_time()
    app.post_message(events.Key(key, None))
    await until(pilot, lambda: app.painted is not None, f"{key} to be painted")
    assert app.painted
    return 1000 * (app.painted[0] - clock), 1000 * (app.painted[1] - cpu)


def _settled(app: Watched, kind: type[BranchesScreen | CompareScreen | InspectorScreen]) -> bool:
    """This screen is shown with all it reads."""
    return isinstance(app.screen, kind) and app.screen.settled


def _lists_memories(app: Watched) -> bool:
    """The inspector says what somebody remembers; who knows what is still being read."""
    return isinstance(app.screen, InspectorScreen) and bool(app.screen.panes.memory.rows)


def main() -> None:
    """Fill, measure in turns, print."""
    sizes = tuple(int(size) for size in sys.argv[1:]) or SIZES
    found: dict[int, Figures] = {size: defaultdict(list) for size in sizes}
    with tempfile.TemporaryDirectory() as name:
        for size in sizes:
            fill(Path(name, str(size), "saves", "long"), size)
            print(f"{size} turns", file=sys.stderr)
        for _ in range(ROUNDS):
            for size in sizes:
                asyncio.run(measure(Path(name, str(size)), found[size]))
    rows = {what: _row(found, what) for what in found[sizes[0]]}
    print(json.dumps({"limit_ms": LIMIT, "machine": round(speed(), 2), **rows}, indent=2))


def _row(found: dict[int, Figures], what: str) -> dict[str, dict[str, float]]:
    row: dict[str, dict[str, float]] = {}
    for size, figures in found.items():
        wall, cpu = zip(*figures[what], strict=True)
        row[str(size)] = {
            "wall": round(statistics.median(wall), 1),
            "worst_wall": round(max(wall), 1),
            "cpu": round(statistics.median(cpu), 1),
            "worst_cpu": round(max(cpu), 1),
        }
    return row


if __name__ == "__main__":
    main()
