"""A scrolled page that stays at its end: while text comes, and while the lines around it take room or give it back."""

from __future__ import annotations

from textual.containers import VerticalScroll
from textual.geometry import Size


class Follower(VerticalScroll):
    """Shows its end, unless the reader has scrolled up; at the end again it goes on following."""

    _following = True

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self._following = new_value >= self.max_scroll_y - 1

    def watch_virtual_size(self, size: Size) -> None:
        self._stay()

    def on_resize(self) -> None:
        self._stay()

    def _stay(self) -> None:
        if self._following:
            self.scroll_end(animate=False)
