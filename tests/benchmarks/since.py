"""Time `since` on a story of 1,000 turns: `python -m tests.benchmarks.since`. The target is 2 seconds for any line."""

import json
import tempfile
import time
from functools import partial
from pathlib import Path

from tests.support.games import new_game, played, ticking
from theact_tui.saves.save import Save
from theact_tui.story.memory import Fact, FactsMemory, change_facts

TURNS = 1_000


def turn_of(number: int, text: str) -> int:
    return number


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Save.create(Path(folder) / "long", new_game(), clock=ticking()) as save,
    ):
        for number in range(1, TURNS + 1):
            before = save.load()
            game = played(before).with_memory("maya", before.memories["maya"])
            maya = game.memories["maya"]
            assert isinstance(maya, FactsMemory)
            text = f"Wave {number} breaks at stone {number}."
            maya = change_facts(
                maya, turn_of=partial(turn_of, number), new=[(text, "promise" if number == 1 else "")]
            )
            if number == 1:
                maya = maya.model_copy(
                    update={
                        "key_facts": (Fact(text="Pinned since turn 1.", turn=1, pinned=True), *maya.key_facts)
                    }
                )
                game = game.with_state(beats_hit=("land",))
            save.commit(game.with_memory("maya", maya))
        seconds = {}
        for words in (
            "Pinned since turn 1.",
            "Wave 1 breaks",
            f"Wave {TURNS - 300} breaks",
            f"Wave {TURNS} breaks",
            "land",
        ):
            with Save.open(save.folder, write=False) as opened:
                began, busy = time.perf_counter(), time.process_time()
                answer = opened.since(words)
                seconds[answer.text] = [
                    round(time.perf_counter() - began, 2),
                    round(time.process_time() - busy, 2),
                ]
    print(json.dumps({"turns": TURNS, "seconds": seconds, "most": max(seconds.values())}, indent=2))


if __name__ == "__main__":
    main()
