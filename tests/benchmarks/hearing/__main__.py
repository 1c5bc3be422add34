"""Who perceives what: labelled scenes put to a model in five ways, or to the program with a right form. Prints JSON.

    python -m tests.benchmarks.hearing --base-url http://127.0.0.1:8080/v1 [--variant b] [--scenes 20] [--out FILE]
    python -m tests.benchmarks.hearing --answers FILE
    python -m tests.benchmarks.hearing --perfect [--play] [--forget 0.1 --draws 200]

What a server answered is kept in the file of `--out`; a second run asks only for what is not there yet. `--answers` counts
such a file without asking anybody; `with_code` is what the program makes of each answer. `--perfect` fills the form from the
labels; with `--play` each scene is played by it, and what reaches each person's prompts is counted. README.md says more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from tests.benchmarks.hearing.asking import Row, answered, reading_of
from tests.benchmarks.hearing.game import Played, decided, play
from tests.benchmarks.hearing.pieces import pieces_of, right_marks
from tests.benchmarks.hearing.scenes import Scene, load_scenes, spread
from tests.benchmarks.hearing.score import Reading, reading_of_marks, score, total
from tests.benchmarks.hearing.variants import VARIANTS


def figures_of(rows: Sequence[Row], scenes: Sequence[Scene]) -> dict[str, dict[str, Any]]:
    """Figures by variant."""
    by_id = {scene.id: scene for scene in scenes}
    return {
        variant: _of_variant([row for row in rows if row.variant == variant and row.scene in by_id], by_id)
        for variant in VARIANTS
        if any(row.variant == variant and row.scene in by_id for row in rows)
    }


def _of_variant(rows: Sequence[Row], by_id: dict[str, Scene]) -> dict[str, Any]:
    readings = [(by_id[row.scene], row, reading_of(by_id[row.scene], row)) for row in rows]
    quiet = [row.tokens for scene, row, _ in readings if scene.is_uneventful]
    code = [score(scene, decided(scene, reading or Reading({}))) for scene, _, reading in readings]
    private = [reading for scene, _, reading in readings if "private page" in scene.kinds]
    return {
        **total(score(scene, reading or Reading({})) for scene, _, reading in readings).shares(),
        "with_code": total(code).shares(),
        "unreadable": sum(reading is None for _, _, reading in readings),
        "private_pages": len(private),
        "private_pages_unmarked": sum(reading is not None and not reading.missed for reading in private),
        "tokens_mean": round(statistics.mean(row.tokens for row in rows), 1),
        "tokens_uneventful_mean": round(statistics.mean(quiet), 1) if quiet else None,
        "prompt_tokens_mean": round(statistics.mean(row.prompt_tokens for row in rows)),
        "seconds_mean": round(statistics.mean(row.seconds for row in rows), 1),
    }


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
    parser.add_argument("--base-url", help="address of any OpenAI-compatible server")
    parser.add_argument("--model", default="", help="its name, where the server has several")
    parser.add_argument("--variant", choices=tuple(VARIANTS), help="one variant only")
    parser.add_argument("--kind", help="scenes of one kind only, such as `private page`")
    parser.add_argument("--scenes", type=int, default=0, help="so many scenes, from all files")
    parser.add_argument("--out", type=Path, help="where answers are kept")
    parser.add_argument("--answers", type=Path, help="answers to count")
    parser.add_argument("--perfect", action="store_true", help="a form filled from the labels")
    parser.add_argument("--play", action="store_true", help="and play the scenes by it")
    parser.add_argument("--forget", type=float, default=0.0, help="the share of its marks that are left out")
    parser.add_argument("--draws", type=int, default=1)
    options = parser.parse_args()
    scenes = [scene for scene in load_scenes() if not options.kind or options.kind in scene.kinds]
    if options.scenes:
        scenes = spread(scenes, options.scenes)
    if options.perfect:
        draws = options.draws if options.forget else 1
        counted = asyncio.run(by_right_form(scenes, options.forget, draws, plays=options.play))
        print(json.dumps(counted, indent=2))
        return
    # those that show the turn alike stand together, for the server's prefix cache
    order = sorted(VARIANTS, key=lambda variant: VARIANTS[variant].labels)
    variants = [options.variant] if options.variant else order
    if not (options.base_url or options.answers):
        parser.error("--base-url, --answers or --perfect is needed")
    rows = answered(scenes, variants, options.base_url, options.model, options.answers or options.out)
    print(json.dumps(figures_of(rows, scenes), indent=2))


if __name__ == "__main__":
    main()
