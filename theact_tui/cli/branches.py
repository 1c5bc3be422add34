"""`branches` and `compare`: the tree of a story, and what parts two of its branches (S9, S12)."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from theact_tui.cli.opening import opened
from theact_tui.cli.options import home_option, json_option, print_json
from theact_tui.cli.saying import say
from theact_tui.paths import Home
from theact_tui.text import one_line

if TYPE_CHECKING:
    from theact_tui.saves.compare import Comparison, Side


@click.command()
@click.argument("save")
@home_option
@json_option
def branches(save: str, home: Home, as_json: bool) -> None:
    """List the branches of SAVE, the current one first."""
    with opened(home, save) as store:
        found, word = store.branches(), "turn" if store.info.mode == "play" else "prompt"
    if as_json:
        print_json([asdict(branch) for branch in found])
        return
    for branch in found:
        mark = "*" if branch.current else " "
        place = branch.broken or ", ".join(part for part in (f"{word} {branch.turn}", branch.chapter) if part)
        say(f"{mark} {one_line(branch.title)} ({branch.name}) · {place}\n    {one_line(branch.line, 100)}")


@click.command()
@click.argument("save")
@click.argument("a")
@click.argument("b")
@home_option
@json_option
def compare(save: str, a: str, b: str, home: Home, as_json: bool) -> None:
    """Say what parts A and B in SAVE: branches, turns of this branch, branch@turn, or turn#take."""
    from theact_tui.cli.direct_compared import chapters_compared
    from theact_tui.engine.direct_compare import DirectComparison, compare_directed

    with opened(home, save) as store:
        found = compare_directed(store, a, b) if store.info.mode == "direct" else store.compare(a, b)
    if as_json:
        print_json(found.model_dump(mode="json"))
    else:
        say(chapters_compared(found) if isinstance(found, DirectComparison) else compared_text(found))


def compared_text(found: Comparison) -> str:
    """A comparison for people."""
    lines = [f"They part after turn {found.fork_turn}."]
    for side in (found.a, found.b):
        lines += ["", *_side(side)]
    for pair in found.turns:
        for side, turn in ((found.a, pair.a), (found.b, pair.b)):
            if turn is not None:
                said = f"> {one_line(turn.player_text, 100)}  " if turn.player_text else ""
                lines += [
                    "",
                    f"{side.name}, turn {turn.number}: {said}",
                    f"  {one_line(turn.narration, 160)}",
                ]
    return "\n".join(lines)


def _side(side: Side) -> list[str]:
    """What only one side has."""
    lines = [f"{side.name}: turn {side.turn}, {side.chapter.title}"]
    lines += [f"  beat      {beat}" for beat in side.beats]
    lines += [f"  here      {name}" for name in side.present]
    lines += [f"  moment    {moment.summary} (turn {moment.turn})" for moment in side.moments]
    for name, memory in side.characters.items():
        lines += [f"  {name} learned (turn {line.turn}): {line.text}" for line in memory.learned]
        lines += [f"  {name} remembers otherwise (turn {line.turn}): {line.here}" for line in memory.changed]
        lines += [f"  {name} understands: {memory.summary}"] if memory.summary else []
    return lines
