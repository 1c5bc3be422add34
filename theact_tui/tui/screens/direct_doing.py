"""How the direct screen does what it is asked for: in the background, and what goes wrong is said where one looks."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TYPE_CHECKING

from textual import work

from theact_tui.errors import TheActError
from theact_tui.text import one_line
from theact_tui.tui.screens.opened import OpenedPage

if TYPE_CHECKING:
    from theact_tui.tui.screens.direct_show import Show


class DoingPage(OpenedPage):
    """A page that does things one has to wait for. Nothing typed is lost when one of them fails."""

    show: Show
    """Draws the page; there once it is mounted."""
    _deeds = 0

    @property
    def busy(self) -> bool:
        """Something that was asked for is being done."""
        return self._deeds > 0

    @work(group="deeds")
    async def do(self, deed: Awaitable[object]) -> None:
        """Do something in the background."""
        await self.guard(deed)

    async def guard(self, deed: Awaitable[object]) -> bool:
        """Do something and say what went wrong; True if nothing did."""
        self._deeds += 1
        self.show.trouble = ""
        done = False
        try:
            await deed
            done = True
        except TheActError as error:
            self.show.trouble = error.message
        except Exception as error:
            self.show.trouble = f"Something broke: {error!r}. Written down in {self.report(error)}"
        finally:
            self._deeds -= 1
        self.show.soon()
        return done

    def tell(self, text: str) -> None:
        """Say something that needs no answer."""
        self.notify(one_line(text, 300), markup=False, timeout=8)
