import time
from typing import Any

from textual.app import App
from textual.content import Content
from textual.reactive import reactive
from textual.timer import Timer
from textual.visual import Visual
from textual.widget import Widget

from theact_tui.text import counted, flat
from theact_tui.tui.visuals import SplitLine, accent, quiet

MESSAGE_SECONDS = 8.0
_PATIENCE_SECONDS = 2
"""Until the seconds of waiting are counted."""


class StatusLine(Widget):
    """The left is never cut: tokens give way first, then takes; long texts take three rows."""

    DEFAULT_CSS = "StatusLine { height: auto; max-height: 3; }"
    doing: reactive[str] = reactive("")
    """Current work as a sentence without full stop."""
    hint: reactive[str] = reactive("", layout=True)
    """Shown while nothing runs; temporary messages show at once."""
    warning: reactive[str] = reactive("", layout=True)
    """Hides everything else on the left."""
    more: reactive[bool] = reactive(False)
    facts: reactive[tuple[str, ...]] = reactive(())
    seconds: reactive[int] = reactive(0)
    tokens: reactive[int] = reactive(0)
    """Tokens received so far, shown with the seconds."""
    expected: reactive[int] = reactive(0)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._since = time.monotonic()
        self._temporary = ""
        self._timer: Timer | None = None

    def on_mount(self) -> None:
        self.set_interval(1, self.tick)

    def watch_doing(self) -> None:
        self._since = time.monotonic()
        self.seconds = 0

    def tick(self) -> None:
        if self.doing:
            self.seconds = int(time.monotonic() - self._since)

    def render(self) -> Visual:
        width, has_text = self.content_size.width, bool(self.warning or self.hint or self.doing)
        if self.left.cell_length > width > 0:
            return self.left
        lines = [SplitLine(self.left, self._right(count)) for count in range(len(self.facts), -1, -1)]
        if has_text and not lines[-1].fits(width):
            lines.append(SplitLine(self.left))
        return next((line for line in lines if line.fits(width)), lines[-1])

    def say(self, text: str) -> None:
        self._say_for_now(text)
        self.warning, self.hint = "", text

    def warn(self, text: str) -> None:
        self._say_for_now(text)
        self.warning = text

    def _say_for_now(self, text: str) -> None:
        if self._timer:
            self._timer.stop()
            self.unsay(self._temporary)
        self._temporary, self._timer = text, self.set_timer(MESSAGE_SECONDS, lambda: self.unsay(text))

    def unsay(self, text: str) -> None:
        """Remove a hint or warning, unless it was replaced."""
        if self.hint == text:
            self.hint = ""
        if self.warning == text:
            self.warning = ""

    @property
    def left(self) -> Content:
        if self.warning:
            return _line(self.warning, ".warn")
        if self.doing and not (self.hint and self.hint == self._temporary):
            whole = f" of about {self.expected}" if self.expected > self.seconds else ""
            count = f" · {self.seconds}{whole} s" if self.seconds >= _PATIENCE_SECONDS else ""
            count += f" · {counted(self.tokens, 'token')}" if count and self.tokens else ""
            return _line(f"{self.doing}{count}", ".quiet")
        return _line(self.hint, ".quiet")

    def _right(self, count: int) -> Content:
        facts = quiet(" · ".join(self.facts[:count]))
        more = accent("▾ more below, enter" if self.more else "")
        return Content.assemble(facts, "  " if count and self.more else "", more)


def show_message(app: App[Any], text: str) -> None:
    """Show a message in the nearest visible status line for `MESSAGE_SECONDS` seconds, else as a toast."""
    lines = (line for screen in reversed(app.screen_stack) for line in screen.query(StatusLine))
    if (status := next(lines, None)) is not None and all(node.display for node in status.ancestors_with_self):
        status.say(text)
    else:
        app.notify(text, markup=False)


def ring_if_away(app: App[Any]) -> None:
    if not app.app_focus:
        app.bell()


def copied(text: str) -> str:
    return f"Copied {counted(len(text), 'character')}."


def _line(text: str, ink: str) -> Content:
    return Content.styled(flat(text), ink)
