"""A walk through the app in a real terminal: begin a story, play, leave, come back, go on."""

import pty
import signal
import subprocess
import sys
import zipfile
from functools import partial
from pathlib import Path

import pytest

from tests.support.terminal import PATIENCE, Terminal
from theact_tui.saves.library import Library

ENTER, CTRL_Q, LEFT, ESCAPE = "\r", "\x11", "\x1b[D", "\x1b"
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


def test_from_the_first_start_to_a_memory_a_branch_a_book_and_another_day(tmp_path: Path) -> None:
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
    with Terminal(home, columns=80, rows=24) as terminal:
        terminal.wait_for("CONTINUE")
        terminal.press(ENTER, lambda: "enter say" in terminal.drawn)
        terminal.send("I wait.")
        terminal.press(ENTER, lambda: told(home) == 3)
        terminal.hang_up()
        terminal.process.send_signal(signal.SIGHUP)
        assert terminal.process.wait(PATIENCE) == 0
    assert told(home) == 3


def test_an_editor_has_the_terminal_the_bell_rings_to_who_is_away_and_it_ends_when_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor, home = tmp_path / "editor", instant(tmp_path / "home")
    editor.write_text('#!/bin/sh\nsed -i "s/around/around and listen./" "$1"\n')
    editor.chmod(0o700)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", str(editor))
    with Terminal(home) as terminal:
        begin(terminal, home)
        terminal.send("I look around")
        terminal.wait_for("I look around")
        terminal.send("\x07x")
        terminal.wait_for("I look around and listen.")
        for turn, (focus, rings) in enumerate((("", False), (FOCUS_OUT, True), ("", False)), 2):
            drawn: list[str] = []

            def happened(turn: int = turn, drawn: list[str] = drawn, rings: bool = rings) -> bool:
                drawn.append(terminal.drawn)
                is_told = told(home) == turn and f"turn {turn}" in terminal.screen.display[0]
                return is_told and ("\a" in drawn[-1] or not rings)

            terminal.press(ENTER + focus, happened)
            assert ("\a" in drawn[-1]) is rings, turn
            terminal.send("I wait.")
            terminal.wait_for("I wait.")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.wait_for_exit() == 0 and "\x1b[?1049l" in terminal.raw


def test_it_does_not_start_where_its_pictures_would_go_to_a_file(tmp_path: Path) -> None:
    slave = pty.openpty()[1]
    app = [sys.executable, "-m", "theact_tui", "--home", str(tmp_path)]
    done = subprocess.run(
        app, stdin=slave, stdout=slave, stderr=subprocess.PIPE, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2 and b"needs a terminal for input, output and errors" in done.stderr
