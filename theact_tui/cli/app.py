"""Opening the app from the command line."""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from theact_tui.cli.context import is_terminal
from theact_tui.errors import UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home


def open_app(
    home_folder: str | None, options: ModelOptions, *, mouse: bool, guest: bool = False, go_on: bool = False
) -> int:
    """Open the app and return its exit code. Raises `UsageError` where there is no terminal to draw on.

    `TEXTUAL_DRIVER` names something else to draw on, such as the browser of `serve`. `guest`: see `Home`. `go_on` opens
    the newest story.
    """
    drawable = is_terminal(sys.stdin) and is_terminal(sys.stdout)
    if not drawable and not os.environ.get("TEXTUAL_DRIVER"):
        raise UsageError("The app needs a terminal. Use 'theact-tui play PACK' to play without one.")
    from theact_tui.tui.app import run

    home = replace(Home.find(home_folder), guest=guest).create()
    return run(home, options, mouse=mouse, go_on=go_on)
