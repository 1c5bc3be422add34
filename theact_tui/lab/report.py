"""The report of a run: one HTML page that needs nothing else, with plots, tables and the worst examples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from jinja2 import Environment, PackageLoader

from theact_tui.agents.base import told
from theact_tui.errors import SaveError
from theact_tui.lab import plots
from theact_tui.lab.compare import LEAST_PAIRS, comparisons, sentence, strengths
from theact_tui.lab.measures import LONG, METRICS, STALL
from theact_tui.lab.plan import variant_of
from theact_tui.lab.recall import DISTANCES
from theact_tui.lab.results import Run
from theact_tui.models.ledger import Call, Ledger
from theact_tui.paths import write_private
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack

TABLE = ("finished", "beats", "turns_per_beat", "longest_stall", "narration_words", "distinct_2", "longest_repeat",
         "speaks_for_player", "prompt_tokens")  # fmt: skip
"""The measures in the table of packs and players."""
EXAMPLES = 3
"""Examples of each kind."""
ENDED = {"complete": "finished", "turns": "turns used up", "lines": "out of lines", "failed": "failed"}

Results = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Example:
    """A turn worth looking at."""

    what: str
    where: str
    text: str
    prompt: str


def write_report(run: Run) -> Path:
    """Write `report.html`; where it is."""
    file = run.folder / "report.html"
    environment = Environment(loader=PackageLoader("theact_tui.lab"), autoescape=True, trim_blocks=True)
    write_private(file, environment.get_template("report.html").render(_content(run)))
    return file


def _content(run: Run) -> dict[str, Any]:
    results, timings = run.results(), run.timings()
    played = [result for result in results if result["measures"]]
    by_pack = _grouped(played, lambda result: result["pack"])
    packs = {name: pack for name in by_pack if (pack := _pack(run, by_pack[name])) is not None}
    by_pack = {name: by_pack[name] for name in packs}
    beats = {name: _beats(pack) for name, pack in packs.items()}
    compared = comparisons(played)
    variants = _grouped(played, variant_of)
    groups = variants if len(variants) > 1 else by_pack
    return {
        "plan": run.plan,
        "title": ", ".join(pack.game.title for pack in packs.values()) or "no games",
        "cells": len(list(run.plan.cells())),
        "results": [
            {**r, "how": ENDED[r["ended"]], "seconds": timings.get(r["id"], {}).get("seconds")}
            for r in results
        ],
        "finished": sum(result["finished"] for result in results),
        "failed": sum(result["ended"] == "failed" for result in results),
        "turns": sum(result["turns"] for result in results),
        "findings": [*map(sentence, compared), *_findings(by_pack, beats)],
        "comparisons": [(found, sentence(found), plots.forest(found)) for found in compared if found],
        "least_pairs": LEAST_PAIRS,
        "strengths": strengths(run.judgements()),
        "progress": plots.progress(by_pack, {n: len(b) for n, b in beats.items()}, run.plan.turns)
        if packs
        else "",
        "maps": [(packs[name].game.title, plots.beat_map(by_pack[name], beats[name])) for name in packs],
        "tokens": plots.tokens(groups) if groups else "",
        "recall": _recall(played),
        "metrics": METRICS,
        "columns": TABLE,
        "rows": list(_rows(played)),
        "speed": list(_speed(played, timings)),
        "examples": list(_examples(run, played)),
    }


def _grouped(results: Results, key: Callable[[Mapping[str, Any]], str]) -> dict[str, list[Mapping[str, Any]]]:
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for result in results:
        groups[key(result)].append(result)
    return dict(groups)


def _pack(run: Run, results: Results) -> Pack | None:
    """The pack as the games hold it."""
    for result in results:
        if (game := _game(run, result["id"])) is not None:
            return game.pack
    return None


def _game(run: Run, id: str) -> Game | None:
    try:
        with Save.open(run.save_folder(id), write=False) as save:
            return save.of(GAMES).load()
    except (SaveError, OSError):
        return None


def _beats(pack: Pack) -> list[tuple[str, int, str]]:
    return [(id, n, beat) for id, chapter in pack.chapters.items() for n, beat in enumerate(chapter.beats, 1)]


def _findings(
    by_pack: Mapping[str, Results], beats: Mapping[str, Sequence[tuple[str, int, str]]]
) -> Iterator[str]:
    """What stands out, in sentences."""
    for pack, results in by_pack.items():
        reached = {(c, n) for result in results for c, n, _ in result["measures"]["beats"]}
        furthest = max(
            (place for place, (c, n, _) in enumerate(beats[pack]) if (c, n) in reached), default=-1
        )
        passed = [
            text
            for place, (c, n, text) in enumerate(beats[pack])
            if (c, n) not in reached and place < furthest
        ]
        for text in passed:
            yield f"{pack}: nobody reaches “{text}”, though later beats are reached."
        if furthest < 0:
            yield f"{pack}: no beat is reached."
        elif furthest + 1 < len(beats[pack]):
            yield f"{pack}: no game gets past beat {furthest + 1} of {len(beats[pack])}."
        for player, games in _grouped(results, lambda result: result["player"]).items():
            stalls = [game["measures"]["scores"]["longest_stall"] for game in games]
            if median(stalls) >= STALL:
                yield f"{pack}: the {player} player stalls for {median(stalls):.0f} turns without a beat (median)."
        repeats = [game["measures"]["scores"]["longest_repeat"] for game in results]
        if many := sum(repeat >= LONG for repeat in repeats):
            yield f"{pack}: {many} of {len(results)} games repeat {LONG} words or more; up to {max(repeats):.0f}."


def _rows(results: Results) -> Iterator[tuple[str, int, list[str]]]:
    """A line for each pack, player and variant: its name, its games, and its means."""
    many = len({variant_of(result) for result in results}) > 1

    def name(result: Mapping[str, Any]) -> str:
        return f"{result['pack']} · {result['player']}" + (f" · {variant_of(result)}" if many else "")

    for label, games in _grouped(results, name).items():
        means = []
        for metric in TABLE:
            values = [v for game in games if (v := game["measures"]["scores"][metric]) is not None]
            means.append(METRICS[metric].text(sum(values) / len(values) if values else None))
        yield label, len(games), means


def _speed(
    results: Results, timings: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, int, list[str]]]:
    """By variant: turns, and seconds of models, of the processor and to the first token."""
    for variant, games in _grouped(results, variant_of).items():
        known = [timings[game["id"]] for game in games if game["id"] in timings]
        turns = sum(game["turns"] for game in games) or 1
        totals = [
            sum(each.get(name) or 0 for each in known) / turns for name in ("calls_seconds", "cpu_seconds")
        ]
        first = [each["first_token"] for each in known if each.get("first_token") is not None]
        shown = [f"{total:.2f} s" for total in totals] + [f"{median(first):.2f} s" if first else "–"]
        yield variant, turns, shown


def _recall(results: Results) -> str:
    """The curves of all games together, if players told anything of their own."""
    curves: dict[str, dict[int, list[int]]] = {}
    for result in results:
        for reader, curve in result["measures"]["recall"].items():
            for distance in DISTANCES:
                held, looked = curve.get(str(distance), (0, 0))
                if looked:
                    sums = curves.setdefault(reader, {}).setdefault(distance, [0, 0])
                    sums[0], sums[1] = sums[0] + held, sums[1] + looked
    ordered = {reader: {d: (c[d][0], c[d][1]) for d in sorted(c)} for reader, c in curves.items()}
    return plots.recall_curve(ordered) if ordered else ""


# --- examples -----------------------------------------------------------------------------------------------------


def _examples(run: Run, results: Results) -> Iterator[Example]:
    """The worst turns of each kind, with the prompts that led to them."""
    for metric in (
        "speaks_for_player",
        "absent_speak",
        "unwitnessed_names",
        "unknown_names",
        "longest_repeat",
    ):
        games = [r for r in results if r["measures"]["found"][metric]]
        for result in sorted(games, key=lambda r: -r["measures"]["scores"][metric])[:EXAMPLES]:
            found = result["measures"]["found"][metric][0]
            turn, *who = found if isinstance(found, list) else [found]
            about = METRICS[metric].label + (f": {', '.join(who)}" if who else "")
            yield from _example(run, result, turn, about, who[0] if len(who) == 2 else "")
    stalled = sorted(results, key=lambda r: -r["measures"]["scores"]["longest_stall"])
    for result in [r for r in stalled if r["measures"]["scores"]["longest_stall"] >= STALL][:EXAMPLES]:
        marks = [0, *(turn for _, _, turn in result["measures"]["beats"]), result["turns"]]
        length, start = max((after - before, before) for before, after in pairwise(marks))
        yield from _example(
            run, result, start + length // 2, f"Stalled for {length} turns, from turn {start + 1}", ""
        )


def _example(
    run: Run, result: Mapping[str, Any], number: int, what: str, character: str
) -> Iterator[Example]:
    try:
        with Save.open(run.save_folder(result["id"]), write=False) as save:
            game = save.of(GAMES).load()
            turns, calls = save.of(GAMES).turns(number, number), Ledger(save.private).turn(number)
    except (SaveError, OSError):
        return
    if not turns:
        return
    names = {name: card.name for name, card in game.pack.characters.items()}
    text = told(turns[0].told, names, game.info.player.name)
    yield Example(what, f"{result['id']}, turn {number}", text, _prompt(calls, character))


def _prompt(calls: Sequence[Call], character: str) -> str:
    """The prompt of a character's reply, or of the narration."""
    key = f"character:{character}" if character else "narrator"
    sent = next((call.messages for call in calls if call.key == key), ())
    return "\n\n".join(message["content"] for message in sent)
