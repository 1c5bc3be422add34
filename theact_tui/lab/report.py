"""The report of a run: one HTML page that needs nothing else, with the answer first, and turns to look at."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import matplotlib as mpl
from jinja2 import Environment, PackageLoader
from matplotlib.figure import Figure

from theact_tui.agents.base import told
from theact_tui.errors import SaveError
from theact_tui.lab.compare import Comparison, answers
from theact_tui.lab.measures import METRICS, STALL, beats_of
from theact_tui.lab.plan import CHAT, variant_of
from theact_tui.lab.results import ANSWER, ENDED, REPORT, Run, grouped
from theact_tui.models.ledger import Call, Ledger
from theact_tui.paths import write_private
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn
from theact_tui.text import counted

EXAMPLES = 2
"""Examples of each kind and telling."""
INK, FAINT, GOOD = "#22303c", "#8a97a3", "#2f8f5b"
_STYLE: Any = {
    "svg.hashsalt": "lab",
    "svg.fonttype": "none",
    "text.color": INK,
    "text.parse_math": False,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
}

Results = Sequence[Mapping[str, Any]]
Example = tuple[str, str, str, str]
"""A turn worth looking at: what is to be seen, where it is, what was told, and the prompt of its page."""


def write_report(run: Run) -> Path:
    """Write the report, and its answers as text; where the report is."""
    file, compared = run.folder / REPORT, answers(run)
    environment = Environment(loader=PackageLoader("theact_tui.lab"), autoescape=True, trim_blocks=True)
    write_private(file, environment.get_template("report.html").render(_content(run, compared)))
    write_private(run.folder / ANSWER, "".join(f"{' '.join(each.answer)}\n" for each in compared))
    return file


def _content(run: Run, compared: Sequence[Comparison]) -> dict[str, Any]:
    results, timings = run.results(), run.timings()
    played = [result for result in results if result["measures"]]
    kept = [result for result in played if not result.get("vs", "").startswith(CHAT)]
    by_pack = grouped(kept or played, lambda result: str(result["pack"]))
    packs = {name: found[0].pack for name in by_pack if (found := _opened(run, by_pack[name][0]["id"]))}
    with_beats = {name: pack for name, pack in packs.items() if kept and beats_of(pack)}
    reached = {name for name in with_beats if any(r["measures"]["beats"] for r in by_pack[name])}
    ended = {how: sum(result["ended"] == how for result in results) for how in ENDED}
    return {
        "plan": run.plan,
        "title": ", ".join(pack.game.title for pack in packs.values()) or "no games",
        "cells": len(run.cells),
        "results": [{**r, "how": ENDED[r["ended"]], "seconds": timings.get(r["id"], {}).get("seconds")} for r in results],
        "ended": ended,
        "turns": sum(result["turns"] for result in results),
        "comparisons": [(each, _plot(each)) for each in compared],
        "findings": [
            *_limits(run, ended, compared),
            *(line for name, pack in with_beats.items() for line in _stuck(name, pack, by_pack[name], run.plan.turns)),
        ],
        "maps": [(pack.game.title, *_beat_map(pack, by_pack[name])) for name, pack in with_beats.items() if name in reached],
        "metrics": METRICS,
        "judged": len([line for line in run.judgements() if "winner" in line]),
        "examples": list(_examples(run, played)),
    }  # fmt: skip


def _opened(run: Run, id: str, number: int = 1) -> tuple[Game, Sequence[Turn], Sequence[Call]] | None:
    """A game of a run, with one of its turns and the calls of that; None if it cannot be read."""
    try:
        with Save.open(run.save_folder(id), write=False) as save:
            store = save.of(GAMES)
            return store.load(), store.turns(number, number), Ledger(save.private).turn(number)
    except (SaveError, OSError):
        return None


def _limits(run: Run, ended: Mapping[str, int], compared: Sequence[Comparison]) -> Iterator[str]:
    """What limits and failures ended, in sentences."""
    if ended["turns"]:
        yield f"{counted(ended['turns'], 'game')} ended at the limit of {counted(run.plan.turns, 'turn')}, not by the story."
    for each in compared:
        if each.left_out:
            yield f"{counted(each.left_out, 'pair')} of {' and '.join(each.names)} do not count: a game failed or is missing."


def _stuck(name: str, pack: Pack, results: Results, turns: int) -> Iterator[str]:
    """Where the games of a pack stand still, in sentences."""
    beats = beats_of(pack)
    known = {(c, n) for r in results for c, n, _ in r["measures"]["beats"]}
    furthest = max((place for place, (c, n, _) in enumerate(beats) if (c, n) in known), default=-1)
    for c, n, text in beats[: furthest + 1]:
        if (c, n) not in known:
            yield f"{name}: nobody reaches “{text}”, though later beats are reached."
    if furthest + 1 < len(beats):
        far = f"gets past beat {furthest + 1} of {len(beats)}" if furthest >= 0 else "reaches a beat"
        yield f"{name}: no game {far} in {counted(turns, 'turn')}."
    for player, games in grouped(results, lambda r: str(r["player"])).items():
        stalls = [r["measures"]["scores"].get("longest_stall") or 0 for r in games]
        if (stall := median(stalls)) >= STALL:
            yield f"{name}: the {player} player stalls for {counted(int(stall), 'turn')} without a beat (median)."


@mpl.rc_context(_STYLE)
def _plot(found: Comparison) -> str:
    """The tested differences as SVG: how many points the other telling is better or worse, with intervals."""
    shown = [each for each in found.tested if each.metric != "judge"]
    if not shown:
        return ""
    figure = Figure(figsize=(7.6, 0.8 + 0.34 * len(shown)), layout="constrained")
    panel = figure.subplots()
    for y, each in enumerate(reversed(shown)):
        colour = GOOD if each.sure else FAINT
        panel.plot([100 * each.low, 100 * each.high], [y, y], color=colour, linewidth=2.5)
        panel.plot(100 * sum(each.gaps.values()) / len(each.gaps), y, "o", color=colour, markersize=7)
    panel.set_yticks(range(len(shown)), [each.about.label for each in reversed(shown)])
    panel.tick_params(axis="y", length=0)
    panel.axvline(0, color=INK, linewidth=0.8)
    panel.set(xlim=(-104, 104), ylim=(-0.6, len(shown) - 0.4))
    panel.set_xlabel(f"← {found.names[0]} is better, in points  |  {found.names[1]} is better →")
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None}, bbox_inches="tight", transparent=True)
    return out.getvalue()[out.getvalue().index("<svg") :]


def _beat_map(
    pack: Pack, results: Results
) -> tuple[list[str], list[tuple[str, str, list[tuple[str, float]]]]]:
    """The players; and for each beat its chapter, its text and, by player, the median turn in which it was reached, with
    the share of games if it was not all, and how dark that is, from 0 to 1."""
    by_player = grouped(results, lambda result: str(result["player"]))
    last = max((result["turns"] for result in results), default=1) or 1
    rows = []
    for chapter, number, text in beats_of(pack):
        row = []
        for games in by_player.values():
            when = [t for r in games for c, n, t in r["measures"]["beats"] if (c, n) == (chapter, number)]
            share = "" if len(when) == len(games) else f" ({len(when) / len(games):.0%})"
            row.append(
                (f"{median(when):.0f}{share}", 0.1 + 0.6 * median(when) / last) if when else ("–", 0.0)
            )
        rows.append((pack.chapters[chapter].title if number == 1 else "", text, row))
    return list(by_player), rows


def _examples(run: Run, results: Results) -> Iterator[Example]:
    """The worst turns of each kind and telling."""
    for metric in ("leaked", "speaks_for_player", "repetition"):
        for variant, games in grouped(results, variant_of).items():
            worst = sorted(games, key=lambda r: -(r["measures"]["scores"].get(metric) or 0))
            for result in [r for r in worst if r["measures"]["found"].get(metric)][:EXAMPLES]:
                found = result["measures"]["found"][metric][0]
                turn, *who = found if isinstance(found, list) else [found]
                about = ": ".join([METRICS[metric].label, *map(str, who)])
                yield from _example(run, result["id"], turn, f"{variant}. {about}")


def _example(run: Run, id: str, number: int, what: str) -> Iterator[Example]:
    """A turn with the prompt of its page; nothing if it cannot be read."""
    game, turns, calls = _opened(run, id, number) or (None, (), ())
    if game is not None and turns:
        names = {name: card.name for name, card in game.pack.characters.items()}
        sent = next((call.messages for call in calls if call.key in ("narrator", "chat")), ())
        prompt = "\n\n".join(message["content"] for message in sent)
        yield what, f"{id}, turn {number}", told(turns[0].told, names, game.info.player.name), prompt
