"""What goes wrong on a screen is said in the line above its keys, and never ends the program."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.screen import Screen

from theact_tui.errors import TheActError
from theact_tui.tui.widgets.statusline import StatusLine


async def guard(screen: Screen[None], act: Awaitable[object], report: Callable[[Exception], str]) -> None:
    """Do something. What nobody expected is written down by `report`; a screen being taken down says nothing more."""
    try:
        await act
    except Exception as error:
        for status in screen.query(StatusLine):
            status.warning = (
                error.message
                if isinstance(error, TheActError)
                else f"Something broke: {error!r}. Written down in {report(error)}"
            )
