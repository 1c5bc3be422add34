"""Kills the whole program, again and again, at random instants, and counts what that cost (S14).

    nice python -m tests.support.kill_program [KILLS] [SEED]

One story is played on and on, two lives of three on the command line (`play --offline --events`), every third in the
app, in a terminal. Each life ends by SIGKILL some random time after one of the stages has begun: opening, telling, the
work after a spoken turn, committing, packing, retrying, undoing. Then git looks at the repository, the save is opened,
and all that was ever announced as saved or spoken must be there. Prints JSON.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import random
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

from theact_tui import cli
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import Event
from theact_tui.errors import TheActError
from theact_tui.saves import repository
from theact_tui.saves import repository as packing
from theact_tui.saves import save as store
from theact_tui.saves.codec import read_turn
from theact_tui.saves.save import Save
from theact_tui.tui.app import warm as warm_app

SAVE = "story"
STAGES = (
    "packing",
    "turn_spoken",
    "turn_saved",
    "save_opened",
    "turn_spoken",
    "turn_started",
    "turn_saved",
    "",
)
"""What lives wait for in turn before their last moments begin; nothing: the very start."""
LONGEST = 0.25
"""Seconds of the longest last moments; some turns."""
PATIENCE = 60.0
"""Seconds to wait for what must come."""
RETRY_KEY = "\x1bOS"
CLEAR_KEY = "\x15"
"""Takes away a line that stands in the box again."""


@dataclass
class Counts:
    kills: int = 0
    kills_of_the_app: int = 0
    damaged_saves: int = 0
    acknowledged_turns: int = 0
    acknowledged_turns_lost: int = 0
    spoken_turns: int = 0
    spoken_turns_lost: int = 0
    spoken_turns_found_in_the_journal: int = 0
    lines_whose_telling_was_killed: int = 0
    lines_lost: int = 0
    lives_that_ended_by_themselves: int = 0
    lives_that_got_stuck: int = 0
    stepped_back: int = 0
    edits_that_nobody_made: int = 0
    fsck_failures: int = 0
    during_packing: int = 0
    killed_after: dict[str, int] = field(default_factory=dict)
    """By the last thing the program had said."""
    turns: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Told:
    """A turn as it was announced: its number, its narration, and its commit once it was saved."""

    turn: int
    narration: str
    commit: str = ""


@dataclass
class Experiment:
    """One story and all that was said of it."""

    home: Path
    chance: random.Random
    counts: Counts = field(default_factory=Counts)
    saved: set[str] = field(default_factory=set)
    owed: Told | None = None
    """Spoken, and not saved yet."""
    line: str = ""
    """What the player had sent, while it is told."""
    unsent: str = ""
    """The line or draft that the next life puts back into the box."""
    redoable: int = 0
    """Undone turns that the next life brings back first."""

    @property
    def folder(self) -> Path:
        return self.home / "saves" / SAVE

    def begin(self, turns: int) -> None:
        """A story of some turns, left in order."""
        self.home.mkdir(mode=0o700)
        (self.home / "config.toml").write_text("[ui]\npace = 0\ncursor_blink = false\n")
        self._play_on(turns)

    def life(self, number: int) -> None:
        """Live, die, look."""
        in_app = number % 3 == 2
        victim = self._in_app() if in_app else self._on_command_line()
        self.counts.kills += 1
        self.counts.kills_of_the_app += in_app
        if not victim.kill():
            self.counts.lives_that_ended_by_themselves += 1
            print(f"life {number}: {victim}", file=sys.stderr)
        kinds = [str(event["type"]) for event in victim.said]
        packs = [kind for kind in kinds if kind in ("packing", "packed")]
        self.counts.during_packing += packs[-1:] == ["packing"]
        last = kinds[-1] if kinds else "nothing"
        self.counts.killed_after[last] = self.counts.killed_after.get(last, 0) + 1
        self._take_note(victim)
        self.counts.fsck_failures += not fsck(self.folder)
        try:
            self._look()
        except TheActError as error:
            self.counts.damaged_saves += 1
            print(f"life {number}: {error}", file=sys.stderr)
        self.counts.fsck_failures += not fsck(self.folder)

    def end(self) -> None:
        """The story goes on after all that, and is as long as it should be."""
        self._play_on(2)
        with Save.open(self.folder, write=False) as save:
            self.counts.turns = save.turn
        self._look()
        self.counts.fsck_failures += not fsck(self.folder)

    # --- living ---

    def _play_on(self, turns: int) -> None:
        victim = self._play()
        for line in (*self._redo(), *self._lines(turns, plain=True)):
            victim.send(line)
        done = victim.listen(PATIENCE, lambda: _count(victim, "turn_saved") >= turns)
        assert done, victim
        self._take_note(victim)
        os.close(victim.keys)
        os.waitpid(victim.process, 0)
        os.close(victim.events)

    def _play(self) -> Victim:
        return command_line(self.home, "play", "lost-island", "--save", SAVE, "--events", "--inputs", "-")

    def _on_command_line(self) -> Victim:
        victim = self._play()
        for line in (*self._redo(), *self._lines(30)):
            victim.send(line)
        return self._near_its_end(victim)

    def _in_app(self) -> Victim:
        victim = app(self.home)
        assert victim.listen(PATIENCE, lambda: "CONTINUE" in victim.drawn), victim
        victim.send("\r")
        ready = self.unsent or "hat do you do"  # the cursor stands on the first letter
        assert victim.listen(PATIENCE, lambda: ready in victim.drawn), victim
        if self.unsent:
            victim.send(CLEAR_KEY)
        keys = [
            RETRY_KEY if self.chance.random() < 0.2 else line[:-1] + "\r"
            for line in self._lines(30, plain=True)
        ]
        return self._near_its_end(victim, (*(line[:-1] + "\r" for line in self._redo()), *keys))

    def _near_its_end(self, victim: Victim, keys: Iterable[str] = ()) -> Victim:
        """Let it live until the stage in which it shall die, pressing keys whenever a turn was told."""
        stage = STAGES[self.counts.kills % len(STAGES)]
        times = self.chance.randint(1, 2) if stage.startswith("turn") else 1
        waiting = iter(keys)

        def is_time() -> bool:
            return not stage or _count(victim, stage) >= times

        def answered(before: int) -> Callable[[], bool]:
            return lambda: is_time() or _count(victim, "turn_spoken", "redone") > before

        while not is_time() and (key := next(waiting, None)):
            before = _count(victim, "turn_spoken", "redone")
            victim.send(key)
            victim.listen(PATIENCE if key.startswith("/redo") else 2.0, answered(before))
        if not victim.listen(PATIENCE, is_time):
            self.counts.lives_that_got_stuck += 1
            print(f"waited for {stage}: {victim}", file=sys.stderr)
        victim.listen(self.chance.random() * LONGEST)
        return victim

    def _redo(self) -> tuple[str, ...]:
        """What a killed undoing left undone is redone first, for a new turn would drop it."""
        return (f"/redo {self.redoable}\n",) if self.redoable else ()

    def _lines(self, count: int, *, plain: bool = False) -> Iterator[str]:
        for number in range(count):
            kind = 1.0 if plain else self.chance.random()
            if kind < 0.15:
                yield "/retry\n"
            elif kind < 0.3:
                yield "/undo 2\n/redo 2\n"
            elif kind < 0.35:
                name = f"b{self.chance.random():.8f}"[-8:]
                yield f"/branch {name}\n/switch {name}\n"
            else:
                yield f"I look at stone {number} of {self.chance.randrange(10**9)}.\n"

    # --- looking ---

    def _take_note(self, victim: Victim) -> None:
        """What the program promised in its life."""
        narration = ""
        for event in victim.said:
            match event["type"]:
                case "narration_finished":
                    narration = event["text"]
                case "turn_started":
                    self.line = event["text"] if event["take"] == 1 else ""
                case "turn_spoken":
                    self.line = ""
                    self.counts.spoken_turns += 1
                    self.owed = Told(event["turn"], narration)
                case "turn_saved":
                    self.counts.acknowledged_turns += 1
                    self.saved.add(event["commit"])
                    if self.owed and self.owed.turn == event["turn"]:
                        self._check(Told(self.owed.turn, self.owed.narration, event["commit"]))
                    self.owed = None

    def _check(self, told: Told) -> None:
        """A turn that was saved holds what was told."""
        with Save.open(self.folder, write=False) as save:
            turn = read_turn(save.files(told.commit), told.turn)
        if turn.narration != told.narration:
            self.counts.spoken_turns_lost += 1

    def _look(self) -> None:
        """Open the save: all that was promised is there."""
        with Save.open(self.folder) as save:
            self.counts.stepped_back += bool(save.recovered)
            self.counts.edits_that_nobody_made += bool(save.foreign_edits)
            save.turns(1, save.turn)
            spoken, self.redoable = save.unfinished.journalled(), save.redoable()
            typed = save.unfinished.typed()
            self.unsent = typed.sent or typed.box
            last = save.load().last_turn
        everything = subprocess.run(
            ["git", "-C", self.folder, "rev-list", "--all"], check=True, capture_output=True, text=True
        )
        if lost := self.saved - set(everything.stdout.split()):
            self.counts.acknowledged_turns_lost += len(lost)
            self.saved -= lost
            print(f"after {self.counts.kills} kills these were lost: {lost}", file=sys.stderr)
        if self.line and not (spoken and spoken.turn.player_text == self.line):
            self.counts.lines_whose_telling_was_killed += 1
            self.counts.lines_lost += self.unsent != self.line
        self.line = ""
        if self.owed is None:
            return
        if spoken is not None and spoken.turn.narration == self.owed.narration:
            self.counts.spoken_turns_found_in_the_journal += 1
        elif last is not None and last.narration == self.owed.narration:
            self.owed = None
        else:
            self.counts.spoken_turns_lost += 1
            self.owed = None


def _count(victim: Victim, *kinds: str) -> int:
    return sum(event["type"] in kinds for event in victim.said)


def experiment(kills: int, seed: int) -> Counts:
    warm()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        story = Experiment(Path(name) / "home", random.Random(seed))
        story.begin(12)
        for number in range(kills):
            story.life(number)
            if sys.stderr.isatty():
                print(f"\r{number + 1} kills", end="", file=sys.stderr)
        story.end()
    story.counts.seconds = round(time.monotonic() - began, 1)
    return story.counts


# --- the program in a forked process, which starts at once: all is imported ---

PACK_EVERY = 7
"""Turns."""


@dataclass(repr=False)
class Victim:
    """A process that plays. `said` is what it said so far."""

    process: int
    events: int
    """Where its events come from."""
    keys: int
    """Where its input goes, and in a terminal where its drawing comes from."""
    is_app: bool
    said: list[dict[str, Any]] = field(default_factory=list)
    drawn: str = ""
    _rest: bytes = b""

    def __repr__(self) -> str:
        return f"process {self.process} said {self.said[-2:]} and drew {self.drawn[-300:]!r}"

    def send(self, text: str) -> None:
        os.write(self.keys, text.encode())

    def listen(self, seconds: float, enough: Callable[[], bool] = lambda: False) -> bool:
        """Read what it says for so long, or until `enough` holds; True if it does."""
        end = time.monotonic() + seconds
        sources = [self.events, self.keys] if self.is_app else [self.events]
        while not enough():
            ready, _, _ = select.select(sources, [], [], max(0.0, end - time.monotonic()))
            alive = [self._read(source) for source in ready]
            if not ready or not any(alive):
                return enough()
        return True

    def kill(self) -> bool:
        """Kill it and read what it had still said; False if it had died by itself."""
        os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        while self._read(self.events):
            pass
        for handle in {self.events, self.keys}:
            os.close(handle)
        return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL

    def _read(self, source: int) -> bool:
        try:
            data = os.read(source, 65536)
        except OSError:  # a terminal whose other end is gone
            return False
        if source == self.events:
            *lines, self._rest = (self._rest + data).split(b"\n")
            self.said += [json.loads(line) for line in lines]
        else:
            self.drawn = (self.drawn + data.decode(errors="replace"))[-200_000:]
        return bool(data)


def command_line(home: Path, *arguments: str) -> Victim:
    """`theact-tui play`, which reads its lines from a pipe."""
    (read_keys, keys), (events, write_events) = os.pipe(), os.pipe()
    process = os.fork()
    if process == 0:
        os.dup2(read_keys, 0)
        os.dup2(write_events, 1)
        os.dup2(os.open(home / "errors", os.O_CREAT | os.O_APPEND | os.O_WRONLY), 2)
        os.close(keys)
        _run(home, write_events, *arguments)
    os.close(read_keys)
    os.close(write_events)
    return Victim(process, events, keys, is_app=False)


def app(home: Path) -> Victim:
    """The app, in a terminal of 80 by 24."""
    events, write_events = os.pipe()
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.environ |= {"TERM": "xterm-256color", "TEXTUAL_ANIMATIONS": "none"}
        _tap(lambda event: os.write(write_events, event.to_json().encode() + b"\n"))
        _run(home, write_events)
    os.close(write_events)
    return Victim(process, events, terminal, is_app=True)


def warm() -> None:
    """Import what the victims need, so that they need not."""
    warm_app()
    assert repository.MAX_OBJECT_BYTES and cli.MODULES


def _run(home: Path, events: int, *arguments: str) -> None:
    """Be the program; never returns."""
    pack = packing.pack

    def announced(git: Path) -> int:
        os.write(events, b'{"type": "packing"}\n')
        try:
            return pack(git)
        finally:
            os.write(events, b'{"type": "packed"}\n')

    mock.patch.object(store, "TURNS_PER_PACKING", PACK_EVERY).start()
    mock.patch.object(packing, "pack", announced).start()
    code = cli.main([*arguments, "--home", str(home), "--offline"])
    sys.stdout.flush()
    os._exit(code)


def _tap(told: Callable[[Event], object]) -> None:
    begin = Bus.__init__

    def listened(self: Bus, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        self.listen(lambda event: (told(event), None)[1])

    mock.patch.object(Bus, "__init__", listened).start()


def fsck(folder: Path) -> bool:
    command = ["git", "-C", str(folder), "fsck", "--strict", "--no-dangling", "--no-progress"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        print(done.stdout, done.stderr, file=sys.stderr)
    return done.returncode == 0 and not done.stderr


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    print(json.dumps(asdict(experiment(*(numbers + [300, 1][len(numbers) :]))), indent=2))
