"""A walk through the app in a real terminal: begin a story, play, leave, come back, go on."""

import pty
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.support.terminal import PATIENCE, Terminal
from theact_tui.saves.library import Library

ENTER, CTRL_Q, DOWN, LEFT, ESCAPE = "\r", "\x11", "\x1b[B", "\x1b[D", "\x1b"
F2, F3 = "\x1bOQ", "\x1bOR"
FOCUS_OUT = "\x1b[O"
"""What a terminal sends when its window is left; the next key says that one is back."""


def instant(home: Path) -> Path:
    """A home in which the storyteller does not wait for a reader."""
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text("[ui]\npace = 0\n")
    return home


def told(home: Path) -> int:
    """The last saved turn of the only story; 0 while there is none."""
    return next((saved.turn for saved in Library(home).saves()), 0)


def begin(terminal: Terminal, home: Path) -> None:
    """Start the first story, and let it open."""
    terminal.wait_for("NEW STORY")
    terminal.send(ENTER)
    terminal.wait_for("Your character's name")
    terminal.press(ENTER, lambda: "enter start" in terminal.drawn)
    terminal.press(ENTER, lambda: "enter say" in terminal.drawn and told(home) == 1)


def test_begin_play_leave_and_come_back(tmp_path: Path) -> None:
    home = instant(tmp_path / "home")
    with Terminal(home, columns=80, rows=24) as terminal:
        begin(terminal, home)
        terminal.send("I look around and listen.")
        terminal.press(ENTER, lambda: told(home) == 2)
        terminal.send(CTRL_Q)
        assert terminal.wait_for_exit() == 0
    (saved,) = Library(home).saves()
    assert saved.turn == 2 and not saved.broken
    with Terminal(home, columns=140, rows=40) as terminal:
        terminal.wait_for("CONTINUE")
        terminal.press(ENTER, lambda: "enter say" in terminal.drawn)
        terminal.send("I wait.")
        terminal.press(ENTER, lambda: told(home) == 3)
        terminal.send(CTRL_Q)
        assert terminal.wait_for_exit() == 0
    assert Library(home).saves()[0].turn == 3
    with Terminal(home, "--continue", columns=80, rows=24) as terminal:
        terminal.wait_for("enter say")
        terminal.send(CTRL_Q)
        assert terminal.wait_for_exit() == 0


def test_from_the_first_start_to_a_memory_a_branch_and_a_book(tmp_path: Path) -> None:
    home = instant(tmp_path / "home")
    with Terminal(home, columns=120, rows=40) as terminal:
        begin(terminal, home)
        for turn, line in ((2, "I look around and listen."), (3, "I wait.")):
            terminal.send(line)
            terminal.press(ENTER, partial(lambda turn: told(home) == turn, turn))
        terminal.send(F2)
        terminal.wait_for("WHO KNOWS")
        terminal.send("x")
        terminal.wait_for("system message")
        terminal.press_until(ESCAPE, lambda: "F3 tree" in terminal.drawn)
        terminal.send(F3)
        terminal.wait_for("YOU ARE HERE")
        terminal.send(LEFT)
        terminal.wait_for("COMPARED WITH")
        terminal.send("n")
        terminal.wait_for("New branch")
        terminal.send("what-if")
        terminal.press(ENTER, lambda: "You are now on" in terminal.drawn)
        assert Library(home).saves()[0].branch == "what-if"
        terminal.press_until(ESCAPE, lambda: "F3 tree" in terminal.drawn)
        terminal.send("/export epub")
        terminal.press(ENTER, lambda: any((home / "exports").glob("*.epub")))
        terminal.send(CTRL_Q)
        assert terminal.wait_for_exit() == 0
    (saved,) = Library(home).saves()
    assert (saved.branch, saved.turn, saved.broken) == ("what-if", 2, "")
    (file,) = (home / "exports").iterdir()
    with zipfile.ZipFile(file) as book:
        assert book.testzip() is None and b"I look around and listen." in book.read("book/chapter-1.xhtml")
        assert b"I wait." not in book.read("book/chapter-1.xhtml")


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """A story in a terminal, whose editor adds two words to the line."""
    folder = tmp_path_factory.mktemp("playing")
    editor, home = folder / "editor", instant(folder / "home")
    editor.write_text('#!/bin/sh\nsed -i "s/around/around and listen./" "$1"\n')
    editor.chmod(0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("VISUAL", raising=False)
        patch.setenv("EDITOR", str(editor))
        terminal = Terminal(home)
    with terminal:
        begin(terminal, home)
        yield terminal


def test_the_line_can_be_written_in_an_editor(playing: Terminal) -> None:
    """The editor has the terminal to itself; what it saves stands in the box."""
    turn = told(playing.home)
    playing.send("I look around")
    playing.wait_for("I look around")
    playing.send("\x07x")
    playing.wait_for("I look around and listen.")
    playing.press(ENTER, lambda: told(playing.home) == turn + 1)


def test_the_bell_rings_when_a_turn_is_told_and_the_window_has_no_focus(playing: Terminal) -> None:
    first = told(playing.home) + 1
    for turn, (focus, rings) in enumerate((("", False), (FOCUS_OUT, True), ("", False)), first):
        playing.send("I wait.")
        playing.wait_for("I wait.")
        drawn: list[str] = []

        def happened(turn: int = turn, drawn: list[str] = drawn, rings: bool = rings) -> bool:
            drawn.append(playing.drawn)
            is_told = told(playing.home) == turn and f"turn {turn}" in playing.screen.display[0]
            return is_told and ("\a" in drawn[-1] or not rings)

        playing.press(ENTER + focus, happened)
        assert ("\a" in drawn[-1]) is rings, turn


@pytest.mark.parametrize("asked", [signal.SIGTERM, signal.SIGHUP], ids=lambda asked: asked.name)
def test_it_ends_cleanly_when_asked_to_and_when_the_terminal_is_closed(
    tmp_path: Path, asked: signal.Signals
) -> None:
    home = instant(tmp_path / "home")
    with Terminal(home) as terminal:
        begin(terminal, home)
        if asked is signal.SIGHUP:
            terminal.hang_up()
        terminal.process.send_signal(asked)
        assert (terminal.wait_for_exit() if asked is signal.SIGTERM else terminal.process.wait(PATIENCE)) == 0
        assert asked is signal.SIGHUP or "\x1b[?1049l" in terminal.raw


def test_it_does_not_start_where_its_pictures_would_go_to_a_file(tmp_path: Path) -> None:
    slave = pty.openpty()[1]
    app = [sys.executable, "-m", "theact_tui", "--home", str(tmp_path)]
    done = subprocess.run(
        app, stdin=slave, stdout=slave, stderr=subprocess.PIPE, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2 and b"needs a terminal for input, output and errors" in done.stderr
