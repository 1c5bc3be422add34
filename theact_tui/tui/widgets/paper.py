"""A long text to scroll through. It is made of blocks, so that only those in sight have to be drawn."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import VerticalScroll
from textual.visual import Visual
from textual.widgets import Static

AT_ONCE = 5
"""Blocks that are set in one frame; those further down come with the next ones."""


class Paper(VerticalScroll):
    """Blocks below one another."""

    DEFAULT_CSS = """
    Paper {
        height: 1fr; scrollbar-size-vertical: 1; scrollbar-gutter: stable;
        & > Static { height: auto; }
    }
    """

    def __init__(self, *, id: str | None = None, can_focus: bool = True) -> None:
        super().__init__(id=id, can_focus=can_focus)
        self.blocks: tuple[Visual, ...] = ()
        self._set = 0
        """How many of them are set."""

    @property
    def text(self) -> str:
        """All blocks, plain."""
        return "\n".join(str(getattr(block, "plain", "")) for block in self.blocks)

    def show(self, blocks: Sequence[Visual]) -> None:
        """Show other blocks."""
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
