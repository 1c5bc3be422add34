"""Line above the story, and the rule below it in the tint of the mood."""

from dataclasses import dataclass

from textual.content import Content
from textual.reactive import reactive
from textual.visual import Visual
from textual.widget import Widget

from theact_tui.text import one_line
from theact_tui.tui.themes import MOODS
from theact_tui.tui.visuals import FittedVisual, SplitLine, quiet, strong


def thousands(tokens: int) -> str:
    """Format tokens: `870`, `5.2k`, `12k`; a window of 8,192 is `8k`."""
    if tokens < 1000:
        return str(tokens)
    if tokens % 1024 == 0:
        return f"{tokens // 1024}k"
    return f"{tokens / 1000:.1f}k".replace(".0k", "k") if tokens < 10_000 else f"{tokens // 1000}k"


class HeaderLine(Widget):
    DEFAULT_CSS = "HeaderLine { height: 1; }"
    parts: reactive[Visual] = reactive(Content(""), always_update=True)

    def render(self) -> Visual:
        return self.parts


class Rule(Widget):
    DEFAULT_CSS = "Rule { height: 1; color: $line; }"
    mood: reactive[str] = reactive("")

    def render(self) -> Content:
        ink = f".mood-{self.mood}" if self.mood in MOODS else ".line"
        return Content.styled("━" * self.size.width, ink)


@dataclass(frozen=True)
class Whereabouts(FittedVisual):
    title: str = ""
    chapter: str = ""
    turn: int = 0
    branch: str = ""
    mood: str = ""
    model: str = ""
    used: int = 0
    window: int = 0
    note: str = ""
    """Such as `read only`."""

    def fitted(self, width: int) -> SplitLine:
        """In a narrow window the model's name goes first, then mood and branch."""
        names = (strong(one_line(self.title, 40)), Content(one_line(self.chapter, 40)))
        room = max(20, width // 3)
        left = Content(" · ").join(name.truncate(room, ellipsis=True) for name in names if name.plain)
        turn = f"turn {self.turn}" if self.turn else ""
        branch = one_line(self.branch, 24)
        gauge = f"{thousands(self.used)}/{thousands(self.window)}" if self.window and self.used else ""
        model = f"{one_line(self.model, 28)} {gauge}".strip()
        least = gauge or model
        offers = (
            ((turn, branch, self.mood, self.note), model),
            ((turn, branch, self.mood, self.note), least),
            ((turn, branch, self.note), least),
            ((turn, self.note), least),
            ((turn, self.note), ""),
        )
        lines = [
            SplitLine(left, quiet(right), quiet(" · ".join(filter(None, bits)))) for bits, right in offers
        ]
        return next((line for line in lines if line.fits(width)), lines[-1])
