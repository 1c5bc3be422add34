"""Two programs on one computer: the hero's and that of a friend at a seat, who leaves, comes back, and is killed, or sees
the hero's program killed."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.terminal import Terminal
from tests.terminal.test_smoke import CTRL_Q, ENTER, begin, instant, told
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.turn import Turn

SAVE = "the-lost-island"
LINE = "Maya, what do you see?"
WORDS = "“A light,” I say, “where none can be.”"


@pytest.fixture
def windows(tmp_path: Path) -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return instant(tmp_path / "home")


def hero_of(windows: ExitStack, home: Path) -> Terminal:
    """The hero's window, with a story begun and Maya's seat given."""
    hero = windows.enter_context(Terminal(home))
    begin(hero, home)
    give(hero)
    return hero


def give(hero: Terminal) -> None:
    hero.send("/seat maya")
    hero.send(ENTER)
    hero.wait_for("theact-tui sit")


def seat(windows: ExitStack, home: Path, name: str = "Anna") -> Terminal:
    return windows.enter_context(Terminal(home, "sit", SAVE, "maya", "--name", name))


def asked(hero: Terminal, *friends: Terminal) -> None:
    """Send a line, and wait until the friend is asked."""
    hero.send(LINE)
    hero.send(ENTER)
    for friend in friends:
        friend.wait_for("waits for you")
    hero.wait_for("(Anna) is writing")


def last(home: Path) -> Turn:
    with Save.open(Library(home).path(SAVE), write=False) as save:
        (turn,) = save.turns(save.turn, save.turn)
    return turn


def test_a_friend_answers_leaves_and_another_comes(windows: ExitStack, home: Path) -> None:
    hero, anna = hero_of(windows, home), seat(windows, home)
    anna.wait_for("Your box opens")
    asked(hero, anna)
    anna.send(WORDS)
    anna.press(ENTER, lambda: told(home) == 2)
    (reply, *_) = (entry for entry in last(home).replies if entry.character == "maya")
    assert (reply.text, reply.by) == (WORDS, "Anna")
    second = seat(windows, home, "Ben")
    second.wait_for("Somebody sits on this seat already.")
    assert second.wait_for_exit() == 2
    anna.send(CTRL_Q)
    assert anna.wait_for_exit() == 0
    third = seat(windows, home, "Ben")
    third.wait_for("none can be")
    hero.send(CTRL_Q)
    assert hero.wait_for_exit() == 0
    third.wait_for("The hero's window is closed")
    third.send(CTRL_Q)
    assert third.wait_for_exit() == 0
    left = [path.name for path in (home / "seats").rglob("*.json")]
    assert left == []


def test_a_friend_who_is_killed_leaves_the_seat_to_the_model_and_to_others(
    windows: ExitStack, home: Path
) -> None:
    hero, anna = hero_of(windows, home), seat(windows, home)
    anna.wait_for("Your box opens")
    asked(hero, anna)
    anna.process.send_signal(signal.SIGKILL)
    anna.process.wait()
    hero.press("", lambda: told(home) == 2)
    assert [entry.by for entry in last(home).replies if entry.character == "maya"] == [""]
    again = seat(windows, home)
    again.wait_for("Your box opens")
    asked(hero, again)
    again.send(WORDS)
    again.press(ENTER, lambda: told(home) == 3)


def test_a_hero_who_is_killed_loses_no_page_and_the_friend_goes_on(windows: ExitStack, home: Path) -> None:
    hero, anna = hero_of(windows, home), seat(windows, home)
    anna.wait_for("Your box opens")
    asked(hero, anna)
    anna.send(WORDS)
    anna.wait_for("none can be")
    hero.process.send_signal(signal.SIGKILL)
    hero.process.wait()
    anna.wait_for("The hero's window is closed")
    again = windows.enter_context(Terminal(home, "--continue"))
    again.press("", lambda: told(home) == 2)
    assert last(home).player_text == LINE and last(home).narration
    again.wait_for("enter say")
    give(again)
    asked(again, anna)
    anna.press(ENTER, lambda: told(home) == 3)
    assert [entry.text for entry in last(home).replies if entry.by == "Anna"] == [WORDS]
