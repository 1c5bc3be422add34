"""The home screen: the saves and packs there are, a preview of the one under the cursor, and what can be done to them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Concatenate, ParamSpec, TypeVar

from textual import events, on, work
from textual.app import App, ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from theact_tui.errors import SaveInUse, SaveUnwritable
from theact_tui.text import is_pronoun, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.home.actions import HELP, HOME_ACTIONS, LIST_ACTIONS
from theact_tui.tui.home.files import (
    Done,
    choose_uploads,
    copy_save,
    delete_save,
    export_save,
    rename_save,
    restore_save,
)
from theact_tui.tui.home.preview import (
    DIRECTING,
    direct_page,
    example_page,
    first_steps,
    pack_page,
    pack_row,
    save_page,
    save_row,
    write_page,
)
from theact_tui.tui.services import AppServices, LibraryListing
from theact_tui.tui.widgets.base_screen import PageScreen
from theact_tui.tui.widgets.lists import KeyList
from theact_tui.tui.widgets.portrait import Portrait

if TYPE_CHECKING:
    from theact_tui.engine.direct.session import DirectSession
    from theact_tui.engine.session import StorySession
    from theact_tui.packs.entry import PackEntry
    from theact_tui.saves.folders import SaveLine
    from theact_tui.story.direct.models import Setup

S = TypeVar("S")
P = ParamSpec("P")
SAVE, PACK, WRITE, DIRECT, EXAMPLE = "save:", "pack:", "write:", "direct:", "example:"
"""What the id of a row begins with."""
PERSONAS = 'A name, or "Mara: a tired diver" to save it for later.'
CHOOSE = 'Start a name and press →, or write "Name: who that is".'


class LibraryList(KeyList):
    """The list; its enter key says what it does here."""

    BINDINGS = bindings(LIST_ACTIONS)


class HomeScreen(PageScreen[None]):
    """Lists saves and packs. Opens a story over itself, and lists again when it is back."""

    CSS_PATH = "screen.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (72, "-narrow"), (100, "-wide")]
    BINDINGS = bindings(HOME_ACTIONS)
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Your stories"

    def __init__(
        self,
        services: AppServices,
        play: Callable[[StorySession], Awaitable[None]],
        direct: Callable[[DirectSession], Awaitable[Setup | None]],
        *,
        go_on: bool = False,
    ) -> None:
        """`play` and `direct` open a story or a chapter, and return when it was left; `direct` with Setup of the next
        chapter, if that is wanted. `go_on` opens the newest story as soon as they are listed."""
        super().__init__()
        self._go_on = go_on
        self._services = services
        self._play = play
        self._direct = direct
        self.listing: LibraryListing | None = None
        """None while the disk is being read."""
        self.listed = asyncio.Event()
        """The disk was read, and what was read can be seen."""
        self._busy = False
        self._last = ""
        """The save something was done to last: the cursor is put on it when it is listed."""
        self._last_pack = ""
        """The same for a pack that was written."""

    @property
    def opening(self) -> bool:
        """Something is being done: what is typed meanwhile is for what it opens."""
        return self._busy

    def compose_page(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield LibraryList(id="list", markup=False)
            with VerticalScroll(id="preview", can_focus=False):
                yield Portrait()
                yield Static(id="about")

    def on_mount(self) -> None:
        self.query_one(LibraryList).focus()

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        self.call_after_refresh(self.action_refresh)

    # --- the list -----------------------------------------------------------------------------------------------

    @work(group="listing", exclusive=True)
    async def action_refresh(self) -> None:
        """Read saves and packs again."""
        try:
            self.listing = await self._services.listing()
        except Exception as error:
            self.status.warning = f"Could not list the stories: {error}"
        else:
            self._list(self.listing)
            if self._go_on and self.listing.saves:
                self.action_play()
            self._go_on = False
            if self.listing.offline:
                self._look_for_server(self.listing)
        finally:
            self.call_after_refresh(self.listed.set)

    @work(group="servers", exclusive=True, exit_on_error=False)
    async def _look_for_server(self, listing: LibraryListing) -> None:
        """Say in the head that a model server runs on this computer, while the offline storyteller plays."""
        if (name := await self._services.server()) and listing is self.listing:
            self._show_teller(listing, name)

    def _show_teller(self, listing: LibraryListing, server: str = "") -> None:
        """Who tells the stories, in the head; with the name of a `server` that could."""
        teller = Content.styled(one_line(listing.teller, 60), ".quiet")
        if server:
            found = f"{one_line(server, 24)} answers on this computer: s uses it"
            teller = Content.assemble((found, ".accent"), (" · ", ".quiet"), teller)
        self.show_head(Content.styled("theact", ".accent"), teller)

    def _list(self, listing: LibraryListing) -> None:
        options, now = self.query_one(LibraryList), self._services.clock()
        rows = [
            _heading("CONTINUE"),
            *(Option(save_row(save, now), id=f"{SAVE}{save.name}") for save in listing.saves),
            *([] if listing.saves else [_note("No stories yet. Choose one below and press enter.")]),
            Option("", disabled=True),
            _heading("NEW STORY"),
            *(Option(pack_row(pack), id=f"{PACK}{pack.id}") for pack in listing.packs),
            *([] if listing.packs else [_note("No packs were found.")]),
            Option(Content("Write your own"), id=WRITE),
            Option("", disabled=True),
            _heading("DIRECT A SCENE"),
            Option(Content("New chapter as game master"), id=DIRECT),
            Option(Content("Ready-made example"), id=EXAMPLE),
        ]
        if not listing.saves:
            first = first_steps(offline=listing.offline, guest=self._services.home.guest)
            rows += [Option("", disabled=True), Option(first, disabled=True)]
        self._show_teller(listing)
        last = f"{PACK}{self._last_pack}" if self._last_pack else f"{SAVE}{self._last}" if self._last else ""
        self._last = self._last_pack = ""
        options.show(rows, last or options.marked)

    @property
    def options(self) -> list[Option]:
        """All rows of the list."""
        return list(self.query_one(LibraryList).options)

    @property
    def _marked(self) -> str:
        """The id of the row under the cursor."""
        return self.query_one(LibraryList).marked

    @property
    def save(self) -> SaveLine | None:
        """The save under the cursor."""
        saves = self.listing.saves if self.listing else ()
        return next((save for save in saves if f"{SAVE}{save.name}" == self._marked), None)

    @property
    def pack(self) -> PackEntry | None:
        """The pack under the cursor, or that of the save under it."""
        packs = self.listing.packs if self.listing else ()
        wanted = f"{PACK}{self.save.pack}" if self.save else self._marked
        return next((pack for pack in packs if f"{PACK}{pack.id}" == wanted), None)

    @on(OptionList.OptionHighlighted)
    def preview(self) -> None:
        """Show what is under the cursor."""
        self.query_one("#about", Static).update(self._page())
        self.query_one(Portrait).show(self.pack.folder if self.pack and not self.pack.shipped else None)
        self.query_one("#preview").scroll_home(animate=False)
        self.refresh_bindings()

    def _page(self) -> Visual:
        save, pack = self.save, self.pack
        if save:
            return save_page(save, pack, self._services.clock())
        if pack:
            return pack_page(pack)
        pages = {WRITE: write_page, DIRECT: direct_page, EXAMPLE: example_page}
        return pages[self._marked]() if self._marked in pages else Content("")

    # --- actions --------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done with the row under the cursor."""
        match action:
            case "play":
                playable = bool(self.save) or bool(self.pack and not self.pack.broken)
                return playable or self._marked in (WRITE, DIRECT, EXAMPLE)
            case "new":
                return bool(self.pack and not self.pack.broken)
            case "rename" | "copy" | "export":
                return bool(self.save and not self.save.broken)
            case "delete":
                return bool(self.save)
            case _:
                return True

    @on(OptionList.OptionSelected)
    def chosen(self) -> None:
        self.action_play()

    def action_play(self) -> None:
        if save := self.save:
            self._do(lambda: self._resume(save))
        elif self._marked == DIRECT:
            self.action_direct()
        elif self._marked == EXAMPLE:
            self.action_example()
        elif self._marked == WRITE:
            self.action_write()
        else:
            self.action_new()

    def action_new(self) -> None:
        pack, listing = self.pack, self.listing
        if pack and listing and not pack.broken:
            self._do(lambda: self._new(pack, listing))

    def action_direct(self) -> None:
        self._do(self._new_chapter)

    def action_example(self) -> None:
        self._do(self._new_example)

    def action_rename(self) -> None:
        if save := self.save:
            self._do(lambda: self._changed(rename_save, save))

    def action_copy(self) -> None:
        save, listing = self.save, self.listing
        if save and listing:
            self._do(lambda: self._changed(copy_save, save, listing))

    def action_delete(self) -> None:
        if save := self.save:
            self._do(lambda: self._changed(delete_save, save))

    def action_export(self) -> None:
        if save := self.save:
            self._do(lambda: self._changed(export_save, save))

    def action_trash(self) -> None:
        self._do(lambda: self._changed(restore_save))

    def action_import(self) -> None:
        self._do(self.import_files)

    def action_write(self) -> None:
        pack, listing = self.pack, self.listing or LibraryListing()
        self._do(lambda: self._write(pack, listing))

    def action_lab(self) -> None:
        pack = self.pack
        self._do(lambda: self._lab(pack))

    def _do(self, deed: Callable[[], Awaitable[str]]) -> None:
        """Do something to the library; while one thing is being done, keys ask for no other.

        The deed returns the name of the save it was about, as it is now; empty when there is none.
        """
        if not self._busy:
            self._busy = True
            self._run(deed)

    @work(group="deeds")
    async def _run(self, deed: Callable[[], Awaitable[str]]) -> None:
        """Do it; what goes wrong is said in a sentence, and what was said before it goes."""
        self.app.clear_notifications()
        self.status.warning = self.status.hint = ""
        try:
            self._last = await deed()
        except Exception as error:
            self.show_error(error)
        finally:
            self._busy = False
        self.action_refresh()

    # --- opening --------------------------------------------------------------------------------------------------

    async def _consented(self, open: Callable[[AppServices], Awaitable[S]]) -> S | None:
        """Open something that models tell. Before a story leaves this network the player is asked; None if not."""
        from theact_tui.engine.model_routing import ConsentNeeded
        from theact_tui.tui.widgets.dialogs import AGREE, OFFLINE, consent_dialog

        try:
            return await open(self._services)
        except ConsentNeeded as error:
            hosts = error.hosts
        answer = await self.app.push_screen_wait(consent_dialog(hosts, offline=True))
        if answer == AGREE:
            await self._services.allow(hosts)
            return await open(self._services)
        return await open(self._services.offline()) if answer == OFFLINE else None

    async def _resume(self, save: SaveLine) -> str:
        """Go on with a save; one that is open elsewhere can be read."""
        if save.mode == "direct":
            if chapter := await self._opened(
                save, AppServices.resume_direct, "This chapter is open elsewhere"
            ):
                return await self._direct_on(chapter)
        elif story := await self._opened(save, AppServices.resume, "This story is open elsewhere"):
            await self._play(story)
        return save.name

    async def _opened(self, save: SaveLine, open: Callable[..., Awaitable[S]], elsewhere: str) -> S | None:
        from theact_tui.tui.widgets.dialogs import ConfirmDialog

        try:
            return await self._consented(lambda services: open(services, save, write=True))
        except SaveUnwritable as error:
            title = elsewhere if isinstance(error, SaveInUse) else "This save cannot be written"
            if not await self.app.push_screen_wait(ConfirmDialog(title, error.message, yes="watch")):
                return None
            return await self._consented(lambda services: open(services, save, write=False))

    async def _new(self, pack: PackEntry, listing: LibraryListing) -> str:
        """Begin a story."""
        from theact_tui.saves.personas import checked_hero
        from theact_tui.tui.widgets.dialogs import FormDialog, FormField, ask_until_valid

        free = self._services.free_title(pack.title, listing)
        personas = tuple(await asyncio.to_thread(self._services.library.personas.all))
        own = pack.player[0]
        default = (
            f"leave empty to be {one_line(own, 30)}" if own and not is_pronoun(own) else "a name, or nothing"
        )
        form = FormDialog(
            f"Start {one_line(pack.title)}",
            FormField("Story name", free),
            FormField(
                "Your character's name",
                placeholder=default,
                choices=personas,
                note=f"Saved: {one_line(', '.join(personas), 50)}. {CHOOSE}" if personas else PERSONAS,
                check=lambda answer: answer in personas or checked_hero(answer),
            ),
            yes="start",
        )

        async def begin(texts: tuple[str, ...]) -> StorySession | None:
            title, player = texts[0] or free, texts[1]
            return await self._consented(lambda services: services.begin(pack, title, player))

        session = await ask_until_valid(self.app, form, begin)
        if not session:
            return ""
        await self._play(session)
        return session.folder.name

    async def _new_chapter(self) -> str:
        """Begin to direct a chapter."""
        from theact_tui.tui.widgets.dialogs import FormDialog, FormField

        free = self._services.free_title("Chapter", self.listing or LibraryListing())
        form = FormDialog(
            "Direct a scene", FormField("Chapter name", free), note=DIRECTING.partition("\n")[0], yes="start"
        )
        answer = await self.app.push_screen_wait(form)
        return await self._begin_chapter(answer[0] or free) if answer else ""

    async def _new_example(self) -> str:
        """Begin to direct the example, without a question."""
        from theact_tui.engine.direct.example import example

        made = example()
        title = self._services.free_title(made.title, self.listing or LibraryListing())
        return await self._begin_chapter(title, made.setup)

    async def _begin_chapter(self, title: str, setup: Setup | None = None) -> str:
        session = await self._consented(lambda services: services.begin_direct(title))
        if not session:
            return ""
        if setup:
            from theact_tui.story.direct.state import fill

            session.edit(fill, setup)
            await session.commit_pending_edits()
        return await self._direct_on(session)

    async def _direct_on(self, session: DirectSession) -> str:
        """Direct a chapter, and those that follow it; the name of the last one's folder."""
        setup = await self._direct(session)
        if setup is None:
            return session.save.folder.name
        listing = await self._services.listing()
        return await self._begin_chapter(self._services.free_title(session.name, listing), setup)

    async def _write(self, marked: PackEntry | None, listing: LibraryListing) -> str:
        """Write a pack: a new one, a draft that was left, or one that exists."""
        from theact_tui.tui.write.choose import choose_draft
        from theact_tui.tui.write.screen import WriteScreen

        draft = await choose_draft(self.app, self._services.home, listing, marked)
        if draft is None:
            return ""
        screen = WriteScreen(draft, self._services, self._play)
        await self.app.push_screen_wait(screen)
        if screen.made:
            self.status.hint = f"{draft.title} is now one of your packs. Press enter on it to play."
            self._last_pack = screen.made
        elif draft.folder.exists():
            self.status.hint = f"{draft.title} is kept as a draft. Press w to continue it."
        return ""

    async def _lab(self, pack: PackEntry | None) -> str:
        """Open the lab; a game that was copied there is played on."""
        from theact_tui.tui.lab.screen import LabScreen

        name = await self.app.push_screen_wait(LabScreen(self._services, self._play, pack.id if pack else ""))
        if not name:
            return ""
        self.listing = await self._services.listing()
        save = next((save for save in self.listing.saves if save.name == name), None)
        return await self._resume(save) if save else ""

    # --- files ----------------------------------------------------------------------------------------------------

    async def _changed(
        self,
        act: Callable[Concatenate[App[Any], AppServices, P], Awaitable[Done]],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> str:
        """Do one of `home.files`, and say what became of it."""
        name, self.status.hint = await act(self.app, self._services, *args, **kwargs)
        return name

    async def import_files(self) -> str:
        """Bring in what is at a path, after showing what would come of it, and play it if that is wanted."""
        from theact_tui.tui.home.import_dialog import ImportDialog

        uploads = await choose_uploads(self.app, self._services) if self._services.home.guest else []
        if not uploads and self._services.home.guest:
            return ""
        has_model = self.listing is not None and not self.listing.offline
        shorten = self._services.shorten if has_model else None
        dialog = ImportDialog(self._services.propose, Path.home(), shorten, uploads)
        answer = await self.app.push_screen_wait(dialog)
        for file in uploads:
            await asyncio.to_thread(file.unlink, missing_ok=True)
        if answer is None:
            return ""
        report, is_to_be_played = answer
        self.listing = listing = await self._services.listing()
        save = next((save for save in listing.saves if save.name == report.save), None)
        pack = next((pack for pack in listing.packs if pack.id == report.pack), None)
        if is_to_be_played and save:
            return await self._resume(save)
        if is_to_be_played and pack and not report.save:
            return await self._new(pack, listing)
        made = report.save or report.pack or ""
        self.status.hint = f"Imported as {one_line(made, 50)}."
        self._last_pack = "" if report.save else made
        return report.save or ""


def _heading(text: str) -> Option:
    return Option(Content.styled(text, ".heading"), disabled=True)


def _note(text: str) -> Option:
    return Option(Content.styled(text, ".quiet"), disabled=True)
