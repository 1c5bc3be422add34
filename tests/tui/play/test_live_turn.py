"""A turn as it is told: tokens are gathered, only the last paragraph is set again."""

from collections.abc import Callable
from typing import cast

import pytest

from tests.support.fake_model import small_pack
from theact_tui.engine import events as e
from theact_tui.story.turn import Entry, Turn
from theact_tui.tui.blocks import Cast, turn_blocks
from theact_tui.tui.play.live_turn import CURSOR, LiveTurn
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.running_turn import RunningTurn


class Paper:
    """Counts what is drawn."""

    def __init__(self) -> None:
        self.turns: list[TurnLayout] = []
        self.drawn = 0
        self._waiting: list[Callable[[], None]] = []

    def add(self, leaf: TurnLayout) -> None:
        self.turns.append(leaf)

    def drop(self, leaf: TurnLayout) -> None:
        self.turns.remove(leaf)

    def changed(self, leaf: TurnLayout) -> None:
        self.drawn += leaf in self.turns

    def set_timer(self, seconds: float, callback: Callable[[], None]) -> None:
        self._waiting.append(callback)

    def tick(self) -> None:
        """Let the time pass after which gathered tokens are set."""
        waiting, self._waiting = self._waiting, []
        for callback in waiting:
            callback()

    @property
    def lines(self) -> list[str]:
        return [block.text.plain for block in self.turns[-1].blocks]


@pytest.fixture
def paper() -> Paper:
    return Paper()


class Telling(LiveTurn):
    """A turn that is told by words instead of events."""

    def __init__(self, paper: Paper) -> None:
        self.turn = RunningTurn()
        pack = small_pack()
        cast_of = Cast.of(pack)
        super().__init__(
            cast(Transcript, paper),
            self.turn,
            lambda turn, moments: turn_blocks(pack, cast_of, turn, moments),
        )

    def start(self, number: int, text: str) -> None:
        self.turn.apply(e.TurnStarted(turn=number, text=text))
        self.begin("one")

    def add_text(self, text: str, thought: str = "", replace: bool = False) -> None:
        who = self.turn.speaker
        token = e.CharacterToken(character=who, text=text) if who else None
        self.turn.apply(token or e.NarrationToken(text=text, reasoning=thought, replace=replace))
        self.draw_soon()

    def begin_reply(self, character: str, name: str) -> None:
        self.turn.apply(e.CharacterStarted(character=character, name=name))
        self.draw()

    def end_text(self, text: str) -> None:
        if who := self.turn.speaker:
            self.turn.apply(e.CharacterFinished(character=who, name=who, text=text))
        else:
            self.turn.apply(e.NarrationFinished(text=text, mood="calm", responding=(), present=()))
        self.draw()


@pytest.fixture
def telling(paper: Paper) -> Telling:
    telling = Telling(paper)
    telling.start(2, "I run.")
    return telling


def test_tokens_are_gathered(paper: Paper, telling: Telling) -> None:
    for token in "The lamp gutters . . .".split():
        telling.add_text(f"{token} ")
    assert paper.drawn == 0
    paper.tick()
    assert paper.drawn == 1
    assert paper.lines == ["I run.", f"The lamp gutters . . . {CURSOR}"]


def test_thoughts_are_shown_on_request_until_the_words_come(paper: Paper) -> None:
    for thoughts, shown in ((True, ["I run.", "The player runs."]), (False, ["I run."])):
        telling = Telling(paper)
        telling.show_thoughts = thoughts
        telling.start(2, "I run.")
        telling.add_text("", thought="The player runs.")
        paper.tick()
        assert paper.lines == shown
        assert telling.toggle_thoughts() is not thoughts
        assert paper.lines == ["I run.", "The player runs."][: 1 if thoughts else 2]
        telling.add_text("The lamp")
        paper.tick()
        assert paper.lines == ["I run.", f"The lamp{CURSOR}"]
        telling.end_text("The lamp gutters.")
        assert paper.lines == ["I run.", "The lamp gutters."]


def test_answers_follow_under_a_name(paper: Paper, telling: Telling) -> None:
    telling.end_text("The lamp gutters.")
    telling.begin_reply("bob", "Bob")
    telling.add_text("Wait")
    paper.tick()
    assert paper.lines[-2:] == ["BOB", f"Wait{CURSOR}"]
    telling.end_text("Wait!")
    telling.begin_reply("ann", "Ann Lee")
    telling.end_text("No.")
    assert paper.lines[-4:] == ["BOB", "Wait!", "ANN LEE", "No."]


def test_notes_wait_for_the_end_of_the_prose(paper: Paper, telling: Telling) -> None:
    telling.end_text("The lamp gutters.")
    telling.add_note("Bob stays silent this turn.")
    telling.begin_reply("ann", "Ann Lee")
    telling.end_text("No.")
    assert "Bob stays silent this turn." not in paper.lines
    telling.end()
    assert paper.lines[-1] == "Bob stays silent this turn."
    telling.add_note("The beats are not checked yet.")
    assert paper.lines[-1] == "The beats are not checked yet."


def test_a_note_that_the_saved_turn_holds_is_shown_once(paper: Paper, telling: Telling) -> None:
    telling.end_text("The lamp gutters.")
    telling.end()
    telling.add_note("Will be done next turn: beats.")
    telling.add_note("Bob stays silent this turn.")
    entry = Entry(role="narrator", text="The lamp is out.")
    telling.show_saved(
        Turn(number=2, chapter="one", entries=(entry,), notices=("Will be done next turn: beats.",)), ()
    )
    assert paper.lines == [
        "The lamp is out.",
        "Will be done next turn: beats.",
        "Bob stays silent this turn.",
    ]


def test_the_saved_turn_takes_the_place_of_the_told_one(paper: Paper, telling: Telling) -> None:
    telling.end_text("The lamp gutters.")
    telling.end()
    saved = Turn(number=2, chapter="one", entries=(Entry(role="narrator", text="The lamp is out."),))
    telling.show_saved(saved.model_copy(update={"number": 7}), ())
    assert paper.lines == ["I run.", "The lamp gutters."]
    telling.show_saved(saved, ())
    assert paper.lines == ["The lamp is out."]


def test_a_turn_that_did_not_happen_leaves_the_page(paper: Paper, telling: Telling) -> None:
    telling.add_text("The l")
    telling.discard()
    paper.tick()
    assert paper.turns == []
