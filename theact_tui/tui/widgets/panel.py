"""Panel beside a transcript, whose changed sections glow for a few seconds."""

from textual.containers import VerticalScroll


class GlowingPanel(VerticalScroll, can_focus=False):
    """Base of the panels; `_glowing` names the sections that changed."""

    DEFAULT_CSS = """
    GlowingPanel {
        width: 40; height: 1fr; padding: 0 0 0 1; background: $background; border-left: solid $line;
        scrollbar-size-vertical: 1;
        & > Static { height: auto; width: 1fr; margin: 0 1 1 0; }
    }
    """

    def __init__(self, glow_seconds: float, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._glow_seconds = glow_seconds
        self._glowing: set[str] = set()

    def draw(self) -> None:
        """Draw all sections."""
        raise NotImplementedError

    def glow(self, what: str) -> None:
        """Let a changed section glow."""
        self._glowing.add(what)
        self.draw()
        self.set_timer(self._glow_seconds, lambda: self._fade(what))

    def _fade(self, what: str) -> None:
        self._glowing.discard(what)
        if self.screen in self.app.screen_stack:
            self.draw()
