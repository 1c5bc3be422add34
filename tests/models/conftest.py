"""A scripted server, endpoints that talk to it without waiting between attempts, and what they are asked."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_server import ScriptedServer
from theact_tui.models.endpoint import Endpoint
from theact_tui.models.model import Piece, Request
from theact_tui.models.profiles import Profile, Target
from theact_tui.models.server_capabilities import ServerState
from theact_tui.prompting.sections import Prompt, Section

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"mood": {"type": "string"}},
    "required": ["mood"],
    "additionalProperties": False,
}


def ask(text: str = "Go on.", agent: str = "narrator", **changes: Any) -> Request:
    """A request with a prompt of `text`."""
    sections = (Section("rules", "You are the narrator.", part="system"), Section("task", text))
    made = Request(agent, agent, Prompt(sections, 0, 8192), max_tokens=200, temperature=1.0)
    return Request(**{**{f: getattr(made, f) for f in made.__dataclass_fields__}, **changes})


@dataclass
class Reply:
    """A reply, put together as a reader would."""

    text: str = ""
    reasoning: str = ""
    restarts: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    last: Piece = field(default_factory=Piece)
    pieces: int = 0


async def collect(
    endpoint: Endpoint, request: Request | None = None, on_piece: Callable[[Piece], None] = lambda _: None
) -> Reply:
    """All of a reply. A restart makes what came before void."""
    reply = Reply()
    async for piece in endpoint.stream(request or ask()):
        on_piece(piece)
        if piece.restart:
            reply = Reply(restarts=[*reply.restarts, piece.restart], notices=reply.notices)
        reply.text += piece.text
        reply.reasoning += piece.reasoning
        reply.notices += [piece.notice] if piece.notice else []
        reply.last, reply.pieces = piece, reply.pieces + 1
    return reply


@dataclass
class Workshop:
    """Makes endpoints for one server; `pauses` are the seconds they would have waited."""

    server: ScriptedServer
    cache: Path
    pauses: list[float] = field(default_factory=list)

    def endpoint(self, *, url: str = "", key: str = "", **fields: Any) -> Endpoint:
        """An endpoint with its knowledge in the cache folder."""
        profile = Profile.model_validate({"base_url": url or self.server.url, "model": "tiny", **fields})
        knowledge = ServerState(profile.base_url, profile.model, self.cache)
        return Endpoint(Target(profile, key), knowledge=knowledge, pause=self._pause)

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


@pytest.fixture
def workshop(server: ScriptedServer, tmp_path: Path) -> Workshop:
    return Workshop(server, tmp_path / "cache")
