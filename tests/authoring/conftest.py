"""A home, the command line, and a model server that knows one story and tells it in any form."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import home, run
from tests.support.fake_server import ScriptedServer

__all__ = ["home", "packs", "run", "server"]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture
def packs(home: Path) -> Path:
    return home / "packs"
