"""The longest stretch for which the event loop was busy during a whole offline game: at most 120 ms of the processor.

    python -m tests.benchmarks.loop [PACK] [WORDS-A-SECOND]

Prints one line of JSON. The real app at 120x40, with frames made up to the terminal's bytes, plays a shipped pack to its
end; every few turns the inspector is opened while a turn is told, and closed again. Each callback of the loop is timed,
by the clock and by the processor; a watcher writes down where the slow ones stood. A stretch counts as the program's own
when the processor says so too: what only the clock says was the machine's.
"""

import asyncio
import gc
import json
import resource
import sys
import tempfile
import threading
import time
import traceback
from asyncio import events
from pathlib import Path
from typing import Any, cast

from textual.app import App

from tests.benchmarks.terminal import Terminal
from tests.support.pilot import Player, at_home, opens, until
from theact_tui.engine.open_sessions import create_session
from theact_tui.engine.session import ModelsFor
from theact_tui.models.model_for_agent import Offline
from theact_tui.models.settings import Settings
from theact_tui.packs.library import find_packs
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.pack import Pack
from theact_tui.storyteller import Storyteller
from theact_tui.tui.app import TheActApp
from theact_tui.tui.open_stories import AppServices

LIMIT = 0.12
LINES = ("I look around.", "I ask them what they have seen.", "I follow the sound.", "I help carry it.")
MOST_TURNS = 80
INSPECT_EVERY = 5
KEYS = ("x", "k", "c", "v", "left", "right", "tab")
"""What is pressed in the inspector."""


class Watch:
    """Times every callback of the loop on this thread, and looks where the slow ones stand."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self.thread = threading.get_ident()
        self.began: float | None = None
        self.worst_clock = self.worst_cpu = 0.0
        self.worst_collection = 0.0
        self.over_clock = self.over_cpu = 0
        self.where: dict[str, list[float]] = {}
        """Milliseconds of the slow callbacks, by where they were seen."""
        self.saw = ""
        self.ended = False
        self._collecting = 0.0

    def install(self) -> None:
        """From now on every callback is timed."""
        run, watch = events.Handle._run, self

        def timed(handle: events.Handle) -> Any:
            watch.began, watch.saw, cpu = time.perf_counter(), "", time.thread_time()
            result = run(handle)
            watch.took(handle, time.perf_counter() - watch.began, time.thread_time() - cpu)
            watch.began = None
            return result

        cast(Any, events.Handle)._run = timed
        gc.callbacks.append(self._collected)
        threading.Thread(target=self._look, daemon=True).start()

    def took(self, handle: events.Handle, clock: float, cpu: float) -> None:
        """One callback is over."""
        self.worst_clock, self.worst_cpu = max(self.worst_clock, clock), max(self.worst_cpu, cpu)
        self.over_clock += clock > LIMIT
        if cpu > LIMIT:
            self.over_cpu += 1
            shown = "".join(type(screen).__name__ for screen in self._app.screen_stack[-1:])
            where = f"{shown}: {self.saw or _task(handle)}"
            self.where.setdefault(where, []).append(round(1000 * cpu))

    def _collected(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._collecting = time.thread_time()
        elif threading.get_ident() == self.thread:
            self.worst_collection = max(self.worst_collection, time.thread_time() - self._collecting)

    def _look(self) -> None:
        while not self.ended:
            time.sleep(0.005)
            began = self.began
            if began and not self.saw and time.perf_counter() - began > LIMIT * 0.4:
                stack = traceback.extract_stack(sys._current_frames()[self.thread])
                self.saw = _named(list(reversed(stack)))


def _task(handle: events.Handle) -> str:
    """Whose step a callback was, where nobody saw what it was at."""
    task = getattr(cast(Any, handle)._callback, "__self__", None)
    return f"a step of {task.get_name()}" if isinstance(task, asyncio.Task) else f"unseen {handle!r:.60}"


def _named(stack: list[traceback.FrameSummary]) -> str:
    """The program's own innermost function of a stack, innermost first, and what it was in the middle of."""
    names = [f"{Path(at.filename).stem}.{at.name}" for at in stack]
    own = [name for at, name in zip(stack, names, strict=True) if "theact_tui" in at.filename][:2]
    pumps = [
        name for name in names if name.split(".")[0] in ("screen", "_callback", "message_pump", "timer")
    ][:2]
    return " < ".join(["collector"] if "loop._collected" in names else own or names[:3] + pumps)


async def look_inside(player: Player) -> None:
    """Open the inspector beside the running turn, go about in it, and come back."""
    from theact_tui.tui.inspector.screen import InspectorScreen

    await opens(player.pilot, InspectorScreen, "f2")
    for key in KEYS:
        await player.press(key)
        await asyncio.sleep(0.2)
    await player.press("f2")
    await until(player.pilot, lambda: player.app.screen is player.screen)


async def game(pack_id: str, pace: float) -> dict[str, object]:
    """Play to the end; returns the figures."""

    def teller(pack: Pack, seed: int) -> object:
        return Offline(Storyteller(pack, seed, pace=pace))

    with tempfile.TemporaryDirectory() as folder:
        home = Home.find(Path(folder)).create()
        app = TheActApp(home, settings=Settings(), services=AppServices(home))
        app.driver_class = Terminal
        watch = Watch(app)
        async with app.run_test(headless=False, size=(120, 40)) as pilot:
            await at_home(pilot)
            found = next(entry for entry in find_packs(app.home.packs) if entry.id == pack_id)
            pack = load_pack(found.folder)
            session = await create_session(
                Library(app.home.data), pack, "Whole", "Alex", 7, cast(ModelsFor, teller), app.services._bus()
            )
            player = Player(pilot)
            watch.install()
            memory = _megabytes()
            await player.open(session)
            turn = 1
            while not session.game.state.game_complete and turn < MOST_TURNS:
                await player.send(LINES[turn % len(LINES)])
                turn += 1
                if turn % INSPECT_EVERY == 0:
                    await look_inside(player)
                await player.turn(turn)
            ended = session.game.state.game_complete
            watch.ended = True
            await session.close()
    return {
        "pack": pack_id,
        "turns": turn,
        "ended": ended,
        "worst_ms": round(1000 * watch.worst_cpu, 1),
        "over_limit": watch.over_cpu,
        "worst_by_the_clock_ms": round(1000 * watch.worst_clock, 1),
        "over_limit_by_the_clock": watch.over_clock,
        "worst_collection_ms": round(1000 * watch.worst_collection, 1),
        "memory_grew_mb": round(_megabytes() - memory, 1),
        "target_ms": 1000 * LIMIT,
        "machine": round(speed(), 2),
        "where": dict(sorted(watch.where.items(), key=lambda item: -len(item[1]))[:14]),
    }


def speed() -> float:
    """Seconds this machine takes now for five million additions; a usual one takes a quarter of a second."""
    began = time.thread_time()
    total = 0
    for number in range(5_000_000):
        total += number
    return time.thread_time() - began


def _megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    asked = sys.argv[1:]
    print(
        json.dumps(asyncio.run(game(asked[0] if asked else "lost-island", float((asked[1:] or ["400"])[0]))))
    )
