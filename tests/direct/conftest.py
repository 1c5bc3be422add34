"""Direct sessions over real saves, and models that are a real server on this machine."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import Ran, Run, ran
from tests.support.fake_server import Request, ScriptedServer, say
from theact_tui.engine.bus import Bus
from theact_tui.engine.direct.session import DirectSession
from theact_tui.engine.events import Event
from theact_tui.engine.open_sessions import create_direct, open_direct
from theact_tui.errors import UsageError
from theact_tui.models.concurrency_and_rate import Rate
from theact_tui.models.endpoint import Endpoint
from theact_tui.models.model import Model, Models
from theact_tui.models.profiles import Profile, Target
from theact_tui.models.server_capabilities import ServerState
from theact_tui.saves.library import Library
from theact_tui.story.direct.state import set_chapter_text, set_count, set_identity, set_name, set_world

LOCK: dict[str, Any] = {
    "world": {"genre": "gothic adventure", "tone": "wry"},
    "chapter": {"premise": "The bell must come down.", "location": "the tower"},
    "canon_locks": ["No bell after dusk."],
    "assumptions": [],
}

PATIENCE = 60
"""Seconds after which something that never ends fails a test."""


async def refused(work: Awaitable[object], match: str) -> None:
    """`work` is refused at once; a call that it makes instead never ends, which fails the test."""
    with pytest.raises(UsageError, match=match):
        await asyncio.wait_for(work, PATIENCE)


def delta(text: str = "The bell moved.") -> str:
    return json.dumps({"major_events": [{"event": text, "cause": "", "effect": "", "participants": []}]})


@dataclass
class OneModel(Models):
    """All agents have the same endpoint, which does not wait between attempts."""

    endpoint: Endpoint

    def for_agent(self, agent: str) -> Model:
        return self.endpoint

    async def probe(self) -> tuple[str, ...]:
        await self.endpoint.prepare()
        return ()

    async def close(self) -> None:
        await self.endpoint.close()


@dataclass
class Table:
    """Where a chapter is directed: makes and opens the save `Tower`, and hears every event."""

    server: ScriptedServer
    home: Path
    window: int = 8192
    per_minute: int = 0
    pauses: list[float] = field(default_factory=list)
    """Seconds that would have been waited."""
    heard: list[Event] = field(default_factory=list)
    open: list[DirectSession] = field(default_factory=list)
    _waited: float = 0.0
    _ids: Iterator[int] = field(default_factory=lambda: count(1))
    _ticks: Iterator[int] = field(default_factory=lambda: count())

    @property
    def library(self) -> Library:
        return Library(self.home)

    def models(self) -> OneModel:
        profile = Profile(
            base_url=self.server.url, model="tiny", context_limit=self.window, per_minute=self.per_minute
        )
        knowledge = ServerState(profile.base_url, profile.model, self.home / "cache")

        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)
            self._waited += seconds

        rate = Rate(self.per_minute, clock=lambda: self._waited, pause=pause)
        return OneModel(Endpoint(Target(profile), rate=rate, knowledge=knowledge, pause=pause))

    def bus(self) -> Bus:
        bus = Bus(lambda: datetime(2026, 11, 21, 10, tzinfo=UTC) + timedelta(seconds=next(self._ticks)))
        bus.listen(self.heard.append)
        return bus

    def id(self) -> str:
        return f"{next(self._ids):08x}-0000-4000-8000-000000000000"

    async def create(self, agents: int = 3, title: str = "Tower") -> DirectSession:
        """A session in DRAFT with Setup filled in."""
        session = await create_direct(self.library, title, self.models(), self.bus(), ids=self.id)
        self.open.append(session)
        session.edit(set_world, "A drowned city. Bells are forbidden.")
        session.edit(set_chapter_text, "In the tower of Saint Aldous, before midnight.")
        session.edit(set_count, agents)
        for slot, name in zip(range(1, agents + 1), ("Kara", "Bo", "Wenna"), strict=False):
            session.edit(set_name, slot, name)
            session.edit(set_identity, slot, f"{name} is the one of slot {slot}, called identity-{slot}.")
        return session

    async def locked(self, agents: int = 3) -> DirectSession:
        session = await self.create(agents)
        await session.lock()
        return session

    async def reopen(self, name: str = "Tower", *, write: bool = True) -> DirectSession:
        session = await open_direct(
            self.library.path(name), self.models(), self.bus(), write=write, ids=self.id
        )
        self.open.append(session)
        return session

    async def play(self, session: DirectSession, prompts: int) -> None:
        """Prompt the agents in turn."""
        for _ in range(prompts):
            number = session.session.prompt_index + 1
            await session.prompt(session.game.focus, f"Scene {number}.")

    async def played(self, prompts: int) -> DirectSession:
        session = await self.locked()
        await self.play(session, prompts)
        return session

    async def ended(self, prompts: int) -> DirectSession:
        session = await self.played(prompts)
        await session.end()
        return session

    def types(self) -> list[str]:
        return [event.type for event in self.heard]

    def calls(self, agent: str) -> list[Request]:
        """The requests made for an agent's key or kind."""
        return [r for r in self.server.calls if agent in (r.agent, r.agent.partition(":")[0])]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        server.script("lock", say(json.dumps(LOCK)))
        server.script("actor", say(lambda request: f"I try. ({request.agent})"))
        server.script("delta", say(delta()))
        server.script("chapter", say("The bell came down. It rained."))
        yield server


@pytest.fixture
async def table(server: ScriptedServer, tmp_path: Path) -> AsyncIterator[Table]:
    table = Table(server, tmp_path)
    yield table
    for session in table.open:
        await asyncio.wait_for(session.close(), PATIENCE)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], server: ScriptedServer) -> Run:
    """Runs a command with a home of its own; those that call a model call the server."""
    calling = {"lock", "prompt", "retry", "write-on", "end", "build"}

    def command(name: str, *arguments: str, offline: bool = False) -> Ran:
        options = ["--base-url", server.url, "--model", "tiny"] if name in calling else []
        options = ["--offline"] if offline and name in calling else options
        return ran(capsys, "direct", name, *arguments, *options, "--home", str(tmp_path / "home"))

    return command


Answer = Callable[[Request], str]
