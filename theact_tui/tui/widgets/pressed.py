"""A line of keys below a question, for hands on the mouse: a click on one presses it."""

from __future__ import annotations

from textual import events
from textual.widgets import Static

from theact_tui.tui.widgets.keyline import BETWEEN

PRESSED = {"esc": "escape"}
"""Keys that are written otherwise than Textual names them."""


class KeyHints(Static):
    """Keys and what they do, such as `enter begin   esc cancel`."""

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        super().__init__(text, id=id, classes="keys", markup=False)

    def on_click(self, event: events.Click) -> None:
        place = event.get_content_offset(self)
        key = key_at(str(self.content), place.x) if place is not None and place.y == 0 else ""
        if key:
            self.app.simulate_key(key)


def key_at(text: str, x: int) -> str:
    """The key, as Textual names it, whose hint is at cell `x`; nothing between two of them."""
    begin = 0
    for hint in text.split(BETWEEN):
        if begin <= x < begin + len(hint):
            written = hint.split()[0]
            key = written.replace("^", "ctrl+").lower()
            return PRESSED.get(key, key) if key.replace("+", "").isalnum() else ""
        begin += len(hint) + len(BETWEEN)
    return ""
