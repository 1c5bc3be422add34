"""Sessions on a real HTTP server, and a prepared save for each agent in which the next turn calls it."""

import shutil
import subprocess
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from tests.support.fake_model import Scripted, Ticking, narration, prose, small_pack, stage
from tests.support.fake_server import ScriptedServer
from tests.support.faulty_server import ENDING, QUIET, TALK, Stand
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import Event
from theact_tui.engine.open_sessions import open_session
from theact_tui.engine.session import StorySession
from theact_tui.errors import TurnError
from theact_tui.models.consent import Targets
from theact_tui.models.model_for_agent import Endpoints
from theact_tui.models.profiles import Profile, Target
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn

E = TypeVar("E", bound=Event)

PAGE = prose(1_100).strip()


@dataclass(frozen=True)
class Scene:
    """A game that stands before a turn in which `agent` is called."""

    agent: str
    """As in `Stand.fail`."""
    turns: int = 0
    """Played before."""
    game: Mapping[str, object] = field(default_factory=dict)
    """Fields of the pack's `game.yaml`."""
    before: Mapping[str, str] = field(default_factory=dict)
    """What agents answered in those turns."""
    answers: Mapping[str, str] = field(default_factory=dict)
    """What they answer in the turn to come."""

    @property
    def key(self) -> str:
        return self.agent.replace("merge:", "memory:")

    is_short: bool = False
    """Each chapter has one beat."""

    @property
    def pack(self) -> Pack:
        pack = small_pack(**{"moments": "off", **self.game})
        if not self.is_short:
            return pack
        chapters = {
            id: chapter.model_copy(update={"beats": chapter.beats[:1]})
            for id, chapter in pack.chapters.items()
        }
        return pack.model_copy(update={"chapters": chapters})


RISK = '{"risk": "hold the lamp", "difficulty": 12}'
LONG: dict[str, str] = {"narrator": narration(PAGE, "", present="ann, bob")}

SCENES: dict[str, Scene] = {
    "narrator": Scene("narrator"),
    "stage": Scene("stage"),
    "character": Scene("character:ann", answers=TALK),
    "facts": Scene("memory:ann"),
    "cell": Scene("memory:ann", game={"memory": "cells"}, answers={"memory": "I saw the wet stair."}),
    "merge": Scene(
        "merge:ann",
        turns=1,
        game={"memory": "cells", "memory_cells": 1},
        before={"memory": "I saw a dry stair."},
        answers={"memory": "I saw the wet stair."},
    ),
    "progress": Scene("progress"),
    "keeper before": Scene("keeper", game={"keeper": "risky"}, answers={"keeper": RISK}),
    "keeper after": Scene(
        "keeper",
        game={"moments": "on"},
        is_short=True,
        answers={"progress": ENDING, "keeper": '{"moments": []}'},
    ),
    "summary": Scene(
        "summary", turns=5, game={"summary_threshold": 200, "fold_batch": 2}, before=LONG, answers=LONG
    ),
    "recap": Scene("recap", is_short=True, answers={"progress": ENDING}),
    "epilogue": Scene(
        "epilogue", is_short=True, turns=1, before={"progress": ENDING}, answers={"progress": ENDING}
    ),
}


async def prepare(home: Path, scene: Scene) -> Path:
    """The folder of a closed save of `scene`."""
    made = await stage(home, Scripted(answers={**QUIET, **scene.before}), scene.pack)
    await made.turn(*(f"Step {number}." for number in range(1, scene.turns + 1)))
    await made.session.close()
    return made.session.folder


@dataclass
class Played:
    session: StorySession
    stand: Stand
    server: ScriptedServer
    events: list[Event]
    pauses: list[float]
    """Seconds that calls would have waited before another attempt."""

    async def turn(self, text: str) -> Turn | TurnError:
        """Play a turn to its commit; the error when it did not happen."""
        try:
            turn = await self.session.play(text)
        except TurnError as error:
            return error
        await self.session.settle()
        assert turn is not None
        return self.session.game.turns[turn.number]

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]


class Unprobed(Endpoints):
    """Calls a server without having looked at it before."""

    async def probe(self) -> tuple[str, ...]:
        return ()


@asynccontextmanager
async def playing(
    folder: Path,
    server: ScriptedServer,
    stand: Stand,
    *,
    profile: Profile | None = None,
    key: str = "",
    agents: Mapping[str, Profile] | None = None,
    probes: bool = True,
) -> AsyncIterator[Played]:
    """The save in `folder`, told by `server`; `agents` have profiles of their own. No attempt waits for the next."""
    events: list[Event] = []
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    chosen = profile or Profile(base_url=server.url, model="tiny")
    targets = Targets(Target(chosen, key), {agent: Target(own, key) for agent, own in (agents or {}).items()})
    bus = Bus(Ticking())
    bus.listen(events.append)
    models = (Endpoints if probes else Unprobed)(targets, folder.parent / "cache", pause=pause)
    session = await open_session(folder, lambda pack, seed: models, bus)
    try:
        yield Played(session, stand, server, events, pauses)
    finally:
        await session.close()


def copied(folder: Path, to: Path) -> Path:
    return Path(shutil.copytree(folder, to / folder.name, symlinks=True))


def is_sound(folder: Path) -> bool:
    """True when the git program finds nothing wrong with a save."""
    done = subprocess.run(
        ["git", "fsck", "--strict"], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode == 0 and not done.stdout.strip()
