"""Starting: what is slow comes after the first frame, and a crash leaves a note."""

import subprocess
import sys
import weakref
from pathlib import Path

import pytest
from textual._styles_cache import StylesCache
from textual.color import Color

from tests.support.pilot import Player, make_app, new_session, running, until
from theact_tui.models.settings import Ui
from theact_tui.paths import Home
from theact_tui.tui.textual_patches import let_lines_go, write_down

SLOW = "openai", "dulwich", "tiktoken", "pydantic"
FIRST_FRAME = f"""
import asyncio, sys
import theact_tui.cli
from theact_tui.paths import Home
from theact_tui.tui import app as module

async def main():
    seen = []
    module.TheActApp._warm = lambda self, listed: None
    async def listing(self):
        seen.append([name for name in {SLOW!r} if name in sys.modules])
        from theact_tui.tui.open_stories import LibraryListing
        return LibraryListing()
    async def server(self):  # asked for beside the first frame, in a thread
        return ""
    module.AppServices.listing = listing
    module.AppServices.server = server
    app = module.TheActApp(Home.find(sys.argv[1]).create())
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        seen.append([name for name in {SLOW!r} if name in sys.modules])
    assert len(seen) >= 2, seen
    assert not any(seen), seen

asyncio.run(main())
"""


def test_nothing_slow_is_imported_before_the_first_frame(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_FRAME, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.posix("file modes")
def test_an_unexpected_error_is_written_down_privately_and_without_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = Home.find(tmp_path).create()
    home.config_file.write_text(
        '[profiles.far]\nbase_url = "https://far.example/v1"\napi_key_env = "FAR_AWAY"\n', "utf-8"
    )
    monkeypatch.setenv("FAR_AWAY", "hush-hush-0123")
    monkeypatch.setenv("LLM_API_KEY", "sk-hush-4567")
    file = write_down(home, ValueError("refused: hush-hush-0123 and sk-hush-4567"))
    assert file is not None
    assert "refused: [key] and [key]" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_a_log_that_cannot_be_written_is_no_second_crash(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    assert write_down(Home.find(tmp_path), ValueError("x")) is None


async def test_a_crash_says_where_it_was_written_down(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    with pytest.raises(ZeroDivisionError):
        async with running(app) as pilot:
            app.call_later(lambda: 1 / 0)
            await pilot.pause()
    assert Path(app.crash_file).is_file()
    assert app.return_code == 1


def test_the_lines_of_a_closed_widget_are_let_go() -> None:
    let_lines_go()
    lines = StylesCache()
    black = Color.parse("black")
    assert lines.get_inner_outer(black, black) == lines.get_inner_outer(black, black)
    held = weakref.ref(lines)
    del lines
    assert held() is None


async def test_the_cursor_stands_still_when_nobody_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("theact_tui.tui.app.CURSOR_REST_SECONDS", 0.5)
    app = make_app(tmp_path)
    app.settings = app.settings.model_copy(update={"ui": Ui(animations=False)})
    async with running(app) as pilot:
        player = Player(pilot)
        await player.open(await new_session(app))
        writing = player.prompt.writing
        await until(pilot, lambda: not writing.cursor_blink, "the cursor to rest")
        states = list[bool]()
        app.watch(writing, "cursor_blink", lambda blinks: states.append(blinks), init=False)
        await pilot.press("a")
        await until(pilot, lambda: True in states, "the cursor to blink")
