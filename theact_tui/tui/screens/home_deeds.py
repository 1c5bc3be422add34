"""What is done to saves and packs from the home screen, with the questions asked before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from textual.app import App

from theact_tui.engine.direct_example import example
from theact_tui.errors import SaveInUse, SaveUnwritable
from theact_tui.story.direct.setup import fill
from theact_tui.text import one_line
from theact_tui.tui import doors
from theact_tui.tui.backstage import Backstage, Shelf
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
    """Each deed asks, does, and returns when it is done; a story it opens was left again. Call in a worker."""

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

    async def resume(self, save: SaveLine) -> None:
        """Go on with a save; one that is open elsewhere can be read."""
        if save.mode == "direct":
            directed = await self._opened(
                lambda backstage, write: backstage.resume_direct(save, write=write),
                "This chapter is open elsewhere",
            )
            if directed:
                await self.app.push_screen_wait(doors.directing(directed, self.app))
            return
        session = await self._opened(
            lambda backstage, write: backstage.resume(save, write=write), "This story is open elsewhere"
        )
        if session:
            await self.play(session)

    async def _opened(self, open: Callable[[Backstage, bool], Awaitable[S]], elsewhere: str) -> S | None:
        try:
            return await self._told(lambda backstage: open(backstage, True))
        except SaveUnwritable as error:
            title = elsewhere if isinstance(error, SaveInUse) else "It cannot be written"
            read = await self.app.push_screen_wait(Confirm(title, error.message, yes="read it"))
            return await self._told(lambda backstage: open(backstage, False)) if read else None

    async def new(self, pack: PackEntry, shelf: Shelf) -> None:
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
        if session:
            await self.play(session)

    async def direct(self, shelf: Shelf) -> None:
        """Begin to direct a chapter."""
        free = self.backstage.free_title("Chapter", shelf)
        name = Field("Name of this chapter", free)
        answer = await self.app.push_screen_wait(Ask("Direct a scene", name, yes="begin"))
        if answer:
            await self._directed(answer[0] or free)

    async def direct_example(self, shelf: Shelf) -> None:
        """Begin to direct the example, without a question."""
        made = example()
        await self._directed(self.backstage.free_title(made.title, shelf), made.setup)

    async def _directed(self, title: str, setup: Setup | None = None) -> None:
        session = await self._told(lambda backstage: backstage.begin_direct(title))
        if session and setup:
            session.edit(fill, setup)
            await session.keep()
        if session:
            await self.app.push_screen_wait(doors.directing(session, self.app))

    async def rename(self, save: SaveLine) -> None:
        """Give a save another name."""

        async def rename(texts: tuple[str, ...]) -> None:
            if texts[0] != save.title:
                await self.backstage.rename(save, texts[0])

        await insist(self.app, Ask("Rename", Field("New name", save.title), yes="rename"), rename)

    async def copy(self, save: SaveLine, shelf: Shelf) -> None:
        """Make a copy of a save."""
        free = self.backstage.free_title(save.title, shelf)

        async def copy(texts: tuple[str, ...]) -> None:
            await self.backstage.copy(save, texts[0])

        await insist(self.app, Ask("Copy", Field("Name of the copy", free), yes="copy"), copy)

    async def delete(self, save: SaveLine) -> None:
        """Move a save to the trash folder, after asking."""
        what = f"{one_line(save.title)}, turn {save.turn}"
        note = f"{what}, goes to the trash folder; t brings it back from there."
        if await self.app.push_screen_wait(Confirm("Delete this story?", note, yes="delete")):
            await self.backstage.delete(save)
            self.app.notify("Moved to the trash folder; t brings it back.", markup=False)

    async def restore(self) -> None:
        """Bring a story back from the trash folder."""
        gone = await self.backstage.trashed()
        if not gone:
            self.app.notify("The trash folder is empty.", markup=False)
            return
        now = self.backstage.clock()
        rows = [Entry(save.name, save_row(save, now)) for save in reversed(gone)]
        if name := await self.app.push_screen_wait(PickRow("Bring back a story", rows, yes="bring back")):
            await self.backstage.restore(name)

    async def bring_in(self) -> None:
        """Make a save of an exported file."""
        file = Field("File", placeholder="path of an exported .json file")

        async def bring_in(texts: tuple[str, ...]) -> None:
            if texts[0]:
                await self.backstage.bring_in(texts[0])

        await insist(self.app, Ask("Import a story", file, yes="import"), bring_in)
