"""Stories of Percept-ToMi told as pages: who learns of a move that was made behind their back. Prints JSON.

    python -m tests.benchmarks.tomi FOLDER [--stories 100]

FOLDER holds `Percept-ToMi.csv` somewhere, as the repository chanijung/PercepToM does. A story is one page, a sentence
a paragraph, and the marks of the data are its labels. The form is filled from the marks; figures are those of the
form alone, of what the program makes of it, of the program where nobody marks anything, and of the baseline. Leaks
and misses are shares of letters, as in tests/benchmarks/hearing; `moves` are sentences that tell of a thing being
moved, by person: hidden from somebody who is not marked as perceiving it.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from tests.benchmarks.hearing.game import decided
from tests.benchmarks.hearing.pieces import places
from tests.benchmarks.hearing.scenes import LINE, NOBODY, PAGE, Scene
from tests.benchmarks.hearing.score import Reading, score, total

FILE = "Percept-ToMi.csv"
LINE_TEXT = "I watch."
MOVES = re.compile(r"\b[A-Z]\w+ moved the [^.\n]+")


def stories(folder: Path) -> Iterator[Scene]:
    """Each story of the file once, in its order."""
    found = sorted(folder.rglob(FILE))
    if not found:
        raise SystemExit(f"No {FILE} in {folder}")
    with found[0].open(encoding="utf-8", newline="") as file:
        by_text = {row["story"]: row for row in csv.DictReader(file)}
    for row in by_text.values():
        sentences, perceivers = ast.literal_eval(row["story"]), ast.literal_eval(row["perceivers"])
        yield _scene(row["index"], sentences, [frozenset(names) for names in perceivers])


def _scene(number: str, sentences: Sequence[str], perceivers: Sequence[Collection[str]]) -> Scene:
    names = list(dict.fromkeys(name for perceived in perceivers for name in sorted(perceived) if name))
    page = "\n\n".join(f"{sentence}." for sentence in sentences)
    spans, at = [], 0
    for sentence in sentences:
        spans.append((at, at + len(sentence) + 1))
        at += len(sentence) + 3
    # who is on stage is not said: those who came in and did not go out again
    inside = {
        name: [text for text in sentences if re.match(rf"{name} (entered|exited) ", text)] for name in names
    }
    here = [name for name, moves in inside.items() if moves and " entered " in moves[-1]]
    ids = {name: name.lower() for name in names}
    return Scene(
        id=f"tomi-{number}",
        kinds=("tomi",),
        player="Sam",
        cast={ids[name]: name for name in names},
        before=(),
        asleep=(),
        replies=(),
        line=LINE_TEXT,
        page=page,
        missed={
            ids[name]: {
                PAGE: [span for span, heard in zip(spans, perceivers, strict=True) if name not in heard]
            }
            for name in names
        },
        either={ids[name]: {LINE: [(0, len(LINE_TEXT))]} for name in names},
        here=tuple(ids[name] for name in here),
        sleeping=(),
        answer=(*(ids[name] for name in here), NOBODY),
    )


def moves_of(scene: Scene, reading: Reading) -> tuple[int, int, int, int]:
    """Pairs of a person and a move: not perceived, of these leaked; perceived, of these missed."""
    hidden = leaked = seen = missed = 0
    for move in MOVES.finditer(scene.page):
        told = set(range(*move.span()))
        for id in scene.cast:
            is_hidden = told <= places(scene.missed[id][PAGE])
            is_withheld = told <= places(reading.missed.get(id, {}).get(PAGE, ()))
            hidden += is_hidden
            leaked += is_hidden and not is_withheld
            seen += not is_hidden
            missed += is_withheld and not is_hidden
    return hidden, leaked, seen, missed


def figures_of(scenes: Sequence[Scene], readings: Sequence[Reading]) -> dict[str, float | int]:
    """Figures of all stories."""
    counted = (0, 0, 0, 0)
    for scene, reading in zip(scenes, readings, strict=True):
        hidden, leaked, seen, missed = moves_of(scene, reading)
        counted = (counted[0] + hidden, counted[1] + leaked, counted[2] + seen, counted[3] + missed)
    hidden, leaked, seen, missed = counted
    shares = total(map(score, scenes, readings)).shares()
    return {
        **{name: shares[name] for name in ("scenes", "leaks_%", "misses_%")},
        "moves_hidden": hidden,
        "moves_leaked_%": round(100 * leaked / hidden, 1) if hidden else 0.0,
        "moves_seen": seen,
        "moves_missed_%": round(100 * missed / seen, 1) if seen else 0.0,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stories", type=int, default=0, help="so many, from the beginning of the file")
    options = parser.parse_args()
    scenes = list(stories(options.folder))[: options.stories or None]
    forms = [Reading(scene.missed, scene.here, (), ()) for scene in scenes]
    figures = {
        "form alone": figures_of(scenes, forms),
        "form and program": figures_of(scenes, list(map(decided, scenes, forms))),
        "program without marks": figures_of(
            scenes, [decided(scene, Reading({}, scene.here, (), ())) for scene in scenes]
        ),
        "everybody hears all": figures_of(scenes, [Reading({})] * len(scenes)),
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
