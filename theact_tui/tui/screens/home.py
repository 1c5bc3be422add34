"""Home: the stories one has begun, those one can begin, and a page about the one under the cursor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from theact_tui.errors import TheActError
from theact_tui.text import one_line
from theact_tui.tui import doors
from theact_tui.tui.acts import bindings
from theact_tui.tui.backstage import Backstage, Shelf
from theact_tui.tui.screens.home_acts import HELP, HOME_ACTS, LIST_ACTS
from theact_tui.tui.screens.shelf import (
    direct_page,
    example_page,
    first_steps,
    pack_page,
    pack_row,
    save_page,
    save_row,
    teaching,
)
from theact_tui.tui.visuals import Spread, Stack
from theact_tui.tui.widgets.keyline import KeyLine
from theact_tui.tui.widgets.keylist import KeyList
from theact_tui.tui.widgets.masthead import Line, Rule
from theact_tui.tui.widgets.page import Page

if TYPE_CHECKING:
    from theact_tui.engine.session import Session
    from theact_tui.packs.library import PackEntry
    from theact_tui.saves.library import SaveLine
    from theact_tui.tui.screens.home_deeds import Deeds

SAVE, PACK, DIRECT, EXAMPLE = "save:", "pack:", "direct:", "example:"


class ShelfList(KeyList):
    """The list; its enter key says what it does here."""

    BINDINGS = bindings(LIST_ACTS)


class HomeScreen(Page):
    """The shelf. Opens a story over itself, and lists anew when it is back."""

    CSS_PATH = "home.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (72, "-narrow"), (100, "-wide")]
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
        self._last = ""
        """The save something was done to last: the cursor is put on it when it is listed."""

    @property
    def opening(self) -> bool:
        """Something is being done: what is typed meanwhile is for what it opens."""
        return self._busy

    @property
    def deeds(self) -> Deeds:
        """What can be done to the shelf; imported with the questions it asks when it is first needed."""
        from theact_tui.tui.screens.home_deeds import Deeds

        return Deeds(self.app, self._backstage, self._play)

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

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        self.call_after_refresh(self.action_refresh)

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
        rows.append(Option(Content("A ready example, to begin at once"), id=EXAMPLE))
        if not shelf.saves:
            rows += [Option("", disabled=True), Option(first_steps(offline=shelf.offline), disabled=True)]
        self.query_one("#head", Line).parts = Spread(
            Content.styled("theact", ".accent"), Content.styled(one_line(shelf.teller, 60), ".quiet")
        )
        options.clear_options()
        options.add_options(rows)
        ids = [option.id for option in rows]
        near = min((n for n, id in enumerate(ids) if id), key=lambda n: abs(n - (marked or 0)), default=None)
        wanted = f"{SAVE}{self._last}" if self._last else chosen
        self._last = ""
        options.highlighted = ids.index(wanted) if wanted in ids and wanted else near

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
        elif self._marked == EXAMPLE:
            from theact_tui.engine.direct_example import example

            page = example_page(example())
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
                return (
                    self._marked in (DIRECT, EXAMPLE)
                    or bool(self.save)
                    or bool(self.pack and not self.pack.broken)
                )
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
            self._do(lambda: self.deeds.resume(save))
        elif self._marked == DIRECT:
            self.action_direct()
        elif self._marked == EXAMPLE:
            self.action_example()
        else:
            self.action_new()

    def action_new(self) -> None:
        pack, shelf = self.pack, self.shelf
        if pack and shelf and not pack.broken:
            self._do(lambda: self.deeds.new(pack, shelf))

    def action_direct(self) -> None:
        shelf = self.shelf or Shelf()
        self._do(lambda: self.deeds.direct(shelf))

    def action_example(self) -> None:
        shelf = self.shelf or Shelf()
        self._do(lambda: self.deeds.direct_example(shelf))

    def action_rename(self) -> None:
        if save := self.save:
            self._do(lambda: self.deeds.rename(save))

    def action_copy(self) -> None:
        save, shelf = self.save, self.shelf
        if save and shelf:
            self._do(lambda: self.deeds.copy(save, shelf))

    def action_delete(self) -> None:
        if save := self.save:
            self._do(lambda: self.deeds.delete(save))

    def action_export(self) -> None:
        if save := self.save:
            self._do(lambda: self.deeds.export(save))

    def action_trash(self) -> None:
        self._do(self.deeds.restore)

    def action_import(self) -> None:
        self._do(self.deeds.bring_in)

    def action_open(self, name: str) -> None:
        self.app.push_screen(doors.made(name, None))

    def _do(self, deed: Callable[[], Awaitable[str]]) -> None:
        """Do something to the shelf; while one thing is being done, keys ask for no other."""
        if not self._busy:
            self._busy = True
            self._doing(deed)

    @work(group="deeds")
    async def _doing(self, deed: Callable[[], Awaitable[str]]) -> None:
        try:
            await self._done(deed)
        finally:
            self._busy = False

    async def _done(self, deed: Callable[[], Awaitable[str]]) -> None:
        """Do it; what goes wrong is said in a sentence, and what was said before it goes."""
        self.app.clear_notifications()
        try:
            self._last = await deed()
        except TheActError as error:
            self.notify(error.message, severity="error", timeout=12, markup=False)
        except Exception as error:
            text = f"Something broke: {error!r}. Written down in {self.report(error)}"
            self.notify(text, severity="error", timeout=20, markup=False)
        self.action_refresh()


def _heading(text: str) -> Option:
    return Option(Content.styled(text, ".heading"), disabled=True)
