import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import asdict
from typing import Any

import click

from theact_tui.cli.context import (
    Answer,
    answers_about,
    at_rest,
    common_options,
    model_options,
    opened,
    print_json,
    program,
    text_of,
)
from theact_tui.cli.play import ProsePrinter
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import models_chooser
from theact_tui.engine.commands import one_character
from theact_tui.engine.open_sessions import open_session
from theact_tui.engine.session import StorySession
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.compare import ComparedState, Comparison, same_turns
from theact_tui.saves.direct_codec import CHAPTERS
from theact_tui.saves.graph import all_below
from theact_tui.saves.library import Library, unlock
from theact_tui.saves.save import Save
from theact_tui.story.direct.as_story import NOTES
from theact_tui.story.direct.state import DirectGame
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.text import counted, one_line

CONTROL_TOO = "  (by chance)"


def _moved(done: str, game: Game | DirectGame, store: Save[Any]) -> Answer:
    if isinstance(game, DirectGame):
        at, more = game.session.prompt_index, {"state": str(game.session.state)}
        where = f"prompt {at} ({game.info.title}, {game.session.state})"
    else:
        at, more = game.state.turn, {"chapter": game.chapter.id}
        where = f"turn {at} ({game.chapter.title})"
    document = {"save": game.info.title, "branch": store.branch, "turn": at, **more}
    return Answer(document, f"{done}: now at {where}, branch “{store.title_of()}”.")


@click.command()
@click.argument("save")
@click.argument("turns", type=click.IntRange(min=1), required=False)
@answers_about(at_rest)
def undo(store: Save[Any], turns: int | None) -> Answer:
    """Undo the last turn of SAVE, or the last TURNS. Without TURNS, an edit of a text made since is undone first. Before
    the first prompt of a chapter, this undoes its lock."""
    if store.info.mode != "direct":
        before, answer = store.turn, _moved("Undone", store.undo(turns), store)
        note = "" if store.turn < before else " Only the last edit of a text was undone."
        return answer._replace(text=answer.text + note)
    turns = turns or 1
    if turns == 1 and not store.turn:
        return _moved("Undone", unlock(store), store)
    ending = store.of(CHAPTERS).load().ending
    answer = _moved("Undone", store.undo(turns), store)
    undone = f" {counted(turns, 'prompt')}, {ending} undone; 'redo' brings them back." if ending else ""
    return answer._replace(text=answer.text + undone)


@click.command()
@click.argument("save")
@click.argument("turns", type=click.IntRange(min=1), required=False)
@answers_about(at_rest)
def redo(store: Save[Any], turns: int | None) -> Answer:
    """Redo what was undone last in SAVE, or as many turns as TURNS."""
    return _moved("Redone", store.redo(turns), store)


@click.command()
@click.argument("save")
@click.argument("text", required=False)
@click.option(
    "--reply", metavar="NAME", help="Retry only this character's reply; the rest of the turn stays."
)
@common_options
@model_options
def retry(
    save: str, text: str | None, reply: str | None, home: Home, as_json: bool, options: ModelOptions
) -> None:
    """Retry the last turn of SAVE, optionally with another TEXT. The earlier take is kept."""
    if text is not None and reply is not None:
        raise click.UsageError("Give either TEXT or --reply, not both.")

    async def tell(session: StorySession) -> None:
        if reply is None:
            await session.retry(text)
        else:
            await session.retry_reply(one_character(session.game, reply))

    asyncio.run(_take(home, options, save, tell, as_json))


@click.command()
@click.argument("save")
@click.option("--text", "file", metavar="FILE", help="The text so far; - reads standard input.")
@click.option(
    "--reply", metavar="NAME", help="Go on from this character's reply; the rest of the turn stays."
)
@common_options
@model_options
def write_on(
    save: str, file: str | None, reply: str | None, home: Home, as_json: bool, options: ModelOptions
) -> None:
    """Let the model go on from where the last page of SAVE, or a reply, was cut. FILE holds what is left of it; without
    FILE it continues at the end. The earlier take is kept."""
    text = text_of(file) if file else None

    async def tell(session: StorySession) -> None:
        await session.write_on(text, one_character(session.game, reply) if reply else "")

    asyncio.run(_take(home, options, save, tell, as_json))


async def _take(
    home: Home,
    options: ModelOptions,
    name: str,
    tell: Callable[[StorySession], Awaitable[None]],
    as_json: bool,
) -> None:
    """Tell a further take of the last turn and print it."""
    bus = Bus()
    if not as_json:
        bus.listen(ProsePrinter(live=False))
    session = await open_session(
        Library(home.data).path(name), models_chooser(home, options, pace=False), bus
    )
    try:
        await tell(session)
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
@click.option("--of", metavar="PLACE", default="", help="Fork from this branch, turn#take or commit instead.")
@answers_about(at_rest)
def branch(store: Save[Any], name: str, turn: int | None, of: str) -> Answer:
    """Create the branch NAME in SAVE. It does not switch to it."""
    created = store.create_branch(name, turn, store.place(of) if of else None)
    save = click.get_current_context().params["save"]
    return Answer(
        {"branch": created},
        f"Created branch {created}. Switch to it with '{program()} switch {save} {created}'.",
    )


@click.command()
@click.argument("save")
@click.argument("name")
@answers_about(at_rest)
def switch(store: Save[Any], name: str) -> Answer:
    """Switch SAVE to another branch."""
    return _moved("Switched", store.switch_branch(name), store)


@click.command()
@click.argument("save")
@click.option(
    "--undone", is_flag=True, help="List where undone turns end; 'branch --of COMMIT' restores them."
)
@answers_about(opened)
def branches(store: Save[Any], undone: bool) -> Answer:
    """List the branches of SAVE, the current one first."""
    all_branches, word = store.branches(), store.turn_word
    if undone:
        ends = [node for node in all_below(store.tree()) if node.is_undone and not node.children]
        lines = [f"{end.tip}  {word} {end.turn}  {one_line(end.said or end.line, 60)}" for end in ends]
        rows = [{"commit": end.tip, "turn": end.turn, "line": end.line, "at": end.at} for end in ends]
        return Answer(rows, "\n".join(lines) or f"No {word}s were undone.")
    lines = []
    for branch in all_branches:
        mark = "*" if branch.current else " "
        place = branch.broken or ", ".join(part for part in (f"{word} {branch.turn}", branch.chapter) if part)
        lines.append(f"{mark} {one_line(branch.title)} ({branch.name}) · {place}")
        lines.append(f"    {one_line(branch.line, 100)}")
    return Answer([asdict(branch) for branch in all_branches], "\n".join(lines))


@click.command()
@click.argument("save")
@click.argument("a")
@click.argument("b")
@answers_about(opened)
def compare(store: Save[Any], a: str, b: str) -> Answer:
    """Show how A and B of SAVE differ. Each is a branch, a turn of this branch, branch@turn or turn#take."""
    comparison, names = store.compare(a, b), store.story_at().pack.names
    text = comparison_text(comparison, store.turn_word, names)
    return Answer(comparison.model_dump(mode="json"), text)


def comparison_text(
    comparison: Comparison,
    word: str = "turn",
    names: dict[str, str] | None = None,
    control: Comparison | None = None,
) -> str:
    """Format a comparison; `names` of a directed chapter's characters by id. Marks what the `control` has too."""
    sides = zip(
        (comparison.a, comparison.b), (control.a, control.b) if control else (None, None), strict=True
    )
    lines = [f"They differ after {word} {comparison.fork_turn}."]
    for side, too in sides:
        lines += ["", f"{side.name}: {word} {side.turn}, {side.chapter.title}"]
        common = set(_only_in(too)) if too else set()
        lines += [f"{line}{CONTROL_TOO if line in common else ''}" for line in _only_in(side)]
    same = same_turns(comparison, control) if control else ()
    for pair in comparison.turns:
        mark = CONTROL_TOO if pair.number in same else ""
        for name, turn in ((comparison.a.name, pair.a), (comparison.b.name, pair.b)):
            if turn:
                first, *others = _turn_lines(turn, names or {})
                lines += ["", f"{name}, {word} {pair.number}:{first}", *(f"{line}{mark}" for line in others)]
    return "\n".join(lines)


def _only_in(side: ComparedState) -> Iterator[str]:
    yield from (f"  beat      {beat}" for beat in side.beats)
    yield from (f"  here      {name}" for name in side.present)
    yield from (f"  moment    {moment.summary} (turn {moment.turn})" for moment in side.moments)
    yield from (f"  chapter   {recap.title}: {one_line(recap.text, 100)}" for recap in side.recaps)
    for name, memory in side.characters.items():
        learned = f"  {name} {'say' if name == NOTES else 'learned'}"
        yield from (f"{learned} (turn {line.turn}): {line.text}" for line in memory.learned)
        for line in memory.changed:
            yield f"  {name} remembers it differently (turn {line.turn}): {line.here}"
        if memory.summary:
            yield f"  {name} understands: {memory.summary}"


def _turn_lines(turn: Turn, names: dict[str, str]) -> Iterator[str]:
    yield f" > {one_line(turn.player_text, 100)}  " if turn.player_text else " "
    if turn.kind == "directed":
        replies = [entry for entry in turn.ordered_entries if entry.character]
        yield from (f"  {names.get(str(it.character), '')}: {one_line(it.text, 160)}" for it in replies)
    else:
        yield f"  {one_line(turn.narration, 160)}"
