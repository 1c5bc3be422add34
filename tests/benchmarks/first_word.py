"""Seconds from a line to the first word of its page, with a real model, with prompts read ahead and without. Prints JSON.

    python -m tests.benchmarks.first_word --base-url http://127.0.0.1:8090/v1 [--turns 5] [--pack lost-island ...]

Games with and without take turns, so that a busy machine slows both; the player reads until nothing is being done, or
(`hurried`) goes on a second after the next prompt began to be read ahead.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.telling_server import CONTENT
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import ModelsChooser
from theact_tui.engine.events import Event, NarrationToken
from theact_tui.engine.open_sessions import create_session
from theact_tui.engine.session import StorySession
from theact_tui.errors import TheActError
from theact_tui.models.base import Models
from theact_tui.models.environment import ModelOptions
from theact_tui.models.ledger import Call, Ledger
from theact_tui.models.profiles import WhetherToWarm
from theact_tui.models.settings import Settings
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.story.pack import Pack

LINES = (
    "I look around and listen.",
    "I try to climb the rocks to see further.",
    "“Is everybody well?” I ask.",
    "I search the place for anything that we could use.",
    "I run ahead.",
    "I wait, and watch the others.",
)


class Player:
    """A game whose player reads each page to its end, and how long the first words took."""

    def __init__(self, session: StorySession, name: str, *, hurried: bool) -> None:
        self.session, self.name, self.hurried = session, name, hurried
        self.seconds: list[float] = []
        self._began: float | None = None
        session.bus.listen(self._heard)

    def _heard(self, event: Event) -> None:
        if isinstance(event, NarrationToken) and event.text.strip() and self._began is not None:
            self.seconds.append(time.monotonic() - self._began)
            self._began = None

    async def turn(self) -> None:
        """One turn, until nothing is being done any more."""
        self._began = time.monotonic()
        try:
            await self.session.play(LINES[self.session.game.state.turn % len(LINES)])
        except TheActError as error:
            print(f"{self.name}: {error}", file=sys.stderr)
        await self.session.settle()
        await asyncio.sleep(1)
        while not self.hurried and any(task.get_name() == "warm-up" for task in asyncio.all_tasks()):
            await asyncio.sleep(0.05)

    def paces(self, told: list[Call]) -> list[float]:
        """Milliseconds for each token of a page's prompt: games tell other pages, and their prompts differ in length."""
        pairs = zip(self.seconds[1:], told, strict=False)
        return [round(1000 * seconds / (call.usage.prompt or call.tokens), 2) for seconds, call in pairs]

    def figures(self) -> dict[str, Any]:
        """What the turns after the first came to."""
        ledger = Ledger(self.session.save.private)
        calls = [call for turn in range(2, self.session.game.state.turn + 1) for call in ledger.turn(turn)]
        told = [call for call in calls if call.agent == "narrator"]
        return {
            "seconds": [round(each, 2) for each in self.seconds],
            "milliseconds a token": self.paces(told),
            "narrator's fresh tokens": [(c.usage.prompt or 0) - (c.usage.cached or 0) for c in told],
            "warm-ups": sum(call.agent == "warm-up" for call in calls),
        }


async def opened(folder: Path, pack: str, base_url: str, way: str) -> Player:
    """A new game."""
    warm_up: WhetherToWarm = "off" if way == "off" else "on"
    profile = {"base_url": base_url, "warm_up": warm_up}
    settings = Settings.model_validate({"profile": "bench", "profiles": {"bench": profile}})

    def models(chosen: Pack, seed: int) -> Models:
        return ModelsChooser(settings, ModelOptions(), {}, folder / "cache")(chosen, seed)

    game = load_pack(CONTENT / pack)
    session = await create_session(Library(folder / way), game, "bench", "Sam", 1, models, Bus())
    session.read_ahead()
    return Player(session, f"{pack}, {way}", hurried=way == "hurried")


async def measure(options: argparse.Namespace) -> dict[str, Any]:
    """All figures. The first turn of a game is not counted: nothing was read ahead of it. Compared is what each token of a
    prompt took, since the games tell other pages."""
    result: dict[str, Any] = {}
    for pack in options.pack:
        paces: dict[str, list[float]] = {"off": [], "on": [], "hurried": []}
        games: list[dict[str, Any]] = []
        for _ in range(options.rounds):
            for way, counted in paces.items():
                with tempfile.TemporaryDirectory() as folder:
                    player = await opened(Path(folder), pack, options.base_url, way)
                    for _ in range(options.turns):
                        await player.turn()
                    games.append({"way": way, **player.figures()})
                    counted += games[-1]["milliseconds a token"]
                    await player.session.close()
        medians = {way: round(statistics.median(all), 2) for way, all in paces.items()}
        shares = {f"{way} / off": round(medians[way] / medians["off"], 3) for way in ("on", "hurried")}
        targets = {"on / off": 0.333, "hurried / off": 1.0}
        result[pack] = {"median milliseconds a token": medians, **shares, "targets": targets, "games": games}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--pack", nargs="+", default=["lost-island", "salt-road"])
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=2)
    print(json.dumps(asyncio.run(measure(parser.parse_args())), indent=2))


if __name__ == "__main__":
    main()
