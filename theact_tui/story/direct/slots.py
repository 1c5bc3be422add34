"""The seven places an agent can have. Number, colour and default name belong together and never change (D1)."""

from __future__ import annotations

from dataclasses import dataclass

from theact_tui.story.direct.limits import AGENTS_MAX


@dataclass(frozen=True, slots=True)
class Slot:
    """One place: its number from 1, its colour and the name an unnamed agent has there."""

    number: int
    color: str

    @property
    def default_name(self) -> str:
        return f"Agent {self.color.capitalize()}"


SLOTS: tuple[Slot, ...] = tuple(
    Slot(number, color)
    for number, color in enumerate(("red", "orange", "yellow", "green", "blue", "indigo", "violet"), start=1)
)


def slot(number: int) -> Slot:
    """The slot with this number, 1 to 7."""
    return SLOTS[number - 1]


def roster(count: int) -> tuple[int, ...]:
    """The slot numbers in use with so many agents: always the first ones, in order."""
    return tuple(range(1, min(max(count, 1), AGENTS_MAX) + 1))


def following(slots: tuple[int, ...], current: int) -> int:
    """The slot whose turn comes after `current`; after the last comes the first."""
    later = [number for number in slots if number > current]
    return later[0] if later else slots[0]
