"""Two things side by side, or below one another where it is narrow; a bar in its own ink says which is which."""

from __future__ import annotations

from itertools import zip_longest

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

from theact_tui.tui.visuals import Stack

WIDE = 92
"""Cells from which both stand side by side."""
BETWEEN = 3
BARS = ("▎ ", "┊ ")
"""Of the first and the second; they differ without colours too."""
INKS = (".accent", ".voice-5")
INDENT = 2
"""Cells of a bar."""


class Twin(Visual):
    """A left and a right, or one of them. `names` are shown where they stand below one another."""

    def __init__(
        self, left: Visual | None, right: Visual | None, *, names: tuple[str, str] = ("", "")
    ) -> None:
        self.both = (left, right)
        self._names = names

    @property
    def plain(self) -> str:
        """Both as text, for tests."""
        return "\n".join(str(getattr(one, "plain", "")) for one in self.both if one)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        room = self._room(width)
        sides = [
            self._side(n, visual, room, style, options) if visual else []
            for n, visual in enumerate(self._shown(width))
        ]
        if width < WIDE:
            space = [Strip.blank(width, style.rich_style)] if all(sides) else []
            return [*sides[0], *space, *sides[1]]
        blank = Strip.blank(room, style.rich_style)
        gap = Strip.blank(BETWEEN, style.rich_style)
        return [Strip.join([left, gap, right]) for left, right in zip_longest(*sides, fillvalue=blank)]

    def _shown(self, width: int) -> list[Visual | None]:
        """Both, with their names above them where that is needed."""
        if width >= WIDE or not all(self._names):
            return list(self.both)
        heads = [Content.styled(name, ink) for name, ink in zip(self._names, INKS, strict=True)]
        return [Stack(head, one) if one else None for head, one in zip(heads, self.both, strict=True)]

    def _side(self, n: int, one: Visual, room: int, style: Style, options: RenderOptions) -> list[Strip]:
        bar = Content.styled(BARS[n], INKS[n]).render_strips(INDENT, 1, style, options)[0]
        rows = one.render_strips(room - INDENT, None, style, options)
        return [Strip.join([bar, row.adjust_cell_length(room - INDENT, style.rich_style)]) for row in rows]

    def _room(self, width: int) -> int:
        """Cells of one side."""
        return (width - BETWEEN) // 2 if width >= WIDE else width

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        inside = self._room(width) - INDENT
        heights = [one.get_height(rules, inside) for one in self._shown(width) if one]
        return max(heights, default=0) if width >= WIDE else sum(heights) + max(0, len(heights) - 1)
