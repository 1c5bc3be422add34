"""Seats of an open story: characters that are played by persons at other terminals of this computer."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from theact_tui.engine.agent_runner import Person
from theact_tui.engine.base_session import MOVES
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import Event, TurnCancelled, TurnFailed, TurnSaved, TurnSpoken
from theact_tui.engine.seat_files import GIVEN, TAKEN, SeatFiles
from theact_tui.engine.seat_view import seat_view
from theact_tui.errors import SaveError, UsageError
from theact_tui.parsing.speakers import Speakers
from theact_tui.parsing.unwrap import ANY_TOKEN
from theact_tui.paths import Home, quoted_argument
from theact_tui.story.game import Game
from theact_tui.story.seat import Asked, SeatAnswer
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.typed import LINE_LIMIT
from theact_tui.story.views import Viewpoint
from theact_tui.text import clean, one_line

USUAL_SECONDS, LONGEST_SECONDS = 90, 3_600
"""That a person is waited for."""
ANSWER_POLL_SECONDS = 0.1


def seats_folder(save: Path) -> Path:
    return Home.find(save.parents[1]).seats / save.name


def checked_words(text: str, character: str, names: Mapping[str, str]) -> str:
    """Clean a person's words, and change nothing else. Raises `UsageError` for words that cannot stand as they are."""
    text = clean(text).strip()
    if not text:
        raise UsageError("Nothing was written.")
    if len(text) > LINE_LIMIT:
        raise UsageError(f"Too long: {len(text):,} characters; the limit is {LINE_LIMIT:,}.")
    if token := ANY_TOKEN.search(text):
        raise UsageError(
            f"“{one_line(token[0], 40)}” is a sign between program and model, and cannot stand in a story."
        )
    labels = Speakers.of(character, names, "").others
    if labels and (label := re.search(rf"^[ \t>#*-]*({labels.pattern})", text, re.I | re.M)):
        raise UsageError(
            f"A line begins with “{one_line(label[1], 40)}”: write only what is yours to say and do."
        )
    return text


@dataclass(eq=False)
class Seat:
    """One seat; answers the calls of its character while a person sits there."""

    character: str
    seconds: int
    files: SeatFiles
    draw: Callable[[Seat], Awaitable[None]]
    draft: Callable[[Viewpoint], str]
    point: Viewpoint | None = None
    """The character's view of the running turn, once the person was asked in it."""
    asked: Asked | None = None
    taken: str = ""
    is_passed: bool = False

    @property
    def name(self) -> str:
        answer = self.files.answer() if self.files.is_held(TAKEN) else None
        return one_line(answer.name, 40) if answer else ""

    async def answer(self, view: Viewpoint) -> str | None:
        """Return the person's words; None if they leave, let the time pass, or the hero does not wait any longer."""
        self.point, self.is_passed = view, False
        self.asked = Asked(id=uuid4().hex, seconds=self.seconds, draft=self.draft(view))
        await self.draw(self)
        loop = asyncio.get_running_loop()
        ends = loop.time() + self.seconds
        try:
            while loop.time() < ends and not self.is_passed and self.files.is_held(TAKEN):
                answer = self.files.answer()
                if answer and answer.question == self.asked.id:
                    words = await self._taken(answer, view, round(ends - loop.time()))
                    if words:
                        return words
                await asyncio.sleep(ANSWER_POLL_SECONDS)
            return None
        finally:
            self.asked = None
            await self.draw(self)

    async def _taken(self, answer: SeatAnswer, view: Viewpoint, seconds: int) -> str:
        names = {**view.story.names, "player": view.story.player.name, "narrator": "Narrator"}
        try:
            words = checked_words(answer.text, self.character, names)
        except UsageError as error:
            self.asked = Asked(id=uuid4().hex, seconds=seconds, refused=error.message)
            await self.draw(self)
            return ""
        own = Entry(role="character", text=words, character=self.character)
        if view.now:
            self.point = replace(view, now=replace(view.now, entries=(*view.now.entries, own)))
        self.taken = answer.question
        return words


class Seats:
    def __init__(
        self,
        folder: Path,
        bus: Bus,
        people: dict[str, Person],
        newest: Callable[[], Game],
        turns: Callable[[int, int], Awaitable[tuple[Turn, ...]]],
    ) -> None:
        """`people` are asked by the story's calls. `newest`: the game, perhaps with a turn that is not saved; `turns`
        reads saved ones.
        """
        self._folder, self._bus, self._people = folder, bus, people
        self._newest, self._read_turns = newest, turns
        self._given: dict[str, Seat] = {}
        self._turns: dict[int, Turn] = {}
        """Read already."""
        self._is_stale = True
        """They may belong to another branch or take, or lack some."""
        self._lock = asyncio.Lock()
        self._changed = asyncio.Event()
        self._drawing: asyncio.Task[None] | None = None
        self._unheed: Callable[[], None] = lambda: None

    @property
    def given(self) -> tuple[Seat, ...]:
        return tuple(self._given.values())

    async def give(self, character: str, seconds: int = USUAL_SECONDS) -> str:
        """Give a character to whoever sits down; return the command for that. Raises `UsageError`."""
        if (seat := self._given.get(character)) is None:
            files = SeatFiles(self._folder / character)
            if not files.hold(GIVEN):
                raise UsageError("Another program gives this seat.")
            seat = Seat(character, seconds, files, self._draw, self._draft)
            self._given[character] = self._people[f"character:{character}"] = seat
            self._is_stale = True  # nothing was read while no seat was given
        seat.seconds = seconds
        if self._drawing is None:
            self._unheed = self._bus.listen(self._heed)
            self._drawing = asyncio.create_task(self._keep_drawn())
        await self._draw(seat)
        home = self._folder.parents[1]
        place = "" if home == Home.find(env={}).data else f" --home {quoted_argument(home)}"
        return f"theact-tui sit {self._folder.name} {character} --name NAME{place}"

    def take_back(self, character: str) -> bool:
        """Let the model play a character again; False if it did."""
        if (seat := self._given.pop(character, None)) is None:
            return False
        del self._people[f"character:{character}"]
        seat.is_passed = True
        seat.files.release()
        return True

    def pass_on(self) -> bool:
        """Let the model answer for the person who is asked; False if nobody is."""
        asked = [seat for seat in self.given if seat.asked]
        for seat in asked:
            seat.is_passed = True
        return bool(asked)

    async def close(self) -> None:
        self._unheed()
        if self._drawing:
            self._drawing.cancel()
            await asyncio.wait([self._drawing])
        for character in tuple(self._given):
            self.take_back(character)

    def _heed(self, event: Event) -> None:
        if not isinstance(event, (TurnSpoken, TurnCancelled, TurnFailed, *MOVES)):
            return
        for seat in self.given:
            if not seat.asked:
                seat.point = None
        if isinstance(event, MOVES) and not isinstance(event, TurnSaved):
            self._is_stale = True
        self._changed.set()

    async def _keep_drawn(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            for seat in self.given:
                await self._draw(seat)

    async def _draw(self, seat: Seat) -> None:
        """Write what the person at a seat is shown. Where that fails, the person is shown what they were."""
        async with self._lock:
            game = self._newest()
            try:
                if self._is_stale:
                    self._is_stale = False  # before reading: what moves meanwhile is read once more
                    read = await self._read_turns(1, game.state.turn) if game.state.turn else ()
                    self._turns = {turn.number: turn for turn in read}
                self._turns |= game.turns
                turns = {n: turn for n, turn in self._turns.items() if n <= game.state.turn}
                view = seat_view(game, seat.character, turns, seat.point)
                view = view.model_copy(update={"asked": seat.asked, "taken": seat.taken})
                if seat in self.given:
                    await asyncio.to_thread(seat.files.show, view)
            except (OSError, SaveError) as error:
                self._bus.warn(f"The seat of {game.pack.name_of(seat.character)} could not be shown: {error}")

    def _draft(self, view: Viewpoint) -> str:
        """Return what the person said in the take that is told again."""
        last = self._newest().last_turn
        again = last.replies if last and view.now and last.number == view.now.number else ()
        return next((reply.text for reply in again if reply.by and reply.character == view.id), "")
