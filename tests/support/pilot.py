"""Driving the real app in tests: real engine, real saves, a model whose answers are known, time that stands still."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

from textual.app import App
from textual.events import Key
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from tests.support.fake_model import Scripted, small_pack
from tests.support.said import plain, said, text_of
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import create_session
from theact_tui.engine.session import ModelsFor, StorySession
from theact_tui.models.settings import Settings, Ui
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.pack import Pack
from theact_tui.tui.app import TheActApp
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.open_stories import AppServices
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.play.side_panel import SidePanel
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.writing_box import PromptInput
from theact_tui.tui.themes import fallback_variables
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.header import HeaderLine, Whereabouts
from theact_tui.tui.widgets.status_line import StatusLine

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
LOOK_SECONDS = 0.01
PATIENCE = 6_000
"""Looks at a state before a test gives up; the app works on between them."""
NAMED = {"\n": "ctrl+j", "\t": "tab"}
"""Keys of letters that are none."""


def still() -> datetime:
    return NOON


def offline(pack: Pack, seed: int) -> object:
    """The storyteller at instant pace."""
    from theact_tui.models.model_for_agent import Offline
    from theact_tui.storyteller import Storyteller

    return Offline(Storyteller(pack, seed))


def make_app(
    root: Path, *, models: ModelsFor | None = None, theme: str = "", keys: dict[str, str] | None = None
) -> TheActApp:
    """The app on a home of its own; nothing blinks, glows or slides."""
    home = Home.find(root).create()
    choose = models or cast(ModelsFor, offline)
    services = AppServices(home, choose=lambda: choose, seed=lambda: 7, clock=still)
    settings = Settings(ui=Ui(theme=theme, cursor_blink=False, animations=False, keys=keys or {}))
    return TheActApp(home, settings=settings, services=services)


async def new_session(
    app: TheActApp, model: Scripted | None = None, pack: Pack | None = None
) -> StorySession:
    """A new save of a small pack on a scripted model, or of `pack` on the storyteller."""
    choose: ModelsFor = (lambda pack, seed: model) if model else cast(ModelsFor, offline)
    played = pack or small_pack()
    return await create_session(
        Library(app.home.data), played, played.game.title, "Alex", 7, choose, Bus(still), id="test"
    )


async def until(pilot: Pilot[None], state: Callable[[], bool], what: str = "the state") -> None:
    """Let the app work until `state` holds; fails when it never does."""
    for _ in range(PATIENCE):
        if state():
            await pilot.pause()
            return
        await asyncio.sleep(LOOK_SECONDS)
    raise AssertionError(f"waited in vain for {what}")


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, each when what the one before opens is there: acting keys are not kept for it."""
    for key in keys:
        await pilot.press(key)
        if _is_opening(pilot):
            await until(pilot, lambda: not _is_opening(pilot), "what was opening")


def _is_opening(pilot: Pilot[None]) -> bool:
    return getattr(pilot.app.screen, "opening", False)


async def opens(pilot: Pilot[None], screen: type[Screen[Any]], *keys: str) -> None:
    """Press keys, and wait until a screen or a question of this kind is in front."""
    await press(pilot, *keys)
    await until(pilot, lambda: isinstance(pilot.app.screen, screen), screen.__name__)


async def type_out(pilot: Pilot[None], text: str) -> None:
    """Type a text faster than hands can: the app finds all keys waiting, each an event of its own."""
    for letter in text[:-1]:
        name = NAMED.get(letter)
        pilot.app.post_message(Key(name, None) if name else Key(_character_to_key(letter), letter))
    await pilot.press(*(NAMED.get(letter, letter) for letter in text[-1:]))
    await pilot.pause()


def problem(pilot: Pilot[None]) -> str:
    """What the question on the screen says of the answer before; nothing for a question that is asked first."""
    return said(pilot.app.screen, ".problem")


def footer(pilot: Pilot[None]) -> str:
    """The keys that a dialog names."""
    return said(pilot.app.screen, "DialogFooter")


async def at_once(pilot: Pilot[None], *names: str) -> None:
    """Press keys so fast that the app finds them all waiting."""
    for name in names:
        pilot.app.post_message(Key(name, name if len(name) == 1 else None))
    await pilot.pause()


S = TypeVar("S", bound=Screen[None])


class Hands(Generic[S]):
    """Somebody at the keyboard of one kind of screen."""

    kind: type[S]

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot

    @property
    def app(self) -> TheActApp:
        return cast(TheActApp, self.pilot.app)

    @property
    def screen(self) -> S:
        return next(screen for screen in self.app.screen_stack if isinstance(screen, self.kind))

    async def press(self, *keys: str) -> None:
        await press(self.pilot, *keys)
        await self.pilot.pause()

    async def type(self, text: str, *keys: str) -> None:
        await type_out(self.pilot, text)
        if keys:
            await self.press(*keys)


class Player(Hands[PlayScreen]):
    kind = PlayScreen

    @property
    def playing(self) -> bool:
        return any(isinstance(screen, PlayScreen) for screen in self.app.screen_stack)

    @property
    def session(self) -> StorySession:
        return self.screen.session

    @property
    def transcript(self) -> Transcript:
        return self.screen.query_one(Transcript)

    @property
    def page(self) -> str:
        return "\n\n".join(text_of(turn) for turn in self.transcript.window.turns)

    @property
    def prompt(self) -> PromptInput:
        return self.screen.query_one(PromptInput)

    @property
    def status(self) -> StatusLine:
        return self.screen.query_one(StatusLine)

    @property
    def masthead(self) -> str:
        line = self.screen.query_one("#head", HeaderLine)
        assert isinstance(line.parts, Whereabouts)
        return plain(line.parts.fitted(line.content_size.width))

    @property
    def panel(self) -> SidePanel:
        return self.screen.query_one(SidePanel)

    async def send(self, text: str) -> None:
        """Send what is then in the box."""
        self.prompt.write(text)
        await self.press("enter")

    async def begin(self, text: str, model: Scripted) -> asyncio.Event:
        """Send a line, and wait until its turn is told, which goes on once the event that is returned is set."""
        gate = model.gates["narrator"] = asyncio.Event()
        await self.send(text)
        await until(self.pilot, lambda: self.session.phase == "narrating" and not self.prompt.text)
        return gate

    async def say(self, text: str) -> None:
        """Send a line of the story and wait until the turn is saved."""
        before = self.session.game.state.turn
        await self.send(text)
        await self.turn(before + 1)

    async def turn(self, number: int) -> None:
        """Wait until turn `number` is saved and shown."""
        await until(
            self.pilot,
            lambda: (
                self.session.game.state.turn == number
                and self.session.phase == "idle"
                and not self.status.doing
            ),
            f"turn {number}",
        )

    async def open(self, session: StorySession, *, opening: bool = True) -> None:
        """Open a story, and wait for its opening scene."""
        self.app.run_worker(self.app.play(session))
        await until(self.pilot, lambda: isinstance(self.app.screen, PlayScreen), "the play screen")
        if opening:
            await self.turn(max(1, session.game.state.turn))


class Paper(App[None]):
    """An app of our colours that shows nothing but these widgets, or a screen."""

    def __init__(self, *widgets: Widget, over: Screen[None] | None = None) -> None:
        super().__init__()
        self.over = over or BaseScreen()
        self.widgets = widgets

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return fallback_variables()

    async def on_mount(self) -> None:
        await self.push_screen(self.over)
        await self.over.mount_all(self.widgets)


@asynccontextmanager
async def running(app: TheActApp, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    async with app.run_test(size=size) as pilot:
        await at_home(pilot)
        yield pilot


@asynccontextmanager
async def playing(
    root: Path, size: tuple[int, int] = (80, 24), model: Scripted | None = None, pack: Pack | None = None
) -> AsyncIterator[Player]:
    app = make_app(root)
    async with running(app, size) as pilot:
        player = Player(pilot)
        await player.open(await new_session(app, model, pack))
        yield player
        if player.playing:
            await player.session.close()


async def at_home(pilot: Pilot[None]) -> HomeScreen:
    """The home screen, once it lists."""
    app = pilot.app
    await until(
        pilot,
        lambda: isinstance(app.screen, HomeScreen) and app.screen.listing is not None,
        "the list of stories",
    )
    assert isinstance(app.screen, HomeScreen)
    return app.screen
