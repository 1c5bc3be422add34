"""Knows the style sheets of all screens before one is opened: Textual would parse everything anew when it is."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from textual.app import App

SCREENS = Path(__file__).resolve().parent / "screens"
TRIES = 5
"""How often it is read anew because the app's styles changed meanwhile."""


async def read_styles(app: App[Any]) -> None:
    """Give the app a style sheet that holds those of all screens, parsed in a thread. Nothing on the screen changes."""
    for _ in range(TRIES):
        old, theme = app.stylesheet, app.theme
        known = dict(old.source)
        fresh = old.copy()
        fresh.read_all(sorted(SCREENS.glob("*.tcss")))
        await asyncio.to_thread(fresh.parse)
        if app.stylesheet is old and (old.source, app.theme) == (known, theme):
            app.stylesheet = fresh
            return
