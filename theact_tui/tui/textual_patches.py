"""Changes to Textual that no public name of it allows. Each says why, and for which version.

The table of key sequences (8.2.8, `textual/_ansi_sequences.py`): a terminal without the Kitty keyboard protocol sends
alt+enter as escape and enter, which Textual hears as enter, so that an unfinished line would be sent; and it sends
alt+1 as escape and 1, which Textual takes for the sign that a Mac keyboard types with alt (`¡`), so that it would be
typed. Neither can be told from the plain key later. `tests/tui/test_prompt.py` and `test_direct_play.py` show both.

The garbage collector (8.2.8): a screen of text is some hundred thousand objects, for every `Strip` of Textual holds
several caches. A full collection walks them and everything imported: 0.2 to 0.4 seconds, some forty times in a game,
while keys and prose wait. `python -m tests.benchmarks.loop` pays for it.

The colours of a widget's lines (8.2.8, `textual/_styles_cache.py`): a cache of 1,024 pairs of colours has the widget's own
cache of lines in its keys, so that the lines of a thousand closed widgets stay in memory: 60 MB after the inspector was
opened ten times. `tests/tui/test_start.py` shows it.

An unexpected end (8.2.8, `textual/app.py`): Textual prints a traceback with local variables and tells nobody. Secrets could
stand in it, and a player should hear in a sentence that the story is saved. There is no hook for either, so two private
methods are overridden. `tests/tui/test_start.py` and `tests/terminal` show both.
"""

import gc
import sys
import traceback
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual._styles_cache import StylesCache
from textual.app import App
from textual.keys import Keys

from theact_tui.errors import UsageError
from theact_tui.guest_permissions import shown_path
from theact_tui.paths import Home, write_private

ALT_ENTER = "\x1b\r"


def patch_key_sequences() -> None:
    """Let alt+enter arrive as ctrl+j, the key for a new line, and alt+1 to alt+7 as themselves."""
    sequences = cast(dict[str, Any], ANSI_SEQUENCES_KEYS)
    sequences.setdefault(ALT_ENTER, (Keys.ControlJ,))
    sequences.update({f"\x1b{n}": (SimpleNamespace(value=f"alt+{n}"),) for n in range(1, 8)})


def let_lines_go() -> None:
    """Keep no lines of widgets that were closed."""
    original = StylesCache.get_inner_outer
    if hasattr(original, "cache_info"):
        colours = lru_cache(1024)(partial(original.__wrapped__, None))
        cast(Any, StylesCache).get_inner_outer = lambda _, *pair: colours(*pair)


SELDOM = 1_000
"""Lesser collections between two full ones."""


def spare_full_collections() -> None:
    """Leave what was imported out of all collections, and collect in full seldom."""
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], SELDOM)


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
