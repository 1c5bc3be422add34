"""Settings (S8.1, S10): who tells the story, servers on this computer, single agents, consent, look and keys.

Every change is saved at once, and said. What goes on behind the list is in `settings_desk`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import OptionList, Static, TextArea
from textual.widgets.option_list import Option
from textual.worker import Worker

from theact_tui.errors import TheActError, UsageError
from theact_tui.models.detect import Server
from theact_tui.models.options import ModelOptions
from theact_tui.models.profiles import OFFLINE
from theact_tui.models.settings import Settings
from theact_tui.tui.acts import bindings
from theact_tui.tui.keymap import Keys
from theact_tui.tui.screens import settings_asks as asks
from theact_tui.tui.screens import settings_pages as pages
from theact_tui.tui.screens.settings_acts import HELP, SETTINGS_ACTS, can
from theact_tui.tui.screens.settings_desk import Known, SettingsDesk
from theact_tui.tui.screens.settings_keys import KeysScreen
from theact_tui.tui.screens.settings_pages import Tried
from theact_tui.tui.screens.settings_rows import rows
from theact_tui.tui.screens.settings_story import change_over
from theact_tui.tui.visuals import Spread
from theact_tui.tui.widgets.keyline import KeyLine
from theact_tui.tui.widgets.keylist import KeyList
from theact_tui.tui.widgets.masthead import Line, Rule
from theact_tui.tui.widgets.page import Page
from theact_tui.tui.widgets.statusline import StatusLine

if TYPE_CHECKING:
    from theact_tui.engine.session import Session
    from theact_tui.tui.app import TheActApp

Change = Callable[[Known], Awaitable[tuple[Known, str]]]
"""Changes the settings; returns them as they are now, and a sentence, or nothing if nothing was changed."""


class SettingsScreen(Page, inherit_bindings=False):
    """The settings of this home. `session` is the story that is open meanwhile."""

    CSS_PATH = "settings.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-slim"), (72, "-narrow"), (100, "-wide")]
    BINDINGS = [*bindings(SETTINGS_ACTS), Binding("ctrl+c,super+c", "screen.copy_text", "copy", show=False)]
    HELP: ClassVar[str] = HELP
    HELP_TITLE: ClassVar[str] = "Settings"

    def __init__(self, session: Session | None = None, desk: SettingsDesk | None = None) -> None:
        """`desk`: by default that of the app's home."""
        super().__init__()
        self.session = session
        self._desk = desk
        self.known: Known | None = None
        """None until it is read, and while it cannot be."""
        self.servers: list[Server] | None = None
        """None while they are looked for."""
        self.tried: dict[str, Tried] = {}
        """By profile: how its connection test went."""
        self._problem = ""
        self._calling: Worker[None] | None = None

    @property
    def theact(self) -> TheActApp:
        return cast("TheActApp", self.app)

    @property
    def desk(self) -> SettingsDesk:
        if self._desk is None:
            self._desk = SettingsDesk(self.theact.home, self.theact.backstage.options or ModelOptions())
        return self._desk

    def compose(self) -> ComposeResult:
        yield Line(id="head")
        yield Rule(id="rule")
        with Horizontal(id="body"):
            yield KeyList(id="list", markup=False)
            with VerticalScroll(id="page", can_focus=False):
                yield Static(id="about")
        yield StatusLine(id="status")
        yield KeyLine()

    def on_mount(self) -> None:
        self.query_one("#head", Line).parts = Spread(
            Content.styled("Settings", ".strong"), Content.styled("saved at once in config.toml", ".quiet")
        )
        self.list.focus()
        self._read()
        self.action_look()

    # --- what is shown ----------------------------------------------------------------------------------------------

    @property
    def list(self) -> KeyList:
        return self.query_one(KeyList)

    @property
    def status(self) -> StatusLine:
        return self.query_one(StatusLine)

    @property
    def marked(self) -> tuple[str, str]:
        """Kind and name of what is under the cursor, such as `profile` and `local`."""
        option = self.list.highlighted_option if self.is_mounted else None
        id = (option.id or "") if option else ""
        kind, colon, name = id.partition(":")
        return (kind, name) if colon else (id, "")

    @property
    def server(self) -> Server | None:
        """The server under the cursor."""
        kind, name = self.marked
        return next((one for one in self.servers or () if kind == "server" and one.base_url == name), None)

    @work(group="reading", exclusive=True)
    async def _read(self) -> None:
        try:
            self.known, self._problem = await self.desk.read(), ""
        except UsageError as error:
            self.known, self._problem = None, error.message
        self._list()

    def take(self, known: Known) -> None:
        """Show changed settings, and let the app follow them; the cursor goes to a profile that is new."""
        before = self.known.settings.profiles if self.known else known.settings.profiles
        self.known = known
        self._apply(known.settings)
        self._list(next((f"profile:{name}" for name in known.settings.profiles if name not in before), ""))

    def _apply(self, settings: Settings) -> None:
        app = self.theact
        app.settings = settings
        app.animation_level = "full" if settings.ui.animations else "none"
        app.use_keys(settings.ui.keys)
        for screen in app.screen_stack:
            for area in screen.query(TextArea):
                area.cursor_blink = settings.ui.cursor_blink

    def _list(self, at: str = "") -> None:
        options, known = self.list, self.known
        chosen = at or ":".join(part for part in self.marked if part)
        made: list[Option] = []
        if known is not None:
            for row in rows(known, self.servers, self.app.theme):
                if row.is_heading and made:
                    made.append(Option("", disabled=True))
                made.append(Option(row.visual, id=row.id or None, disabled=not row.id))
        options.clear_options()
        options.add_options(made)
        ids = [option.id for option in made]
        wanted = chosen if chosen in ids else f"profile:{known.in_use}" if known else ""
        first = next((n for n, id in enumerate(ids) if id), None)
        options.highlighted = ids.index(wanted) if wanted in ids else first
        self._page()
        if known and known.unknown and not (self.status.hint or self.status.warning):
            self.status.warning = f"config.toml has keys that mean nothing: {', '.join(known.unknown)}"

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        self._page()
        self.query_one("#page").scroll_home(animate=False)

    def _page(self) -> None:
        self.query_one("#about", Static).update(self._about())
        self.refresh_bindings()

    def _about(self) -> Visual:
        if self.known is None:
            return pages.broken_page(self.desk.place, self._problem) if self._problem else Content("")
        subject = pages.Subject(*self.marked, self.server, self.tried.get(self.marked[1]), self.app.theme)
        return pages.page_of(self.known, subject)

    # --- acts -------------------------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what can be done with the thing under the cursor."""
        kind, name = self.marked
        used = self.known.in_use if self.known else ""
        return can(
            action, kind, is_used=(name or kind) == used, is_known=bool(self.known), is_calling=self.calling
        )

    @property
    def calling(self) -> bool:
        """A connection is being tested."""
        return self._calling is not None and self._calling.is_running

    @on(OptionList.OptionSelected)
    def clicked(self) -> None:
        for action in ("use", "make", "add_here", "switch", "change"):
            if self.check_action(action, ()):
                self.run_worker(self.run_action(action), exit_on_error=False)

    def action_use(self) -> None:
        kind, name = self.marked
        self._do(partial(asks.use, self, name if kind == "profile" else OFFLINE))

    def action_make(self) -> None:
        if self.server:
            server = self.server
            self._do(lambda known: asks.make_profile(self, known, server))

    def action_add_here(self) -> None:
        self.action_add()

    def action_add(self) -> None:
        self._do(partial(asks.add_profile, self))

    def action_edit(self) -> None:
        name = self.marked[1]
        self.tried.pop(name, None)
        self._do(lambda known: asks.edit_profile(self, known, name))

    def action_delete(self) -> None:
        kind, name = self.marked
        self._do(lambda known: asks.delete(self, known, kind, name))

    def action_switch(self) -> None:
        self._do(partial(asks.toggle, self, self.marked[0].removeprefix("ui.")))

    def action_change(self) -> None:
        kind, name = self.marked
        match kind:
            case "ui.theme":
                self._do(partial(asks.theme, self))
            case "ui.pace":
                self._do(partial(asks.pace, self))
            case "ui.keys":
                if self.known:
                    self.app.push_screen(KeysScreen(self.known.settings.ui.keys, self._key))
            case "agents":
                self._do(partial(asks.add_agent, self))
            case _:
                self._do(lambda known: asks.edit_agent(self, known, name))

    @work(group="deeds", exclusive=True)
    async def _do(self, change: Change) -> None:
        """Change the settings; what came of it is said."""
        if self.known is None:
            return
        self.status.warning = self.status.hint = ""
        before = self.known.settings
        try:
            known, said = await change(self.known)
        except TheActError as error:
            self.status.warning = error.message
            return
        except Exception as error:
            self.status.warning = f"Something broke: {error!r}. Written down in {self.report(error)}"
            return
        if not said:
            return
        self.take(known)
        self.status.hint = said
        try:
            await change_over(self, before, known.settings)
        except TheActError as error:
            self.status.warning = f"{said} The story that is open goes on as before: {error.message}"

    async def _key(self, id: str, key: str | None) -> Keys:
        """Give an act a key of one's own, or its usual one."""
        known = await self.desk.set({("ui", "keys", id): key})
        self.take(known)
        return known.settings.ui.keys

    # --- servers ----------------------------------------------------------------------------------------------------

    @work(group="looking", exclusive=True)
    async def action_look(self) -> None:
        """Read the settings and look for servers again."""
        self.servers = None
        if self._problem:
            self._read()
        elif self.known:
            self._list()
        self.servers = await self.desk.servers()
        if self.known:
            self._list()

    def action_test(self) -> None:
        self._calling = self._test(self.marked[1])
        self.refresh_bindings()

    @work(group="calling", exclusive=True)
    async def _test(self, name: str) -> None:
        if self.known is None:
            return
        profile = self.known.settings.profiles[name]
        try:
            if not await asks.agreed(self, profile):
                return
            self._show_trial(name, Tried())
            trial = await self.desk.try_profile(profile)
            self.take(await self.desk.read())
            self._show_trial(name, Tried(trial))
        except TheActError as error:
            self._show_trial(name, Tried(problem=error.message))
        finally:
            self._calling = None
            self.refresh_bindings()

    def _show_trial(self, name: str, tried: Tried) -> None:
        self.tried[name] = tried
        self._page()

    def action_stop(self) -> None:
        if self._calling is not None:
            self._calling.cancel()
        self.tried.pop(self.marked[1], None)
        self._page()

    def action_close(self) -> None:
        self.dismiss()


def make(session: Session | None) -> SettingsScreen:
    """The screen, for `doors`."""
    return SettingsScreen(session)
