"""Approved pictures of the inspector, in `snapshots/`: sizes, an ansi theme, each view, and the empty state."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

import pytest
from textual.app import App
from textual.pilot import Pilot

from tests.support.inspector_pilot import begin, island, open_told, pin_prompts, scripted
from tests.support.pilot import make_app, new_session
from theact_tui.errors import CallError
from theact_tui.tui.app import TheActApp

SMALL, USUAL, WIDE = (80, 24), (120, 40), (200, 50)
Before = Callable[[Pilot[None]], Awaitable[None]]


class SnapCompare(Protocol):
    """The plugin's fixture."""

    def __call__(self, app: App[None], *, terminal_size: tuple[int, int], run_before: Before) -> bool: ...


def looked(told: Path, *keys: str) -> Before:
    """Open the told story and the inspector, and press keys."""

    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, TheActApp)
        session = await open_told(app, told, scripted())
        pin_prompts(session)
        reader = await begin(pilot, session)
        await reader.into()
        await reader.look(*keys)

    return before


async def not_begun(pilot: Pilot[None]) -> None:
    """A story whose model does not answer, in the inspector on one of its people."""
    model = scripted()
    model.answers["narrator"] = CallError(
        "refused", "Nobody listens at 127.0.0.1:8080. Start the server first."
    )
    app = pilot.app
    assert isinstance(app, TheActApp)
    reader = await begin(pilot, await new_session(app, model, island()))
    await reader.into()
    await reader.look("tab")


@pytest.mark.parametrize("size", [SMALL, USUAL, WIDE], ids=lambda size: f"{size[0]}x{size[1]}")
def test_memory(snap_compare: SnapCompare, tmp_path: Path, told: Path, size: tuple[int, int]) -> None:
    assert snap_compare(make_app(tmp_path), terminal_size=size, run_before=looked(told))


@pytest.mark.parametrize("theme", ["terminal", "paper"])
def test_themes(snap_compare: SnapCompare, tmp_path: Path, told: Path, theme: str) -> None:
    app = make_app(tmp_path, theme=theme)
    assert snap_compare(app, terminal_size=USUAL, run_before=looked(told))


VIEWS = {
    "prompt": ("x",),
    "calls": ("c", "down", "down"),
    "direction": ("d", "down"),
    "source": ("up", "enter"),
    "away": ("left", "left", "tab"),
    "narrator": ("tab", "tab", "left", "left", "left"),
}


@pytest.mark.parametrize("view", list(VIEWS))
def test_views(snap_compare: SnapCompare, tmp_path: Path, told: Path, view: str) -> None:
    assert snap_compare(make_app(tmp_path), terminal_size=USUAL, run_before=looked(told, *VIEWS[view]))


@pytest.mark.parametrize("view", ["knows", "prompt", "direction"])
def test_one_thing_at_a_time(snap_compare: SnapCompare, tmp_path: Path, told: Path, view: str) -> None:
    before = looked(told, *{"knows": "k", "prompt": "x", "direction": ("d", "down")}[view])
    assert snap_compare(make_app(tmp_path), terminal_size=SMALL, run_before=before)


@pytest.mark.parametrize("size", [SMALL, USUAL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_before_the_first_turn(snap_compare: SnapCompare, tmp_path: Path, size: tuple[int, int]) -> None:
    assert snap_compare(make_app(tmp_path), terminal_size=size, run_before=not_begun)
