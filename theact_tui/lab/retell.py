"""Tell lines again on new branches of a copy; they are added at the end, so that a stop leaves none."""

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import open_session
from theact_tui.engine.session import ModelsFor, StorySession
from theact_tui.errors import UsageError
from theact_tui.models.ledger import Ledger
from theact_tui.saves.compare import Comparison
from theact_tui.saves.save import Save
from theact_tui.story.base import Value
from theact_tui.story.edits import Edit
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.story.what_if import change_knowledge, places_of
from theact_tui.text import one_line, slug

Say = Callable[[str], object]
Rule = Callable[[Game], Edit]
Run = Callable[..., Awaitable[Any]]


class FirstDifference(Value):
    turn: int
    speaker: str
    control: str
    changed: str


class Retelling(Value):
    branches: tuple[str, ...]
    turn: int
    last_turn: int
    text: str = ""
    still_in: dict[str, tuple[str, ...]] = {}
    difference: FirstDifference | None = None
    comparison: Comparison
    control: Comparison | None = None


async def what_if(
    save: Save[Game],
    models: ModelsFor,
    turn: int,
    turns: int,
    words: str,
    character: str,
    *,
    give: bool,
    say: Say,
    run: Run = asyncio.to_thread,
) -> Retelling:
    """Tell `turns` turns after `turn` with the change and without. Raises `UsageError`."""
    game = await run(save.state_at, turn)
    edit, text = change_knowledge(game, words, character, give=give)

    def rule(game: Game) -> Edit:
        return change_knowledge(game, words, character, give=give)[0]

    if edit.game == game:
        raise UsageError("Nothing changes by that at this turn.")
    title = f"turn {turn} {'with' if give else 'without'} {text}"[:50].rstrip()
    branches = await _retell(save, models, turn, turns, {title: rule, f"turn {turn} again": None}, say, run)
    people = [character] if character else list(game.pack.characters)
    places = {} if give else {id: tuple(places_of(edit.game, id, text)) for id in people}
    last = min(turn + turns, save.turn)
    changed, control = [await run(save.turns, turn + 1, last, name) for name in branches]
    original = f"{save.branch}@{last}"
    return Retelling(
        branches=branches,
        turn=turn,
        last_turn=last,
        text=text,
        still_in={id: names for id, names in places.items() if names},
        difference=first_difference(control, changed),
        comparison=await run(save.compare, original, branches[0]),
        control=await run(save.compare, original, branches[1]),
    )


async def retell_turns(
    save: Save[Game], models: ModelsFor, name: str, turn: int, turns: int, say: Say
) -> Retelling:
    """Tell them once, by other models."""
    branches = await _retell(
        save, models, turn, turns, {f"turn {turn} by {name}"[:50]: None}, say, asyncio.to_thread
    )
    last = min(turn + turns, save.turn)
    comparison = save.compare(f"{save.branch}@{last}", branches[0])
    return Retelling(branches=branches, turn=turn, last_turn=last, comparison=comparison)


async def _retell(
    save: Save[Game],
    models: ModelsFor,
    turn: int,
    turns: int,
    rules: dict[str, Rule | None],
    say: Say,
    run: Run,
) -> tuple[str, ...]:
    lines = await run(save.turns, turn + 1, turn + turns)
    if not lines:
        raise UsageError(f"Turn {turn} is the last one, so no line can be told again. Name an earlier turn.")
    base = await run(save.place, str(turn))
    with tempfile.TemporaryDirectory(prefix="theact-retell-", ignore_cleanup_errors=True) as scratch:
        folder = Path(scratch) / save.folder.name
        await run(save.copy_to, folder)
        names = await asyncio.to_thread(_make_branches, folder, list(rules), turn)
        session = await open_session(folder, models, Bus())
        try:
            for name, (title, rule) in zip(names, rules.items(), strict=True):
                async for step in _play_lines(session, name, rule, lines):
                    say(f"{title}: {step}")
            calls = [
                (call, call.branch)
                for line in lines
                for call in Ledger(session.save.private).turn(line.number)
            ]
            await run(save.take_branches, session.save, names, base)
        finally:
            await session.close(keep=False)
    for call, branch in calls:
        Ledger(save.private).add(call, branch)
    return names


def _make_branches(folder: Path, titles: Sequence[str], turn: int) -> tuple[str, ...]:
    with Save.open(folder) as copy:
        names = []
        for title in titles:
            taken = {branch.name for branch in copy.branches()}
            free = (title, *(f"{title} {number}" for number in range(2, len(taken) + 2)))
            names.append(copy.create_branch(next(name for name in free if slug(name) not in taken), turn))
        return tuple(names)


async def _play_lines(
    session: StorySession, name: str, rule: Rule | None, lines: Sequence[Turn]
) -> AsyncIterator[str]:
    """Yield each step first. Raises UsageError if a turn was stopped."""
    await session.switch(name)
    if rule:
        await session.edit(rule)
    for number, line in enumerate(lines, 1):
        yield f"turn {line.number}, {number} of {len(lines)}"
        steering = line.steering
        if session.game.state.game_complete:
            return
        if session.game.state.turn == 0:
            turn = await session.open_story()
        elif line.player_text:
            turn = await session.play(line.player_text)
        else:
            asked = [id for id in (steering.asked if steering else ()) if id in session.game.state.present]
            turn = await session.go_on(asked=asked, direction=steering.direction if steering else "")
        if turn is None:
            raise UsageError("Stopped. Nothing was added to the story.")
        await session.settle()


def first_difference(control: Sequence[Turn], changed: Sequence[Turn]) -> FirstDifference | None:
    for one, two in zip(control, changed, strict=False):
        texts = [
            {entry.character or entry.role: entry.text for entry in turn.ordered_entries}
            for turn in (one, two)
        ]
        for speaker in dict.fromkeys([*texts[0], *texts[1]]):
            before, after = (text.get(speaker, "") for text in texts)
            if before != after:
                return FirstDifference(turn=one.number, speaker=speaker, control=before, changed=after)
    return None


def describe_change(retelling: Retelling) -> Iterator[str]:
    yield f"What changed: {retelling.text}"
    for id, places in retelling.still_in.items():
        yield f"{id} still finds it in {', '.join(places)}."
    if first := retelling.difference:
        yield f"The first difference is in turn {first.turn}, {first.speaker}:"
        yield f"  control  {one_line(first.control, 300) or '(nothing)'}"
        yield f"  changed  {one_line(first.changed, 300) or '(nothing)'}"
    else:
        yield "Nothing differs from the control: the change had no effect on these turns."
