"""Scrolling containers: blocks of text below one another, and one that follows its end."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.visual import Visual
from textual.widgets import Static

AT_ONCE = 5
"""Blocks that are set in one frame; those further down come with the next ones."""


class BlockView(VerticalScroll):
    """Blocks below one another."""

    DEFAULT_CSS = """
    BlockView {
        height: 1fr; scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        & > Static { height: auto; }
    }
    """

    def __init__(self, *, id: str | None = None, can_focus: bool = True) -> None:
        super().__init__(id=id, can_focus=can_focus)
        self.blocks: tuple[Visual, ...] = ()
        self._set = 0
        """How many of them are set."""

    def show(self, blocks: Sequence[Visual]) -> None:
        self.blocks, self._set = tuple(blocks), 0
        for sheet in self._sheets[len(self.blocks) :]:
            sheet.display = False
        self._go_on()

    @property
    def _sheets(self) -> list[Static]:
        return list(self.query_children(Static))

    def _go_on(self) -> None:
        """Set the next few blocks, on sheets that are there or on new ones."""
        first, sheets = self._set, self._sheets
        chosen = self.blocks[first : first + AT_ONCE]
        self._set = first + len(chosen)
        for sheet, block in zip(sheets[first:], chosen, strict=False):
            sheet.update(block)
            sheet.display = True
        self.mount(*(Static(block) for block in chosen[max(0, len(sheets) - first) :]))
        if self._set < len(self.blocks):
            self.call_after_refresh(self._go_on)


class Follower(VerticalScroll):
    """Shows its end, unless the reader has scrolled up; at the end again it continues following."""

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
