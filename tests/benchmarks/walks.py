"""Random walks over an open story, with faults of model and disk, kills and other programs' commits (S14).

    python -m tests.benchmarks.walks [WALKS] [SEED]

WALKS are those of `tests/support/session_walks.py`, in real threads; each ends with a look at all that was told. Prints
JSON; every broken law is printed with its walk. `kill_program` kills real processes.
"""

import asyncio
import json
import logging
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.support.session_walks import Step, run_walk

STEPS = 16
SECONDS_TO_WALK = 120


@dataclass
class Counts:
    """What came of it."""

    walks: int = 0
    steps: int = 0
    turns: int = 0
    kills_in_walks: int = 0
    longest_leaving_seconds: float = 0.0
    broken: dict[str, int] = field(default_factory=Counter)
    seconds: float = 0.0

    def broke(self, text: str, what: str) -> None:
        self.broken[text.split("\n")[0][:200]] += 1
        print(f"{what}: {text}", file=sys.stderr)


def walk_at_random(counts: Counts, count: int, seed: int) -> None:
    for number in range(seed, seed + count):
        steps = Step.walk(Random(number), STEPS)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            walking = run_walk(Path(home), steps, is_inline=False)
            try:
                walk = asyncio.run(asyncio.wait_for(walking, SECONDS_TO_WALK))
            except (Exception, asyncio.CancelledError) as error:
                counts.broke(str(error) or repr(error), f"walk {number}")
            else:
                counts.turns += walk.turns
                counts.kills_in_walks += walk.kills
                counts.longest_leaving_seconds = max(counts.longest_leaving_seconds, walk.longest_leaving)
        counts.walks += 1
        counts.steps += STEPS


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:]]
    walks, seed = numbers + [1000, 1][len(numbers) :]
    logging.disable()
    counts, began = Counts(), time.monotonic()
    walk_at_random(counts, walks, seed)
    counts.seconds = round(time.monotonic() - began, 1)
    counts.longest_leaving_seconds = round(counts.longest_leaving_seconds, 2)
    print(json.dumps(vars(counts), indent=2))


if __name__ == "__main__":
    main()
