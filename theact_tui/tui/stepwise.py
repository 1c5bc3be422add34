"""How a screen paints: a large frame is drawn in short steps, with the event loop free between them, and shown whole.

Textual draws all of a frame in one go: for a screen full of text that has just changed, the longest the loop is busy.
It keeps what a widget has drawn, line by line, so lines drawn ahead cost next to nothing in the frame.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from time import perf_counter
from typing import TypeVar

from textual._context import visible_screen_stack
from textual.geometry import Region
from textual.screen import Screen
from textual.timer import Timer

Answer = TypeVar("Answer")

STEP = 0.008
"""Seconds of drawing after which everything else has its turn."""
BREATH = 0.001
"""Seconds until the next step."""
ROWS = 6
"""Lines of a widget drawn at a time."""
STARTS = 3
"""How often a frame is begun, because of what changes meanwhile, before it is shown with the rest undrawn."""


class Stepwise(Screen[Answer]):
    """A screen whose frames never hold the loop up for long. Its own names are hidden, as screens have many."""

    __asked = 0
    """How often the frame under way was asked for; 0: there is none."""
    __ahead: Iterator[None] = iter(())
    """What is still to be drawn of it."""

    @cached_property
    def __steps(self) -> Timer:
        return self.set_interval(BREATH, self.__draw, pause=True)

    def _compositor_refresh(self) -> None:
        """Paint what has changed; what changes while a frame is drawn becomes part of it.

        Textual would paint what changes below another screen in that one, whether it lets anything through or not.
        """
        if self.app.screen is not self and self.app.screen.styles.background.a == 1:
            self._dirty_widgets.clear()
            self._compositor._dirty_regions.clear()
            return
        self.__asked += 1
        if self.__asked == 1:
            self.__ahead = self.__drawing()
            self.__draw()

    def __draw(self) -> None:
        """Draw for one step; show the frame once there is nothing left to draw."""
        until = perf_counter() + STEP
        visible_screen_stack.set(
            self.app._background_screens
        )  # as the compositor does: what a sheet lies over
        for _ in self.__ahead:
            if perf_counter() > until:
                self.__steps.resume()
                return
        self.__steps.pause()
        self.__asked = 0
        super()._compositor_refresh()
        if self._callbacks:
            self.call_next(self._invoke_and_clear_callbacks)

    def __drawing(self) -> Iterator[None]:
        """Draw what has changed, and what changes meanwhile."""
        for _ in range(STARTS):
            asked, widgets = self.__asked, self._compositor.visible_widgets
            yield from self.__changed()
            if asked == self.__asked and widgets is self._compositor.visible_widgets:
                return

    def __changed(self) -> Iterator[None]:
        """Draw the changed parts of everything in sight, a few lines at a time, while the layout stays as it is."""
        compositor = self._compositor
        if not compositor._dirty_regions:
            return
        widgets, changed = compositor.visible_widgets, Region.from_union(compositor._dirty_regions)
        for widget, (region, clip) in widgets.items():
            shown = region.intersection(clip).intersection(changed)
            for top in range(shown.y, shown.bottom, ROWS):
                if widgets is not compositor.visible_widgets:
                    return
                rows = Region(shown.x, top, shown.width, min(ROWS, shown.bottom - top))
                if widget.is_attached:
                    widget.render_lines(rows.translate(-region.offset))
                yield

    async def _invoke_and_clear_callbacks(self) -> None:
        """What waits for the next frame waits until it is shown."""
        if not self.__asked:
            await super()._invoke_and_clear_callbacks()
