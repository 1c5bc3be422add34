"""What comes before the first frame, and what is fetched after it."""

from __future__ import annotations

import io
import os
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from theact_tui.text import dotted


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Theme, movement and keys of the user's own, read without the parts of the program that check settings: a file that
    cannot be read counts as empty."""

    theme: str = ""
    animations: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> FirstLook:
        try:
            ui: Any = tomllib.loads(file.read_text("utf-8")).get("ui")
        except (OSError, ValueError):
            return cls()
        if not isinstance(ui, dict):
            return cls()
        keys = ui.get("keys")
        named = dotted(keys).items() if isinstance(keys, dict) else ()
        return cls(
            theme=str(ui.get("theme", "")),
            animations=ui.get("animations") is not False,
            keys={name: key for name, key in named if isinstance(key, str)},
        )


PICTURES = "textual_image.widget"
_importing = Lock()


def _may_show_pictures() -> bool:
    return not os.environ.get("NO_COLOR") and sys.stdout.isatty() and find_spec("textual_image") is not None


def find_pictures() -> None:
    """Let the extra `pictures`, if it is installed, ask the terminal how it shows them: it can only answer before the app
    runs. The import is slow, so terminals without graphics are spared it."""
    with suppress(Exception):  # of a terminal that answers something else
        if _may_show_pictures() and _has_graphics():
            import_module("textual_image.widget")


def _has_graphics() -> bool:
    """Whether the terminal is a kind of kitty, or says by its attributes that it draws sixels."""
    if "KITTY_WINDOW_ID" in os.environ or os.environ.get("TERM") in ("xterm-kitty", "xterm-ghostty"):
        return True
    if sys.platform == "win32":
        return "WT_SESSION" in os.environ
    import select
    import termios
    import tty

    keyboard, answer = sys.stdin.fileno(), b""
    before = termios.tcgetattr(keyboard)
    try:
        tty.setcbreak(keyboard)
        os.write(sys.stdout.fileno(), b"\x1b[c")
        while not answer.endswith(b"c") and select.select([keyboard], [], [], 0.1)[0]:
            answer += os.read(keyboard, 1)
    finally:
        termios.tcsetattr(keyboard, termios.TCSANOW, before)
    return b"4" in answer[:-1].split(b";")


def picture_widget() -> Any:
    """The class that shows a picture, made of half cells in terminals without graphics; None where none are shown. The
    first call is slow."""
    with _importing, suppress(Exception):
        if PICTURES not in sys.modules and _may_show_pictures():
            terminal = sys.__stdout__
            # what is no terminal is not asked, in the middle of the app
            vars(sys)["__stdout__"] = io.StringIO()
            try:
                import_module("textual_image.widget")
            finally:
                vars(sys)["__stdout__"] = terminal
    if (widgets := sys.modules.get(PICTURES)) is None:
        return None
    return widgets.Image if sys.modules["textual_image.renderable"].is_tty else widgets.HalfcellImage


SLOW = (
    "theact_tui.saves.save",
    "theact_tui.engine.factory",
    "theact_tui.tui.home.screen",
    "theact_tui.tui.play.screen",
    "theact_tui.tui.widgets.menus",
    "theact_tui.tui.inspector.screen",
    "theact_tui.tui.branches.screen",
)
"""Modules that take long to import, in the order in which a player is likely to need them."""


def warm() -> None:
    """Import what is slow, once, in a thread, while the player reads the list."""
    for module in SLOW:
        import_module(module)
