"""Screens painted when somebody looks: between two looks of a test nobody sees them, and painting is half the work."""

from __future__ import annotations

from textual._compositor import Compositor
from textual.app import App
from textual.screen import Screen

_update = Compositor.render_update


def whole_or_later(
    compositor: Compositor,
    full: bool = False,
    screen_stack: list[Screen[object]] | None = None,
    simplify: bool = False,
) -> object:
    """A whole picture at once; what changed since the last one waits until `paint`."""
    return _update(compositor, full, screen_stack, simplify) if full else None


def paint(app: App[None]) -> None:
    """Paint what changed since the last time; a widget that cannot be painted fails the test."""
    _update(app.screen._compositor, screen_stack=app._background_screens)
