"""Screens painted when somebody looks: between two looks of a test nobody sees them, and painting is half the work."""

from __future__ import annotations

from textual.app import App
from textual.screen import Screen

from theact_tui.tui.stepwise import Stepwise

in_steps = Stepwise[object]._compositor_refresh
"""As in a terminal; for tests of what is shown when."""


def later(screen: Stepwise[object]) -> None:
    """What changed waits until `paint`, unless a test looks at what a terminal is sent."""
    if screen.app.is_headless and screen is screen.app.screen:
        screen._dirty_widgets.clear()
        screen.app._update_mouse_over(screen)
    else:
        in_steps(screen)


def paint(app: App[None]) -> None:
    """Paint what changed since the last time; a widget that cannot be painted fails the test."""
    Screen._compositor_refresh(app.screen)
