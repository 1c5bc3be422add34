"""The window of a friend at a seat: a page and a box, driven through the files that the hero's program writes and reads."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tests.support.fake_model import Scripted, narration
from tests.support.hostile_text import NASTY, drawn, nasty
from tests.support.pictures import SMALL, USUAL, Picture, sizes
from tests.support.pilot import Hands, playing, until
from tests.support.said import plain, text_of
from theact_tui.engine.seat_files import GIVEN, TAKEN, SeatFiles
from theact_tui.paths import Home
from theact_tui.story.seat import Asked, SeatAnswer, SeatTurn, SeatView
from theact_tui.story.turn import Entry
from theact_tui.tui.seat import screen as seat_screen
from theact_tui.tui.seat.screen import GONE, NOT_ASKED, TOO_LATE, SeatScreen
from theact_tui.tui.seat_app import SeatApp

FIRST = SeatTurn(
    entries=(
        Entry(role="player", text="I look at the lamp."),
        Entry(role="narrator", text="The lamp gutters. Somebody has left a wet rope on the stair."),
        Entry(role="character", text="“Mine stay dry,” I say.", character="bob"),
    )
)
NOW = SeatTurn(
    gap="(Ann Lee did not catch what passed between Alex and Bob.)",
    entries=(Entry(role="narrator", text="Bob nods, and takes the lamp from its hook."),),
)
VIEW = SeatView(
    story="The Salt Stair",
    chapter="The Landing",
    character="ann",
    names={"ann": "Ann Lee", "bob": "Bob"},
    places={"ann": 0, "bob": 1},
    hero="Alex",
    is_there=True,
    here=("bob",),
    card="Keeper of the light. Dry, exact, counts what she sees",
    secret="She burned the log of the last winter.",
    want="To have the stair closed before the tide.",
    thinks=("Bob: Loud, and honest.",),
    remembers=("The stair was dry once.",),
    turns=(FIRST,),
)
ASKED = Asked(id="1", seconds=90)


class Hero:
    """What the hero's program does with the files."""

    def __init__(self, home: Path) -> None:
        self.files = SeatFiles(home / "seats/test/ann")
        assert self.files.hold(GIVEN)

    def show(self, **changes: Any) -> None:
        self.files.show(VIEW.model_copy(update=changes))

    @property
    def answer(self) -> SeatAnswer:
        answer = self.files.answer()
        assert answer
        return answer


def seat_app(home: Path) -> SeatApp:
    files = SeatFiles(home / "seats/test/ann")
    files.sit_down("Anna")
    return SeatApp(Home.find(home).create(), files, "Anna")


@pytest.fixture(autouse=True)
def clock_that_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat_screen, "monotonic", lambda: 0.0)
    monkeypatch.setattr(seat_screen, "VIEW_POLL_SECONDS", 3_600)  # it looks when the test says so


@pytest.fixture
def hero(tmp_path: Path) -> Hero:
    hero = Hero(tmp_path)
    hero.show()
    return hero


class Friend(Hands[SeatScreen]):
    kind = SeatScreen

    @property
    def page(self) -> str:
        return "\n\n".join(text_of(turn) for turn in self.screen.transcript.window.turns)

    @property
    def hint(self) -> str:
        return self.screen.status.hint

    async def sees(self, state: Callable[[], bool], what: str = "the state") -> None:
        """Let her window look at its files until `state` holds."""

        def looked() -> bool:
            self.screen.look()
            return state()

        await until(self.pilot, looked, what)

    async def until(self, hint: str) -> None:
        await self.sees(lambda: hint in self.hint, hint)

    async def asked(self) -> None:
        await self.sees(lambda: self.screen.prompt.display, "the box")


@pytest.fixture
async def friend(hero: Hero, tmp_path: Path) -> AsyncIterator[Friend]:
    """Somebody who sits at the seat."""
    async with seat_app(tmp_path).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        yield Friend(pilot)


async def test_the_box_opens_when_she_is_asked_and_closes_when_her_words_are_taken(
    hero: Hero, friend: Friend
) -> None:
    await friend.until(NOT_ASKED)
    assert "ALEX" in friend.page and "BOB" in friend.page and not friend.screen.prompt.display
    hero.show(now=NOW, asked=ASKED)
    await friend.asked()
    assert "takes the lamp" in friend.page and "did not catch what passed" in friend.page
    await friend.until("Alex waits for you: 90 s")
    await friend.type("I nod.", "enter")
    await friend.sees(lambda: hero.answer.text == "I nod.")
    assert (hero.answer.name, hero.answer.question) == ("Anna", "1")
    assert friend.screen.prompt.text == "I nod."
    hero.show(now=NOW, taken="1")
    await friend.sees(lambda: not friend.screen.prompt.display)
    assert friend.screen.prompt.text == ""
    await friend.until(NOT_ASKED)


async def test_refused_words_stay_in_the_box_with_the_reason_and_too_much_is_not_sent(
    hero: Hero, friend: Friend
) -> None:
    hero.show(asked=ASKED)
    await friend.asked()
    friend.screen.prompt.write("a" * 60_000)
    await friend.press("enter")
    await until(friend.pilot, lambda: "60,000 characters" in friend.screen.status.warning)
    assert hero.answer.question == ""
    friend.screen.prompt.write("")
    await friend.type("Bob: I nod.", "enter")
    await friend.sees(lambda: hero.answer.question == "1")
    hero.show(asked=Asked(id="2", seconds=80, refused="A line begins with “Bob:”."))
    await friend.sees(lambda: "begins with" in friend.screen.status.warning)
    assert friend.screen.prompt.text == "Bob: I nod."
    await friend.type(" So.", "enter")
    await friend.sees(lambda: hero.answer.question == "2")


async def test_former_words_come_as_a_draft_and_what_came_too_late_stays_for_the_next_time(
    hero: Hero, friend: Friend
) -> None:
    hero.show(asked=Asked(id="1", seconds=90, draft="I no"))
    await friend.asked()
    assert friend.screen.prompt.text == "I no"
    await friend.type("d")
    hero.show()
    await friend.until(TOO_LATE)
    hero.show(asked=Asked(id="2", seconds=90, draft="other words"))
    await friend.asked()
    assert friend.screen.prompt.text == "I nod"


async def test_who_is_left_alone_goes_on_when_the_seat_is_given_again_and_leaving_gives_it_back(
    hero: Hero, friend: Friend, tmp_path: Path
) -> None:
    hero.show(asked=ASKED)
    await friend.asked()
    await friend.type("I no")
    hero.files.release()
    await friend.until(GONE)
    assert not friend.screen.prompt.display
    again = Hero(tmp_path)
    await friend.until(NOT_ASKED)
    again.show(asked=ASKED)
    await friend.asked()
    await friend.type("d.", "enter")
    await friend.sees(lambda: again.answer.text == "I nod.")
    assert again.files.is_held(TAKEN)
    await friend.press("ctrl+q")
    await friend.sees(lambda: not again.files.is_held(TAKEN))


async def test_a_long_page_is_loaded_as_she_reads_back(hero: Hero, friend: Friend) -> None:
    turns = tuple(
        SeatTurn(entries=(Entry(role="narrator", text=f"Page {n} of many. " + "The tide turns. " * 20),))
        for n in range(80)
    )
    hero.show(turns=turns)
    await friend.sees(lambda: "Page 79" in friend.page)
    assert "Page 3 " not in friend.page
    for _ in range(30):
        await friend.press("home")
        await friend.pilot.pause()
    await friend.sees(lambda: "Page 3 " in friend.page)


async def test_a_turn_that_grows_is_read_on_where_it_is_read(hero: Hero, friend: Friend) -> None:
    long = Entry(role="narrator", text="The tide turns, and turns again. " * 80)
    reply = Entry(role="character", text="“Mine stay dry,” I say.", character="bob")
    hero.show(now=SeatTurn(entries=(long,)), asked=ASKED)
    await friend.asked()
    await friend.press("enter")
    await until(friend.pilot, lambda: friend.screen.transcript.scroll_offset.y > 0)
    place = friend.screen.transcript.place
    hero.show(turns=(FIRST, SeatTurn(entries=(long, reply))))
    await friend.sees(lambda: not friend.screen.prompt.display)
    assert friend.screen.transcript.place == place and "BOB" in friend.page
    await until(friend.pilot, lambda: friend.screen.status.more)
    await friend.press("enter")
    await until(friend.pilot, lambda: friend.screen.transcript.place != place)


@pytest.mark.painted
async def test_hostile_words_are_words(hero: Hero, friend: Friend) -> None:
    turn = SeatTurn(gap=NASTY, entries=tuple(Entry(role=role, text=NASTY) for role in ("player", "narrator")))
    hero.show(
        story=nasty("t"), chapter=NASTY, hero=nasty("Alex"), names={"ann": nasty("Ann"), "bob": NASTY}, card=NASTY,
        secret=NASTY, want=NASTY, thinks=(NASTY,), remembers=(NASTY,), turns=(turn,),
        asked=Asked(id="1", seconds=3, draft=nasty("d"), refused=NASTY),
    )  # fmt: skip
    await friend.asked()
    drawn(friend.pilot.app)
    await friend.press("f8")
    await until(friend.pilot, lambda: "YOUR SECRET" in drawn(friend.pilot.app))
    assert plain(friend.screen.query_one("#self").visual)  # type: ignore[attr-defined]


async def asked(pilot: Pilot[None]) -> None:
    friend = Friend(pilot)
    await friend.asked()
    friend.screen.prompt.writing.cursor_blink = False
    await friend.until("Alex waits for you: 90 s")
    await friend.type("“Leave it, Bob,” I say. ")


@sizes(SMALL, USUAL)
def test_a_seat_looks_so(picture: Picture, tmp_path: Path, hero: Hero) -> None:
    hero.show(now=NOW, asked=ASKED)
    picture(asked, seat_app(tmp_path))


@sizes(SMALL)
def test_the_character_of_a_seat_looks_so(picture: Picture, tmp_path: Path, hero: Hero) -> None:
    async def panel(pilot: Pilot[None]) -> None:
        await Friend(pilot).until(NOT_ASKED)
        await Friend(pilot).press("f8")

    picture(panel, seat_app(tmp_path))


async def test_esc_at_the_hero_window_lets_the_model_answer(tmp_path: Path, model: Scripted) -> None:
    async with playing(tmp_path, model=model) as player:
        session = player.session
        await session.seats.give("ann")
        files = SeatFiles(tmp_path / "seats" / session.folder.name / "ann")
        files.sit_down("Anna")
        model.answers["narrator"] = narration("The bell rings.", "ann")
        await player.send("I listen.")
        await until(player.pilot, lambda: "Ann Lee (Anna) is writing; esc" in player.status.doing)
        await player.press("escape")
        await player.turn(2)
        assert [entry.by for entry in session.game.turns[2].replies] == [""]
        await player.send("I listen on.")
        await until(player.pilot, lambda: bool((view := files.view()) and view.asked))
        view = files.view()
        assert view and view.asked
        files.send(SeatAnswer(name="Anna", question=view.asked.id, text="“Still.”"))
        await player.turn(3)
        assert "ANN LEE · ANNA" in player.page and "“Still.”" in player.page
