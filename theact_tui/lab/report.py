"""The report of a run: one HTML page that needs nothing else, with plots, tables and the worst examples."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from jinja2 import Environment, PackageLoader
from matplotlib.figure import Figure

from theact_tui.agents.base import told
from theact_tui.errors import SaveError
from theact_tui.lab.compare import LEAST_PAIRS, Difference, comparisons, frame, sentence, strengths
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
from theact_tui.text import counted

TABLE = ["finished", "beats", "turns_per_beat", "longest_stall", "narration_words", "distinct_2", "longest_repeat",
         "language", "speaks_for_player", "prompt_tokens"]  # fmt: skip
"""The measures in the table of packs and players."""
EXAMPLES = 3
"""Examples of each kind."""
LOOKED_AT = ("speaks_for_player", "language", "absent_speak", "unknown_names", "longest_repeat")
"""Measures of which examples are shown, worst first."""

INK, FAINT, GOOD, BAD = "#22303c", "#8a97a3", "#2f8f5b", "#c4453c"
COLOURS = ("#3566a8", "#d9822b", "#2f8f5b", "#8e5ea2", "#c4453c", "#5b6770", "#17a2a2", "#a08c2b")
_STYLE: Any = {
    "svg.hashsalt": "lab",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.5,
    "text.color": INK,
    "text.parse_math": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.prop_cycle": f"cycler(color={list(COLOURS)})",
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "grid.color": "#e3e8ec",
    "legend.frameon": False,
}
_styled = mpl.rc_context(_STYLE)

Results = Sequence[Mapping[str, Any]]


Example = tuple[str, str, str, str]
"""A turn worth looking at: what is to be seen, where it is, what was told, and the narrator's prompt."""


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
    games, reached, compared = frame(played), _reached(played), comparisons(played)
    games = games[games["pack"].isin(list(packs))]
    with_beats = {name: pack for name, pack in packs.items() if beats_of(pack)}
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
            *(each for name in packs for each in _findings(packs[name], *_of(name, games, reached))),
        ],
        "comparisons": [(found, sentence(found), _forest(found)) for found in compared if found],
        "least_pairs": LEAST_PAIRS,
        "strengths": strengths(run.judgements()),
        "progress": _progress(with_beats, games, reached, run.plan.turns),
        "maps": [
            (pack.game.title, _beat_map(pack, *_of(name, games, reached)))
            for name, pack in with_beats.items()
        ],
        "tokens": _tokens(variants if len(variants) > 1 else by_pack),
        "recall": _recall(played),
        "metrics": METRICS,
        "played": played,
        "rows": _rows(games),
        "speed": _speed(games, timings),
        "examples": [*_examples(run, played), *_stalls(run, played)],
    }


def _svg(figure: Figure) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, bbox_inches="tight", transparent=True)
    text = out.getvalue()
    return text[text.index("<svg") :]


def _opened(run: Run, id: str, number: int = 1) -> tuple[Game, Sequence[Turn], Sequence[Call]] | None:
    """A game of a run, with one of its turns and the calls of that; None if it cannot be read."""
    try:
        with Save.open(run.save_folder(id), write=False) as save:
            store = save.of(GAMES)
            return store.load(), store.turns(number, number), Ledger(save.private).turn(number)
    except (SaveError, OSError):
        return None


def _reached(results: Results) -> pd.DataFrame:
    rows = [(r["pack"], r["player"], r["id"], *beat) for r in results for beat in r["measures"]["beats"]]
    return pd.DataFrame(rows, columns=["pack", "player", "id", "chapter", "number", "turn"])


def _of(pack: str, *frames: pd.DataFrame) -> Iterator[pd.DataFrame]:
    return (frame[frame["pack"] == pack] for frame in frames)


def _findings(pack: Pack, games: pd.DataFrame, reached: pd.DataFrame) -> Iterator[str]:
    """What stands out in the games of a pack, in sentences."""
    name, beats = games["pack"].iloc[0], beats_of(pack)
    known = {*zip(reached["chapter"], reached["number"], strict=True)}
    furthest = max((place for place, (c, n, _) in enumerate(beats) if (c, n) in known), default=-1)
    for c, n, text in beats[: furthest + 1]:
        if (c, n) not in known:
            yield f"{name}: nobody reaches “{text}”, though later beats are reached."
    if beats and furthest < 0:
        yield f"{name}: no beat is reached."
    elif furthest + 1 < len(beats):
        yield f"{name}: no game gets past beat {furthest + 1} of {len(beats)}."
    for player, stall in games.groupby("player", sort=False)["longest_stall"].median().items():
        if stall >= STALL:
            yield f"{name}: the {player} player stalls for {counted(int(stall), 'turn')} without a beat (median)."
    if many := int((games["longest_repeat"] >= LONG).sum()):
        most = games["longest_repeat"].max()
        yield f"{name}: {LONG} words or more are repeated in {many} of {counted(len(games), 'game')}; up to {most:.0f}."


@_styled
def _progress(packs: Mapping[str, Pack], games: pd.DataFrame, reached: pd.DataFrame, turns: int) -> str:
    """The share of beats reached by each turn, by player, a panel for each pack: mean, and the range of all games."""
    games = games[games["pack"].isin(list(packs))]
    if games.empty:
        return ""
    keys = ["pack", "player", "id"]
    counts = pd.crosstab(reached["turn"], [reached[key] for key in keys])
    every = pd.MultiIndex.from_frame(games[keys])
    shares = counts.reindex(index=range(turns + 1), columns=every, fill_value=0).cumsum()
    reached = 100 * shares / [len(beats_of(packs[pack])) for pack in games["pack"]]
    shown = list(dict.fromkeys(reached.columns.get_level_values("pack")))
    figure = Figure(figsize=(4.1 * len(shown), 2.9), layout="constrained")
    panels = figure.subplots(1, len(shown), sharey=True, squeeze=False)[0]
    for panel, pack in zip(panels, shown, strict=True):
        by_player = reached[pack].T.groupby(level="player", sort=False)
        low, high = by_player.min().T, by_player.max().T
        for player, mean in by_player.mean().T.items():
            [line] = panel.step(mean.index, mean, where="post", label=player, linewidth=1.8)
            panel.fill_between(
                mean.index,
                low[player],
                high[player],
                step="post",
                color=line.get_color(),
                alpha=0.1,
                linewidth=0,
            )
        panel.set(title=pack, xlabel="turn", xlim=(0, reached.index[-1]), ylim=(0, 102))
        panel.grid(axis="y")
    panels[0].set_ylabel("beats reached (%)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=8)
    return _svg(figure)


@_styled
def _forest(found: Sequence[Difference]) -> str:
    """Every measure of a comparison: the difference with its interval, in standard deviations."""
    shown = [each for each in found if each.low or each.high] or list(found)[:1]
    figure = Figure(figsize=(7.6, 0.7 + 0.27 * len(shown)), layout="constrained")
    panel = figure.subplots()
    for y, each in enumerate(reversed(shown)):
        difference = each.other_mean - each.base_mean
        scale = each.effect / difference if difference else 0.0
        colour = {True: GOOD, False: BAD, None: INK if each.seen else FAINT}[each.better]
        panel.plot([each.low * scale, each.high * scale], [y, y], color=colour, linewidth=2)
        panel.plot(each.effect, y, "o", color=colour, markersize=5)
    panel.set_yticks(range(len(shown)), [METRICS[each.metric].label for each in reversed(shown)])
    panel.axvline(0, color=INK, linewidth=0.8)
    panel.set_xlabel("difference in standard deviations, with its 95% interval")
    panel.set_ylim(-0.6, len(shown) - 0.4)
    return _svg(figure)


def _beat_map(pack: Pack, games: pd.DataFrame, reached: pd.DataFrame) -> str:
    """When beats were reached, as an HTML table: the median turn, darker if later, a row for each beat and a column for
    each player; with the share of games where it was not all, and a dash where it was none."""
    played = games["player"].value_counts(sort=False)
    beats = pd.MultiIndex.from_tuples([beat[:2] for beat in beats_of(pack)])
    when, many = (
        reached.pivot_table("turn", ["chapter", "number"], "player", how).reindex(beats, columns=played.index)
        for how in ("median", "count")
    )
    shares = (many / played).map(lambda share: "" if share == 1 else f" ({share:.0%})")
    texts = (when.map("{:.0f}".format) + shares).where(many > 0, "–").rename_axis(columns=None)
    texts.index = pd.MultiIndex.from_tuples(
        [(escape(pack.chapters[chapter].title), escape(text)) for chapter, _, text in beats_of(pack)]
    )
    shades, unreached = when.fillna(0.0).to_numpy(), "background-color: #fff; color: #66737f"
    table = texts.rename(columns=escape).style.background_gradient("YlGnBu", axis=None, gmap=shades, vmin=0)
    table = table.map(lambda text: unreached if text == "–" else "")
    return str(table.to_html(table_attributes='class="map"'))


@_styled
def _tokens(groups: Mapping[str, Results]) -> str:
    """Tokens sent per turn: a bar for each group of games, a part of it for each agent."""
    sent = {
        name: pd.DataFrame(
            [{a: counts[2] for a, counts in r["measures"]["agents"].items()} for r in results]
        ).sum()
        / max(1, sum(r["turns"] for r in results))
        for name, results in groups.items()
    }
    table = pd.DataFrame(sent).T.fillna(0.0)
    if table.empty:
        return ""
    figure = Figure(figsize=(8.2, 0.9 + 0.34 * len(table)), layout="constrained")
    panel = figure.subplots()
    table.plot.barh(
        stacked=True, width=0.62, legend=False, ax=panel, xlabel="tokens sent per turn", ylabel=""
    )
    panel.invert_yaxis()
    panel.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=8)
    return _svg(figure)


def _rows(games: pd.DataFrame) -> str:
    """A table with a line for each pack, player and variant: its games, and their means."""
    if games.empty:
        return ""
    keys = ["pack", "player", "variant"] if games["variant"].nunique() > 1 else ["pack", "player"]
    by_name = games.groupby(games[keys].agg(" · ".join, axis=1), sort=False)
    labels = {metric: METRICS[metric].label for metric in TABLE}
    table = by_name[TABLE].mean().rename(columns=labels)
    table.insert(0, "Games", by_name.size())
    return _html(table, {labels[metric]: METRICS[metric].text for metric in TABLE})


def _speed(games: pd.DataFrame, timings: Mapping[str, Any]) -> str:
    """A table by variant: turns, and seconds of models, of the processor and to the first token."""
    if games.empty:
        return ""
    names = ["calls_seconds", "cpu_seconds", "first_token"]
    known = pd.DataFrame(timings.values()).reindex(columns=["id", *names])
    by_variant = games.merge(known, on="id").groupby("variant", sort=False)
    sums = by_variant[["turns", *names[:2]]].sum()
    table = pd.DataFrame(
        {
            "Turns": sums["turns"],
            "Models per turn": sums["calls_seconds"] / sums["turns"],
            "Processor per turn": sums["cpu_seconds"] / sums["turns"],
            "First token (median)": by_variant["first_token"].median(),
        }
    )
    return _html(table, dict.fromkeys(table.columns[1:], "{:.2f} s".format))


def _html(table: pd.DataFrame, formats: Mapping[str, Any]) -> str:
    return str(
        table.to_html(border=0, index_names=False, justify="unset", na_rep="–", formatters=dict(formats))
    )


@_styled
def _recall(results: Results) -> str:
    """By distance in turns, a line for each reader: the share of prompts that still hold what the player told."""
    rows = [
        (reader, int(distance), *counts)
        for result in results
        for reader, curve in result["measures"]["recall"].items()
        for distance, counts in curve.items()
    ]
    table = pd.DataFrame(rows, columns=["reader", "distance", "held", "looked"])
    sums = table.groupby(["distance", "reader"]).sum()
    shares = (sums["held"] / sums["looked"]).unstack().rename_axis(columns=None)
    if not rows:
        return ""
    figure = Figure(figsize=(5.6, 2.6), layout="constrained")
    panel = figure.subplots()
    (100 * shares).plot(style="o-", ax=panel, xlabel="turns later", ylabel="prompts that contain it (%)")
    panel.set(ylim=(-3, 105), xticks=shares.index)
    panel.grid(axis="y")
    return _svg(figure)


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
            yield from _example(run, result["id"], turn, about)


def _stalls(run: Run, results: Results) -> Iterator[Example]:
    """The middle of the longest times without a beat."""
    stalled = [r for r in results if (r["measures"]["scores"]["longest_stall"] or 0) >= STALL]
    for result in sorted(stalled, key=lambda r: -r["measures"]["scores"]["longest_stall"])[:EXAMPLES]:
        marks = [0, *(turn for _, _, turn in result["measures"]["beats"]), result["turns"]]
        length, start = max((after - before, before) for before, after in pairwise(marks))
        about = f"Stalled for {counted(length, 'turn')}, from turn {start + 1}"
        yield from _example(run, result["id"], start + length // 2, about)


def _example(run: Run, id: str, number: int, what: str) -> Iterator[Example]:
    """A turn with the prompt of its narration; nothing if it cannot be read."""
    game, turns, calls = _opened(run, id, number) or (None, (), ())
    if game is not None and turns:
        names = {name: card.name for name, card in game.pack.characters.items()}
        sent = next((call.messages for call in calls if call.key == "narrator"), ())
        prompt = "\n\n".join(message["content"] for message in sent)
        yield what, f"{id}, turn {number}", told(turns[0].told, names, game.info.player.name), prompt
