"""Tell lines again on new branches of a copy; they are added at the end, so that a stop leaves none."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import open_session
from theact_tui.engine.session import ModelsFor, StorySession
from theact_tui.errors import UsageError
from theact_tui.models.ledger import Ledger
from theact_tui.paths import incoming_folder
from theact_tui.saves.compare import Comparison
from theact_tui.saves.save import Save
from theact_tui.story.edits import Edit
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.story.value import Value
from theact_tui.story.what_if import change_knowledge, telling_parts
from theact_tui.text import one_line, slug

NO_CHANGE_OFFLINE = (
    "The offline storyteller follows its script, so what somebody knows changes little of what it tells. "
    "Connect a model to ask what if."
)
Say = Callable[[str], object]
Run = Callable[..., Awaitable[Any]]


class FirstDifference(Value):
    turn: int
    speaker: str
    control: str
    changed: str
    same_prompt: bool = False
    """Both were asked alike, so the server does not keep to the seed."""


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
    """Tell `turns` turns after `turn` with the change and without. Raises UsageError."""
    game = await run(save.state_at, turn)
    edit, text = change_knowledge(game, words, character, give=give)
    if edit.game == game:
        raise UsageError("Nothing changes by that at this turn.")
    first = f"from turn {turn + 1}"
    title = one_line(f"{first} {'with' if give else 'without'} {text.rstrip('.')}", 50)
    retelling = await retell_turns(save, models, {title: edit, f"{first} again": None}, turn, turns, say, run)
    people = () if give else (character,) if character else edit.game.pack.characters
    places = {id: tuple(telling_parts(edit.game, id, text)) for id in people}
    last, names = retelling.last_turn, retelling.branches
    changed, control = [await run(save.turns, turn + 1, last, name) for name in names]
    more = {
        "text": text,
        "still_in": {id: names for id, names in places.items() if names},
        "difference": await run(_with_prompts, save, names, first_difference(control, changed)),
        "control": await run(save.compare, f"{save.branch}@{last}", names[1]),
    }
    return retelling.model_copy(update=more)


async def retell_turns(
    save: Save[Game],
    models: ModelsFor,
    edits: Mapping[str, Edit | None],
    turn: int,
    turns: int,
    say: Say,
    run: Run = asyncio.to_thread,
) -> Retelling:
    """Tell them on a branch for each title, after its edit."""
    lines = await run(save.turns, turn + 1, turn + turns)
    if not lines:
        raise UsageError(f"Turn {turn} is the last one, so no line can be told again. Name an earlier turn.")
    base = await run(save.place, str(turn))
    with incoming_folder(save.folder.parent.parent) as scratch:
        folder = scratch / save.folder.name
        await run(save.copy_to, folder)
        names = tuple(await asyncio.to_thread(lambda: [*_make_branches(folder, edits, turn)]))
        session = await open_session(folder, models, Bus())
        try:
            if session.offline and any(edits.values()):
                raise UsageError(NO_CHANGE_OFFLINE)
            for name, (title, edit) in zip(names, edits.items(), strict=True):
                await session.switch(name)
                if edit:
                    async with session.exclusive():
                        await session.apply(edit)
                for number, line in enumerate(lines, 1):
                    say(f"{title}: turn {line.number}, {number} of {len(lines)}")
                    await _play_line(session, line)
            ledger = Ledger(session.save.private)
            calls = [(call, call.branch) for line in lines for call in ledger.turn(line.number)]
            await run(save.take_branches, session.save, names, base)
        finally:
            await session.close(keep=False)
    for call, branch in calls:
        Ledger(save.private).add(call, branch)
    last = lines[-1].number
    comparison = await run(save.compare, f"{save.branch}@{last}", names[0])
    return Retelling(branches=names, turn=turn, last_turn=last, comparison=comparison)


def _make_branches(folder: Path, titles: Iterable[str], turn: int) -> Iterator[str]:
    with Save.open(folder) as copy:
        taken = [branch.name for branch in copy.branches()]
        for title in titles:
            name, number = title, 2
            while slug(name) in taken:
                name, number = f"{number}. {title}", number + 1  # a number at the end may be cut off
            yield copy.create_branch(name, turn)


async def _play_line(session: StorySession, line: Turn) -> None:
    """Raises UsageError if the turn was stopped."""
    state, steering = session.game.state, line.steering
    if state.game_complete:
        return
    if state.turn == 0:
        turn = await session.open_story()
    elif line.player_text:
        turn = await session.play(line.player_text)
    else:
        asked = [id for id in (steering.asked if steering else ()) if id in state.present]
        turn = await session.go_on(asked=asked, direction=steering.direction if steering else "")
    if turn is None:
        raise UsageError("Stopped. Nothing was added to the story.")
    await session.settle()


def first_difference(control: Sequence[Turn], changed: Sequence[Turn]) -> FirstDifference | None:
    for one, two in zip(control, changed, strict=False):
        texts = [{it.character or it.role: it.text for it in turn.ordered_entries} for turn in (one, two)]
        for speaker in dict.fromkeys([*texts[0], *texts[1]]):
            before, after = (text.get(speaker, "") for text in texts)
            if before != after:
                return FirstDifference(turn=one.number, speaker=speaker, control=before, changed=after)
    return None


def _with_prompts(
    save: Save[Game], branches: Sequence[str], first: FirstDifference | None
) -> FirstDifference | None:
    if first is None:
        return None
    keys = (first.speaker, f"character:{first.speaker}")
    calls = [call for call in Ledger(save.private).turn(first.turn) if call.key in keys]
    prompts = [[call.messages for call in calls if call.branch == name][-1:] for name in branches]
    return first.model_copy(update={"same_prompt": bool(prompts[0]) and prompts[0] == prompts[1]})


def describe_change(retelling: Retelling, names: Mapping[str, str], *, give: bool = False) -> Iterator[str]:
    """`names` by character id."""
    yield f"{'With' if give else 'Without'}: {retelling.text}"
    for id, places in retelling.still_in.items():
        yield f"{names[id]} still finds it in {', '.join(places)}."
    first = retelling.difference
    if not first:
        yield "No difference: the turns were told in the same words with it and without."
        return
    with_it, without = (first.changed, first.control) if give else (first.control, first.changed)
    yield f"The first difference is in turn {first.turn}, {names.get(first.speaker, first.speaker)}:"
    yield f"  with it     {one_line(with_it, 300) or '(nothing)'}"
    yield f"  without it  {one_line(without, 300) or '(nothing)'}"
    if first.same_prompt:
        yield "Both prompts are the same, so this is chance: the server does not keep to the seed."
