"""What happens after an error nobody expected: a file with the traceback, readable by the user only, and a quiet end.

Textual (8.2.8, `textual/app.py`) prints a traceback with local variables and tells nobody. Secrets could stand in it, and
a player should hear in a sentence that the story is saved. There is no hook for either, so two private methods are
overridden. `tests/tui/test_start.py` and `tests/terminal` show both.
"""

from __future__ import annotations

import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from textual.app import App

from theact_tui.errors import UsageError
from theact_tui.guests import shown_path
from theact_tui.paths import Home, write_private


class ReportingApp(App[None]):
    """An app that writes an unexpected error down before it ends, and prints no traceback on a terminal."""

    home: Home
    crash_file = ""
    """Where an unexpected end was written down."""

    def report(self, error: Exception) -> str:
        file = write_down(self.home, error)
        if file is None:
            return "nowhere (the log folder is not writable)"
        return shown_path(self.home, file)

    def _handle_exception(self, error: Exception) -> None:
        self.crash_file = self.report(error)
        super()._handle_exception(error)

    def _fatal_error(self) -> None:
        if self.is_headless:
            super()._fatal_error()
            return
        self.bell()
        self._close_messages_no_wait()


def write_down(home: Home, error: BaseException) -> Path | None:
    """Write the traceback, without keys, to the log folder; returns the file, or None when that failed too."""
    from theact_tui.models.environment import environment, without_secrets
    from theact_tui.models.settings import SettingsFile

    try:
        profiles = SettingsFile(home.config_file).read().profiles
    except UsageError:
        profiles = {}
    names = [profile.api_key_env for profile in profiles.values() if profile.api_key_env]
    text = without_secrets("".join(traceback.format_exception(error)), environment(), names)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    file = home.logs / f"crash-{stamp}.log"
    try:
        write_private(file, f"Python {sys.version}\n\n{text}")
    except OSError:
        return None
    return file
