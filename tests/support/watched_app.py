"""The app as it is, which says over a pipe when it has taken a key, and rings when it rests, and when it has painted
everything anew. The pipe's number is in `WATCHED_PIPE`.

The bell goes the way of all that is drawn: who hears it has read everything before it.
"""

import asyncio
import os
import signal
from pathlib import Path
from unittest.mock import patch

from textual import events

from tests.support.idle_loop import IdlePolicy, IdleSelector, wait_for_idle
from theact_tui.__main__ import main
from theact_tui.tui import app as shipped

KEY = b"k"
LOOK = signal.SIGUSR1
"""Asks for a bell when the app rests."""
LONG = 10
"""Seconds that a busy machine may take to rest: after one second its memories were still being written."""
REPAINT = signal.SIGUSR2
"""Asks for a full repaint and a bell after it."""


class WatchedApp(shipped.TheActApp):
    """It changes nothing of what the app does and draws."""

    CSS_PATH = str(Path(shipped.__file__).with_name("app.tcss"))

    def on_ready(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(LOOK, self._look)
        loop.add_signal_handler(REPAINT, self._repaint)

    async def on_event(self, event: events.Event) -> None:
        await super().on_event(event)
        if isinstance(event, events.Key):
            os.write(int(os.environ["WATCHED_PIPE"]), KEY)

    def _look(self) -> None:
        self._rest = asyncio.create_task(wait_for_idle(max_sleep=LONG))
        self._rest.add_done_callback(lambda _: self.bell())

    def _repaint(self) -> None:
        self.screen.refresh()
        self.call_after_refresh(self.bell)


if __name__ == "__main__":
    asyncio.set_event_loop_policy(IdlePolicy())
    IdleSelector.soon_seconds = 0.2  # longer than a screen waits for more letters, or for more of a page
    with patch.object(shipped, "TheActApp", WatchedApp):
        main()
