"""The app as it is, which says over a pipe when it has taken a key, when it rests, and when it has painted everything
anew. The pipe's number is in `WATCHED_PIPE`.
"""

from __future__ import annotations

import asyncio
import os
import signal
from functools import partial
from pathlib import Path
from time import process_time
from unittest.mock import patch

from textual import events

from theact_tui.__main__ import main
from theact_tui.tui import app as shipped

KEY, RESTS, PAINTED = b"k", b"r", b"p"
LOOK = signal.SIGUSR1
"""Asks for `RESTS`."""
REPAINT = signal.SIGUSR2
"""Asks for a full repaint, and then for `PAINTED`."""
NAP = 0.02
"""Seconds in which an app that rests needs hardly any CPU."""


class WatchedApp(shipped.TheActApp):
    """It changes nothing of what the app does and draws."""

    CSS_PATH = str(Path(shipped.__file__).with_name("app.tcss"))

    def on_ready(self) -> None:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(LOOK, partial(self.call_after_refresh, self._look))
        loop.add_signal_handler(REPAINT, self._repaint)

    async def on_event(self, event: events.Event) -> None:
        await super().on_event(event)
        if isinstance(event, events.Key):
            _say(KEY)

    def _look(self) -> None:
        self.set_timer(NAP, partial(self._looked, process_time()))

    def _looked(self, cpu: float) -> None:
        """Say that the app rests, or look again."""
        if process_time() - cpu > NAP / 4:
            self.call_after_refresh(self._look)
        else:
            _say(RESTS)

    def _repaint(self) -> None:
        self.screen.refresh()
        self.call_after_refresh(_say, PAINTED)


def _say(what: bytes) -> None:
    os.write(int(os.environ["WATCHED_PIPE"]), what)


if __name__ == "__main__":
    with patch.object(shipped, "TheActApp", WatchedApp):
        main()
