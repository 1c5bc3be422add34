"""A long text to scroll through. It is made of blocks, so that only those in sight have to be drawn."""

from __future__ import annotations

from collections.abc import Sequence

from textual.containers import VerticalScroll
from textual.visual import Visual
from textual.widgets import Static


class Paper(VerticalScroll):
    """Blocks below one another."""

    DEFAULT_CSS = """
    Paper {
        height: 1fr; scrollbar-size-vertical: 1;
        & > Static { height: auto; padding: 0 1 0 0; }
    }
    """

    @property
    def text(self) -> str:
        """All blocks, plain."""
        blocks = [block.visual for block in self.query_children(Static) if block.display]
        return "\n".join(str(getattr(visual, "plain", "")) for visual in blocks)

    def show(self, blocks: Sequence[Visual]) -> None:
        """Show other blocks."""
        sheets = list(self.query_children(Static))
        for sheet, block in zip(sheets, blocks, strict=False):
            sheet.update(block)
            sheet.display = True
        for sheet in sheets[len(blocks) :]:
            sheet.display = False
        self.mount(*(Static(block) for block in blocks[len(sheets) :]))
