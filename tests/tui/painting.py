"""Screens painted when somebody looks: between two looks of a test nobody sees them, and painting is half the work."""

from __future__ import annotations

from textual._compositor import Compositor
from textual.app import App
from textual.screen import Screen

at_once = Compositor.render_update
"""What a terminal is shown; for tests of what it is shown when."""


def whole_or_later(
    compositor: Compositor,
    full: bool = False,
    screen_stack: list[Screen[object]] | None = None,
    simplify: bool = False,
) -> object:
    """A whole picture at once; what changed since the last one waits until `paint`."""
    return at_once(compositor, full, screen_stack, simplify) if full else None


def paint(app: App[None]) -> None:
    """Paint what changed since the last time; a widget that cannot be painted fails the test."""
    at_once(app.screen._compositor, screen_stack=app._background_screens)
