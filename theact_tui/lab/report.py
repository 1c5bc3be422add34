from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from jinja2 import Environment, PackageLoader

from theact_tui.agents.agent import entries_text
from theact_tui.errors import SaveError
from theact_tui.lab.compare import TellerComparison, comparisons
from theact_tui.lab.judge_pairs import too_small
from theact_tui.lab.measures import METRICS, beats_of
from theact_tui.lab.plan import CHAT, variant_of
from theact_tui.lab.run_folder import ANSWER, ENDED, REPORT, Run, grouped
from theact_tui.models.ledger import Call, Ledger
from theact_tui.paths import write_private
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn
from theact_tui.text import counted

_EXAMPLES = 2

Results = Sequence[Mapping[str, Any]]
Example = tuple[str, str, str, str]
"""Title, place, page, and the prompt of the page."""


def write_report(run: Run) -> Path:
    file, compared = run.folder / REPORT, comparisons(run)
    environment = Environment(loader=PackageLoader("theact_tui.lab"), autoescape=True, trim_blocks=True)
    write_private(file, environment.get_template("report.html").render(_content(run, compared)))
    write_private(run.folder / ANSWER, "".join(f"{' '.join(comparison.answer)}\n" for comparison in compared))
    return file


def _content(run: Run, compared: Sequence[TellerComparison]) -> dict[str, Any]:
    results, timings = run.results(), run.timings()
    played = [result for result in results if result["measures"]]
    engine_games = [result for result in played if not result.get("vs", "").startswith(CHAT)]
    by_pack = grouped(engine_games or played, lambda result: str(result["pack"]))
    packs = {name: opened[0].pack for name in by_pack if (opened := _opened(run, by_pack[name][0]["id"]))}
    with_beats = {name: pack for name, pack in packs.items() if engine_games and beats_of(pack)}
    ended = {ending: sum(result["ended"] == ending for result in results) for ending in ENDED}
    return {
        "plan": run.plan,
        "title": ", ".join(pack.game.title for pack in packs.values()) or "no games",
        "cells": len(run.cells),
        "results": [{**r, "how": ENDED[r["ended"]], "seconds": timings.get(r["id"], {}).get("seconds")} for r in results],
        "ended": ended,
        "turns": sum(result["turns"] for result in results),
        "comparisons": compared,
        "findings": [
            *_limits(run, ended, compared),
            *(line for name, pack in with_beats.items() for line in _stuck(name, pack, by_pack[name], run.plan.turns)),
        ],
        "maps": [
            (pack.game.title, *_beat_map(pack, by_pack[name]))
            for name, pack in with_beats.items() if any(r["measures"]["beats"] for r in by_pack[name])
        ],
        "metrics": METRICS,
        "judged": len([line for line in run.judgements() if "winner" in line]),
        "examples": list(_examples(run, played)),
    }  # fmt: skip


def _opened(run: Run, id: str, number: int = 1) -> tuple[Game, Sequence[Turn], Sequence[Call]] | None:
    try:
        with Save.open(run.save_folder(id), write=False) as save:
            store = save.of(GAMES)
            return store.load(), store.turns(number, number), Ledger(save.private).turn(number)
    except (SaveError, OSError):
        return None


def _limits(run: Run, ended: Mapping[str, int], compared: Sequence[TellerComparison]) -> Iterator[str]:
    if why := too_small(run.judgements()):
        yield why
    if ended["turns"]:
        yield f"{counted(ended['turns'], 'game')} ended at the limit of {counted(run.plan.turns, 'turn')}, not by the story."
    for comparison in compared:
        if comparison.left_out:
            pairs, names = counted(comparison.left_out, "pair"), " and ".join(comparison.names)
            yield f"{pairs} of {names} do not count: a game failed or is missing."


def _stuck(name: str, pack: Pack, results: Results, turns: int) -> Iterator[str]:
    beats = beats_of(pack)
    reached = {(c, n) for r in results for c, n, _ in r["measures"]["beats"]}
    furthest = max((place for place, (c, n, _) in enumerate(beats) if (c, n) in reached), default=-1)
    for c, n, text in beats[: furthest + 1]:
        if (c, n) not in reached:
            yield f"{name}: nobody reaches “{text}”, though later beats are reached."
    if furthest + 1 < len(beats):
        far = f"gets past beat {furthest + 1} of {len(beats)}" if furthest >= 0 else "reaches a beat"
        yield f"{name}: no game {far} in {counted(turns, 'turn')}."


def _beat_map(
    pack: Pack, results: Results
) -> tuple[list[str], list[tuple[str, str, list[tuple[str, float]]]]]:
    """Return the players, and per beat chapter, text and, by player, the median turn (with a share if not all) and a
    shade.
    """
    by_player, rows = grouped(results, lambda result: str(result["player"])), []
    last = max(result["turns"] for result in results)
    for chapter, number, text in beats_of(pack):
        row = []
        for games in by_player.values():
            when = [t for r in games for c, n, t in r["measures"]["beats"] if (c, n) == (chapter, number)]
            share, turn = len(when) / len(games), median(when or [0])
            shown = f"{turn:.0f}" + (f" ({share:.0%})" if share < 1 else "")
            row.append((shown, 0.1 + 0.6 * turn / last) if when else ("–", 0.0))
        rows.append((pack.chapters[chapter].title if number == 1 else "", text, row))
    return list(by_player), rows


def _examples(run: Run, results: Results) -> Iterator[Example]:
    for metric in ("leaked", "speaks_for_player", "repetition"):
        for variant, games in grouped(results, variant_of).items():
            worst = sorted(games, key=lambda r: -(r["measures"]["scores"].get(metric) or 0))
            for result in [r for r in worst if r["measures"]["found"].get(metric)][:_EXAMPLES]:
                example = result["measures"]["found"][metric][0]
                number, *details = example if isinstance(example, list) else [example]
                title = ": ".join([f"{variant}. {METRICS[metric].label}", *map(str, details)])
                game, turns, calls = _opened(run, result["id"], number) or (None, (), ())
                if game is not None and turns:
                    sent = next((call.messages for call in calls if call.key in ("narrator", "chat")), ())
                    prompt = "\n\n".join(message["content"] for message in sent)
                    page = entries_text(turns[0].ordered_entries, game.pack.names, game.info.player.name)
                    yield title, f"{result['id']}, turn {number}", page, prompt
