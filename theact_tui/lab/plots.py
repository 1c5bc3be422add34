"""The pictures of a report, each as a piece of SVG."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from theact_tui.lab.compare import Difference
from theact_tui.lab.measures import METRICS
from theact_tui.text import one_line

INK, FAINT, GOOD, BAD, NEUTRAL = "#22303c", "#8a97a3", "#2f8f5b", "#c4453c", "#8a97a3"
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
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
}

Results = Sequence[Mapping[str, Any]]


def _svg(figure: Figure) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, bbox_inches="tight", transparent=True)
    text = out.getvalue()
    return text[text.index("<svg") :]


def progress(packs: Mapping[str, Results], beats: Mapping[str, int], turns: int) -> str:
    """The share of beats reached by each turn, by player, a panel for each pack: mean, and the range of all games."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(4.1 * len(packs), 2.9), layout="constrained")
        panels = figure.subplots(1, len(packs), sharey=True, squeeze=False)[0]
        colours = _colours(packs)
        for panel, (pack, results) in zip(panels, packs.items(), strict=True):
            for player, colour in colours.items():
                curves = [
                    _curve(r, beats[pack], turns) for r in results if r["player"] == player and r["turns"]
                ]
                if not curves:
                    continue
                by_turn = list(zip(*curves, strict=True))
                mean = [sum(values) / len(values) for values in by_turn]
                panel.step(range(turns + 1), mean, where="post", color=colour, label=player, linewidth=1.8)
                low, high = [min(v) for v in by_turn], [max(v) for v in by_turn]
                panel.fill_between(
                    range(turns + 1), low, high, step="post", color=colour, alpha=0.1, linewidth=0
                )
            panel.set(title=pack, xlabel="turn", xlim=(0, turns), ylim=(0, 102))
            panel.grid(axis="y", color="#e3e8ec")
        panels[0].set_ylabel("beats reached (%)")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=8, frameon=False)
        return _svg(figure)


def _colours(packs: Mapping[str, Results]) -> dict[str, str]:
    players = dict.fromkeys(result["player"] for results in packs.values() for result in results)
    return {player: COLOURS[place % len(COLOURS)] for place, player in enumerate(players)}


def _curve(result: Mapping[str, Any], beats: int, turns: int) -> list[float]:
    when = [turn for _, _, turn in result["measures"]["beats"]]
    return [100 * sum(turn <= now for turn in when) / beats for now in range(turns + 1)]


def beat_map(results: Results, beats: Sequence[tuple[str, int, str]]) -> str:
    """When beats were reached: the median turn, darker if later, a row for each beat and a column for each player; with
    the share of games where it was not all, and blank where it was none."""
    players = list(dict.fromkeys(result["player"] for result in results))
    turns, marks = list[list[float]](), list[list[str]]()
    for chapter, number, _ in beats:
        row, texts = list[float](), list[str]()
        for player in players:
            games = [r["measures"]["beats"] for r in results if r["player"] == player]
            when = [t for game in games for c, n, t in game if (c, n) == (chapter, number)]
            part = f" ({len(when) / len(games):.0%})" if len(when) < len(games) else ""
            row.append(median(when) if when else float("nan"))
            texts.append(f"{median(when):.0f}{part}" if when else "–")
        turns.append(row)
        marks.append(texts)
    latest = max((turn for row in turns for turn in row if turn == turn), default=1)
    with mpl.rc_context({**_STYLE, "font.size": 9}):
        figure = Figure(figsize=(5.2 + 0.8 * len(players), 0.6 + 0.25 * len(beats)), layout="constrained")
        panel = figure.subplots()
        panel.imshow(turns, cmap="YlGnBu", vmin=0, vmax=1.15 * latest, aspect="auto")
        panel.set_xticks(range(len(players)), players)
        panel.set_yticks(range(len(beats)), [one_line(text, 62) for _, _, text in beats])
        panel.tick_params(length=0, top=True, labeltop=True, bottom=False, labelbottom=False)
        for y, texts in enumerate(marks):
            for x, text in enumerate(texts):
                panel.text(
                    x, y, text, ha="center", va="center", color="white" if turns[y][x] > 0.6 * latest else INK
                )
        for y in range(1, len(beats)):
            if beats[y][0] != beats[y - 1][0]:
                panel.axhline(y - 0.5, color="white", linewidth=4)
        panel.spines[:].set_visible(False)
        return _svg(figure)


def forest(found: Sequence[Difference]) -> str:
    """Every measure of a comparison: the difference with its interval, in standard deviations."""
    shown = [each for each in found if each.low or each.high] or list(found)[:1]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(7.6, 0.7 + 0.27 * len(shown)), layout="constrained")
        panel = figure.subplots()
        for y, each in enumerate(reversed(shown)):
            difference = each.other_mean - each.base_mean
            scale = each.effect / difference if difference else 0.0
            colour = {True: GOOD, False: BAD, None: INK if each.seen else NEUTRAL}[each.better]
            panel.plot([each.low * scale, each.high * scale], [y, y], color=colour, linewidth=2)
            panel.plot(each.effect, y, "o", color=colour, markersize=5)
        panel.set_yticks(range(len(shown)), [METRICS[each.metric].label for each in reversed(shown)])
        panel.axvline(0, color=INK, linewidth=0.8)
        panel.set_xlabel("difference in standard deviations, with its 95% interval")
        panel.set_ylim(-0.6, len(shown) - 0.4)
        return _svg(figure)


def tokens(groups: Mapping[str, Results]) -> str:
    """Tokens sent per turn by agent, a bar for each group of games."""
    sent: dict[str, dict[str, int]] = {}
    for name, results in groups.items():
        for result in results:
            for agent, counts in result["measures"]["agents"].items():
                by_group = sent.setdefault(agent, dict.fromkeys(groups, 0))
                by_group[name] += counts[2]
    if not sent:
        return ""
    turns = {name: max(1, sum(result["turns"] for result in results)) for name, results in groups.items()}
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(8.2, 0.9 + 0.34 * len(groups)), layout="constrained")
        panel = figure.subplots()
        left = dict.fromkeys(groups, 0.0)
        for place, (agent, by_group) in enumerate(sent.items()):
            widths = {name: by_group[name] / turns[name] for name in groups}
            colour = COLOURS[place % len(COLOURS)]
            panel.barh(
                list(groups),
                list(widths.values()),
                left=list(left.values()),
                color=colour,
                label=agent,
                height=0.62,
            )
            left = {name: left[name] + widths[name] for name in groups}
        panel.invert_yaxis()
        panel.set_xlabel("tokens sent per turn")
        panel.tick_params(axis="y", length=0)
        figure.legend(loc="outside lower center", ncols=8, frameon=False)
        return _svg(figure)


def recall_curve(groups: Mapping[str, Mapping[int, tuple[int, int]]]) -> str:
    """By reader and distance in turns: the share of prompts that still hold what the player told."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(5.6, 2.6), layout="constrained")
        panel = figure.subplots()
        for place, (reader, curve) in enumerate(groups.items()):
            shares = [100 * held / max(1, looked) for held, looked in curve.values()]
            panel.plot(list(curve), shares, "o-", color=COLOURS[place], label=reader)
        panel.set(xlabel="turns later", ylabel="prompts that contain it (%)", ylim=(-3, 105))
        panel.grid(axis="y", color="#e3e8ec")
        panel.legend(frameon=False)
        return _svg(figure)
