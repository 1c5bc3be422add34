"""Lines whose parts give way in order, never overlap."""

from datetime import UTC, datetime

from textual.content import Content
from textual.css.styles import RulesMap
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual

from theact_tui.text import flat

_GAP = 2


class FittedVisual(Visual):
    def fitted(self, width: int) -> Visual:
        raise NotImplementedError

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        return self.fitted(width).render_strips(width, height, style, options) if width > 0 else []

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        return self.fitted(width).get_height(rules, width)


class SplitLine(FittedVisual):
    """Line with `left`, `right` at the far end, and `centre` if all fit. With `first`, `right` gives way to `left`."""

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

    def fits(self, width: int) -> bool:
        parts = [part.cell_length for part in (self.left, self.centre, self.right) if part.plain]
        return sum(parts) + _GAP * max(0, len(parts) - 1) <= width

    def fitted(self, width: int) -> Content:
        """The centre goes first, then the left is cut, then the right."""
        left, right, centre = self.left, self.right, self.centre
        if self.first and left.cell_length + _GAP + right.cell_length > width:
            right = Content("")
        if right.cell_length > width - _GAP - min(left.cell_length, width // 3):
            right = right.truncate(max(0, width - _GAP - width // 3), ellipsis=True)
        room = width - right.cell_length - (_GAP if right.plain else 0)
        left = left.truncate(max(0, room), ellipsis=True)
        between = width - left.cell_length - right.cell_length
        if centre.plain and centre.cell_length + 2 * _GAP <= between:
            before = max(_GAP, (width - centre.cell_length) // 2 - left.cell_length)
            before = min(before, between - centre.cell_length - _GAP)
            after = between - before - centre.cell_length
            return Content.assemble(left, " " * before, centre, " " * after, right)
        return Content.assemble(left, " " * max(0, between), right)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return 1


class Indented(Visual):
    """Text after a mark, with wrapped rows under the text."""

    def __init__(self, mark: Content, text: Visual) -> None:
        self.mark = mark
        self.text = text

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


class TruncatedText(FittedVisual):
    """Text cut to its last rows in a narrow window, behind an ellipsis."""

    def __init__(self, text: Content, rows: int, roomy: int) -> None:
        """Shown whole from `roomy` cells of width."""
        self._text, self._rows, self._roomy = text, rows, roomy

    def fitted(self, width: int) -> Content:
        lines = self._text.wrap(width)
        if width >= self._roomy or len(lines) <= self._rows:
            return self._text
        first, *others = lines[-self._rows :]
        first = first.rstrip()
        if first.cell_length >= width:  # its first word, or a letter of it, makes room for the ellipsis
            first = first[first.plain.find(" ") + 1 or 1 :]
        return Content("\n").join([Content("…") + first, *others])


class Either(FittedVisual):
    """One visual from `roomy` cells of width, else another."""

    def __init__(self, wide: Visual, narrow: Visual, roomy: int) -> None:
        self._wide, self._narrow, self._roomy = wide, narrow, roomy

    def fitted(self, width: int) -> Visual:
        return self._wide if width >= self._roomy else self._narrow


class Stack(Visual):
    def __init__(self, *rows: Visual) -> None:
        self.rows = rows

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        strips = [strip for row in self.rows for strip in row.render_strips(width, None, style, options)]
        return strips if height is None else strips[:height]

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        return max((row.get_optimal_width(rules, container_width) for row in self.rows), default=0)

    def get_height(self, rules: RulesMap, width: int) -> int:
        return sum(row.get_height(rules, width) for row in self.rows)


class HangingText(Stack):
    """Lines of text whose wrapped rows keep the indent of their line."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(*map(_hanging, text.split("\n")))

    def __str__(self) -> str:
        return self.text


def _hanging(line: str) -> Visual:
    text = line.lstrip(" ")
    indent = line[: len(line) - len(text)]
    return Indented(Content(indent), Content(text)) if indent and text else Content(line)


def page(*blocks: Visual | None) -> Stack:
    """Stack blocks with blank rows between them, skipping None."""
    rows = [row for block in blocks if block is not None for row in (Content(""), block)]
    return Stack(*rows[1:])


def ago(at: str, now: datetime) -> str:
    """Format a time: `just now`, `12 min ago`, `3 h ago`, `yesterday`, `5 days ago`, then the date."""
    try:
        then = datetime.fromisoformat(at)
    except ValueError:
        return ""
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    minutes = int((now - then).total_seconds() // 60)
    days = minutes // (24 * 60)
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{minutes} min ago"
    if minutes < 24 * 60:
        return f"{minutes // 60} h ago"
    if days < 30:
        return "yesterday" if days == 1 else f"{days} days ago"
    return then.date().isoformat()


def quiet(text: str) -> Content:
    return Content.styled(text, ".quiet")


def faint(text: str) -> Content:
    return Content.styled(text, ".faint")


def strong(text: str) -> Content:
    return Content.styled(text, ".strong")


def accent(text: str) -> Content:
    return Content.styled(text, ".accent")


def heading(title: str, note: str = "") -> SplitLine:
    return SplitLine(strong(title), faint(note))


def inked(text: str, ink: str) -> Content:
    """Set `text` in an ink; glowing ones need a ground, which component styles lack."""
    content = Content.styled(text, ink) if ink else Content(text)
    return content.stylize("on $glow") if ink == ".glow" else content


def line(mark: str, mark_ink: str, text: str, ink: str = "") -> Indented:
    return Indented(Content.styled(f"{mark} ", mark_ink), inked(flat(text), ink))
