"""`undo`, `redo`, `retry`, `branch` and `switch`: moving about in a story's history (S12)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from theact_tui.cli.context import (
    at_rest,
    common_options,
    model_options,
    models_for,
    opened,
    print_json,
    print_result,
    say,
)
from theact_tui.cli.play import ProsePrinter
from theact_tui.engine.bus import Bus
from theact_tui.engine.direct.compare import DirectComparison, DirectSide
from theact_tui.engine.factory import open_session
from theact_tui.errors import UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.direct.log import span_text
from theact_tui.story.direct.models import LogEvent
from theact_tui.story.direct.state import DirectGame
from theact_tui.story.game import Game
from theact_tui.text import counted, one_line, words

if TYPE_CHECKING:
    from theact_tui.saves.compare import ComparedState, Comparison
    from theact_tui.saves.save import Save


def _report(game: Game | DirectGame, store: Save[Any], as_json: bool) -> None:
    """Where a story or a directed chapter stands now."""
    if isinstance(game, DirectGame):
        at, more = game.session.prompt_index, {"state": str(game.session.state)}
        where = f"Prompt {at} of {game.info.title}, {game.session.state}"
    else:
        at, more = game.state.turn, {"chapter": game.chapter.id}
        where = f"Turn {at} of {game.chapter.title}"
    document = {"save": game.info.title, "branch": store.branch, "turn": at, **more}
    print_result(as_json, document, f"{where}, branch {store.title_of()}.")


@click.command()
@click.argument("save")
@click.argument("turns", type=click.IntRange(min=1), default=1)
@common_options
def undo(save: str, turns: int, home: Home, as_json: bool) -> None:
    """Undo the last turn of SAVE, or the last TURNS."""
    with at_rest(home, save) as store:
        _report(store.undo(turns), store, as_json)


@click.command()
@click.argument("save")
@click.argument("turns", type=click.IntRange(min=1), default=1)
@common_options
def redo(save: str, turns: int, home: Home, as_json: bool) -> None:
    """Redo one undone turn of SAVE, or as many as TURNS."""
    with at_rest(home, save) as store:
        _report(store.redo(turns), store, as_json)


@click.command()
@click.argument("save")
@click.argument("text", required=False)
@common_options
@model_options
def retry(save: str, text: str | None, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Retry the last turn of SAVE, optionally with another TEXT. The earlier take is kept."""
    asyncio.run(_retry(home, options, save, text, as_json))


async def _retry(home: Home, options: ModelOptions, name: str, text: str | None, as_json: bool) -> None:
    bus = Bus()
    if not as_json:
        bus.listen(ProsePrinter(live=False))
    session = await open_session(Library(home.data).path(name), models_for(home, options, pace=False), bus)
    try:
        if session.read_only:
            raise UsageError("This save is read-only.")
        await session.retry(text)
        await session.settle()
        current, count = session.takes
    finally:
        await session.close()
    if as_json:
        game = session.game
        print_json({"save": game.info.title, "turn": game.state.turn, "take": current, "takes": count})


@click.command()
@click.argument("save")
@click.argument("name")
@click.option("--turn", type=click.IntRange(min=0), help="Fork at this turn instead of the last one.")
@common_options
def branch(save: str, name: str, turn: int | None, home: Home, as_json: bool) -> None:
    """Create the branch NAME in SAVE. It does not switch to it."""
    with at_rest(home, save) as store:
        made = store.create_branch(name, turn)
    told = f"Created branch {made}. Switch to it with 'theact-tui switch {save} {made}'."
    print_result(as_json, {"branch": made}, told)


@click.command()
@click.argument("save")
@click.argument("name")
@common_options
def switch(save: str, name: str, home: Home, as_json: bool) -> None:
    """Switch SAVE to another branch."""
    with at_rest(home, save) as store:
        _report(store.switch_branch(name), store, as_json)


@click.command()
@click.argument("save")
@common_options
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
@common_options
def compare(save: str, a: str, b: str, home: Home, as_json: bool) -> None:
    """Show how A and B of SAVE differ. Each is a branch, a turn of this branch, branch@turn or turn#take."""
    from theact_tui.engine.direct.compare import DirectComparison, compare_directed

    with opened(home, save) as store:
        found = compare_directed(store, a, b) if store.info.mode == "direct" else store.compare(a, b)
    text = chapters_compared(found) if isinstance(found, DirectComparison) else compared_text(found)
    print_result(as_json, found.model_dump(mode="json"), text)


def compared_text(found: Comparison) -> str:
    """A comparison for people."""
    lines = [f"They differ after turn {found.fork_turn}."]
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


def _side(side: ComparedState) -> list[str]:
    """What only one side has."""
    lines = [f"{side.name}: turn {side.turn}, {side.chapter.title}"]
    lines += [f"  beat      {beat}" for beat in side.beats]
    lines += [f"  here      {name}" for name in side.present]
    lines += [f"  moment    {moment.summary} (turn {moment.turn})" for moment in side.moments]
    for name, memory in side.characters.items():
        lines += [f"  {name} learned (turn {line.turn}): {line.text}" for line in memory.learned]
        lines += [
            f"  {name} remembers it differently (turn {line.turn}): {line.here}" for line in memory.changed
        ]
        lines += [f"  {name} understands: {memory.summary}"] if memory.summary else []
    return lines


def chapters_compared(found: DirectComparison) -> str:
    """A comparison for people."""
    lines = [f"They differ after prompt {found.fork_turn}."]
    for side in (found.a, found.b):
        lines += ["", *_direct_compared_side(side)]
    for pair in found.turns:
        for side, events in ((found.a, pair.a), (found.b, pair.b)):
            if events:
                lines += ["", f"{side.name}, prompt {pair.number}:", *_told(events, found.names)]
    return "\n".join(lines)


def _direct_compared_side(side: DirectSide) -> Iterator[str]:
    """What only one side has."""
    yield f"{side.name}: prompt {side.turn}, {side.state}"
    for block in side.blocks:
        yield f"  memory of {span_text(block.from_prompt_index, block.to_prompt_index)}"
    for kind, noted in side.memory.items():
        yield from (f"  {kind}: {one_line(line, 200)}" for line in noted)
    for draft in side.drafts:
        yield f"  a draft of {counted(words(draft.chapter_text), 'word')}: {one_line(draft.chapter_text, 100)}"


def _told(events: tuple[LogEvent, ...], names: dict[int, str]) -> Iterator[str]:
    for event in events:
        name = names.get(event.agent_slot or 0)
        yield f"  {f'{name}: ' if name else '> '}{one_line(event.text, 160)}"
