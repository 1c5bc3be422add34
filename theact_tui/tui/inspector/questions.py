"""Questions: since when, what if, and why."""

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any, TypeVar

from textual.app import App

from theact_tui.engine.base_session import BaseSession
from theact_tui.engine.session import StorySession
from theact_tui.errors import UsageError
from theact_tui.long_works import run_long
from theact_tui.saves.since import describe
from theact_tui.text import one_line
from theact_tui.tui.blocks import Cast
from theact_tui.tui.branches.compare import CompareScreen
from theact_tui.tui.branches.source import BranchSource, Side
from theact_tui.tui.widgets.dialogs import ChoiceDialog, ConfirmDialog, DialogChoice, ProgressDialog
from theact_tui.tui.widgets.lists import Row

T = TypeVar("T")
_ASKED = ("line", "older", "moment", "beat", "lore")
TURNS = 3


def asked_row(row: Row | None) -> Row:
    if row is None or row.kind not in _ASKED:
        raise UsageError("Choose a line, beat, moment or lore with ↑ and ↓.")
    return row


async def since_when(app: App[Any], session: BaseSession[Any], number: int, person: str, row: Row) -> None:
    save = session.save
    answer = await session.run(save.since, row.text, min(number, save.turn), person)
    title, *lines = describe(answer, person)
    await app.push_screen_wait(ChoiceDialog(title, "\n".join(lines).strip(), keys="esc back"))


async def ask_what_if(app: App[Any], session: StorySession, number: int, person: str, row: Row) -> str:
    """Return a sentence if it was stopped, else nothing."""
    from theact_tui.lab.retell import NO_CHANGE_OFFLINE, describe_change, what_if

    if row.kind in ("beat", "moment"):
        raise UsageError("A beat or moment cannot be taken away. Choose a line or lore.")
    if session.offline:
        raise UsageError(NO_CHANGE_OFFLINE)
    session.check_free()
    last, cast = min(number + TURNS, session.save.turn), Cast.of(session.game.pack)
    if last <= number:
        raise UsageError("No turn follows the newest one. Go to an earlier turn with ←.")
    turns = f"Turn {last} is" if last == number + 1 else f"Turns {number + 1} to {last} are"
    title = f"{cast.name(person) if person else 'Everybody'} without this?"
    note = f"{row.text}\n\n{turns} told again with this change and without, on two new branches."
    if not await app.push_screen_wait(ConfirmDialog(title, note, yes="tell them")):
        return ""
    box = ProgressDialog("Telling it again", "esc stops; then nothing is added.", keys="esc stop")
    change = partial(what_if, words=row.text, character=person, give=False, say=box.say, run=session.run)
    async with session.exclusive():
        await session.commit_waiting_changes()
        models = session.models_with(session.game.info.seed)
        retelling = await _until_esc(app, box, change(session.save, models, number, TURNS))
    if retelling is None:
        return "Stopped. Nothing was added to the story."
    titles = {branch.name: branch.title for branch in await session.branches()}
    branches = " and ".join(f"“{titles[name]}”" for name in retelling.branches)
    lines = (*describe_change(retelling, cast.names), "", f"New branches (F3): {branches}")
    choice = DialogChoice("c", "compare", "with your story; chance differences are dimmed")
    if await app.push_screen_wait(ChoiceDialog("What if", "\n".join(lines), choice, keys="esc back")):
        branches_shown = (session.branch, *retelling.branches)
        sides = (
            Side(f"{one_line(titles[name], 40)}, turn {last}", f"{name}@{last}") for name in branches_shown
        )
        await app.push_screen_wait(CompareScreen(BranchSource(session), *sides))
    return ""


async def show_why(app: App[Any], session: BaseSession[Any], number: int, person: str) -> None:
    """Ask why the narrator (`""`) or a character replied so."""
    from theact_tui.lab.replay import recorded_call
    from theact_tui.lab.why import ask_until_stopped, describe_why

    session.check_free()
    key = f"character:{person}" if person else "narrator"
    call = await session.run(recorded_call, session.save, number, key)
    line = (await session.turns(number, number))[0].player_text
    box = ProgressDialog("Asking why", "esc shows what there is.", keys="esc show")
    work = ask_until_stopped(call, line, session.agents.model(key), box.say, "esc")
    if answer := await _until_esc(app, box, work):
        title, *lines = describe_why(answer)
        await app.push_screen_wait(ChoiceDialog(title or "Why", "\n".join(lines), keys="esc back"))


async def _until_esc(app: App[Any], box: ProgressDialog, work: Coroutine[Any, Any, T]) -> T | None:
    """Return None if esc was pressed."""
    task = asyncio.ensure_future(run_long(work))

    def stop(_: None) -> None:
        task.cancel()

    await app.push_screen(box, stop)
    try:
        return await task
    except asyncio.CancelledError:
        return None
    finally:
        box.dismiss()
