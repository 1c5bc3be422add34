"""Who perceives what: labelled scenes put to the program with a right form. Prints JSON.

    python -m tests.benchmarks.hearing --perfect [--play] [--forget 0.1 --draws 200]

The form is filled from the labels; with `--play` each scene is played by it, and what reaches each person's prompts is
counted. README.md says more.
"""

import argparse
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.support.hearing.game import Played, decided_by_form, forgetful, play, right_form
from tests.support.hearing.scenes import Scene, load_scenes, spread
from tests.support.hearing.score import Reading, score, total
from theact_tui.story.turn import StageForm


async def by_right_form(
    scenes: Sequence[Scene], forget: float, draws: int, *, plays: bool
) -> dict[str, dict[str, float | int]]:
    """The figures of a form filled from the labels: by the program, and in a game where it `plays`."""
    forms = [
        [forgetful(right_form(scene), forget, chance) for scene in scenes]
        for chance in map(Random, range(draws))
    ]
    readings = [
        [
            decided_by_form(scene, StageForm.model_validate(form))
            for scene, form in zip(scenes, drawn, strict=True)
        ]
        for drawn in forms
    ]
    counted = {"program": _of_draws(scenes, readings)}
    if plays:
        games: list[list[Played]] = []
        for drawn in forms:
            games.append([])
            for scene, form in zip(scenes, drawn, strict=True):
                with TemporaryDirectory() as folder:
                    games[-1].append(await play(scene, form, Path(folder)))
        in_prompts = sum(len(game.prompt_leaks) for drawn_games in games for game in drawn_games)
        by_game = _of_draws(scenes, [[game.reading for game in drawn_games] for drawn_games in games])
        late = sum(game.remembered_leaks for drawn_games in games for game in drawn_games)
        counted["game"] = {
            **by_game,
            "sentences_leaked_in_prompts": in_prompts,
            "replies_leaked_to_memories": late,
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
