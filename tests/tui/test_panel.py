"""Sections of the panel glow for some seconds after their last change."""

import asyncio

from tests.support.pilot import Paper
from tests.support.waiting import until
from theact_tui.tui.widgets.panel import GlowingPanel


class Panel(GlowingPanel):
    def draw(self) -> None:
        pass


async def test_a_section_that_changes_often_has_one_timer_and_none_when_the_next_turn_begins() -> None:
    panel = Panel(id="panel")
    async with Paper(panel).run_test():
        idle = len(asyncio.all_tasks())
        for _ in range(20):
            panel.glow("beats")
            panel.glow("ann")
        await until(lambda: len(asyncio.all_tasks()) <= idle + 2)
        panel.stop_glowing()
        await until(lambda: len(asyncio.all_tasks()) <= idle)
