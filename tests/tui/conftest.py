"""The app at the keyboard of a test."""

import asyncio
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.css.model import RuleSet
from textual.css.parse import parse
from textual.css.tokenize import tokenize_values
from textual.css.tokenizer import Token
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.branches_pilot import fork
from tests.support.direct_pilot import Master, app_for, begin_chapter, new_chapter
from tests.support.direct_pilot import scripted as directed
from tests.support.fake_model import Scripted
from tests.support.fake_server import ScriptedServer, say
from tests.support.idle_loop import wait_for_idle
from tests.support.inspector_pilot import scripted, tell
from tests.support.pictures import USUAL, Before, Picture, Size, SnapCompare
from tests.support.pilot import Player, make_app, new_session, running
from tests.support.settings_pilot import MODELS, Setter, lists, setting, write_config
from theact_tui.story.direct.state import set_count, set_name
from theact_tui.tui.widgets import panel, status_line


@pytest.fixture(autouse=True)
def unpainted(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A third of the time of these tests went into rows that nobody looks at: what a screen sends to the terminal is made
    only for pictures, for a test marked `painted`, and where a test asks for the whole screen."""
    if "picture" in request.fixturenames or request.node.get_closest_marker("painted"):
        return
    paint = Compositor.render_update

    def render_update(self: Compositor, full: bool = False, **options: Any) -> object:
        if full:
            return paint(self, True, **options)
        self._dirty_regions.clear()
        return None

    monkeypatch.setattr(Compositor, "render_update", render_update)


@pytest.fixture(autouse=True)
def nothing_fades(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(panel, "GLOW_SECONDS", 600)


@pytest.fixture(scope="session", autouse=True)
def sheets_are_parsed_once() -> Iterator[None]:
    """All apps have the same style sheets, and few themes: what was parsed for one app serves the next one."""
    tokens: dict[frozenset[tuple[str, str]], dict[str, list[Token]]] = {}
    rules: dict[tuple[object, ...], list[RuleSet]] = {}

    def tokenize_once(values: dict[str, str]) -> dict[str, list[Token]]:
        key = frozenset(values.items())
        if key not in tokens:
            tokens[key] = tokenize_values(values)
        return tokens[key]

    def parse_once(
        scope: str,
        css: str,
        read_from: tuple[str, str],
        *,
        variable_tokens: dict[str, list[Token]],
        is_default_rules: bool,
        tie_breaker: int,
    ) -> list[RuleSet]:
        key = (scope, css, read_from, id(variable_tokens), is_default_rules, tie_breaker)
        if key not in rules:
            rules[key] = list(
                parse(scope, css, read_from, None, variable_tokens, is_default_rules, tie_breaker)
            )
        return rules[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("textual.css.stylesheet.tokenize_values", tokenize_once)
        patch.setattr("textual.css.stylesheet.parse", parse_once)
        patch.setattr(RuleSet, "__hash__", object.__hash__)
        yield


@pytest.fixture(scope="session", autouse=True)
def waits_are_short() -> Iterator[None]:
    """A pilot goes on once the loop is idle."""
    with pytest.MonkeyPatch.context() as patch:
        for module in ("app", "pilot"):
            patch.setattr(f"textual.{module}.wait_for_idle", wait_for_idle)
        yield


@pytest.fixture
def size() -> Size:
    """The terminal of a picture; a test may have several as parameters."""
    return USUAL


@pytest.fixture
def theme() -> str:
    return ""


@pytest.fixture
def picture(
    snap_compare: SnapCompare, tmp_path: Path, size: Size, theme: str, monkeypatch: pytest.MonkeyPatch
) -> Picture:
    monkeypatch.setattr(status_line, "_PATIENCE_SECONDS", 3_600)  # a slow machine would count in the picture

    def compare(before: Before, app: App[None] | None = None, *, at: Size | None = None) -> None:
        async def unblinking(pilot: Pilot[None]) -> None:
            await before(pilot)
            if isinstance(box := pilot.app.focused, Input):
                box.cursor_blink = False
            await pilot.pause()

        shown = app or make_app(tmp_path, theme=theme)
        assert snap_compare(shown, terminal_size=at or size, run_before=unblinking)

    return compare


@pytest.fixture
def model() -> Scripted:
    """The model of the story; its answers can be changed at any time."""
    return Scripted()


@pytest.fixture
def before() -> tuple[str, ...]:
    """What the player said before a test begins, from turn 2 on; a test may put its own lines here."""
    return ()


@pytest.fixture
async def player(tmp_path: Path, model: Scripted, before: tuple[str, ...]) -> AsyncIterator[Player]:
    """Somebody who has just begun a small story: turn 1 is told and saved, and the turns of the lines `before`."""
    app = make_app(tmp_path)
    async with running(app, (120, 40)) as pilot:
        player, session = Player(pilot), await new_session(app, model)
        if before:
            await session.open_story()
        for line in before:
            await session.play(line)
            await session.settle()
        await player.open(session)
        yield player
        if player.playing:
            await player.session.close()


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The island's story of six turns, told once for all tests that only look into it; they open copies."""
    return _made(tell(tmp_path_factory.mktemp("told"), scripted()))


@pytest.fixture(scope="session")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The salt stair's story that went several ways, told once; its tests open copies."""
    return _made(fork(tmp_path_factory.mktemp("forked")))


@pytest.fixture(scope="session")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directed chapter of some prompts, played once; its tests open copies."""
    return _made(begin_chapter(tmp_path_factory.mktemp("begun")))


@pytest.fixture
async def master(tmp_path: Path) -> AsyncIterator[Master]:
    """Somebody before an empty Setup; the storyteller answers at once."""
    app = app_for(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        master = Master(pilot)
        session = await new_chapter(app)
        await master.open(session)
        yield master
        await session.close()


@pytest.fixture
def actors() -> Scripted:
    """The model of a directed chapter; its answers can be changed at any time."""
    return directed()


@pytest.fixture
async def gm(tmp_path: Path, actors: Scripted) -> AsyncIterator[Master]:
    """Somebody who has locked a chapter with three agents."""
    app = app_for(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        gm = Master(pilot)
        session = await new_chapter(app, actors)
        session.edit(set_count, 3)
        session.edit(set_name, 2, "[red]Bo[/red]")
        await session.lock()
        await gm.open(session)
        yield gm
        await session.close()


def _made(telling: Coroutine[None, None, Path]) -> Path:
    """Tell a story in a loop of its own: that of the test runs already."""
    with ThreadPoolExecutor(1) as aside:
        return aside.submit(asyncio.run, telling).result()


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    """A model server on this computer."""
    with ScriptedServer(say("ready")) as running:
        lists(running, *MODELS)
        yield running


@pytest.fixture
def config() -> str:
    """The `config.toml` of a test of settings; `configured` gives it another one."""
    return ""


@pytest.fixture
async def setter(tmp_path: Path, config: str) -> AsyncIterator[Setter]:
    """The settings of a home."""
    if config:
        write_config(tmp_path, config)
    async with running(make_app(tmp_path), (120, 40)) as pilot:
        yield await setting(pilot)
