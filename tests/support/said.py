"""What visuals and widgets say, without their styles."""

from collections.abc import Sequence

from textual.content import Content
from textual.dom import DOMNode
from textual.widget import Widget
from textual.widgets import Static

from theact_tui.tui.branches.graph import StoryTree
from theact_tui.tui.inspector.events import EventLog
from theact_tui.tui.inspector.knowledge import TableRow
from theact_tui.tui.inspector.prompt import TokenBar
from theact_tui.tui.inspector.view import BlockView
from theact_tui.tui.play.side_panel import SidePanel
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.visuals import Either, Indented, SplitLine, Stack, TruncatedText
from theact_tui.tui.widgets.inputs import ChoiceLine
from theact_tui.tui.widgets.lists import RowList


def plain(visual: object) -> str:
    """What a visual says; of one that is made for a width, all it may say."""
    match visual:
        case Content():
            return visual.plain
        case SplitLine(left=left, centre=centre, right=right):
            return "  ".join(part.plain for part in (left, centre, right) if part.plain)
        case Indented(mark=mark, text=text):
            return plain(mark) + plain(text)
        case TruncatedText(_text=text) | Either(_wide=text):
            return plain(text)
        case Stack(rows=rows):
            return "\n".join(map(plain, rows))
        case TableRow():
            return "  ".join([visual.text.plain, *(cell.plain.lstrip() for cell in visual._cells)])
        case TokenBar():
            return "|".join(part.name for part in visual._parts)
        case str():
            return visual
        case _:
            return ""


def text_of(page: Widget | TurnLayout) -> str:
    """All that a widget, or a turn on the page, says."""
    parts: Sequence[object]
    match page:
        case RowList():
            parts = [row.visual for row in page.rows]
        case BlockView() | TurnLayout():
            parts = [getattr(block, "text", block) for block in page.blocks]
        case EventLog():
            parts = [row.line for row in page._rows]
        case SidePanel():
            steering, summary, beats, moments = (
                plain(page.query_one(f"#{id}", Static).content) for id in PARTS
            )
            parts = [steering, summary, beats, plain(page.cast.render()), moments]
        case ChoiceLine():
            parts = [Content(page.joint).join(entry for _, entry in page.entries())]
        case StoryTree():
            every = range(len(page._columns))
            lines = [page._ruler(every), *(page._row(line, every) for line in page.branch_layout.lines)]
            return "\n".join(line.plain.rstrip() for line in lines)
        case _:
            parts = [page.render()]
    return "\n".join(map(plain, parts))


def said(screen: DOMNode, selector: str = "Static") -> str:
    """What texts of a screen say."""
    return "\n".join(map(text_of, screen.query(selector).results(Widget)))


PARTS = ("steering", "summary", "beats", "moments")
