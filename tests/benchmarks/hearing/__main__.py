"""Who perceives what: labelled scenes put to the program with a right form. Prints JSON.

    python -m tests.benchmarks.hearing --perfect [--play] [--forget 0.1 --draws 200]

The form is filled from the labels; with `--play` each scene is played by it, and what reaches each person's prompts is
counted. README.md says more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.support.hearing.game import Played, decided, play
from tests.support.hearing.pieces import pieces_of, right_marks
from tests.support.hearing.scenes import Scene, load_scenes, spread
from tests.support.hearing.score import Reading, reading_of_marks, score, total


def remembered(scene: Scene, forget: float, chance: Random) -> dict[str, set[str]]:
    """The right marks of a scene, less a share of them."""
    return {
        id: {label for label in sorted(labels) if chance.random() >= forget}
        for id, labels in right_marks(scene, pieces_of(scene)).items()
    }


async def by_right_form(
    scenes: Sequence[Scene], forget: float, draws: int, *, plays: bool
) -> dict[str, dict[str, float | int]]:
    """The figures of a form filled from the labels: of its pieces alone, by the program, and in a game where it `plays`."""
    readings = [
        [reading_of_marks(scene, remembered(scene, forget, chance)) for scene in scenes]
        for chance in map(Random, range(draws))
    ]
    counted = {
        "pieces": _of_draws(scenes, readings),
        "program": _of_draws(scenes, [list(map(decided, scenes, drawn)) for drawn in readings]),
    }
    if plays:
        games: list[list[Played]] = []
        for drawn in readings:
            games.append([])
            for scene, reading in zip(scenes, drawn, strict=True):
                with TemporaryDirectory() as folder:
                    games[-1].append(await play(scene, reading, Path(folder)))
        in_prompts = sum(len(game.prompt_leaks) for drawn_games in games for game in drawn_games)
        by_game = _of_draws(scenes, [[game.reading for game in drawn_games] for drawn_games in games])
        late = sum(game.exits_remembered for drawn_games in games for game in drawn_games)
        counted["game"] = {
            **by_game,
            "sentences_leaked_in_prompts": in_prompts,
            "exits_remembered": late,
        }
    return counted


def _of_draws(scenes: Sequence[Scene], readings: Sequence[Sequence[Reading]]) -> dict[str, float | int]:
    figures = [total(map(score, scenes, drawn)) for drawn in readings]
    shares = [drawn.shares() for drawn in figures]
    worst = {f"worst_{name}": max(one[name] for one in shares) for name in ("leaks_%", "misses_%")}
    return {**total(figures).shares(), **(worst if len(figures) > 1 else {})}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kind", help="scenes of one kind only, such as `private page`")
    parser.add_argument("--scenes", type=int, default=0, help="so many scenes, from all files")
    parser.add_argument("--perfect", action="store_true", required=True, help="a form filled from the labels")
    parser.add_argument("--play", action="store_true", help="and play the scenes by it")
    parser.add_argument("--forget", type=float, default=0.0, help="the share of its marks that are left out")
    parser.add_argument("--draws", type=int, default=1)
    options = parser.parse_args()
    scenes = [scene for scene in load_scenes() if not options.kind or options.kind in scene.kinds]
    if options.scenes:
        scenes = spread(scenes, options.scenes)
    draws = options.draws if options.forget else 1
    counted = asyncio.run(by_right_form(scenes, options.forget, draws, plays=options.play))
    print(json.dumps(counted, indent=2))


if __name__ == "__main__":
    main()
