"""Changes to Textual 8.2.8 that its public names do not allow. Tests: `tests/tui/test_prompt.py`, `test_start.py`,
`tests/terminal`; benchmark: `python -m tests.benchmarks.loop`.
"""

import gc
import re
import sys
import traceback
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._styles_cache import StylesCache
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.events import Key
from textual.keys import Keys

from theact_tui.errors import UsageError
from theact_tui.guest_permissions import shown_path
from theact_tui.paths import Home, write_private

ALT_ENTER = "\x1b\r"


def patch_key_sequences() -> None:
    """Map alt+enter to ctrl+j (new line), and alt+1 to alt+7 to themselves. Without the Kitty keyboard protocol
    alt+enter arrives as enter, so an unfinished line would be sent, and alt+1 as `¡`.
    """
    sequences = cast(dict[str, Any], ANSI_SEQUENCES_KEYS)
    sequences.setdefault(ALT_ENTER, (Keys.ControlJ,))
    sequences.update({f"\x1b{n}": (SimpleNamespace(value=f"alt+{n}"),) for n in range(1, 8)})


_ALTERNATES = re.compile(r"(\x1b\[\d*)[\d:]*((?:;\d*)?)(:3)?[\d:]*")


def patch_kitty_keys() -> None:
    """Read the first key code of several, as in `ESC[122:90;2;90u`, and no released key: Textual took `122:90` for a
    number, and the app ended.
    """
    original = XTermParser._parse_extended_key

    def parse(parser: XTermParser, sequence: str) -> list[Key] | None:
        alternates = _ALTERNATES.match(sequence)
        if alternates and alternates[3]:
            return []
        try:
            return original(parser, _ALTERNATES.sub(r"\1\2", sequence, count=1))
        except (ValueError, OverflowError):  # a code of no character
            return []

    if original.__module__ != __name__:
        cast(Any, XTermParser)._parse_extended_key = parse


def let_lines_go() -> None:
    """Drop the lines of closed widgets, which `textual/_styles_cache.py` keeps: 60 MB after ten inspectors."""
    original = StylesCache.get_inner_outer
    if hasattr(original, "cache_info"):
        colours = lru_cache(1024)(partial(original.__wrapped__, None))
        cast(Any, StylesCache).get_inner_outer = lambda _, *pair: colours(*pair)


SELDOM = 1_000


def spare_full_collections() -> None:
    """Collect fully less often: it takes 0.2 to 0.4 seconds, because each `Strip` holds several caches."""
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], SELDOM)


class ReportingApp(App[None]):
    """Logs an unexpected error; Textual would print local variables, which may hold secrets."""

    home: Home
    crash_file = ""

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
    """Write the traceback without keys to the log folder; returns the file, or None on failure."""
    from theact_tui.models.environment import environment, without_keys
    from theact_tui.models.settings import SettingsFile

    try:
        profiles = SettingsFile(home.config_file).read().profiles
    except UsageError:
        profiles = {}
    names = [profile.api_key_env for profile in profiles.values() if profile.api_key_env]
    text = without_keys("".join(traceback.format_exception(error)), environment(), names)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    file = home.logs / f"crash-{stamp}.log"
    try:
        write_private(file, f"Python {sys.version}\n\n{text}")
    except OSError:
        return None
    return file
