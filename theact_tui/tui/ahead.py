"""Letters typed while the key before them still opens a question: they go into its box, not to the screen below."""

from __future__ import annotations

import asyncio
from typing import Any

from textual import events
from textual.app import App

from theact_tui.tui.widgets.fields import Box

LOOK, LOOKS = 0.01, 100
"""Seconds between two looks whether the question is there, and how often it is looked: the app hears no key meanwhile."""


async def went_on(app: App[Any], event: events.Key) -> bool:
    """Give a letter that nobody took to the box it was meant for, once that is open; False if there is none."""
    if not event.is_forwarded or not event.is_printable:
        return False
    below = app.screen
    for _ in range(LOOKS):
        if not getattr(below, "opening", False) or not (app.screen is below or app.focused is None):
            break
        await asyncio.sleep(LOOK)
    box = app.focused
    if not isinstance(box, Box) or getattr(box, "read_only", False):
        return False
    return box.post_message(events.Key(event.key, event.character))
