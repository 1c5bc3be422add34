from textual.containers import VerticalScroll
from textual.timer import Timer

GLOW_SECONDS = 4.0


class GlowingPanel(VerticalScroll, can_focus=False):
    DEFAULT_CSS = """
    GlowingPanel {
        padding: 0 0 0 1; background: $background; border-left: solid $line; scrollbar-size-vertical: 1;
        & > Static { width: 1fr; margin: 0 1 1 0; }
    }
    """

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._glowing: dict[str, Timer] = {}

    def draw(self) -> None:
        raise NotImplementedError

    def glow(self, section: str) -> None:
        if section in self._glowing:
            self._glowing[section].stop()
        self._glowing[section] = self.set_timer(GLOW_SECONDS, lambda: self._fade(section))
        self.draw()

    def stop_glowing(self) -> None:
        for timer in self._glowing.values():
            timer.stop()
        self._glowing.clear()

    def _fade(self, section: str) -> None:
        self._glowing.pop(section, None)
        if self.screen in self.app.screen_stack:
            self.draw()
