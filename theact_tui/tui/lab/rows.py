from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from textual.content import Content
from textual.visual import Visual

from theact_tui.errors import UsageError
from theact_tui.lab.measures import METRICS, mean
from theact_tui.lab.plan import Plan, PlanCell
from theact_tui.lab.run_folder import ENDED, PLAN, Run, RunProgress, grouped
from theact_tui.paths import Home
from theact_tui.text import counted, one_line
from theact_tui.tui.visuals import Either, Indented, SplitLine, Stack, accent, faint, quiet, strong
from theact_tui.tui.widgets.lists import Row

COLUMNS = {"beats": "beats", "longest_stall": "stall"}
MORE = {
    **COLUMNS,
    "speaks_for_player": "speaks",
    "repetition": "repeat",
    "words": "words",
    "prompt_tokens": "tokens",
}
_ROOMY_CELLS = 84
BAR = 12


@dataclass(frozen=True, slots=True)
class RunState:
    folder: Path
    plan: Plan | None = None
    progress: RunProgress = field(default_factory=RunProgress)
    results: tuple[Mapping[str, Any], ...] = ()
    cells: tuple[PlanCell, ...] = ()
    answer: str = ""
    stamp: tuple[int, ...] = ()
    broken: str = ""

    @property
    def name(self) -> str:
        return one_line(self.folder.name, 40)


def read_runs(home: Home, earlier: Mapping[Path, RunState]) -> tuple[RunState, ...]:
    """Read all runs, newest first. Unchanged results are reused."""
    plans = sorted(home.lab.glob(f"*/{PLAN}"), key=lambda file: -file.stat().st_mtime)
    return tuple(_read(file.parent, earlier.get(file.parent)) for file in plans)


def _read(folder: Path, earlier: RunState | None) -> RunState:
    try:
        run = Run(folder)
        stamp = run.stamp()
        results = earlier.results if earlier and earlier.stamp == stamp else tuple(run.results())
        return RunState(
            folder, run.plan, run.progress(len(results)), results, tuple(run.cells), run.answer, stamp
        )
    except (UsageError, OSError) as error:
        return RunState(folder, broken=str(error))


def run_row(state: RunState) -> Visual:
    progress = state.progress
    mark = ("! ", ".bad") if state.broken else ("▸ ", ".accent") if progress.playing else ("✓ ", ".good")
    if not state.broken and not progress.playing and progress.done < progress.total:
        mark = ("· ", ".faint")
    done = "" if state.broken else f"{progress.done}/{progress.total}"
    return SplitLine(Content.assemble(mark, state.name), quiet(done))


def run_about(state: RunState) -> Visual:
    if state.plan is None:
        return Indented(Content.styled("! ", ".bad"), Content(state.broken))
    plan, progress = state.plan, state.progress
    packs = ", ".join(Path(pack).name for pack in plan.packs)
    facts = f"told by {', '.join(plan.tellers)} · at most {counted(plan.turns, 'turn')}"
    filled = BAR * progress.done // max(1, progress.total)
    bar = Content.assemble(("━" * filled, ".accent"), ("━" * (BAR - filled), ".line"))
    finished = sum(result["finished"] for result in state.results)
    failed = sum(result["ended"] == "failed" for result in state.results)
    counts = f"{finished} finished" + (f", {failed} failed" if failed else "")
    answers = state.answer.splitlines()
    return Stack(
        SplitLine(accent(one_line(packs, 80)), quiet(facts), first=True),
        SplitLine(Content.assemble(bar, " ", progress.text), quiet(counts), first=True),
        *(Content(one_line(answer, max(170, 340 // len(answers)))) for answer in answers),
    )


def column_heads() -> Visual:
    return _columns(Content(""), ["turns", *MORE.values()], ".quiet")


def game_rows(state: RunState) -> list[Row]:
    """Rows of games below the means of their group, with those still to play."""
    if state.plan is None:
        return []
    done = {result["id"]: result for result in state.results}
    rows: list[Row] = []
    for label, cells in grouped(state.cells, _label(state.plan)).items():
        games = [done[cell.id] for cell in cells if cell.id in done]
        turns = f"{sum(game['turns'] for game in games) / len(games):.0f}" if games else ""
        means = [METRICS[name].text(mean(games, name)) if games else "" for name in MORE]
        rows.append(Row(_columns(strong(label), [turns, *means], ".strong")))
        rows += [_game_row(cell, done.get(cell.id)) for cell in cells]
    return rows


def _label(plan: Plan) -> Any:
    many = len(plan.tellings) > 1
    return lambda cell: f"{cell.pack} · {cell.player}" + (f" · {cell.variant}" if many else "")


def _game_row(cell: PlanCell, result: Mapping[str, Any] | None) -> Row:
    name = f"  seed {cell.seed:<4}"
    if result is None:
        return Row(faint(f"{name}not played yet"))
    ink = {"failed": ".bad", "complete": ".good"}.get(result["ended"], "")
    left = Content.assemble((name, ".quiet"), (ENDED[result["ended"]], ink))
    values = [str(result["turns"]), *(METRICS[name].text(mean([result], name)) for name in MORE)]
    visual = _columns(left, values)
    if result["error"]:
        why = Indented(Content("    "), Content.styled(one_line(result["error"], 300), ".bad"))
        visual = Stack(visual, why)
    return Row(visual, key=result["id"], kind="game")


def _columns(left: Content, values: Sequence[str], ink: str = "") -> Visual:
    narrow = "".join(f"{value:>7}" for value in values[: 1 + len(COLUMNS)])
    wide = "".join(f"{value:>9}" for value in values)
    return Either(
        SplitLine(left, Content.styled(wide, ink)), SplitLine(left, Content.styled(narrow, ink)), _ROOMY_CELLS
    )
