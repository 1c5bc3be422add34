"""The prompts a pack makes, one for each agent, over the Write screen."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from theact_tui.prompting.sections import Prompt
from theact_tui.text import clean, one_line
from theact_tui.tui.visuals import SplitLine
from theact_tui.tui.widgets.base_screen import Dialog
from theact_tui.tui.widgets.footer import DialogFooter
from theact_tui.tui.widgets.lists import KeyList


class PromptsDialog(Dialog[None]):
    """Shows what each agent is told in the first turn; the arrows choose the agent, page keys scroll its prompt."""

    DEFAULT_CSS = """
    PromptsDialog {
        align: center middle; background: $background 60%;
        & > Vertical { width: 96%; height: 94%; background: $background; border: round $primary; padding: 0 1; }
        Horizontal { height: 1fr; }
        KeyList { width: 26; height: 1fr; border: none; background: $background; padding: 0; }
        KeyList:focus { border: none; background-tint: transparent; }
        VerticalScroll { width: 1fr; padding: 0 1 0 2; border-left: solid $line; scrollbar-size-vertical: 1; }
        VerticalScroll > Static { height: auto; }
        .keys { height: 1; color: $quiet; }
    }
    """
    BINDINGS = [
        Binding("escape,p", "dismiss", "close"),
        Binding("pagedown,space", "scroll(1)", "down", priority=True),
        Binding("pageup", "scroll(-1)", "up", priority=True),
    ]
    HELP = "Up and down choose an agent, page down and page up scroll its prompt, escape closes."

    def __init__(self, prompts: Sequence[tuple[str, Prompt]], left_out: Sequence[str] = ()) -> None:
        """`left_out`: titles of parts that have errors."""
        super().__init__()
        self._prompts = tuple(prompts)
        self._note = f"Left out because of errors: {one_line(', '.join(left_out), 100)}." if left_out else ""

    def compose(self) -> ComposeResult:
        rows = [
            SplitLine(Content(one_line(name, 20)), Content.styled(f"{prompt.tokens:,}", ".quiet"))
            for name, prompt in self._prompts
        ]
        with Vertical():
            if self._note:
                yield Static(Content.styled(self._note, ".warn"))
            with Horizontal():
                yield KeyList(*map(Option, rows), markup=False)
                with VerticalScroll(can_focus=False):
                    yield Static()
            yield DialogFooter("esc close   pgdn scroll   numbers are tokens")

    def on_mount(self) -> None:
        self.query_one(KeyList).focus()
        self.query_one(KeyList).highlighted = 0

    @on(OptionList.OptionHighlighted)
    def show(self, event: OptionList.OptionHighlighted) -> None:
        """Show the prompt under the cursor, each section under its name."""
        parts: list[Content] = []
        for section in self._prompts[event.option_index][1].sections:
            head = f"{section.name} · {section.source} · {section.tokens} tokens"
            parts += [Content.styled(head, ".accent"), Content(clean(section.text)), Content("")]
        self.query_one("VerticalScroll > Static", Static).update(Content("\n").join(parts))
        self.query_one(VerticalScroll).scroll_home(animate=False)

    def action_scroll(self, way: int) -> None:
        view = self.query_one(VerticalScroll)
        view.scroll_page_down(animate=False) if way > 0 else view.scroll_page_up(animate=False)
