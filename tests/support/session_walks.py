"""A random walk over an open story, whatever its model and its disk do, and the laws that hold at every step of it.

A `Step` says what is done, how the model behaves from then on, and how long it lasts until the next step begins. Each
page, reply and memory carries a mark of its own, so that it is known of any text which turn it comes from.
"""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

from tests.support.fake_model import Scripted, Ticking, learnt, narration, sent, small_pack
from theact_tui.engine import events
from theact_tui.engine import session as engine_session
from theact_tui.engine.bus import Bus
from theact_tui.engine.choose_models import ModelsChooser
from theact_tui.engine.open_sessions import create_session, open_session
from theact_tui.errors import CallError, SaveError, TheActError
from theact_tui.models.environment import ModelOptions
from theact_tui.models.model import Piece, Request
from theact_tui.models.settings import Settings
from theact_tui.saves import save_thread
from theact_tui.saves.atomic import Folder
from theact_tui.saves.codec import read_turn
from theact_tui.saves.git_objects import head_ref
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.saves.trees import differences
from theact_tui.saves.unfinished import Unfinished
from theact_tui.story import edits
from theact_tui.story.cast import add_character, newcomer
from theact_tui.story.game import Game
from theact_tui.story.memory import lines_of
from theact_tui.story.turn import Turn
from theact_tui.yaml import MAX_BYTES

MARK = re.compile(r"W\d+x[a-z]+")
"""Marks a turn, and the model that told it."""
QUIET = -1
"""The pause that lasts until nothing goes on any more."""
LONGEST_WAIT_SECONDS = 30.0
"""What waits longer while a server is silent waits for that server."""

ACTS = (
    "play", "play", "play", "play", "go on", "retry", "retry", "retry by", "retry note", "retry words", "retry reply",
    "undo", "undo", "redo", "take", "branch", "switch", "hold", "lore", "lore", "cast", "text", "end chapter", "end chapter",
    "keep chapter", "gate", "beat", "pin",
    "models", "stop", "stop", "wait", "reopen", "reopen", "kill", "foreign",
)  # fmt: skip
MOVES = ("undo", "redo", "take", "switch")
RETRIES = ("retry", "retry by", "retry note", "retry words", "retry reply")
MOODS = ("well", "well", "well", "well", "slow", "fails", "breaks", "hangs", "hangs")
FAULTS = ("The disk is full.", "a fault of ours", "Too many open files")
AGENTS = ("", "narrator", "stage", "character", "memory", "progress")
"""Whom the mood is about; "" for all."""
DISKS = (*["well"] * 12, "refuses", "breaks", "breaks after", "journal refuses")
PAUSES = (0, 1, 3, 8, 20, 40, 80, *[QUIET] * 5)


@dataclass(frozen=True)
class Step:
    act: str
    number: int = 0
    pause: int = QUIET
    mood: str = "well"
    agent: str = ""
    disk: str = "well"

    @classmethod
    def random(cls, chance: Random, before: Step | None = None) -> Step:
        """Every other step the model goes on as in the step `before`: a silent server stays silent."""
        mood, agent = chance.choice(MOODS), chance.choice(AGENTS)
        if before and chance.randrange(2):
            mood, agent = before.mood, before.agent
        return cls(
            chance.choice(ACTS), chance.randrange(6), chance.choice(PAUSES), mood, agent, chance.choice(DISKS)
        )

    @classmethod
    def walk(cls, chance: Random, count: int) -> list[Step]:
        steps: list[Step] = []
        for _ in range(count):
            steps.append(cls.random(chance, steps[-1] if steps else None))
        return steps


@dataclass(frozen=True)
class Told:
    """A turn that was told: the marks of all turns up to it, and the branch it was told on."""

    path: tuple[str, ...]
    branch: str


@dataclass(frozen=True)
class Decided:
    """What the player decided, as far as a game shows it."""

    lasting: frozenset[object] = frozenset()
    """Of secrets, and pins of lines from turns before the last."""
    chapter: str = ""
    of_chapter: frozenset[object] = frozenset()
    """Beats, who is here, and whether the chapter is kept open."""
    ends: str = ""
    """The chapter that ends, or ended with the last turn, because the player says so."""

    @classmethod
    def of(cls, game: Game) -> Decided:
        state, last = game.state, game.last_turn
        pins = {
            (id, line.text)
            for id, memory in game.memories.items()
            for line in lines_of(memory)
            if line.pinned and line.turn < state.turn
        }
        ended = (
            last and last.decisions and last.decisions.chapter == "Ended by you." and last.completed_chapter
        )
        return cls(
            frozenset({*state.gates.items(), *pins}),
            state.chapter,
            frozenset({*state.beats_hit, *(item for item in state.held.items() if item == ("bob", False))})
            | ({"keep"} if state.chapter_set == "keep" else set()),
            state.chapter if state.chapter_set == "end" else ended or "",
        )


@dataclass
class Telling:
    text: str
    take: int
    base: tuple[str, ...]
    branch: str
    mark: str = ""


@dataclass(kw_only=True)
class WalkingModel(Scripted):
    """A model that behaves as the walk says, and refuses to be used once it was closed."""

    walk: Walk
    piece: int = 400
    closed: bool = False

    async def close(self) -> None:
        self.closed = True

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        if self.closed:
            self.walk.break_law(f"the closed model {self.name} was asked for {ask.key}")
        self.walk.check_prompt(ask)
        mood = self.walk.mood_of(ask.agent)
        if mood == "slow":
            await self.walk.passes(12)
        if mood == "hangs":
            await self.walk.hang()
        if mood == "fails":
            raise CallError("refused", "The server refused.")
        if mood == "breaks":
            raise RuntimeError(FAULTS[1])
        self.answers = self.walk.answers(self.name, ask)
        async for piece in super().stream(ask):
            yield piece


@dataclass(frozen=True, slots=True)
class WalkingChooser(ModelsChooser):
    walk: Any = None
    name: str = "main"

    def __call__(self, pack: object, seed: int) -> Any:
        return WalkingModel(name=self.name, walk=self.walk)

    def by_profile(self, profile: str) -> WalkingChooser:
        return chooser(self.walk, profile)


def chooser(walk: Walk, name: str) -> WalkingChooser:
    return WalkingChooser(Settings(), ModelOptions(), {}, walk=walk, name=name)


class Inline(ThreadPoolExecutor):
    """Does everything at once, so that a walk goes the same way each time."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        if self._shutdown:
            raise RuntimeError("cannot schedule new futures after shutdown")
        try:
            done.set_result(fn(*args, **kwargs))
        except BaseException as error:
            done.set_exception(error)
        return done


@dataclass
class Walk:
    """One walk: the session as it is now, and what was told so far."""

    home: Path
    is_inline: bool = True
    """Everything happens in one thread, in the same order each time."""
    told: dict[str, Told] = field(default_factory=dict)
    """By mark."""
    newest: str | None = ""
    """The mark of the last turn of the story as it should be; "" before the first, None where it is not known."""
    unannounced: set[str] = field(default_factory=set)
    """Turns of which nobody was told when the program was killed: they may be there, or not."""
    added: set[str] = field(default_factory=set)
    """Titles of lore and ids of characters."""
    decided: Decided = field(default_factory=lambda: Decided())
    begun: int = 0
    """Turns that began to be told."""
    telling: Telling | None = None
    sent: set[str] = field(default_factory=set)
    """The lines of which one waits: none of them was told since it was sent, and nothing moved."""
    teller: str = "main"
    """The model that tells now."""
    broken: list[str] = field(default_factory=list)
    history: list[str] = field(default_factory=list)
    longest_leaving: float = 0.0
    kills: int = 0
    turns: int = 0

    def __post_init__(self) -> None:
        self.step = Step("wait")
        self.marks = 0
        self._hanging: set[asyncio.Event] = set()
        self._tasks: dict[asyncio.Task[Any], str] = {}
        self._is_foreign = False

    # --- the walk ----------------------------------------------------------------------------------------------

    async def begin(self) -> None:
        bus = self._bus()
        self.session = await create_session(
            Library(self.home), small_pack(), "Test", "Alex", 1, chooser(self, "main"), bus, id="test"
        )

    async def take(self, step: Step) -> None:
        """Take one step. AssertionError where a law is broken."""
        self.history.append(repr(step))
        self.step = step
        if step.mood != "hangs":
            self._release()
        before, begun = self.newest, self.begun
        is_alone = self._is_quiet and not self._is_foreign
        is_told = all(task.done() for task in self._tasks)
        task = self._start(step.act, self._act(step.act, step.number))
        if step.act in ("reopen", "kill", "foreign"):
            await self._leave(step.act, task)
        if step.pause == QUIET:
            is_quiet = await self.quiet()
            is_waiting = not task.done() and self.begun == begun
            if is_told and is_waiting and step.act in (*MOVES, *RETRIES):
                self.break_law(f"{step.act} waits for what is written about the page that is left")
        else:
            await self.passes(step.pause)
            is_quiet = self._is_quiet
        self._collect()
        if is_quiet and step.disk == "well":
            await self._check(step if is_alone and task.done() and not task.exception() else None, before)
        self._judge()

    async def end(self) -> None:
        """Leave, open once more with a model and a disk that do well, and look at all that there is."""
        self.step = Step("wait")
        self._release()
        await self._reopen()
        assert await self.quiet(), "it never comes to an end"
        await self._check(None, None)
        await self.session.close()
        self._judge()
        self._look(self.session.folder)
        self._judge()

    async def tear_down(self) -> None:
        """Leave nothing behind in the loop."""
        self._release()
        with suppress(Exception):
            await asyncio.wait_for(self.session.close(keep=False), 5)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _leave(self, act: str, task: asyncio.Task[Any]) -> None:
        """Nobody who leaves waits for a server."""
        await asyncio.wait([task], timeout=LONGEST_WAIT_SECONDS)
        if not task.done():
            self.break_law(f"{act} waits for a silent server")
            self._release()
        await task

    async def passes(self, count: int) -> None:
        """Let everything go on for so many passes of the event loop."""
        for _ in range(count):
            await asyncio.sleep(0 if self.is_inline else 0.0005)

    async def quiet(self) -> bool:
        """Wait until nothing goes on any more; False if a call hangs."""
        still = 0
        for _ in range(20_000):
            await self.passes(1)
            if self._is_quiet:
                return True
            still = still + 1 if self._hanging else 0
            if still > 400:
                return False
        self.break_law(f"still going on: {[name for task, name in self._tasks.items() if not task.done()]}")
        return False

    @property
    def _is_quiet(self) -> bool:
        return all(task.done() for task in self._tasks) and self.session.phase == "idle"

    async def hang(self) -> None:
        event = asyncio.Event()
        self._hanging.add(event)
        try:
            await event.wait()
        finally:
            self._hanging.discard(event)

    def _release(self) -> None:
        for event in self._hanging:
            event.set()

    def _start(self, name: str, work: Awaitable[object]) -> asyncio.Task[Any]:
        async def done() -> None:
            await work

        task = asyncio.create_task(done())
        self._tasks[task] = name
        return task

    def _collect(self) -> None:
        """Only sentences may come of what was done."""
        for task, name in list(self._tasks.items()):
            if task.done():
                del self._tasks[task]
                error = None if task.cancelled() else task.exception()
                if error and not isinstance(error, TheActError):
                    self.break_law(f"{name} ended with {type(error).__name__}: {error}")

    # --- what is done --------------------------------------------------------------------------------------------

    def _act(self, name: str, number: int) -> Awaitable[object]:
        session = self.session
        acts: dict[str, Callable[[], Awaitable[object]]] = {
            "play": lambda: session.play(self.line("stone")),
            "go on": lambda: session.go_on() if session.game.state.turn else session.open_story(),
            "retry": session.retry,
            "retry reply": session.retry_reply,
            "retry by": lambda: session.retry_by("other"),
            "retry note": lambda: session.retry(direction="Slower."),
            "retry words": lambda: session.retry(self.line("bone")),
            "undo": lambda: session.undo(1 + number // 4),
            "redo": lambda: session.redo(1),
            "take": lambda: session.select_take(1 + number % 3),
            "branch": lambda: session.branch_at(f"b{number}", min(number, session.game.state.turn)),
            "switch": lambda: session.switch(f"b{number}" if number < 4 else "main"),
            "hold": lambda: session.edit(edits.hold, ["bob"], here=bool(number % 2)),
            "lore": lambda: session.edit(edits.add_lore, [f"lore{len(self.history)}"], "A bell."),
            "cast": lambda: session.edit(_join, ("Mara", "Otto", "Ivo")[number % 3]),
            "text": lambda: session.edit_turn(session.game.state.turn, _lengthen),
            "end chapter": lambda: session.edit(edits.set_chapter, "end"),
            "keep chapter": lambda: session.edit(edits.set_chapter, "keep"),
            "gate": lambda: session.edit(edits.set_gate, ("ann", "bob")[number % 2], number < 3),
            "beat": lambda: session.edit(edits.mark_beat, 1 + number % 2, hit=True),
            "pin": lambda: session.edit(edits.pin_line, ("ann", "bob")[number % 2], 0, pinned=True),
            "models": lambda: self._change_models(("main", "second")[number % 2]),
            "stop": session.stop,
            "wait": self._wait,
            "reopen": self._reopen,
            "kill": self._kill,
            "foreign": self._foreign,
        }
        return acts[name]()

    def line(self, thing: str) -> str:
        line = f"I look at {thing} {len(self.history)}."
        if self.sent:
            self.sent.add(line)
        return line

    async def _change_models(self, name: str) -> None:
        await self.session.use_models(chooser(self, name))
        self.teller = name

    async def _wait(self) -> None:
        self._release()

    async def _reopen(self) -> None:
        """Leave and come back; what is called once it was left is refused in a sentence."""
        left = self.session
        began = time.monotonic()
        with suppress(SaveError):  # another program's commit is in the way of the last turn
            await left.close()
        self.longest_leaving = max(self.longest_leaving, time.monotonic() - began)
        self._start("play after leaving", left.play("I am late."))
        self._start("undo after leaving", left.undo())
        self._start("edit after leaving", left.edit(edits.add_lore, ["late"], "Late."))
        await self._open(left.folder)

    async def _kill(self) -> None:
        """Go on with the folder as it is now, as a killed program leaves it."""
        killed, self.kills = self.session, self.kills + 1
        folder = self.home / f"life{self.kills}"
        if not {*MOVES}.isdisjoint(self._tasks.values()):
            self.newest = None  # a move may have happened without having been announced
            self.sent.clear()
        try:
            await killed.run(_copy, killed.save, folder)
        except TheActError:  # it was left just now
            _copy(killed.save, folder)
        self._stop_listening()
        mine = asyncio.current_task()
        others = [task for task in self._tasks if task is not mine]
        for task in others:
            del self._tasks[task]
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        with suppress(Exception):
            await asyncio.wait_for(killed.close(keep=False), 5)
        if self.telling:  # it may be journalled, and not announced yet
            mark, path = self.telling.mark, (*self.telling.base, self.telling.mark)
            self.told[mark] = Told(path, self.telling.branch)
            self.unannounced.add(mark)
            self.newest, self.telling = None, None
        await self._open(folder)

    async def _foreign(self) -> None:
        """Another program words the newest commit anew, as `git commit --amend` does; then the story is opened anew."""
        await self.session.run(_amend, self.session.save)
        self._is_foreign = True

    async def _open(self, folder: Path) -> None:
        waits, sent, self._is_foreign, self.teller = self.newest, set(self.sent), False, "main"
        disk, self.step = self.step, Step(self.step.act, mood=self.step.mood, agent=self.step.agent)
        try:
            self.session = await open_session(folder, chooser(self, "main"), self._bus())
        finally:
            self.step = Step(**{**vars(self.step), "disk": disk.disk})
        self.newest = waits
        back = self.session.typed.sent
        if sent and back not in sent and self.session.phase != "after":
            self.break_law(f"none of the lines {sent} was given back: {back}")

    def _bus(self) -> Bus:
        bus = Bus(Ticking())
        self._stop_listening = bus.listen(self.hear)
        return bus

    # --- what the model does -----------------------------------------------------------------------------------

    def mood_of(self, agent: str) -> str:
        return self.step.mood if self.step.agent in ("", agent) else "well"

    def answers(self, model: str, ask: Request) -> dict[str, Any]:
        """What `model` answers now: pages and replies with a mark, memories of all marks in the prompt."""
        if ask.agent == "narrator":
            self.marks += 1
            return {
                "narrator": narration(f"The lamp of W{self.marks}x{model} burns.", "ann", present="ann, bob")
            }
        if ask.agent == "memory":
            seen = dict.fromkeys(MARK.findall(sent(ask))[-2:])
            return {"memory": learnt(*(f"The lamp of {mark} burned." for mark in seen))}
        return {"character": f"I saw it, says {model}."}

    def check_prompt(self, ask: Request) -> None:
        """Nobody is asked about turns that are not on the way to this one."""
        last = self.session.game.last_turn if hasattr(self, "session") else None
        known = set(self._path_of(last.narration)) if last else set()
        if self.telling:
            known = set(self.telling.base) | {self.telling.mark}
        elif self.newest:
            known |= set(self.told[self.newest].path)
        journalled = self.told if self.newest is None else self.unannounced
        known |= {mark for mark in journalled if set(self.told[mark].path[:-1]) == known}
        if strange := set(MARK.findall(sent(ask))) - known:
            self.break_law(f"{ask.key} was told of {strange}")

    # --- the laws ----------------------------------------------------------------------------------------------

    def break_law(self, text: str) -> None:
        self.broken.append(text)

    def _judge(self) -> None:
        if self.broken:
            walk = "\n  ".join(self.history)
            raise AssertionError("; ".join(self.broken) + f"\nafter\n  {walk}")

    def hear(self, event: events.Event) -> None:
        """Every turn that begins ends in one of three ways, gives back its line, and nothing moves meanwhile."""
        match event:
            case events.TurnStarted(text=text, take=take):
                if self.telling:
                    self.break_law("two turns are told at a time")
                last = self.session.game.last_turn
                path = self._path_of(last.narration) if last else ()
                self.begun += 1
                base = path[:-1] if take > 1 else path
                self.telling = Telling(text, take, base, self.session.branch)
                self.sent = {text} if text and take == 1 else set()
            case events.PageTold(text=text) if self.telling:
                self.telling.mark = "".join(MARK.findall(text)[:1])
            case events.TurnSpoken() if self.telling:
                mark = self.telling.mark
                self.told[mark] = Told((*self.telling.base, mark), self.telling.branch)
                self.newest, self.telling = mark, None
                self.sent.clear()
                self.turns += 1
            case events.TurnCancelled(text=text) | events.TurnFailed(text=text):
                if self.telling is None or self.telling.text != text:
                    self.break_law(f"{text!r} was given back, and {self.telling} was told")
                self.telling = None
            case events.TurnSaved():
                turn = self.session.game.last_turn
                if turn is None or turn.number != event.turn:
                    self.break_law("another turn was saved than that of the game")
            case events.Undone() | events.Redone() | events.BranchSwitched():
                self.newest = None
                self.sent.clear()
                self.added.clear()
                if self.telling:
                    self.break_law(f"{event.type} while a turn is told")
            case events.Notice(text=text, level="error") if not self._is_foreign:
                if not any(fault in text for fault in FAULTS):
                    self.break_law(text)
            case _:
                pass

    def _path_of(self, text: str) -> tuple[str, ...]:
        mark = "".join(MARK.findall(text)[:1])
        return self.told[mark].path if mark in self.told else (mark,)

    async def _check(self, step: Step | None, before: str | None) -> None:
        """Where nothing goes on, game and save hold the story as it was told; `step` was taken alone since `before`."""
        session = self.session
        if self.telling:
            self.break_law(f"the turn {self.telling} has no end")
            return
        if self._is_foreign:
            return
        try:
            await session.settle()
        except TheActError as error:
            self.break_law(f"the last turn cannot be saved: {error}")
            return
        turns, game = await session.turns(1, 999), session.game
        path = tuple("".join(MARK.findall(turn.narration)[:1]) for turn in turns)
        known = self.told[path[-1]].path if path and path[-1] in self.told else ()
        if path != known:
            self.break_law(f"the story is {path}, and was told as {known}")
        if game.state.turn != len(turns) or (turns and game.last_turn != turns[-1]):
            self.break_law(f"the game is at turn {game.state.turn}, the save at {len(turns)}")
        if self.newest is not None and path[-1:] != ((self.newest,) if self.newest else ()):
            self.break_law(f"the last turn is {path[-1:]} and not {self.newest}")
        for turn in turns:
            (mark,) = MARK.findall(turn.narration)[:1]
            if turn.told_by.split(" (")[0] != mark.split("x")[1]:
                self.break_law(f"{mark} is labelled {turn.told_by}")
        for name, memory in game.memories.items():
            for mark in MARK.findall(" ".join(line.text for line in lines_of(memory))):
                if mark not in path or name not in turns[path.index(mark)].witnesses:
                    self.break_law(f"{name} remembers {mark}, which it did not see")
        if self.teller != session.model_name:
            self.break_law(f"{session.model_name} tells, and not {self.teller}")
        self._check_step(step, before, path)
        added = {*(entry.title for entry in game.pack.lore_entries), *game.pack.characters}
        if step and step.act in RETRIES and self.added - added:
            self.break_law(f"{step.act} lost {self.added - added}")
        decided = Decided.of(game)
        if step and step.act in RETRIES and before and path[-1] != before:
            self._check_decisions(step, self.decided, decided, game)
        self.added, self.decided, self.newest = added, decided, path[-1] if path else ""

    def _check_decisions(self, step: Step, was: Decided, now: Decided, game: Game) -> None:
        """What the player decided before or after a turn survives every retry of it."""
        if lost := was.lasting - now.lasting:
            self.break_law(f"{step.act} lost {lost}")
        if was.chapter == now.chapter and (lost := was.of_chapter - now.of_chapter - {"keep"}):
            self.break_law(f"{step.act} lost {lost}")
        if "keep" in was.of_chapter and was.chapter == now.chapter and "keep" not in now.of_chapter:
            self.break_law(f"{step.act} does not keep the chapter open")
        is_over = any(past.chapter == was.ends for past in game.state.chapter_history)
        if was.ends and "keep" not in was.of_chapter and not is_over:
            self.break_law(f"{step.act} does not end the chapter {was.ends}")

    def _check_step(self, step: Step | None, before: str | None, path: tuple[str, ...]) -> None:
        was = self.told[before].path if before else ()
        if step is None or before is None:
            return
        match step.act:
            case "undo" if path != was[: -1 - step.number // 4]:
                self.break_law(f"undone from {was} to {path}")
            case "redo" if path[:-1] != was:
                self.break_law(f"redone from {was} to {path}")
            case "take" if path[:-1] != was[:-1]:
                self.break_law(f"another take of {was} is {path}")

    def _look(self, folder: Path) -> None:
        """Every turn that was told is in the save, after those that it was told after; the files are as git has them."""
        subprocess.run(["git", "-C", folder, "fsck", "--strict"], check=True, capture_output=True)
        with Save.open(folder, write=False) as save:
            if save.recovered:
                self.break_law(save.recovered)
            found = dict(_all_turns(save))
            for mark, told in self.told.items():
                if mark not in found and mark not in self.unannounced:
                    self.break_law(f"the told turn {mark} is lost")
                elif found.get(mark, told.path) != told.path:
                    self.break_law(f"{mark} follows {found[mark]}, and was told in {told.path}")
            visible, tree = Folder(folder), save.files().tree
            for name, _, id in differences(save.repository, None, tree):
                if id and visible.read(name, MAX_BYTES) != save.repository.blob(id):
                    self.break_law(f"{name} is not as git has it")
            if edited := [file.name for file in folder.rglob("*.edited*")]:
                self.break_law(f"nobody edited {edited}")


def _join(game: Game, name: str) -> edits.Edit:
    return add_character(game, newcomer(game, name))


def _lengthen(game: Game, turn: Turn) -> edits.Edit:
    return edits.set_entry_text(game, turn, 0, f"{turn.entries[0].text} It rains.")


def _copy(save: Save[Game], folder: Path) -> None:
    """Copy a save once no file is half-way to its place: a copy takes longer than a kill."""
    assert save.foreign_edits is not None
    shutil.copytree(save.folder, folder)


def _amend(save: Save[Game]) -> None:
    repository = save.repository
    link = repository.link(save.head)
    parent = link.parent
    if parent is None:
        return
    subject, _, rest = link.message.partition("\n")
    new = repository.add_commit(link.tree, parent, f"{subject} amended\n{rest}", save._timeline.clock())
    repository.put(head_ref(save.branch), new)


def _all_turns(save: Save[Game]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The mark of every turn that any ref leads to, with the marks of all turns up to it."""
    repository, seen = save.repository, set[str]()
    refs = {**repository.refs("refs/heads/"), **repository.refs("refs/theact/")}
    todo = [id for name, id in refs.items() if name != "names"]
    while todo:
        commit = todo.pop()
        if commit in seen:
            continue
        seen.add(commit)
        link = repository.link(commit)
        todo += [link.parent] if link.parent else []
        number = save._timeline.history.turn(commit)
        marks = [MARK.findall(read_turn(save.files(commit), n).narration)[0] for n in range(1, number + 1)]
        if marks:
            yield marks[-1], tuple(marks)


@contextmanager
def troubled(walk: Walk) -> Iterator[None]:
    """The disk of `walk` does as its steps say, and nobody waits long for a server while leaving."""
    commit, takes, journal = Save.commit, Save.takes, Unfinished.journal

    def committed(self: Save[Any], state: Any, turns: Iterable[Any] = ()) -> str:
        if walk.step.disk == "refuses":
            raise SaveError(FAULTS[0])
        if walk.step.disk == "breaks":
            raise RuntimeError(FAULTS[1])
        return commit(self, state, turns)

    def journalled(self: Unfinished, spoken: Any) -> None:
        if walk.step.disk == "journal refuses":
            raise SaveError(FAULTS[0])
        journal(self, spoken)

    def counted(self: Save[Any], turn: int | None = None) -> tuple[int, int]:
        if walk.step.disk == "breaks after":
            raise OSError(24, FAULTS[2])
        return takes(self, turn)

    patches: list[Any] = [
        mock.patch.object(Save, "commit", committed),
        mock.patch.object(Unfinished, "journal", journalled),
        mock.patch.object(Save, "takes", counted),
    ]
    if walk.is_inline:
        patches.append(mock.patch.object(save_thread, "ThreadPoolExecutor", Inline))
        patches.append(mock.patch.object(engine_session, "LEAVING_SECONDS", 0.01))
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield


async def run_walk(home: Path, steps: list[Step], *, is_inline: bool = True) -> Walk:
    """Walk so in the folder `home`. AssertionError where a law is broken."""
    walk = Walk(home, is_inline)
    if is_inline:
        asyncio.get_running_loop().set_default_executor(Inline(1))
    with troubled(walk):
        await walk.begin()
        try:
            for step in steps:
                await walk.take(step)
            await walk.end()
        finally:
            await walk.tear_down()
    return walk
