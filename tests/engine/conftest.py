"""A started game on a scripted model."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, Stage, stage


@pytest.fixture
async def play(tmp_path: Path) -> AsyncIterator[Stage]:
    """A new small game; `play.model` is its script."""
    made = await stage(tmp_path, Scripted())
    yield made
    await made.session.close()
