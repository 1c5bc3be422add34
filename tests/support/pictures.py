"""Approved pictures of screens, in `snapshots/`: sizes, looks, and the fixture `picture` that takes and compares one."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot

Size = tuple[int, int]
SMALL, USUAL, WIDE = (80, 24), (120, 40), (200, 50)
Before = Callable[[Pilot[None]], Awaitable[None]]


class SnapCompare(Protocol):
    def __call__(self, app: App[None], *, terminal_size: Size, run_before: Before) -> bool: ...


class Picture(Protocol):
    """The fixture `picture`: what is seen after `before`, by default of a new home at the `size` and in the `theme` of the
    test's parameters."""

    def __call__(self, before: Before, app: App[None] | None = None, *, at: Size | None = None) -> None: ...


def sizes(*sizes: Size) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("size", sizes, ids=lambda size: f"{size[0]}x{size[1]}")
