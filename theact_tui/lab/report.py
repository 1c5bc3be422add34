"""The report of a run: one HTML page that needs nothing else, with plots, tables and the worst examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
from jinja2 import Environment, PackageLoader

from theact_tui.agents.base import told
from theact_tui.errors import SaveError
from theact_tui.lab import plots
from theact_tui.lab.compare import LEAST_PAIRS, comparisons, frame, sentence, strengths
from theact_tui.lab.measures import LONG, METRICS, STALL, beats_of
from theact_tui.lab.plan import variant_of
from theact_tui.lab.results import ENDED, Run, grouped
from theact_tui.models.ledger import Call, Ledger
from theact_tui.paths import write_private
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn

TABLE = ["finished", "beats", "turns_per_beat", "longest_stall", "narration_words", "distinct_2", "longest_repeat",
         "language", "speaks_for_player", "prompt_tokens"]  # fmt: skip
"""The measures in the table of packs and players."""
EXAMPLES = 3
"""Examples of each kind."""
LOOKED_AT = (
    "speaks_for_player",
    "language",
    "absent_speak",
    "unwitnessed_names",
    "unknown_names",
    "longest_repeat",
)
"""Measures of which examples are shown, worst first."""

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
    by_pack = grouped(played, lambda result: str(result["pack"]))
    packs = {name: found[0].pack for name in by_pack if (found := _opened(run, by_pack[name][0]["id"]))}
    by_pack = {name: by_pack[name] for name in packs}
    variants = grouped(played, variant_of)
    games, compared = frame(played), comparisons(played)
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
        "findings": [
            *map(sentence, compared),
            *(f for name in packs for f in _findings(packs[name], by_pack[name])),
        ],
        "comparisons": [(found, sentence(found), plots.forest(found)) for found in compared if found],
        "least_pairs": LEAST_PAIRS,
        "strengths": strengths(run.judgements()),
        "progress": _progress(packs, by_pack, run.plan.turns),
        "maps": [(packs[name].game.title, _beat_map(packs[name], by_pack[name])) for name in packs],
        "tokens": _tokens(variants if len(variants) > 1 else by_pack),
        "recall": _recall(played),
        "metrics": METRICS,
        "columns": TABLE,
        "rows": list(_rows(games)),
        "speed": list(_speed(games, timings)),
        "examples": [*_examples(run, played), *_stalls(run, played)],
    }


def _opened(run: Run, id: str, number: int = 1) -> tuple[Game, Sequence[Turn], Sequence[Call]] | None:
    """A game of a run, with one of its turns and the calls of that; None if it cannot be read."""
    try:
        with Save.open(run.save_folder(id), write=False) as save:
            store = save.of(GAMES)
            return store.load(), store.turns(number, number), Ledger(save.private).turn(number)
    except (SaveError, OSError):
        return None


def _findings(pack: Pack, results: Results) -> Iterator[str]:
    """What stands out in the games of a pack, in sentences."""
    name, beats = results[0]["pack"], beats_of(pack)
    reached = {(c, n) for result in results for c, n, _ in result["measures"]["beats"]}
    furthest = max((place for place, (c, n, _) in enumerate(beats) if (c, n) in reached), default=-1)
    for c, n, text in beats[: furthest + 1]:
        if (c, n) not in reached:
            yield f"{name}: nobody reaches “{text}”, though later beats are reached."
    if furthest < 0:
        yield f"{name}: no beat is reached."
    elif furthest + 1 < len(beats):
        yield f"{name}: no game gets past beat {furthest + 1} of {len(beats)}."
    games = frame(results)
    for player, stall in games.groupby("player", sort=False)["longest_stall"].median().items():
        if stall >= STALL:
            yield f"{name}: the {player} player stalls for {stall:.0f} turns without a beat (median)."
    if many := int((games["longest_repeat"] >= LONG).sum()):
        most = games["longest_repeat"].max()
        yield f"{name}: {many} of {len(games)} games repeat {LONG} words or more; up to {most:.0f}."


def _progress(packs: Mapping[str, Pack], by_pack: Mapping[str, Results], turns: int) -> str:
    """The share of beats reached by each turn."""
    reached = {
        (pack, result["player"], result["id"]): 100
        * np.searchsorted(
            [turn for _, _, turn in result["measures"]["beats"]], range(turns + 1), side="right"
        )
        / len(beats_of(packs[pack]))
        for pack, results in by_pack.items()
        for result in results
    }
    columns = pd.MultiIndex.from_tuples(list(reached), names=["pack", "player", "id"]) if reached else None
    return plots.progress(pd.DataFrame(reached).set_axis(columns, axis=1)) if reached else ""


def _beat_map(pack: Pack, results: Results) -> str:
    """When beats were reached, as an HTML table: the median turn, darker if later, a row for each beat and a column for
    each player; with the share of games where it was not all, and a dash where it was none."""
    rows = [(r["player"], c, n, t) for r in results for c, n, t in r["measures"]["beats"]]
    reached = pd.DataFrame(rows, columns=["player", "chapter", "number", "turn"])
    beats = [(chapter, number) for chapter, number, _ in beats_of(pack)]
    games = pd.Series([r["player"] for r in results]).value_counts(sort=False)
    cells = (
        reached.groupby(["chapter", "number", "player"])["turn"].agg(["median", "count"]).unstack("player")
    )
    when, many = (
        cells.reindex(columns=pd.MultiIndex.from_product([[what], games.index]))[what].reindex(beats)
        for what in ("median", "count")
    )
    texts = when.map("{:.0f}".format) + (many / games).map(
        lambda share: "" if share == 1 else f" ({share:.0%})"
    )
    texts = texts.where(many > 0, "–")
    texts.index = pd.MultiIndex.from_tuples(
        [(escape(pack.chapters[chapter].title), escape(text)) for chapter, _, text in beats_of(pack)]
    )
    shades = when.fillna(0.0).to_numpy()
    table = texts.rename(columns=escape).style.background_gradient("YlGnBu", axis=None, gmap=shades, vmin=0)
    unreached = "background-color: #fff; color: #66737f"
    table = table.map(lambda text: unreached if text == "–" else "")
    return str(table.to_html(table_attributes='class="map"'))


def _tokens(groups: Mapping[str, Results]) -> str:
    """Tokens sent per turn by agent, for each group of games."""
    sent = {
        name: pd.DataFrame(
            [{a: counts[2] for a, counts in r["measures"]["agents"].items()} for r in results]
        ).sum()
        / max(1, sum(r["turns"] for r in results))
        for name, results in groups.items()
    }
    table = pd.DataFrame(sent).T.fillna(0.0)
    return "" if table.empty else plots.tokens(table)


def _rows(games: pd.DataFrame) -> Iterator[tuple[str, int, list[str]]]:
    """A line for each pack, player and variant: its name, its games, and its means."""
    keys = ["pack", "player", "variant"] if games["variant"].nunique() > 1 else ["pack", "player"]
    for names, group in games.groupby(keys, sort=False):
        means = group[TABLE].mean()
        shown = [METRICS[metric].text(None if np.isnan(means[metric]) else means[metric]) for metric in TABLE]
        yield " · ".join(names), len(group), shown


def _speed(games: pd.DataFrame, timings: Mapping[str, Any]) -> Iterator[tuple[str, int, list[str]]]:
    """By variant: turns, and seconds of models, of the processor and to the first token."""
    for variant, group in games.groupby("variant", sort=False):
        known = [timings[id] for id in group["id"] if id in timings]
        turns = int(group["turns"].sum()) or 1
        totals = [
            sum(each.get(name) or 0 for each in known) / turns for name in ("calls_seconds", "cpu_seconds")
        ]
        first = [each["first_token"] for each in known if each.get("first_token") is not None]
        shown = [f"{total:.2f} s" for total in totals] + [f"{median(first):.2f} s" if first else "–"]
        yield str(variant), turns, shown


def _recall(results: Results) -> str:
    """The curves of all games together, if players told anything of their own."""
    rows = [
        (reader, int(distance), *counts)
        for result in results
        for reader, curve in result["measures"]["recall"].items()
        for distance, counts in curve.items()
    ]
    table = pd.DataFrame(rows, columns=["reader", "distance", "held", "looked"])
    sums = table.groupby(["distance", "reader"]).sum()
    return (
        plots.recall_curve((sums["held"] / sums["looked"]).unstack().rename_axis(columns=None))
        if rows
        else ""
    )


# --- examples -----------------------------------------------------------------------------------------------------


def _examples(run: Run, results: Results) -> Iterator[Example]:
    """The worst turns of each kind, with the prompts that led to them."""
    for metric in LOOKED_AT:
        games = [r for r in results if r["measures"]["found"].get(metric)]
        worst = sorted(
            games, key=lambda r: r["measures"]["scores"][metric], reverse=METRICS[metric].better == "less"
        )
        for result in worst[:EXAMPLES]:
            found = result["measures"]["found"][metric][0]
            turn, *who = found if isinstance(found, list) else [found]
            about = METRICS[metric].label + (f": {', '.join(who)}" if who else "")
            yield from _example(run, result["id"], turn, about, who[0] if len(who) == 2 else "")


def _stalls(run: Run, results: Results) -> Iterator[Example]:
    """The middle of the longest times without a beat."""
    stalled = [r for r in results if r["measures"]["scores"]["longest_stall"] >= STALL]
    for result in sorted(stalled, key=lambda r: -r["measures"]["scores"]["longest_stall"])[:EXAMPLES]:
        marks = [0, *(turn for _, _, turn in result["measures"]["beats"]), result["turns"]]
        length, start = max((after - before, before) for before, after in pairwise(marks))
        about = f"Stalled for {length} turns, from turn {start + 1}"
        yield from _example(run, result["id"], start + length // 2, about, "")


def _example(run: Run, id: str, number: int, what: str, character: str) -> Iterator[Example]:
    """A turn, with the prompt of a character's reply or of the narration; nothing if it cannot be read."""
    game, turns, calls = _opened(run, id, number) or (None, (), ())
    if game is not None and turns:
        names = {name: card.name for name, card in game.pack.characters.items()}
        key = f"character:{character}" if character else "narrator"
        sent = next((call.messages for call in calls if call.key == key), ())
        prompt = "\n\n".join(message["content"] for message in sent)
        yield Example(what, f"{id}, turn {number}", told(turns[0].told, names, game.info.player.name), prompt)
