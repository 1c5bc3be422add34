"""What a story costs after few and after many turns (S14): a turn and its commit, opening it, `show`; prints JSON.

    python -m tests.benchmarks.turns [TURNS]

Whole turns through a session on a real save with a model that answers at once: medians over a window of turns around
each place, all but the model. Saves copied at the places are opened and shown in turn, so that a busy machine slows all
alike. Milliseconds; compare those of the processor.
"""

import asyncio
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from tests.support.fake_model import Scripted, Stage, narration, small_pack, stage
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import open_session
from theact_tui.saves.save import Save

WINDOW = 41
PLACES = (10, 100, 1_000, 1_500, 5_000)
ROUNDS = 11
PROSE = (
    "The water stands a hand higher on the stair than it did before, and the lamp leans away from it. " * 8
)
Times = defaultdict[str, dict[int, list[float]]]


@contextmanager
def timed(spent: list[float], clock: Callable[[], float] = time.process_time) -> Iterator[None]:
    began = clock()
    yield
    spent.append(1_000 * (clock() - began))


def model() -> Scripted:
    return Scripted({"narrator": narration(PROSE, "ann, bob", "tense"), "character": PROSE[:400]})


async def play(home: Path, turns: int) -> dict[str, list[float]]:
    """Play `turns` turns and time each, and its commit. The save is copied at each place."""
    spent: dict[str, list[float]] = {"turn": [], "turn, wall": [], "commit": []}
    commit = Save.commit

    def watched(save: Save[Any], *given: Any, **more: Any) -> Any:
        with timed(spent["commit"], time.thread_time):
            return commit(save, *given, **more)

    with mock.patch.object(Save, "commit", watched):
        made = await stage(home, model(), small_pack())
        for number in range(1, turns + 1):
            with timed(spent["turn"]), timed(spent["turn, wall"], time.perf_counter):
                await made.turn(f"Step {number}.")
            made.model.asked.clear()
            made.events.clear()
            if number in PLACES:
                await keep(made, home / str(number))
        await made.session.close()
    return spent


async def keep(made: Stage, home: Path) -> None:
    """A copy of the story, closed, in a home of its own."""
    for work in (made.session.save._showing, made.session.save._packing):
        await made.session.run(work.wait)
    shutil.copytree(made.session.folder, home / "saves" / "test")
    await (await open_session(home / "saves" / "test", lambda pack, seed: model(), Bus())).close()


def show(home: Path) -> float:
    """Milliseconds of the processor that the whole command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "theact_tui", "--home", str(home), "show", "test"]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1_000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def reopen(home: Path) -> float:
    """Milliseconds of the processor until the story is open."""
    spent: list[float] = []
    with asyncio.Runner() as runner:
        with timed(spent):
            opening = open_session(home / "saves" / "test", lambda pack, seed: model(), Bus())
            session = runner.run(opening)
        runner.run(session.close())
    return spent[0]


def measure(turns: int) -> dict[str, Any]:
    places = [place for place in PLACES if place <= turns]
    found: Times = defaultdict(lambda: {place: [] for place in places})
    with tempfile.TemporaryDirectory() as name:
        for what, spent in asyncio.run(play(Path(name), turns)).items():
            found[what] = {place: around(spent, place) for place in places}
        for _ in range(ROUNDS):
            for place in places:
                found["show"][place].append(show(Path(name) / str(place)))
                found["open"][place].append(reopen(Path(name) / str(place)))
    medians = {what: {at: statistics.median(all) for at, all in each.items()} for what, each in found.items()}
    return {
        "turns": turns,
        "milliseconds": {
            what: {at: round(each, 1) for at, each in row.items()} for what, row in medians.items()
        },
        "to the first place": {
            what: {at: round(each / row[places[0]], 2) for at, each in row.items()}
            for what, row in medians.items()
        },
    }


def around(spent: list[float], place: int) -> list[float]:
    """The figures around a place; the first ones are left out as a warm-up."""
    first = max(3, place - WINDOW // 2)
    return spent[first : min(len(spent), first + WINDOW)]


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_020), indent=2))
