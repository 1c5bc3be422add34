import asyncio
import hashlib
import shutil
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import ModelsChooser
from theact_tui.engine.commands import run_command
from theact_tui.engine.open_sessions import create_session
from theact_tui.engine.session import ModelsFor, StorySession
from theact_tui.errors import TheActError
from theact_tui.lab.measures import measure
from theact_tui.lab.plain_chat import PlainChat
from theact_tui.lab.plan import CHAT, PlanCell, PlayerSpec
from theact_tui.lab.players import SecretQuestion, player_of, seen
from theact_tui.models.environment import ModelOptions, environment, unexpected
from theact_tui.models.ledger import Ledger
from theact_tui.models.settings import Settings
from theact_tui.saves.library import Library
from theact_tui.story.pack import Pack
from theact_tui.story.typed import as_text, is_command


@dataclass(frozen=True, slots=True)
class Job:
    """Everything a worker needs to play a cell. Workers read keys from their own environment."""

    cell: PlanCell
    player: PlayerSpec
    pack: Pack
    turns: int
    settings: Settings
    slop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """Outcome of a job. `result` holds no times, so that equal games have equal results."""

    result: dict[str, Any]
    timing: dict[str, Any]
    archive: bytes = field(default=b"", repr=False)
    """Tar of the save's folder; empty if there is none."""


class TurnClock:
    """Counts a minute per turn from 1 January 2000, so that equal games have equal commits."""

    def __init__(self) -> None:
        self.turn = 0

    def __call__(self) -> datetime:
        return datetime(2000, 1, 1, tzinfo=UTC) + timedelta(minutes=self.turn)


def models_of(profile: str, settings: Settings) -> ModelsChooser:
    """Raises UsageError and ConsentNeeded."""
    return ModelsChooser(settings, ModelOptions(), environment()).by_profile(profile)


def play_job(job: Job) -> Played:
    """Play a game to its end. Never raises: a failed game is a result too."""
    with tempfile.TemporaryDirectory(prefix="theact-lab-", ignore_cleanup_errors=True) as folder:
        began, cpu = time.monotonic(), time.process_time()
        played = asyncio.run(_play(job, Path(folder)))
        took, busy = round(time.monotonic() - began, 3), round(time.process_time() - cpu, 3)
        timing = {"id": job.cell.id, "seconds": took, "cpu_seconds": busy, **played.timing}
        return Played(played.result, timing, _packed(Path(folder), job.cell.id))


def failed(cell: PlanCell, reason: str) -> Played:
    return Played(_result(cell, "failed", reason, {}), {"id": cell.id})


@asynccontextmanager
async def open_game(
    folder: Path, pack: Pack, name: str, seed: int, models: ModelsFor, clock: TurnClock, hero: str = ""
) -> AsyncIterator[StorySession]:
    """Open a game in a home of its own. Raises UsageError and ConsentNeeded."""
    id = hashlib.sha256(name.encode()).hexdigest()[:32]
    session = await create_session(Library(folder), pack, name, hero, seed, models, Bus(clock), id=id)
    try:
        yield session
    finally:
        await session.close(keep=False)


async def _play(job: Job, folder: Path) -> Played:
    cell, clock, is_chat = job.cell, TurnClock(), job.cell.vs.startswith(CHAT)
    questions: list[SecretQuestion] = []
    try:
        models = models_of(cell.profile, job.settings)
        async with open_game(folder, job.pack, cell.id, cell.seed, models, clock) as session:
            teller = PlainChat(session) if is_chat else session
            ended, reason = await _turns(job, teller, clock, questions)
            game, head = teller.game, session.save.head
            turns = await session.turns(1, game.state.turn)
            ledger = Ledger(session.save.private)
            calls = [call for number in range(1, game.state.turn + 2) for call in ledger.turn(number)]
    except TheActError as error:
        return failed(cell, error.message)
    measures = measure(game, turns, calls, questions, job.slop)
    if is_chat:  # nobody keeps count of beats
        measures["scores"].update(finished=None, beats=None, longest_stall=None)
    result = _result(cell, ended, reason, measures, turns=game.state.turn, head=head)
    return Played(result, {"calls_seconds": round(sum(call.seconds for call in calls), 3)})


async def _turns(
    job: Job, session: StorySession | PlainChat, clock: TurnClock, questions: list[SecretQuestion]
) -> tuple[str, str]:
    """Play to the end. Return how it ended, and why if it failed. Appends questions about secrets to `questions`."""
    models = models_of(job.player.profile, job.settings) if job.player.profile else None
    other = models(None, job.cell.seed) if models else None
    player = player_of(job.player, job.cell.seed, other.for_agent("player") if other else None, questions)
    try:
        if other:
            await other.probe()
        clock.turn = 1
        await session.open_story()
        await session.settle()
        while not session.game.state.game_complete:
            if session.game.state.turn >= job.turns:
                return "turns", ""
            line = await player.line(seen(session.game))
            if line is None:
                return "lines", ""
            clock.turn = session.game.state.turn + 1
            await play_line(session, line)
        return "complete", ""
    except TheActError as error:
        return "failed", error.message
    except Exception as error:  # a fault of ours in one game must not end the others
        return "failed", unexpected(error)
    finally:
        if other:
            await other.close()


async def play_line(session: StorySession | PlainChat, line: str) -> None:
    """Play a command, a line, or an empty line to let the story continue."""
    if isinstance(session, PlainChat):
        await session.line(line)
    elif is_command(line):
        await run_command(session, line)
    elif line.strip():
        await session.play(as_text(line))
    else:
        await session.go_on()
    await session.settle()


def _result(cell: PlanCell, ended: str, reason: str, measures: dict[str, Any], **more: Any) -> dict[str, Any]:
    ending = {"finished": ended == "complete", "ended": ended, "error": reason, "measures": measures}
    return {"id": cell.id, **cell.model_dump(), "turns": 0, "head": "", **ending, **more}


def _packed(folder: Path, name: str) -> bytes:
    saves = Library(folder).folder
    if not (saves / name).is_dir():
        return b""
    return Path(shutil.make_archive(str(folder / "packed"), "tar", saves, name)).read_bytes()
