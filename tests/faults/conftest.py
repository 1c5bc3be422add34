"""A server with a stand on it, and prepared saves, made once for each worker."""

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from tests.support.fake_server import ScriptedServer
from tests.support.faulty_server import QUIET, Stand
from tests.support.faulty_sessions import SCENES, copied, prepare

Save = Callable[[str], Awaitable[Path]]


@pytest.fixture
def stand() -> Stand:
    return Stand(dict(QUIET))


@pytest.fixture
def server(stand: Stand) -> Iterator[ScriptedServer]:
    with ScriptedServer(stand) as server:
        yield server


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Save:
    """The save of a scene, to be copied."""
    made: dict[str, Path] = {}

    async def folder(scene: str) -> Path:
        if scene not in made:
            made[scene] = await prepare(tmp_path_factory.mktemp("scene"), SCENES[scene])
        return made[scene]

    return folder


@pytest.fixture
def save(prepared: Save, tmp_path: Path) -> Save:
    async def copy(scene: str) -> Path:
        return copied(await prepared(scene), tmp_path)

    return copy
