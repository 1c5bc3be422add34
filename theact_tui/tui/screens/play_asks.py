"""What the play screen asks before it acts: a turn's number, a branch's name, which words to change."""

from __future__ import annotations

from typing import Any, Protocol

from textual.app import App

from theact_tui.engine.session import Session
from theact_tui.errors import UsageError
from theact_tui.text import one_line
from theact_tui.tui.screens.exporting import formats
from theact_tui.tui.screens.play_desk import PlayDesk
from theact_tui.tui.screens.sheets import Ask, Field, Write, insist


class Asker(Protocol):
    """The screen on which is asked."""

    session: Session
    desk: PlayDesk

    @property
    def app(self) -> App[Any]: ...
    async def command(self, line: str) -> None: ...


async def jump(screen: Asker) -> None:
    """Go to a turn by its number."""
    last = screen.session.game.state.turn

    async def go(texts: tuple[str, ...]) -> None:
        if not texts[0].isdecimal():
            raise UsageError(f"That needs a number from 1 to {last}.")
        await screen.desk.pages.jump(int(texts[0]))

    await insist(screen.app, Ask("Go to turn", Field(f"1 to {last}"), yes="go there"), go)


async def branch(screen: Asker) -> None:
    """Name a branch that begins here, and go on with it."""

    async def begin(texts: tuple[str, ...]) -> None:
        await screen.session.switch(await screen.session.branch_at(texts[0]))

    note = f"The story parts at turn {screen.session.game.state.turn}; both ways are kept."
    await insist(screen.app, Ask("A branch from here", Field("Its name"), note=note, yes="begin it"), begin)


async def edit(screen: Asker) -> None:
    """Change the words of the turn at the top of the view by hand, entry by entry."""
    place = screen.desk.parts.transcript.place
    last = screen.session.game.state.turn
    following = screen.desk.parts.transcript.following
    number = last if following or place is None else place[0]
    turns = await screen.session.turns(number, number)
    if not turns:
        raise UsageError("There are no words to change yet.")
    turn = turns[0]
    for entry in turn.told:
        who = {"player": "your words", "narrator": "the narration", "system": "the epilogue"}.get(
            entry.role, f"the words of {screen.desk.cast.name(entry.character or '')}"
        )
        text = await screen.app.push_screen_wait(Write(f"Turn {number}: {one_line(who, 50)}", entry.text))
        if text is None:
            return
        if text.strip() != entry.text.strip():
            await screen.session.edit_entry(number, turn.entries.index(entry), text)
            await screen.desk.pages.anew(number)


async def export(screen: Asker) -> None:
    """Write the story to a file."""
    if chosen := await screen.app.push_screen_wait(formats(screen.session.branch_title)):
        await screen.command(f"/export {chosen}")
