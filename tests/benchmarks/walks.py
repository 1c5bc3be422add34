"""Random walks over an open story, with faults of model and disk, kills and other programs' commits (S14).

    python -m tests.benchmarks.walks [WALKS] [KILLS] [LEAVINGS] [SEED]

WALKS are those of `tests/support/session_walks.py`, in real threads; each ends with a look at all that was told. KILLS
end a process in the middle of such a walk by SIGKILL, and the next process goes on with the same story. LEAVINGS close a
story at a random moment while a server is silent or drips. Prints JSON; every broken law is printed with its walk.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import select
import signal
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.support.fake_server import Exchange, ScriptedServer, chunk
from tests.support.faulty_server import TALK, Stand, part_of
from tests.support.faulty_sessions import SCENES, copied, playing, prepare
from tests.support.session_walks import (
    MOVES,
    Step,
    Told,
    Walk,
    run_walk,
    troubled,
)
from theact_tui.engine import events
from theact_tui.errors import TheActError

STEPS = 16
LONGEST_LIFE_SECONDS = 1.5
SECONDS_TO_WALK = 120


@dataclass
class Counts:
    """What came of it."""

    walks: int = 0
    steps: int = 0
    turns: int = 0
    kills_in_walks: int = 0
    kills: int = 0
    turns_before_kills: int = 0
    lives_that_ended_by_themselves: int = 0
    leavings: int = 0
    longest_leaving_seconds: float = 0.0
    broken: dict[str, int] = field(default_factory=Counter)
    seconds: float = 0.0

    def broke(self, text: str, what: str) -> None:
        self.broken[text.split("\n")[0][:200]] += 1
        print(f"{what}: {text}", file=sys.stderr)


def walk_at_random(counts: Counts, count: int, seed: int) -> None:
    for number in range(seed, seed + count):
        steps = Step.walk(Random(number), STEPS)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
            walking = run_walk(Path(home), steps, is_inline=False)
            try:
                walk = asyncio.run(asyncio.wait_for(walking, SECONDS_TO_WALK))
            except (Exception, asyncio.CancelledError) as error:
                counts.broke(str(error) or repr(error), f"walk {number}")
            else:
                counts.turns += walk.turns
                counts.kills_in_walks += walk.kills
                counts.longest_leaving_seconds = max(counts.longest_leaving_seconds, walk.longest_leaving)
        counts.walks += 1
        counts.steps += STEPS


# --- kills -----------------------------------------------------------------------------------------------------------


class Life(Walk):
    """A walk that says in a pipe what it hears, so that the next life knows what was told."""

    pipe: int = -1

    async def take(self, step: Step) -> None:
        if step.act in MOVES:  # it may happen without being announced
            self._say(newest=None, sent=[])
        await super().take(step)

    def line(self, thing: str) -> str:
        line = super().line(thing)
        self._say(sent=sorted(self.sent))
        return line

    def hear(self, event: events.Event) -> None:
        before = set(self.told)
        super().hear(event)
        for mark in set(self.told) - before:
            self._say(told=mark, path=self.told[mark].path, branch=self.told[mark].branch)
        match event:
            case events.PageTold() if self.telling:
                self._say(page=self.telling.mark, path=self.telling.base, branch=self.telling.branch)
            case (
                events.TurnSpoken() | events.TurnCancelled() | events.TurnFailed() | events.Undone()
                | events.Redone() | events.BranchSwitched()
            ):  # fmt: skip
                self._say(newest=self.newest)
            case _:
                pass
        if isinstance(event, (events.TurnStarted, events.TurnSpoken, events.Undone, events.BranchSwitched)):
            self._say(sent=sorted(self.sent))

    def _say(self, **said: Any) -> None:
        os.write(self.pipe, json.dumps(said).encode() + b"\n")


def live(home: Path, folder: Path, seed: int, known: Walk, pipe: int) -> None:
    """Go on with the story in `folder` until killed."""
    life = Life(home, False)
    life.pipe = pipe
    _remember(life, known)
    chance = Random(seed)

    async def walk() -> None:
        with troubled(life):
            await life.go_on_with(folder)
            step: Step | None = None
            while True:
                step = Step.random(chance, step)
                if step.act not in ("kill", "foreign"):
                    await life.take(step)

    try:
        asyncio.run(walk())
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.write(pipe, json.dumps({"broken": f"{type(error).__name__}: {error}"}).encode() + b"\n")


def _remember(life: Walk, known: Walk) -> None:
    life.told, life.unannounced, life.newest = dict(known.told), set(known.unannounced), known.newest
    life.sent, life.marks = set(known.sent), known.marks


def kill_at_random(counts: Counts, count: int, seed: int) -> None:
    """Kill lives of one story, and look after each whether all that was told is there."""
    chance = Random(seed)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        home = Path(name)
        known = Walk(home, False)

        async def begin() -> Path:
            with troubled(known):
                await known.begin()
                await known.session.close()
            return known.session.folder

        folder = asyncio.run(begin())
        for number in range(count):
            _one_life(counts, known, home, folder, chance, seed + number)
            if number % 10 == 9 and not _looked_at(counts, known, folder, number):
                return


def _one_life(counts: Counts, known: Walk, home: Path, folder: Path, chance: Random, seed: int) -> None:
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(read)
        live(home, folder, seed, known, write)
        os._exit(0)
    os.close(write)
    end, data, is_dead = time.monotonic() + 0.1 + chance.random() * LONGEST_LIFE_SECONDS, b"", False
    while not is_dead and (left := end - time.monotonic()) > 0:
        if select.select([read], [], [], left)[0]:
            more = os.read(read, 65536)
            data, is_dead = data + more, not more
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    while more := os.read(read, 65536):
        data += more
    os.close(read)
    counts.kills += 1
    counts.lives_that_ended_by_themselves += is_dead
    before = len(known.told)
    for line in data.splitlines():
        with contextlib.suppress(json.JSONDecodeError):
            _hear(counts, known, json.loads(line), seed)
    counts.turns_before_kills += len(known.told) - before
    known.marks += 1000


def _hear(counts: Counts, known: Walk, said: dict[str, Any], seed: int) -> None:
    match said:
        case {"told": mark, "path": path, "branch": branch}:
            known.told[mark] = Told(tuple(path), branch)
            known.unannounced.discard(mark)
            known.newest = mark
        case {
            "page": mark,
            "path": path,
            "branch": branch,
        }:  # it may be journalled without having been announced
            known.told[mark] = Told((*path, mark), branch)
            known.unannounced.add(mark)
            known.newest = None
        case {"newest": newest, "sent": sent}:
            known.newest, known.sent = newest, set(sent)
        case {"newest": newest}:
            known.newest = newest
        case {"sent": sent}:
            known.sent = set(sent)
        case {"broken": text}:
            counts.broke(text, f"life {seed}")
        case _:
            pass


def _looked_at(counts: Counts, known: Walk, folder: Path, number: int) -> bool:
    """Open the story after a kill, and look at all that there is."""

    async def look() -> None:
        known.telling, known.step = None, Step("wait")
        with troubled(known):
            await known.go_on_with(folder)
            await known.end()

    try:
        if edited := [str(file) for file in folder.rglob("*.edited*")]:
            counts.broke(f"nobody edited {edited}", f"before opening after kill {number}")
        asyncio.run(asyncio.wait_for(look(), SECONDS_TO_WALK))
    except (Exception, asyncio.CancelledError) as error:
        counts.broke(str(error) or repr(error), f"after kill {number}")
        return False
    return True


# --- leaving ---------------------------------------------------------------------------------------------------------


async def _silent(exchange: Exchange) -> None:
    await exchange.left.wait()


async def _dripping(exchange: Exchange) -> None:
    await exchange.head(200, "text/event-stream")
    while not exchange.left.is_set():
        await exchange.send(chunk("x "))
        await asyncio.sleep(0.2)


async def leave_at_random(counts: Counts, count: int, seed: int) -> None:
    """Close a story at a random moment after a line, with one agent's server silent or dripping."""
    chance = Random(seed)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        saves = {scene: await prepare(Path(name) / str(n), SCENES[scene]) for n, scene in enumerate(SCENES)}
        for number in range(count):
            scene = SCENES[which := chance.choice(list(SCENES))]
            stand = Stand(dict(TALK))
            stand.answers |= scene.answers
            stand.fail(scene.agent, lambda _: chance.choice([_silent, _dripping]))
            with ScriptedServer(stand) as server:
                folder = copied(saves[which], Path(name) / f"leaving{number}")
                async with playing(folder, server, stand, probes=False) as play:
                    turn = asyncio.create_task(play.session.play("I hold the lamp over the stair."))
                    if chance.random() < 0.7:
                        while not turn.done() and not any(part_of(r) == scene.agent for r in server.calls):
                            await asyncio.sleep(0.01)
                    await asyncio.sleep(chance.random() * 0.5)
                    began = time.monotonic()
                    await play.session.close()
                    seconds = time.monotonic() - began
                    (error,) = await asyncio.gather(turn, return_exceptions=True)
                    if isinstance(error, BaseException) and not isinstance(error, TheActError):
                        counts.broke(repr(error), f"leaving {which}")
            counts.leavings += 1
            counts.longest_leaving_seconds = max(counts.longest_leaving_seconds, seconds)
            if seconds > 3:
                counts.broke(f"{seconds:.1f} s to leave", f"leaving {which}")


def main() -> None:
    numbers = [int(argument) for argument in sys.argv[1:]]
    walks, kills, leavings, seed = numbers + [1000, 300, 100, 1][len(numbers) :]
    logging.disable()
    counts, began = Counts(), time.monotonic()
    walk_at_random(counts, walks, seed)
    kill_at_random(counts, kills, seed)
    asyncio.run(leave_at_random(counts, leavings, seed))
    counts.seconds = round(time.monotonic() - began, 1)
    counts.longest_leaving_seconds = round(counts.longest_leaving_seconds, 2)
    print(json.dumps(vars(counts), indent=2))


if __name__ == "__main__":
    main()
