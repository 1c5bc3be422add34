"""The program's own time for a turn, all but the model, at turn 10 and at turn 1,000 (S14); prints JSON.

    python -m tests.benchmarks.turns [TURNS]

Whole turns through `Session` on a real save with a model that answers at once: wall and processor time of a turn,
medians over a window of turns around each place.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.support.fake_model import Scripted, narration, small_pack, stage

WINDOW = 41
PLACES = (10, 100, 1_000, 5_000)
PROSE = (
    "The water stands a hand higher on the stair than it did before, and the lamp leans away from it. " * 8
)


async def measure(turns: int) -> dict[str, object]:
    """Play `turns` turns and time each."""
    model = Scripted()
    model.answers |= {"narrator": narration(PROSE, "ann, bob", "tense"), "character": PROSE[:400]}
    wall: list[float] = []
    cpu: list[float] = []
    with tempfile.TemporaryDirectory() as home:
        made = await stage(Path(home), model, small_pack())
        for number in range(1, turns + 1):
            started, used = time.perf_counter(), time.process_time()
            await made.turn(f"Step {number}.")
            wall.append(time.perf_counter() - started)
            cpu.append(time.process_time() - used)
            made.model.asked.clear()
            made.events.clear()
        await made.session.close()
    places = [place for place in PLACES if place <= turns]
    figures = {str(place): _around(wall, cpu, place) for place in places}
    last = str(places[-1])
    return {
        "turns": turns,
        "milliseconds": figures,
        "last_to_first": {
            "wall": round(figures[last]["wall"] / figures[str(places[0])]["wall"], 2),
            "cpu": round(figures[last]["cpu"] / figures[str(places[0])]["cpu"], 2),
        },
    }


def _around(wall: list[float], cpu: list[float], place: int) -> dict[str, float]:
    """Medians, in milliseconds, of the turns around a place; the first ones are left out as a warm-up."""
    first = max(3, place - WINDOW // 2)
    last = min(len(wall), first + WINDOW)
    return {
        "wall": round(1000 * statistics.median(wall[first:last]), 1),
        "cpu": round(1000 * statistics.median(cpu[first:last]), 1),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 1_020)), indent=2))
