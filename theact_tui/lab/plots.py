"""The pictures of a report, each as a piece of SVG."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from theact_tui.lab.compare import Difference
from theact_tui.lab.measures import METRICS

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


def _svg(figure: Figure) -> str:
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, bbox_inches="tight", transparent=True)
    text = out.getvalue()
    return text[text.index("<svg") :]


@_styled
def progress(reached: pd.DataFrame) -> str:
    """The share of beats reached by each turn, by player, a panel for each pack: mean, and the range of all games.
    `reached` has a row for each turn, and a column for each pack, player and game."""
    packs = list(dict.fromkeys(reached.columns.get_level_values("pack")))
    figure = Figure(figsize=(4.1 * len(packs), 2.9), layout="constrained")
    panels = figure.subplots(1, len(packs), sharey=True, squeeze=False)[0]
    for panel, pack in zip(panels, packs, strict=True):
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
def forest(found: Sequence[Difference]) -> str:
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


@_styled
def tokens(sent: pd.DataFrame) -> str:
    """Tokens sent per turn: a bar for each row of games, a part of it for each column of an agent."""
    figure = Figure(figsize=(8.2, 0.9 + 0.34 * len(sent)), layout="constrained")
    panel = figure.subplots()
    sent.plot.barh(stacked=True, width=0.62, legend=False, ax=panel, xlabel="tokens sent per turn", ylabel="")
    panel.invert_yaxis()
    panel.tick_params(axis="y", length=0)
    figure.legend(loc="outside lower center", ncols=8)
    return _svg(figure)


@_styled
def recall_curve(shares: pd.DataFrame) -> str:
    """By distance in turns, a line for each reader: the share of prompts that still hold what the player told."""
    figure = Figure(figsize=(5.6, 2.6), layout="constrained")
    panel = figure.subplots()
    (100 * shares).plot(style="o-", ax=panel, xlabel="turns later", ylabel="prompts that contain it (%)")
    panel.set(ylim=(-3, 105), xticks=shares.index)
    panel.grid(axis="y")
    return _svg(figure)
