"""Opening the app from the command line."""

from __future__ import annotations

import sys
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.models.options import ModelOptions
from theact_tui.paths import Home


def open_app(home_folder: str | None, *, mouse: bool, **options: Any) -> int:
    """Open the app and return its exit code. Raises `UsageError` where there is no terminal to draw on."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError(
            "The app needs a terminal, and this is not one. Use 'theact-tui play PACK' to play without a screen."
        )
    from theact_tui.tui.app import run

    return run(Home.find(home_folder).create(), ModelOptions(**options), mouse=mouse)
