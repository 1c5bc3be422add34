"""Two programs on one computer: the hero's and that of a friend at a seat, who leaves, comes back, and is killed, or sees
the hero's program killed."""

import signal
from contextlib import ExitStack
from pathlib import Path

from tests.support.terminal import Terminal
from tests.terminal.test_smoke import CTRL_Q, ENTER, begin, instant, told
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.turn import Turn

SAVE = "the-lost-island"
LINE = "Maya, what do you see?"
WORDS = "“A light,” I say, “where none can be.”"


def give(hero: Terminal) -> None:
    hero.send("/seat maya")
    hero.send(ENTER)
    hero.wait_for("theact-tui sit")


def asked(hero: Terminal, friend: Terminal) -> None:
    """Send a line, and wait until the friend is asked."""
    hero.send(LINE)
    hero.send(ENTER)
    friend.wait_for("waits for you")
    hero.wait_for("(Anna) is writing")


def last(home: Path) -> Turn:
    with Save.open(Library(home).path(SAVE), write=False) as save:
        (turn,) = save.turns(save.turn, save.turn)
    return turn


def words_of_maya(home: Path) -> list[tuple[str, str]]:
    return [(entry.text, entry.by) for entry in last(home).replies if entry.character == "maya"]


def test_friends_are_killed_come_back_take_turns_and_outlive_the_window_of_the_hero(tmp_path: Path) -> None:
    home = instant(tmp_path / "home")
    with ExitStack() as windows:

        def seat(name: str) -> Terminal:
            return windows.enter_context(Terminal(home, "sit", SAVE, "maya", "--name", name))

        hero = windows.enter_context(Terminal(home))
        begin(hero, home)
        give(hero)
        anna = seat("Anna")
        anna.wait_for("Your box opens")
        asked(hero, anna)
        anna.process.send_signal(signal.SIGKILL)
        anna.process.wait()
        hero.press("", lambda: told(home) == 2)
        assert [by for _, by in words_of_maya(home)] == [""], "the model answers in her place"

        anna = seat("Anna")
        anna.wait_for("Your box opens")
        asked(hero, anna)
        anna.send(WORDS)
        anna.press(ENTER, lambda: told(home) == 3)
        assert words_of_maya(home)[0] == (WORDS, "Anna")
        refused = seat("Ben")
        refused.wait_for("Somebody sits on this seat already.")
        assert refused.wait_for_exit() == 2

        asked(hero, anna)
        anna.send(WORDS)
        anna.wait_for("none can be")
        hero.process.send_signal(signal.SIGKILL)
        hero.process.wait()
        anna.wait_for("The hero's window is closed")
        hero = windows.enter_context(Terminal(home, "--continue"))
        hero.press("", lambda: told(home) == 4)
        assert last(home).player_text == LINE and last(home).narration
        hero.wait_for("enter say")
        give(hero)
        asked(hero, anna)
        anna.press(ENTER, lambda: told(home) == 5)
        assert words_of_maya(home)[0] == (WORDS, "Anna")
        anna.send(CTRL_Q)
        assert anna.wait_for_exit() == 0

        ben = seat("Ben")
        ben.wait_for("none can be")
        hero.send(CTRL_Q)
        assert hero.wait_for_exit() == 0
        ben.wait_for("The hero's window is closed")
        ben.send(CTRL_Q)
        assert ben.wait_for_exit() == 0
    assert not [*(home / "seats").rglob("*.json")]
