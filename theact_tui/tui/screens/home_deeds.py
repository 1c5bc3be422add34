"""What is done to saves and packs from the home screen, with the questions asked before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from textual.app import App

from theact_tui.engine.direct_example import example
from theact_tui.errors import SaveError, SaveInUse, SaveUnwritable, UsageError
from theact_tui.story.direct.setup import fill
from theact_tui.text import one_line
from theact_tui.tui import doors
from theact_tui.tui.backstage import Backstage, Shelf
from theact_tui.tui.screens.exporting import formats
from theact_tui.tui.screens.picking import Entry, PickRow
from theact_tui.tui.screens.sheets import Ask, Confirm, Field, insist
from theact_tui.tui.screens.shelf import save_row

if TYPE_CHECKING:
    from theact_tui.engine.session import Session
    from theact_tui.packs.library import PackEntry
    from theact_tui.saves.library import SaveLine
    from theact_tui.story.direct.records import Setup

S = TypeVar("S")


@dataclass(frozen=True)
class Deeds:
    """Each deed asks, does, and returns when it is done; a story it opens was left again. Call in a worker.

    The answer is the name of the save it was about, as it is now; empty when there is none.
    """

    app: App[Any]
    backstage: Backstage
    play: Callable[[Session], Awaitable[None]]

    async def _told(self, open: Callable[[Backstage], Awaitable[S]]) -> S | None:
        """Open something that models tell. Before a story leaves this network the player is asked; None if not."""
        from theact_tui.models.choose import ConsentNeeded
        from theact_tui.tui.screens.consent import AGREE, OFFLINE, consent

        try:
            return await open(self.backstage)
        except ConsentNeeded as error:
            hosts = error.hosts
        answer = await self.app.push_screen_wait(consent(hosts, offline=True))
        if answer == AGREE:
            await self.backstage.allow(hosts)
            return await open(self.backstage)
        return await open(self.backstage.offline()) if answer == OFFLINE else None

    async def resume(self, save: SaveLine) -> str:
        """Go on with a save; one that is open elsewhere can be read."""
        if save.mode == "direct":
            directed = await self._opened(
                lambda backstage, write: backstage.resume_direct(save, write=write),
                "This chapter is open elsewhere",
            )
            if directed:
                await self.app.push_screen_wait(doors.directing(directed, self.app))
            return save.name
        session = await self._opened(
            lambda backstage, write: backstage.resume(save, write=write), "This story is open elsewhere"
        )
        if session:
            await self.play(session)
        return save.name

    async def _opened(self, open: Callable[[Backstage, bool], Awaitable[S]], elsewhere: str) -> S | None:
        try:
            return await self._told(lambda backstage: open(backstage, True))
        except SaveUnwritable as error:
            title = elsewhere if isinstance(error, SaveInUse) else "It cannot be written"
            read = await self.app.push_screen_wait(Confirm(title, error.message, yes="read it"))
            return await self._told(lambda backstage: open(backstage, False)) if read else None

    async def new(self, pack: PackEntry, shelf: Shelf) -> str:
        """Begin a story."""
        free = self.backstage.free_title(pack.title, shelf)
        fields = (
            Field("Name of this story", free),
            Field("Your name in it", placeholder="leave it empty for the name the story gives you"),
        )

        async def begin(texts: tuple[str, ...]) -> Session | None:
            title, player = texts[0] or free, texts[1]
            return await self._told(lambda backstage: backstage.begin(pack, title, player))

        session = await insist(self.app, Ask(f"Begin {one_line(pack.title)}", *fields, yes="begin"), begin)
        if not session:
            return ""
        await self.play(session)
        return session.folder.name

    async def direct(self, shelf: Shelf) -> str:
        """Begin to direct a chapter."""
        free = self.backstage.free_title("Chapter", shelf)
        name = Field("Name of this chapter", free)
        answer = await self.app.push_screen_wait(Ask("Direct a scene", name, yes="begin"))
        return await self._directed(answer[0] or free) if answer else ""

    async def direct_example(self, shelf: Shelf) -> str:
        """Begin to direct the example, without a question."""
        made = example()
        return await self._directed(self.backstage.free_title(made.title, shelf), made.setup)

    async def _directed(self, title: str, setup: Setup | None = None) -> str:
        session = await self._told(lambda backstage: backstage.begin_direct(title))
        if not session:
            return ""
        if setup:
            session.edit(fill, setup)
            await session.keep()
        await self.app.push_screen_wait(doors.directing(session, self.app))
        return session.save.folder.name

    async def rename(self, save: SaveLine) -> str:
        """Give a save another name."""

        async def rename(texts: tuple[str, ...]) -> str:
            return save.name if texts[0] == save.title else await self.backstage.rename(save, texts[0])

        ask = Ask("Rename", Field("New name", save.title), yes="rename")
        return await insist(self.app, ask, rename) or save.name

    async def copy(self, save: SaveLine, shelf: Shelf) -> str:
        """Make a copy of a save."""
        free = self.backstage.free_title(save.title, shelf)

        async def copy(texts: tuple[str, ...]) -> str:
            return await self.backstage.copy(save, texts[0] or free)

        ask = Ask("Copy", Field("Name of the copy", free), yes="copy")
        return await insist(self.app, ask, copy) or save.name

    async def export(self, save: SaveLine) -> str:
        """Write a save to a file."""
        if format := await self.app.push_screen_wait(formats(save.branch_title or save.branch)):
            self.app.notify(
                f"Written to {await self.backstage.export(save, format)}", timeout=12, markup=False
            )
        return save.name

    async def delete(self, save: SaveLine) -> str:
        """Move a save to the trash folder, after asking."""
        what = f"{one_line(save.title)}, turn {save.turn}"
        note = f"{what}, goes to the trash folder; t brings it back from there."
        if await self.app.push_screen_wait(Confirm("Delete this story?", note, yes="delete")):
            await self.backstage.delete(save)
            self.app.notify("Moved to the trash folder; t brings it back.", markup=False)
        return ""

    async def restore(self) -> str:
        """Bring a story back from the trash folder."""
        gone = await self.backstage.trashed()
        if not gone:
            self.app.notify("The trash folder is empty.", markup=False)
            return ""
        now = self.backstage.clock()
        rows = [Entry(save.name, save_row(save, now, folder=False)) for save in reversed(gone)]
        name = await self.app.push_screen_wait(PickRow("Bring back a story", rows, yes="bring back"))
        return await self.backstage.restore(name) if name else ""

    async def bring_in(self) -> str:
        """Make a save of a file that holds a whole story."""
        file = Field("File", placeholder="path of a .theact file, as export writes it")

        async def bring_in(texts: tuple[str, ...]) -> str:
            try:
                return await self.backstage.bring_in(typed_path(texts[0]))
            except SaveError as error:
                raise UsageError(error.message) from error

        name = await insist(self.app, Ask("Import a story", file, yes="import"), bring_in)
        if name:
            self.app.notify(f"Imported as {name}.", markup=False)
        return name or ""


def typed_path(text: str) -> Path:
    """A path as people type it or terminals drop it, in quotes or with a tilde. Raises `UsageError`."""
    plain = text.strip("'\" ")
    if not plain:
        raise UsageError("That needs the path of a file.")
    try:
        return Path(plain).expanduser()
    except RuntimeError:
        return Path(plain)
