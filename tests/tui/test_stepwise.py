"""Large frames are drawn in steps and shown whole."""

from __future__ import annotations

import asyncio
from unittest.mock import Mock

import pytest
from textual.app import App, ComposeResult
from textual.drivers.headless_driver import HeadlessDriver
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Static

from tests.tui.driving import until, when
from tests.tui.painting import in_steps
from theact_tui.tui import stepwise
from theact_tui.tui.stepwise import ROWS, Stepwise

PARTS = 8
TRIES = 10_000
MOST = 2 * ROWS
"""Lines drawn in a row: a step that ends a frame may be followed at once by one that begins the next."""


class Written(HeadlessDriver):
    """A terminal that keeps what it is sent."""

    sent: list[str] = []

    @property
    def is_headless(self) -> bool:
        return False

    def write(self, data: str) -> None:
        self.sent.append(data)


class Lines(Widget):
    """Counts the lines it draws."""

    DEFAULT_CSS = "Lines { height: 4; }"
    drawn = 0

    def render_line(self, y: int) -> Strip:
        type(self).drawn += 1
        return Strip.blank(self.size.width)


class Full(Stepwise[None]):
    """A screen full of them, with a word at the top and one at the bottom."""

    def compose(self) -> ComposeResult:
        yield Static("top", id="top")
        for _ in range(PARTS):
            yield Lines()
        yield Static("bottom", id="bottom")


class Show(App[None]):
    """That screen alone."""

    def __init__(self) -> None:
        super().__init__(driver_class=Written)

    def get_default_screen(self) -> Full:
        return Full()


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames are drawn in steps, and every step has one part; nothing was drawn or sent before."""
    monkeypatch.setattr(Stepwise, "_compositor_refresh", in_steps)
    monkeypatch.setattr(stepwise, "STEP", 0.0)
    monkeypatch.setattr(Lines, "drawn", 0)
    monkeypatch.setattr(Written, "sent", [])


async def most_in_a_row(lines: int) -> int:
    """The most lines drawn without a rest until so many are."""
    most = 0
    for _ in range(TRIES):
        before = Lines.drawn
        await asyncio.sleep(0)
        most = max(most, Lines.drawn - before)
        if Lines.drawn >= lines:
            return most
    raise AssertionError(f"{Lines.drawn} lines drawn instead of {lines}")


def draw_all(app: Show) -> None:
    """Everything is to be drawn anew."""
    Lines.drawn = 0
    Written.sent.clear()
    app.screen.refresh()
    for part in app.screen.query(Lines):
        part.refresh()


async def test_the_loop_is_free_between_the_steps_of_a_frame() -> None:
    app = Show()
    async with app.run_test(headless=False, size=(40, 40)) as pilot:
        await pilot.pause()
        draw_all(app)
        assert 0 < await most_in_a_row(4 * PARTS) <= MOST


async def test_a_frame_is_shown_whole_with_what_changed_while_it_was_drawn() -> None:
    app = Show()
    async with app.run_test(headless=False, size=(40, 40)) as pilot:
        await pilot.pause()
        app.screen.query_one("#top", Static).update("first")
        draw_all(app)
        await most_in_a_row(1)
        assert not any("first" in sent for sent in Written.sent)
        app.screen.query_one("#bottom", Static).update("second")
        await until(pilot, lambda: "second" in "".join(Written.sent))
    assert any("first" in sent for sent in Written.sent)


async def test_what_waits_for_a_frame_waits_until_it_is_shown() -> None:
    app, shown = Show(), []
    async with app.run_test(headless=False, size=(40, 40)) as pilot:
        await pilot.pause()
        draw_all(app)
        app.screen.call_after_refresh(lambda: shown.append(bool(Written.sent)))
        await until(pilot, lambda: bool(shown))
    assert shown == [True]


async def test_what_changes_below_another_screen_is_painted_when_that_one_is_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stepwise, "STEP", 10.0)  # at once
    app, painted_in_it = Show(), Mock()
    async with app.run_test(headless=False, size=(40, 40)) as pilot:
        below, above = app.screen, Stepwise[None]()
        await app.push_screen(above)
        await pilot.pause()
        with monkeypatch.context() as patch:
            patch.setattr(above, "refresh", painted_in_it)
            below.query_one("#top", Static).update("first")
            below._compositor.update_widgets(set(below.query("#top")))
            below._compositor_refresh()
        assert not painted_in_it.called
        app.pop_screen()
        await until(pilot, lambda: "first" in "".join(Written.sent))


async def test_a_widget_that_breaks_while_it_is_drawn_breaks_the_app_as_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(part: Lines, y: int) -> Strip:
        raise ZeroDivisionError("a line")

    with pytest.raises(ZeroDivisionError, match="a line"):
        async with Show().run_test(size=(40, 40)) as pilot:
            await pilot.pause()
            monkeypatch.setattr(Lines, "render_line", broken)
            pilot.app.screen.query(Lines).last().refresh()
            pilot.app.screen.refresh()
            await when(pilot, lambda: pilot.app._exception is not None)
