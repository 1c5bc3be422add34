"""One of a few words, chosen with the arrows, in a single line."""

from __future__ import annotations

from collections.abc import Sequence

from textual.binding import Binding
from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from theact_tui.text import one_line


class Choice(Widget, can_focus=True):
    """Shows the word chosen between two marks; left, right and space change it."""

    DEFAULT_CSS = """
    Choice {
        height: 1; width: 1fr; background: $panel;
        &:focus { background: $glow; }
        &:ansi:focus { text-style: reverse; }
    }
    """
    BINDINGS = [
        Binding("left", "turn(-1)", "before", show=False),
        Binding("right,space", "turn(1)", "next", show=False),
    ]
    at: reactive[int] = reactive(0)

    def __init__(self, words: Sequence[str], word: str, *, id: str | None = None) -> None:
        """`word` is chosen at first; one that is not among `words` is added."""
        super().__init__(id=id)
        self.words = tuple(words) if word in words else (*words, word)
        self.set_reactive(Choice.at, self.words.index(word))

    @property
    def value(self) -> str:
        """The word chosen."""
        return self.words[self.at]

    def action_turn(self, step: int) -> None:
        self.at = (self.at + step) % len(self.words)

    def render(self) -> Content:
        shown = one_line(self.value, 60) or "–"
        return Content.assemble(("‹ ", ".faint"), shown, (" ›", ".faint"))
