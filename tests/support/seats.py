"""A person at a seat, who knows the story through the files of the seat alone, as their program does."""

from pathlib import Path

from tests.support.waiting import until
from theact_tui.engine.seat_files import SeatFiles, find_seat
from theact_tui.story.seat import Asked, SeatAnswer, SeatView

LOOK_SECONDS = 0.005


class Friend:
    def __init__(self, home: Path, character: str, *, save: str = "test", name: str = "Anna") -> None:
        self.files: SeatFiles = find_seat(home / "seats", save, character)
        self.name = name
        self.files.sit_down(name)

    @property
    def view(self) -> SeatView:
        view = self.files.view()
        assert view is not None
        return view

    @property
    def page(self) -> list[str]:
        """All texts that are drawn, oldest first."""
        turns = (*self.view.turns, self.view.now)
        return [
            text for turn in turns for text in (turn.gap, *(entry.text for entry in turn.entries)) if text
        ]

    async def shows(self, *texts: str) -> None:
        """Wait until the page is made of these texts."""
        await until(lambda: self.page == [*texts], LOOK_SECONDS)

    async def asked(self, but: str = "") -> Asked:
        """Wait for a question other than `but`."""
        await until(lambda: (now := self.view.asked) and now.id != but, LOOK_SECONDS)
        assert self.view.asked
        return self.view.asked

    def say(self, text: str, question: str) -> None:
        self.files.send(SeatAnswer(name=self.name, question=question, text=text))

    async def answer(self, text: str) -> None:
        self.say(text, (await self.asked()).id)

    def leave(self) -> None:
        self.files.release()
