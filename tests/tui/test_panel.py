"""Sections of the panel glow for some seconds after their last change."""

import asyncio

from textual.app import App, ComposeResult

from tests.support.waiting import until
from theact_tui.tui.widgets.panel import GlowingPanel


class Panel(GlowingPanel):
    def draw(self) -> None:
        pass


class Shown(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.panel = Panel(id="panel")

    def get_css_variables(self) -> dict[str, str]:
        return {**super().get_css_variables(), "line": "white"}

    def compose(self) -> ComposeResult:
        yield self.panel


async def test_a_section_that_changes_often_has_one_timer_and_none_when_the_next_turn_begins() -> None:
    app = Shown()
    async with app.run_test():
        idle = len(asyncio.all_tasks())
        for _ in range(20):
            app.panel.glow("beats")
            app.panel.glow("ann")
        await until(lambda: len(asyncio.all_tasks()) <= idle + 2)
        app.panel.stop_glowing()
        await until(lambda: len(asyncio.all_tasks()) <= idle)
