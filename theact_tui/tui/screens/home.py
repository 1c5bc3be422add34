"""Home: the stories one has begun, those one can begin, and a page about the one under the cursor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from theact_tui.errors import SaveInUse, TheActError
from theact_tui.text import one_line
from theact_tui.tui import doors
from theact_tui.tui.acts import bindings
from theact_tui.tui.backstage import Backstage, Shelf
from theact_tui.tui.screens.home_acts import HELP, HOME_ACTS, PLAY
from theact_tui.tui.screens.sheets import Ask, Confirm, Field
from theact_tui.tui.screens.shelf import direct_page, pack_page, pack_row, save_page, save_row, teaching
from theact_tui.tui.visuals import Spread, Stack
from theact_tui.tui.widgets.keyline import KeyLine
from theact_tui.tui.widgets.masthead import Line, Rule
from theact_tui.tui.widgets.page import Page

if TYPE_CHECKING:
    from theact_tui.engine.session import Session
    from theact_tui.packs.library import PackEntry
    from theact_tui.saves.library import SaveLine

SAVE, PACK, DIRECT = "save:", "pack:", "direct:"


class ShelfList(OptionList):
    """The list; its enter key says what it does here."""

    BINDINGS = [
        Binding(
            "enter",
            "select",
            "play",
            tooltip="Go on with this story, or begin it",
            id="home.play",
            group=Binding.Group(PLAY),
        )
    ]


class HomeScreen(Page):
    """The shelf. Opens a story over itself, and lists anew when it is back."""

    CSS_PATH = "home.tcss"
    BINDINGS = bindings(HOME_ACTS)
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Your stories"

    def __init__(
        self, backstage: Backstage, play: Callable[[Session], Awaitable[None]], now: Callable[[], datetime]
    ) -> None:
        super().__init__()
        self._backstage = backstage
        self._play = play
        self._now = now
        self.shelf: Shelf | None = None
        """None while the disk is being read."""
        self._busy = False

    def compose(self) -> ComposeResult:
        yield Line(id="head")
        yield Rule()
        with Horizontal(id="body"):
            yield ShelfList(id="list", markup=False)
            with VerticalScroll(id="preview", can_focus=False):
                yield Static(id="about")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one(ShelfList).focus()

    def on_screen_resume(self) -> None:
        self.action_refresh()

    # --- the list -----------------------------------------------------------------------------------------------

    @work(group="shelf", exclusive=True)
    async def action_refresh(self) -> None:
        """Read saves and packs again."""
        try:
            self.shelf = await self._backstage.shelf()
        except Exception as error:
            self.notify(f"The stories could not be listed: {error}", severity="error", markup=False)
            return
        self._list()

    def _list(self) -> None:
        options, shelf, now = self.query_one(ShelfList), self.shelf or Shelf(), self._now()
        marked = options.highlighted
        chosen = options.get_option_at_index(marked).id if marked is not None else None
        rows = [_heading("CONTINUE")]
        rows += [Option(save_row(save, now), id=f"{SAVE}{save.name}") for save in shelf.saves]
        if not shelf.saves:
            rows.append(
                Option(
                    Content.styled("Nothing yet. Choose a story below and press enter.", ".quiet"),
                    disabled=True,
                )
            )
        rows += [Option("", disabled=True), _heading("NEW STORY")]
        rows += [Option(pack_row(pack), id=f"{PACK}{pack.id}") for pack in shelf.packs]
        if not shelf.packs:
            rows.append(Option(Content.styled("No packs were found.", ".quiet"), disabled=True))
        rows += [Option("", disabled=True), _heading("DIRECT A SCENE")]
        rows.append(Option(Content("New chapter as game master"), id=DIRECT))
        self.query_one("#head", Line).parts = Spread(
            Content.styled("theact", ".accent"), Content.styled(one_line(shelf.teller, 60), ".quiet")
        )
        options.clear_options()
        options.add_options(rows)
        ids = [option.id for option in rows]
        first = next((n for n, id in enumerate(ids) if id), None)
        options.highlighted = ids.index(chosen) if chosen in ids and chosen else first

    @property
    def options(self) -> list[Option]:
        """All rows of the list."""
        return list(self.query_one(ShelfList).options)

    @property
    def _marked(self) -> str:
        options = self.query_one(ShelfList)
        if options.highlighted is None:
            return ""
        return options.get_option_at_index(options.highlighted).id or ""

    @property
    def save(self) -> SaveLine | None:
        """The save under the cursor."""
        saves = self.shelf.saves if self.shelf else ()
        return next((save for save in saves if f"{SAVE}{save.name}" == self._marked), None)

    @property
    def pack(self) -> PackEntry | None:
        """The pack under the cursor, or that of the save under it."""
        packs = self.shelf.packs if self.shelf else ()
        wanted = f"{PACK}{self.save.pack}" if self.save else self._marked
        return next((pack for pack in packs if f"{PACK}{pack.id}" == wanted), None)

    @on(OptionList.OptionHighlighted)
    def preview(self) -> None:
        save, pack, shelf = self.save, self.pack, self.shelf or Shelf()
        page: Visual = Content("")
        if save:
            page = save_page(save, pack, self._now())
        elif pack:
            page = pack_page(pack)
            if not shelf.saves and not pack.broken:
                page = Stack(page, teaching(offline=shelf.offline))
        elif self._marked == DIRECT:
            page = direct_page()
        self.query_one("#about", Static).update(page)
        self.query_one("#preview").scroll_home(animate=False)
        self.refresh_bindings()

    # --- acts ---------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done with the thing under the cursor."""
        match action:
            case "open":
                return doors.there(str(parameters[0]))
            case "play":
                return self._marked == DIRECT or bool(self.save) or bool(self.pack and not self.pack.broken)
            case "new":
                return bool(self.pack and not self.pack.broken)
            case "rename" | "copy":
                return bool(self.save and not self.save.broken)
            case "delete":
                return bool(self.save)
            case _:
                return True

    @on(OptionList.OptionSelected)
    def chosen(self) -> None:
        self.action_play()

    def action_play(self) -> None:
        if self.save:
            self._do(self._resume)
        elif self._marked == DIRECT:
            self.action_direct()
        else:
            self.action_new()

    def action_new(self) -> None:
        if self.pack and not self.pack.broken:
            self._do(self._new)

    def action_direct(self) -> None:
        self._do(self._direct)

    def action_rename(self) -> None:
        self._do(self._rename)

    def action_copy(self) -> None:
        self._do(self._copy)

    def action_delete(self) -> None:
        self._do(self._delete)

    def action_import(self) -> None:
        self._do(self._import)

    def action_open(self, name: str) -> None:
        self.app.push_screen(doors.made(name, None))

    def _do(self, deed: Callable[[], Awaitable[None]]) -> None:
        """Do something to the shelf; while one thing is being done, keys ask for no other."""
        if not self._busy:
            self._busy = True
            self._doing(deed)

    @work(group="deeds")
    async def _doing(self, deed: Callable[[], Awaitable[None]]) -> None:
        try:
            await self._done(deed)
        finally:
            self._busy = False

    async def _done(self, deed: Callable[[], Awaitable[None]]) -> None:
        """Do it; what goes wrong is said in a sentence."""
        from theact_tui.models.choose import ConsentNeeded

        try:
            await deed()
        except ConsentNeeded as error:
            if await self._agreed(error.hosts):
                await self._done(deed)
            return
        except TheActError as error:
            self.notify(error.message, severity="error", timeout=12, markup=False)
        except Exception as error:
            text = f"Something broke: {error!r}. Written down in {self.report(error)}"
            self.notify(text, severity="error", timeout=20, markup=False)
        self.action_refresh()

    async def _agreed(self, hosts: tuple[str, ...]) -> bool:
        """Ask before a story leaves this network; remembered for good."""
        names = " and ".join(one_line(host) for host in hosts)
        note = (
            f"Everything you play would be sent to {names}, which is not on this computer or network. "
            "You are asked once for each host. Without it the app can be started with --offline."
        )
        agreed = await self.app.push_screen_wait(Confirm(f"Send your story to {names}?", note, yes="agree"))
        if agreed:
            await self._backstage.allow(hosts)
        return agreed

    async def _resume(self) -> None:
        if self.save is None:
            return
        save = self.save
        if save.mode == "direct":
            await self._resume_direct(save)
            return
        try:
            session = await self._backstage.resume(save)
        except SaveInUse as error:
            note = f"{error.message} It can be read here meanwhile."
            if not await self.app.push_screen_wait(
                Confirm("This story is open elsewhere", note, yes="read it")
            ):
                return
            session = await self._backstage.resume(save, write=False)
        await self._play(session)

    async def _new(self) -> None:
        if self.pack is None or self.shelf is None:
            return
        pack = self.pack
        free = self._backstage.free_title(pack.title, self.shelf)
        fields = (
            Field("Name of this story", free),
            Field("Your name in it", placeholder="leave it empty for the name the story gives you"),
        )
        answer = await self.app.push_screen_wait(Ask(f"Begin {one_line(pack.title)}", *fields, yes="begin"))
        if answer:
            await self._play(await self._backstage.begin(pack, answer[0] or free, answer[1]))

    async def _resume_direct(self, save: SaveLine) -> None:
        try:
            session = await self._backstage.resume_direct(save)
        except SaveInUse as error:
            note = f"{error.message} It can be read here meanwhile."
            if not await self.app.push_screen_wait(
                Confirm("This chapter is open elsewhere", note, yes="read it")
            ):
                return
            session = await self._backstage.resume_direct(save, write=False)
        await self.app.push_screen_wait(doors.directing(session, self.app))

    async def _direct(self) -> None:
        free = self._backstage.free_title("Chapter", self.shelf or Shelf())
        answer = await self.app.push_screen_wait(
            Ask("Direct a scene", Field("Name of this chapter", free), yes="begin")
        )
        if answer:
            session = await self._backstage.begin_direct(answer[0] or free)
            await self.app.push_screen_wait(doors.directing(session, self.app))

    async def _rename(self) -> None:
        if self.save is None:
            return
        save = self.save
        answer = await self.app.push_screen_wait(Ask("Rename", Field("New name", save.title), yes="rename"))
        if answer and answer[0] != save.title:
            await self._backstage.rename(save, answer[0])

    async def _copy(self) -> None:
        if self.save is None or self.shelf is None:
            return
        save = self.save
        free = self._backstage.free_title(save.title, self.shelf)
        answer = await self.app.push_screen_wait(Ask("Copy", Field("Name of the copy", free), yes="copy"))
        if answer and answer[0]:
            await self._backstage.copy(save, answer[0])

    async def _delete(self) -> None:
        if self.save is None:
            return
        save = self.save
        note = f"{one_line(save.title)}, turn {save.turn}, goes to the trash folder. It can be brought back from there."
        if await self.app.push_screen_wait(Confirm("Delete this story?", note, yes="delete")):
            await self._backstage.delete(save)
            self.notify("Moved to the trash folder.", markup=False)

    async def _import(self) -> None:
        answer = await self.app.push_screen_wait(
            Ask("Import a story", Field("File", placeholder="path of an exported .json file"), yes="import")
        )
        if answer and answer[0]:
            await self._backstage.bring_in(answer[0])


def _heading(text: str) -> Option:
    return Option(Content.styled(text, ".heading"), disabled=True)
