"""After every key the terminal shows what a full repaint would show: no change gets lost on its way there."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.terminal import PATIENCE, Terminal
from tests.support.watched_app import KEY, LOOK, REPAINT
from tests.terminal.test_smoke import instant

ENTER, ESCAPE, TAB = "\r", "\x1b", "\t"
BELL = "\a"
CTRL_F, CTRL_G, CTRL_P = "\x06", "\x07", "\x10"
UP, DOWN, LEFT = "\x1b[A", "\x1b[B", "\x1b[D"
HOME, END, PAGE_DOWN = "\x1b[H", "\x1b[F", "\x1b[6~"
F1, F2, F3, F4 = "\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS"
F8, F9 = "\x1b[19~", "\x1b[20~"

STORIES, SETTINGS, PLAY = "DIRECT A SCENE", "MODEL", "What do you do"
WALK = (
    (DOWN, STORIES),
    (END, STORIES),
    (UP, STORIES),
    (HOME, STORIES),
    (F1, "Your stories"),
    (ESCAPE, STORIES),
    ("s", SETTINGS),
    (DOWN, "asks for the address"),
    (END, "Your own keys"),
    (ESCAPE, STORIES),
    (ENTER, "Your character's name"),
    (ENTER, "enter start"),
    (ENTER, PLAY),
    (PAGE_DOWN, PLAY),
    (END, PLAY),
    ("I", "› I"),
    (ENTER, "turn 2"),
    (F8, "BEATS"),
    (F8, PLAY),
    (CTRL_P, "Search for commands"),
    (ESCAPE, PLAY),
    (CTRL_F, "search the story"),
    (ESCAPE, PLAY),
    (F2, "turn 2 of 2"),
    ("x", "system message"),
    (LEFT, "turn 1 of 2"),
    ("k", "WHO KNOWS"),
    ("c", "RAW REPLY"),
    ("v", "since the story was opened"),
    (F2, PLAY),
    (F3, "YOU ARE HERE"),
    (LEFT, "COMPARED WITH"),
    ("n", "New branch"),
    (ESCAPE, "COMPARED WITH"),
    (ESCAPE, PLAY),
    (F4, "take 2"),
    (CTRL_G, "undo"),
    ("h", STORIES),
    (END, STORIES),
    ("e", "SETUP"),
    (TAB, "SETUP"),
    (F9, "y confirm"),
    ("y", "/60,000"),
    ("A", "› A"),
    (ENTER, "1) A"),
    (F2, "CHAPTER"),
)
"""Keys, and what stands on the terminal after each of them."""

TELLING = "esc stop"
"""Stands in the last row while a turn is told, which may wait for its next words in silence."""


class Watch:
    """A terminal, with what the app in it says of itself."""

    def __init__(self, terminal: Terminal, pipe: int) -> None:
        self._terminal = terminal
        self._pipe = pipe
        os.set_blocking(pipe, False)

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(self._terminal.screen.display)

    def press(self, key: str, expected: str) -> None:
        """Press a key; wait until the app has taken it, shows what is expected, and rests."""
        self._is_key_taken()  # the last one may have come to the app twice
        self._terminal.send(key)
        self._wait(self._is_key_taken, f"{key!r} to be taken")
        self.expect(expected)

    def expect(self, expected: str) -> None:
        """Wait until something stands on the terminal, and the app rests and tells no turn."""
        self._wait(lambda: any(expected in row for row in self.rows), repr(expected))
        self._ask(LOOK)
        while any(TELLING in row for row in self.rows):
            self._ask(LOOK)

    def repaint(self) -> tuple[str, ...]:
        """Empty the terminal and let the app paint everything; what stood there before."""
        before = self.rows
        self._terminal.screen.reset()
        self._ask(REPAINT)
        return before

    def _is_key_taken(self) -> bool:
        try:
            return KEY in os.read(self._pipe, 100)
        except BlockingIOError:
            return False

    def _ask(self, signal: int) -> None:
        """Send a signal, and read all that is drawn up to the bell that answers it."""
        bells = self._terminal.raw.count(BELL)
        os.kill(self._terminal.process.pid, signal)
        self._wait(lambda: self._terminal.raw.count(BELL) > bells, f"answer to signal {signal}")

    def _wait(self, happened: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not happened():
            assert time.monotonic() < end, "\n".join((f"waited in vain for {what}:", *self.rows))
            self._terminal.read(0.02)


def test_what_stands_on_the_terminal_is_what_a_full_repaint_shows(tmp_path: Path) -> None:
    """Every screen is visited at 80x24."""
    pipe, told = os.pipe()
    lost: list[str] = []
    with os.fdopen(pipe, "rb"), Terminal(instant(tmp_path / "home"), watched=told) as terminal:
        os.close(told)
        watch = Watch(terminal, pipe)
        watch.expect(STORIES)
        for number, (key, expected) in enumerate(WALK, 1):
            watch.press(key, expected)
            before = watch.repaint()
            lost += [
                f"key {number}, {key!r}: {old!r} instead of {new!r}"
                for old, new in zip(before, watch.rows, strict=True)
                if old != new
            ]
    assert not lost, "\n".join(lost)
