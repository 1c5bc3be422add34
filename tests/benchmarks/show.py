"""`show` of a story of 1,000 turns against one of 10: at most 1.5 times.

    python -m tests.benchmarks.show [TURNS]

Each turn has five calls in the ledger. Prints one line of JSON: the least CPU seconds of some fresh processes.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.support.games import new_game, played
from theact_tui.models.base import Usage
from theact_tui.models.ledger import Call, Ledger
from theact_tui.prompting.sections import Prompt, Section
from theact_tui.saves.library import Library

STARTS = 5
LIMIT = 1.5
KEYS = ("narrator", "character:maya", "progress", "memory:maya", "memory:joaquin")


def make(home: Path, turns: int) -> None:
    with Library(home).create(new_game(f"Reef {turns}")) as save:
        ledger = Ledger(save.private)
        game = save.load()
        for turn in range(1, turns + 1):
            for key in KEYS:
                agent, _, character = key.partition(":")
                usage = Usage(prompt=1_500, cached=900, completion=150)
                call = Call(
                    id=key,
                    turn=turn,
                    agent=agent,
                    character=character,
                    provider="host",
                    model="tiny",
                    usage=usage,
                )
                call.reply = "The water stands a hand higher on the stair. " * 12
                call.asks(Prompt(tuple(Section(f"part {n}", f"{key} {n}") for n in range(12)), 1_500, 8_192))
                ledger.add(call, "main")
            save.commit(game := played(game, f"Step {turn}."))


def seconds(home: Path, turns: int) -> float:
    """The least CPU time of some starts."""
    command = [sys.executable, "-m", "theact_tui", "show", f"reef-{turns}", "--json", "--home", str(home)]
    found = []
    for _ in range(STARTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def main() -> None:
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    with tempfile.TemporaryDirectory() as home:
        for count in (10, turns):
            make(Path(home), count)
        few, many = (seconds(Path(home), count) for count in (10, turns))
    print(
        json.dumps(
            {"10": round(few, 3), str(turns): round(many, 3), "ratio": round(many / few, 2), "limit": LIMIT}
        )
    )


if __name__ == "__main__":
    main()
