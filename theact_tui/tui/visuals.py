"""Lines with two or three parts, spread over whatever width there is; parts give way in order, never overlap."""

from __future__ import annotations

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

GAP = 2
"""Least room between two parts, in cells."""


class Spread(Visual):
    """One line: `left`, then `right` at the far end, and `centre` between them when there is room for all.

    With `first` the left is what matters: where there is no room for both, the right goes.
    """

    def __init__(
        self,
        left: Content,
        right: Content | None = None,
        centre: Content | None = None,
        *,
        first: bool = False,
    ) -> None:
        self.left = left
        self.right = right or Content("")
        self.centre = centre or Content("")
        self.first = first

    @property
    def plain(self) -> str:
        """All parts as text, for tests and for searching."""
        return "  ".join(part.plain for part in (self.left, self.centre, self.right) if part.plain)

    def fits(self, width: int) -> bool:
        """Whether all parts have room beside one another."""
        parts = [part.cell_length for part in (self.left, self.centre, self.right) if part.plain]
        return sum(parts) + GAP * max(0, len(parts) - 1) <= width

    def fitted(self, width: int) -> Content:
        """The line at `width` cells: first the centre goes, then the left is cut, then the right."""
        left, right, centre = self.left, self.right, self.centre
        if self.first and left.cell_length + GAP + right.cell_length > width:
            right = Content("")
        if right.cell_length > width - GAP - min(left.cell_length, width // 3):
            right = right.truncate(max(0, width - GAP - width // 3), ellipsis=True)
        room = width - right.cell_length - (GAP if right.plain else 0)
        left = left.truncate(max(0, room), ellipsis=True)
        between = width - left.cell_length - right.cell_length
        if centre.plain and centre.cell_length + 2 * GAP <= between:
            before = max(GAP, (width - centre.cell_length) // 2 - left.cell_length)
            before = min(before, between - centre.cell_length - GAP)
            after = between - before - centre.cell_length
            return Content.assemble(left, " " * before, centre, " " * after, right)
        return Content.assemble(left, " " * max(0, between), right)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        if width <= 0:
            return []
        line = self.fitted(width)
        return line.render_strips(width, 1, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return 1


class Indented(Visual):
    """What hangs from a mark: wrapped rows begin under the text, not under the mark."""

    def __init__(self, mark: Content, text: Visual) -> None:
        self.mark = mark
        self.text = text

    @property
    def plain(self) -> str:
        """Mark and text, for tests."""
        return self.mark.plain + str(getattr(self.text, "plain", ""))

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        indent = self.mark.cell_length
        rows = self.text.render_strips(max(1, width - indent), height, style, options)
        first = self.mark.render_strips(max(1, indent), 1, style, options) or [Strip.blank(indent)]
        rest = Strip.blank(indent, style.rich_style)
        return [
            Strip.join([rest if n else first[0].extend_cell_length(indent), row])
            for n, row in enumerate(rows)
        ]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        indent = self.mark.cell_length
        return min(container_width, indent + self.text.get_optimal_width(rules, container_width - indent))

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self.text.get_height(rules, max(1, width - self.mark.cell_length))


class Clamped(Visual):
    """A visual of which only some rows are shown where there is little room; an ellipsis says that there is more."""

    def __init__(self, visual: Visual, rows: int, roomy: int) -> None:
        self.visual = visual
        self.rows = rows
        self.roomy = roomy
        """Cells of width from which all of it is shown."""

    @property
    def plain(self) -> str:
        """All of it as text, for tests."""
        return str(getattr(self.visual, "plain", ""))

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        strips = self.visual.render_strips(width, height, style, options)
        if width >= self.roomy or len(strips) <= self.rows:
            return strips
        last = strips[self.rows - 1]
        more = Content("…").render_strips(1, 1, style, options)[0]
        return [*strips[: self.rows - 1], Strip.join([last.crop(0, min(last.cell_length, width - 1)), more])]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self.visual.get_optimal_width(rules, container_width)

    def get_height(self, rules: RulesMap, width: int) -> int:
        height = self.visual.get_height(rules, width)
        return height if width >= self.roomy else min(self.rows, height)


class Either(Visual):
    """One visual where there is room for it, else another."""

    def __init__(self, wide: Visual, narrow: Visual, roomy: int) -> None:
        self.wide = wide
        self.narrow = narrow
        self.roomy = roomy
        """Cells of width from which the wide one is shown."""

    @property
    def plain(self) -> str:
        """The wide one as text, for tests."""
        return str(getattr(self.wide, "plain", ""))

    def at(self, width: int) -> Visual:
        """The one that is shown at a width."""
        return self.wide if width >= self.roomy else self.narrow

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        return self.at(width).render_strips(width, height, style, options)

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return self.at(container_width).get_optimal_width(rules, container_width)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self.at(width).get_height(rules, width)


class Stack(Visual):
    """Visuals below one another."""

    def __init__(self, *rows: Visual) -> None:
        self.rows = rows

    @property
    def plain(self) -> str:
        """All rows as text, for tests."""
        return "\n".join(str(getattr(row, "plain", "")) for row in self.rows)

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        strips = [strip for row in self.rows for strip in row.render_strips(width, None, style, options)]
        return strips if height is None else strips[:height]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return max((row.get_optimal_width(rules, container_width) for row in self.rows), default=0)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return sum(row.get_height(rules, width) for row in self.rows)
