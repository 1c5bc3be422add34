"""Screens that are imported when they are first opened, and the question whether they exist.

Each of these modules has a function `make(session: Session | None) -> Screen`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

from textual.app import App
from textual.screen import Screen

if TYPE_CHECKING:
    from theact_tui.engine.direct import DirectSession
    from theact_tui.engine.session import Session
    from theact_tui.tui.app import TheActApp

_WHERE = "theact_tui.tui.screens"


@cache
def there(name: str) -> bool:
    """True if the screen `name` (`inspector`, `branches`, `settings`) exists."""
    return find_spec(f"{_WHERE}.{name}") is not None


def directing(session: DirectSession, app: App[Any]) -> Screen[None]:
    """The screen of a directed chapter, ready to be pushed."""
    from theact_tui.tui.screens.direct import DirectScreen

    theact = cast("TheActApp", app)
    return DirectScreen(session, cursor_blink=theact.settings.ui.cursor_blink)


def made(name: str, session: Session | None) -> Screen[Any]:
    """The screen `name`, ready to be pushed."""
    screen: Screen[Any] = import_module(f"{_WHERE}.{name}").make(session)
    return screen
