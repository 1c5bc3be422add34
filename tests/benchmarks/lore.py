"""What lore costs a turn: choosing among 500 entries for the narrator and three characters. Prints JSON."""

from __future__ import annotations

import json
import random
import time

from tests.support.fake_model import small_pack
from theact_tui.engine.views import narrator_view
from theact_tui.prompting.tokens import Tokens
from theact_tui.story.game import new_game
from theact_tui.story.lore import LoreEntry, LoreRoom
from theact_tui.story.turn import Entry
from theact_tui.story.viewpoints import viewpoint_of

ENTRIES, KEYS, TURNS = 500, 4, 200


def main() -> None:
    """Measure turns with lore against turns without."""
    rng = random.Random(1)
    vocabulary = [f"word{number}" for number in range(4_000)]
    entries = tuple(
        LoreEntry(
            id=f"e{number}",
            text=" ".join(rng.choices(vocabulary, k=60)),
            keys=tuple(rng.sample(vocabulary, KEYS)),
            known_by=(rng.choice(["everyone", "narrator", "ann", "bob"]),),
        )
        for number in range(ENTRIES)
    )
    story = " ".join(rng.choices(vocabulary, k=100))
    print(
        json.dumps({"entries": ENTRIES, "ms": {"with": _turn(entries, story), "without": _turn((), story)}})
    )


def _turn(entries: tuple[LoreEntry, ...], story: str) -> dict[str, float]:
    pack = small_pack().model_copy(update={"lore": {"book": entries} if entries else {}})
    game = new_game(pack, title="T", player="Alex", seed=1, created="")
    room = LoreRoom(983, Tokens().count)
    times = []
    for number in range(TURNS):
        told = [
            Entry(role="player", text=f"{story} {number}"),
            Entry(role="narrator", text=f"{story} {number}"),
        ]
        began = time.perf_counter()
        narrator_view(game, "play", f"{story} {number}", None, 1, lore_room=room)
        for name in ("ann", "bob", "ann"):
            viewpoint_of(game, name, told, ("ann", "bob"), lore_room=room)
        times.append((time.perf_counter() - began) * 1000)
    times.sort()
    return {"median": round(times[TURNS // 2], 2), "p95": round(times[TURNS * 95 // 100], 2)}


if __name__ == "__main__":
    main()
