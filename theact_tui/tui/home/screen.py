from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, TypeVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static

from theact_tui.errors import SaveInUse, SaveUnwritable
from theact_tui.guest_permissions import may_change_models, may_open_files
from theact_tui.text import is_pronoun, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.home import pages, save_actions
from theact_tui.tui.home.keys import HELP, HOME_ACTIONS, LIST_ACTIONS
from theact_tui.tui.open_stories import AppServices, LibraryListing
from theact_tui.tui.visuals import accent, page, quiet
from theact_tui.tui.widgets.base_screen import Act, Acts, PageScreen
from theact_tui.tui.widgets.consent import with_consent
from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, FormField, ask_until_valid
from theact_tui.tui.widgets.lists import KeyList

if TYPE_CHECKING:
    from theact_tui.engine.direct.session import DirectSession
    from theact_tui.engine.session import StorySession
    from theact_tui.packs.listing import PackEntry
    from theact_tui.saves.listing import SaveEntry
    from theact_tui.story.direct.state import DirectGame

S = TypeVar("S")
SAVE, PACK, WRITE, DIRECT, EXAMPLE = "save:", "pack:", "write:", "direct:", "example:"
_PERSONAS = 'A name. Add a description ("Mara: a tired diver") to save the character.'
CHOOSE = 'Type the first letters and press →, or add a new one as "Name: description".'
_LOOK_SECONDS = 20.0
"""Between two reads of the disk."""
IN_USE = "{title} is open in another window. You can watch it here; to play, close it there first."


def _checked_player(answer: str, pack: PackEntry, personas: Collection[str]) -> None:
    """Raises UsageError for an unusable character, or the name of one of the cast."""
    from theact_tui.saves.personas import checked_hero, refuse_cast_name

    if answer not in personas:
        checked_hero(answer)
    refuse_cast_name(answer.partition(":")[0].strip(), (name for name, _ in pack.cast))


class LibraryList(KeyList):
    BINDINGS = bindings(LIST_ACTIONS)


class HomeScreen(PageScreen[None]):
    """Lists saves and packs, and opens a story over itself."""

    CSS_PATH = "screen.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (72, "-narrow"), (100, "-wide")]
    BINDINGS = bindings(HOME_ACTIONS)
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Your stories"

    def __init__(
        self,
        services: AppServices,
        play: Callable[[StorySession], Awaitable[bool]],
        direct: Callable[[DirectSession], Awaitable[DirectGame | None]],
        *,
        go_on: bool = False,
    ) -> None:
        """`play` returns True if a watched story is to be played now, `direct` the chapter before the next. `go_on`
        opens the newest story.
        """
        super().__init__()
        self._go_on = go_on
        self._services = services
        self._server = ""
        """Model server on this computer."""
        self._previewed = ""
        self._play = play
        self._direct = direct
        self.listing: LibraryListing | None = None
        self.listed = asyncio.Event()
        self.opening = False
        """Something opens; typed keys wait for its screen."""
        self._last = ""

    def compose_page(self) -> ComposeResult:
        with Horizontal(id="body"):
            yield LibraryList(id="list", markup=False)
            with VerticalScroll(id="preview", classes="detail", can_focus=False):
                yield Static(id="about")

    def on_mount(self) -> None:
        self.query_one(LibraryList).focus()
        self.set_interval(_LOOK_SECONDS, self._look_again)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        self.status.doing = "" if self.listing else "Reading your stories"
        self.query_one("#body").visible = not self._go_on
        self.call_after_refresh(self.action_refresh)

    # --- the list -----------------------------------------------------------------------------------------------

    @work(group="listing", exclusive=True)
    async def action_refresh(self) -> None:
        try:
            self.listing = await self._services.listing()
        except Exception as error:
            self.status.doing, self.status.warning = "", f"Could not list the stories: {error}"
        else:
            if not (self.query("#head") and self.query(LibraryList)):
                return  # the app closes, and takes its widgets away one by one
            newest = next(filter(pages.has_begun, self.listing.saves), None) if self._go_on else None
            self._last = f"{SAVE}{newest.name}" if newest else self._last
            self._list(self.listing)
            if newest:
                self.status.doing = f"Opening {one_line(newest.title, 40)}"
                self.chosen()
            else:
                self.status.doing, self.query_one("#body").visible = "", True
                if self._go_on:
                    self.status.say("There is no story to continue yet. Choose one to begin.")
            self._go_on = False
            if self.listing.offline:
                self._look_for_server(self.listing)
        finally:
            self.call_after_refresh(self.listed.set)

    @work(group="listing", exclusive=True, exit_on_error=False)
    async def _look_again(self) -> None:
        if self.is_current and self.listing and not self.opening:
            self.listing = await self._services.listing()
            self._list(self.listing)

    @work(group="servers", exclusive=True, exit_on_error=False)
    async def _look_for_server(self, listing: LibraryListing) -> None:
        self._server = await self._services.server()
        if self._server and listing is self.listing:
            self._show_teller(listing, self._server)

    def _show_teller(self, listing: LibraryListing, server: str = "") -> None:
        teller = quiet(one_line(listing.teller, 60))
        gets_one = not listing.saves and listing.offline and may_change_models(self._services.home)
        if server or gets_one:
            notice = (
                f"{one_line(server, 24)} answers on this computer: s uses it" if server else "m gets a model"
            )
            teller = Content.assemble((notice, ".accent"), (" · ", ".quiet"), teller)
        self.show_head(accent("theact"), teller)

    def _list(self, listing: LibraryListing) -> None:
        options, now = self.query_one(LibraryList), self._services.clock()
        saves = [
            (f"{SAVE}{save.name}", pages.save_row(save, now, brief=n > 0))
            for n, save in enumerate(listing.saves)
        ]
        packs = [(f"{PACK}{pack.id}", pages.pack_row(pack)) for pack in listing.packs]
        blank: tuple[str, Visual] = ("", Content(""))
        rows: list[tuple[str, Visual]] = [
            ("", accent("CONTINUE")),
            *(saves or [("", quiet("No stories yet. Choose one below and press enter."))]),
            blank,
            ("", accent("NEW STORY")),
            *(packs or [("", quiet("No packs were found."))]),
            (WRITE, Content("Write your own")),
            blank,
            ("", accent("DIRECT A SCENE")),
            (DIRECT, Content("New chapter as game master")),
            (EXAMPLE, Content("Ready-made example")),
        ]
        if not listing.saves:
            first = pages.first_steps(
                offline=listing.offline, may_connect=may_change_models(self._services.home)
            )
            rows += [blank, ("", first)]
        self._show_teller(listing, self._server if listing.offline else "")
        options.show(rows, self._last or options.marked)
        self._last = ""

    @property
    def _marked(self) -> str:
        return self.query_one(LibraryList).marked

    @property
    def save(self) -> SaveEntry | None:
        saves = self.listing.saves if self.listing else ()
        return next((save for save in saves if f"{SAVE}{save.name}" == self._marked), None)

    @property
    def pack(self) -> PackEntry | None:
        """Pack under the cursor, or of the save there."""
        packs = self.listing.packs if self.listing else ()
        wanted = f"{PACK}{self.save.pack}" if self.save else self._marked
        return next((pack for pack in packs if f"{PACK}{pack.id}" == wanted), None)

    @on(OptionList.OptionHighlighted)
    def preview(self) -> None:
        self.query_one("#about", Static).update(self._page())
        if self._marked != self._previewed:
            self._previewed = self._marked
            self.query_one("#preview").scroll_home(animate=False)
        self.refresh_bindings()

    def _page(self) -> Visual:
        save, pack = self.save, self.pack
        if save:
            return pages.save_page(save, pack, self._services.clock())
        if pack:
            return pages.pack_page(pack)
        if self._marked == EXAMPLE:
            return pages.example_page()
        texts = {
            WRITE: ("Write your own", pages.HOW_TO_WRITE),
            DIRECT: ("Direct a scene", pages.HOW_TO_DIRECT),
        }
        title, text = texts.get(self._marked, ("", ""))
        return page(accent(title), *map(Content, text.split("\n\n")))

    # --- actions --------------------------------------------------------------------------------------------------

    def acts(self) -> Acts:
        """Actions; each returns the row for the cursor, or "" to stay."""
        save, pack, listing = self.save, self.pack, self.listing or LibraryListing()
        app, services = self.app, self._services
        acts: Acts = {
            "write": lambda: self._write(pack, listing),
            "direct": self._new_chapter,
            "example": self._new_example,
            "lab": lambda: self._lab(pack),
            "search": self._search,
            "trash": lambda: self._status_of(save_actions.restore(app, services)),
            "import": self.import_files,
        }
        if pack and not pack.broken:
            acts["new"] = lambda: self._new(pack, listing)
        if pack and not save and not pack.shipped:
            acts["delete"] = lambda: self._status_of(save_actions.delete_pack(app, services, pack))
        if save:
            acts["continue"] = lambda: self._resume(save)
            acts["delete"] = lambda: self._status_of(save_actions.delete_save(app, services, save))
        if save and not save.broken:
            acts["rename"] = lambda: self._status_of(save_actions.rename_save(app, services, save))
            acts["copy"] = lambda: self._status_of(save_actions.copy_save(app, services, save, listing))
            acts["export"] = lambda: self._status_of(save_actions.ask_save_export(app, services, save))
        return acts

    @on(OptionList.OptionSelected)
    def chosen(self) -> None:
        by_row = {DIRECT: "direct", EXAMPLE: "example", WRITE: "write"}
        self.action_act("continue" if self.save else by_row.get(self._marked, "new"))

    def action_act(self, name: str) -> None:
        if (act := self.acts().get(name)) and not self.opening:
            self.opening = True
            self._perform(partial(self._open, act))

    async def _open(self, act: Act) -> None:
        self.app.clear_notifications()
        try:
            self._last = await act()
        finally:
            self.opening = False
            self.call_later(self.action_refresh)

    async def _status_of(self, done: Awaitable[save_actions.Done]) -> str:
        name, self.status.hint = await done
        return f"{SAVE}{name}" if name else ""

    # --- opening --------------------------------------------------------------------------------------------------

    async def _consented(self, open: Callable[[AppServices], Awaitable[S]]) -> S | None:
        return await with_consent(self.app, self._services, open, offline=True)

    async def _resume(self, save: SaveEntry) -> str:
        if save.mode == "direct":
            opened = self._opened(save, AppServices.resume_direct, "This chapter is open elsewhere")
            if chapter := await opened:
                return await self._direct_on(chapter)
        else:
            while story := await self._opened(save, AppServices.resume, "This story is open elsewhere"):
                if not await self._play(story):
                    break
        return f"{SAVE}{save.name}"

    async def _opened(self, save: SaveEntry, open: Callable[..., Awaitable[S]], elsewhere: str) -> S | None:
        try:
            return await self._consented(lambda services: open(services, save, write=True))
        except SaveUnwritable as error:
            title, why, yes = "This story cannot be saved", error.message, "read"
            if isinstance(error, SaveInUse):
                title, why, yes = elsewhere, IN_USE.format(title=one_line(save.title, 60)), "watch"
            if not await self.app.push_screen_wait(ConfirmDialog(title, why, yes=yes)):
                return None
            return await self._consented(lambda services: open(services, save, write=False))

    async def _new(self, pack: PackEntry, listing: LibraryListing) -> str:
        free = self._services.free_title(pack.title, listing)
        personas = tuple(await asyncio.to_thread(self._services.library.personas.all))
        own = "" if is_pronoun(pack.player[0]) else one_line(pack.player[0], 30)
        form = FormDialog(
            f"Start {one_line(pack.title)}",
            FormField("Story name", free),
            FormField(
                "Your character's name",
                "" if own else next(reversed(personas), ""),
                placeholder=f"leave empty to be {own}" if own else "a name, or nothing",
                choices=personas,
                note=f"Saved: {one_line(', '.join(personas), 50)}. {CHOOSE}" if personas else _PERSONAS,
                check=lambda answer: _checked_player(answer, pack, personas),
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
        return f"{SAVE}{session.folder.name}"

    async def _new_chapter(self) -> str:
        free = self._services.free_title("Chapter", self.listing or LibraryListing())
        session = await self._named_chapter("Direct a scene", free, pages.HOW_TO_DIRECT.partition("\n")[0])
        return await self._direct_on(session) if session else ""

    async def _named_chapter(self, heading: str, free: str, note: str) -> DirectSession | None:
        async def begin(texts: tuple[str, ...]) -> DirectSession | None:
            return await self._consented(lambda services: services.begin_direct(texts[0] or free))

        form = FormDialog(heading, FormField("Chapter name", free), note=note, yes="start")
        return await ask_until_valid(self.app, form, begin)

    async def _new_example(self) -> str:
        from theact_tui.engine.direct.example import example
        from theact_tui.story.direct.state import fill_setup

        chapter = example()
        title = self._services.free_title(chapter.title, self.listing or LibraryListing())
        session = await self._consented(lambda services: services.begin_direct(title))
        return (
            await self._begun(session, lambda session: session.edit(fill_setup, chapter.setup))
            if session
            else ""
        )

    async def _begun(self, session: DirectSession, begin: Callable[[DirectSession], None]) -> str:
        begin(session)
        await session.commit_waiting_changes()
        return await self._direct_on(session)

    async def _direct_on(self, session: DirectSession) -> str:
        from theact_tui.story.direct.state import follow

        followed = await self._direct(session)
        if followed is None:
            return f"{SAVE}{session.save.folder.name}"
        row, listing = f"{SAVE}{session.save.folder.name}", await self._services.listing()
        stem, _, number = session.name.rpartition(" ")
        wanted = f"{stem} {int(number) + 1}" if stem and re.fullmatch(r"[1-9]\d?", number) else session.name
        free = self._services.free_title(wanted, listing)
        note = "The same world, characters and memories, in a scene of your own."
        following = await self._named_chapter("Start the next chapter", free, note)
        return await self._begun(following, lambda s: s.edit(follow, followed)) if following else row

    async def _search(self) -> str:
        story = await save_actions.search_saves(self.app, self._services)
        if isinstance(story, str):
            self.status.hint = story
            return ""
        return await self._resume(story)

    async def _write(self, marked: PackEntry | None, listing: LibraryListing) -> str:
        from theact_tui.tui.write.dialogs import choose_draft
        from theact_tui.tui.write.screen import WriteScreen

        draft = await choose_draft(self.app, self._services.home, listing, marked)
        if draft is None:
            return ""
        screen = WriteScreen(draft, self._services, self._play)
        await self.app.push_screen_wait(screen)
        if screen.pack_id:
            self.status.hint = f"{draft.title} is now one of your packs. Press enter on it to play."
            return f"{PACK}{screen.pack_id}"
        if not draft.folder.exists():
            self.status.hint = "Moved to the trash. t restores it."
        elif not await asyncio.to_thread(draft.drop_unchanged, self._services.home):
            self.status.hint = f"{draft.title} is kept as a draft. Press w to continue it."
        return ""

    async def _lab(self, pack: PackEntry | None) -> str:
        from theact_tui.tui.lab.screen import LabScreen

        name = await self.app.push_screen_wait(LabScreen(self._services, self._play, pack.id if pack else ""))
        if not name:
            return ""
        self.listing = await self._services.listing()
        save = next((save for save in self.listing.saves if save.name == name), None)
        return await self._resume(save) if save else ""

    async def import_files(self) -> str:
        from theact_tui.tui.home.import_dialog import ImportDialog
        from theact_tui.tui.home.import_pages import imported_as

        any_file = may_open_files(self._services.home)
        uploads = [] if any_file else await save_actions.choose_uploads(self.app, self._services)
        if not (uploads or any_file):
            return ""
        has_model = self.listing is not None and not self.listing.offline
        entries = self.listing.packs if self.listing else ()
        packs = {pack.id: pages.pack_row(pack) for pack in entries if not pack.broken}
        dialog = ImportDialog(self._services, Path.home(), uploads, packs, has_model=has_model)
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
        self.status.hint = imported_as(report)
        return f"{SAVE}{report.save}" if report.save else f"{PACK}{report.pack}" if report.pack else ""
