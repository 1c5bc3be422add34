"""A started game on a scripted model."""

import inspect
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_model import Scripted, Stage, small_pack, stage
from tests.support.packs import with_chapter
from theact_tui.engine.session import StorySession
from theact_tui.story.pack import Pack


def beginning_with(**fields: object) -> Pack:
    """The small pack, with these fields of its first chapter."""
    return with_chapter(small_pack(), "one", **fields)


async def settled(session: StorySession, act: Awaitable[object]) -> None:
    """Do something in a story, and the work that is left after it."""
    await act
    await session.settle()


async def reopened(play: Stage) -> Stage:
    await play.session.close()
    return await play.reopened()


@pytest.fixture(autouse=True)
def stories_are_closed(request: pytest.FixtureRequest) -> None:
    """Every story that a test opens is closed after it; nothing that it held back is waited for."""
    if inspect.iscoroutinefunction(request.function):
        request.getfixturevalue("opened")


@pytest.fixture
async def opened(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[Stage]]:
    opened: list[Stage] = []
    begin = Stage.__init__

    def begun(made: Stage, *given: Any) -> None:
        begin(made, *given)
        opened.append(made)

    monkeypatch.setattr(Stage, "__init__", begun)
    yield opened
    for made in opened:
        for gate in made.model.gates.values():
            gate.set()
        await made.session.close()


@pytest.fixture
async def play(opened: list[Stage], tmp_path: Path) -> Stage:
    """A new small game; `play.model` is its script."""
    return await stage(tmp_path, Scripted())
