"""A walk through the app in a real terminal: begin a story, play, leave, come back, go on."""

from __future__ import annotations

import os
import signal
import zipfile
from functools import cache, partial
from pathlib import Path

import pytest

from tests.support.terminal import Terminal
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
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


@cache
def answers_to_looking() -> list[str]:
    """The first words of what the shipped stories tell when somebody looks around: a scene, or a reaction."""
    scripts = [load_pack(game.parent).script for game in shipped_folder().glob("*/game.yaml")]
    scenes = [
        scene.narration for script in scripts for one in script.chapters.values() for scene in one.scenes
    ]
    looks = [line for script in scripts for line in script.reactions["look"]]
    return [" ".join(text.split()[:4]) for text in (*scenes, *looks)]


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


def test_killed_in_the_middle_it_comes_back(tmp_path: Path) -> None:
    home = instant(tmp_path / "home")
    with Terminal(home) as terminal:
        begin(terminal, home)
        terminal.send("I look around and listen.")
        terminal.press(ENTER, lambda: any(words in terminal.drawn for words in answers_to_looking()))
        os.killpg(terminal.process.pid, signal.SIGKILL)
        terminal.process.wait()
    with Terminal(home) as terminal:
        terminal.wait_for("CONTINUE")
        terminal.send(ENTER)
        terminal.wait_for("enter say")
        terminal.send(CTRL_Q)
        assert terminal.wait_for_exit() == 0
    assert Library(home).saves()[0].turn in (1, 2)


def test_the_line_can_be_written_in_an_editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The editor has the terminal to itself; what it saves stands in the box."""
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nsed -i "s/around/around and listen./" "$1"\n')
    editor.chmod(0o700)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", str(editor))
    home = instant(tmp_path / "home")
    with Terminal(home) as terminal:
        begin(terminal, home)
        terminal.send("I look around")
        terminal.wait_for("I look around")
        terminal.send("\x07x")
        terminal.wait_for("I look around and listen.")
        terminal.press(ENTER, lambda: told(home) == 2)
        terminal.send(CTRL_Q)
        assert terminal.wait_for_exit() == 0


def test_the_bell_rings_when_a_turn_is_told_and_the_window_has_no_focus(tmp_path: Path) -> None:
    home = instant(tmp_path / "home")
    with Terminal(home) as terminal:
        begin(terminal, home)
        for turn, (focus, rings) in enumerate((("", False), (FOCUS_OUT, True), ("", False)), 2):
            terminal.send("I wait.")
            terminal.wait_for("I wait.")
            drawn: list[str] = []

            def happened(turn: int = turn, drawn: list[str] = drawn, rings: bool = rings) -> bool:
                drawn.append(terminal.drawn)
                is_told = told(home) == turn and f"turn {turn}" in terminal.screen.display[0]
                return is_told and ("\a" in drawn[-1] or not rings)

            terminal.press(ENTER + focus, happened)
            assert ("\a" in drawn[-1]) is rings, turn
        terminal.send(CTRL_Q)
        assert terminal.wait_for_exit() == 0
