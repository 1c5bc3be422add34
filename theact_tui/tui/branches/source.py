"""What the screens of branches ask a story that is played, or a chapter that is directed; and how they word the answer."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from textual.content import Content
from textual.visual import Visual

from theact_tui.engine.base_session import BaseSession
from theact_tui.saves.graph import Node
from theact_tui.text import one_line
from theact_tui.tui.branches.layout import BranchLayout, Cursor
from theact_tui.tui.visuals import Indented, SplitLine, Stack

SHOWN = 4
"""Lines of a kind before the rest is counted."""
ASIDE = 10
"""Cells of the column in which it says what a line is about."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A turn of the tree, as people call it."""

    node: Node
    turn: int
    branch: str
    """Title of the branch it lies on; empty for a take, or for turns that were undone."""
    word: str = "turn"
    """What a turn is called."""

    @property
    def name(self) -> str:
        """Such as `main, turn 12` or `turn 12, take 2`."""
        turn = f"{self.word} {self.turn}"
        if self.branch:
            return f"{one_line(self.branch, 40)}, {turn}"
        return f"{turn}, {self.kind}"

    @property
    def kind(self) -> str:
        """That it is a take, was undone, or led only to takes; empty for the turns of branches."""
        if self.node.is_undone:
            return "undone"
        if self.node.take and self.node.turn == self.turn:
            return f"take {self.node.take} of {self.node.takes}"
        return "" if self.branch else "on no branch"

    @property
    def place(self) -> str:
        """What the save calls it."""
        return f"{self.node.tip}@{self.turn}"

    def head(self, right: str) -> Visual:
        """The line above the turn."""
        title = " · ".join(bit for bit in (f"{self.word} {self.turn}".upper(), self.kind) if bit)
        return SplitLine(Content.styled(title, ".strong"), Content.styled(one_line(right, 40), ".quiet"))


class BranchSource(ABC):
    """Something open whose branches can be shown, gone to and compared."""

    session: BaseSession[Any]
    word: str
    """What a turn is called."""
    whole: str
    """What all of it is called."""
    same: str
    """What is said of two places that do not differ."""

    @property
    def title(self) -> str:
        """What the story or chapter is called."""
        return str(self.session.game.info.title)

    async def state_at(self, layout: BranchLayout, place: Cursor) -> Any:
        """The story or chapter as it is at a place."""
        return await self.session.run(self.session.save.state_at, place.turn, layout.node(place).tip)

    @abstractmethod
    def turn_page(self, there: Any, spot: Spot) -> Visual:
        """What the turn of `there` holds."""

    @abstractmethod
    def here(self) -> Sequence[Visual]:
        """What there is to say of where one stands."""

    @abstractmethod
    def against(self, there: Any) -> Sequence[Visual]:
        """How `there` differs from where one stands."""

    @abstractmethod
    def whereabouts(self, side: Any) -> str:
        """What stands under the name of one of the two."""

    @abstractmethod
    def aspects(self, found: Any) -> Iterable[tuple[Content, Sequence[Visual], Sequence[Visual]]]:
        """The kinds of things in which the two differ: a title, and what only the one and only the other has."""

    @abstractmethod
    def told(self, turn: Any) -> Visual:
        """A turn of one of the two."""

    @property
    def beginning(self) -> Visual:
        """What stands in place of a turn before the first."""
        return Stack(Content(""), Content.styled(f"The start of the {self.whole}.", ".quiet"))

    @property
    def ended(self) -> Visual:
        """What stands in place of a turn that only the other one has."""
        return Content.styled(f"This version ends before this {self.word}.", ".quiet")


def marked_lines(mark: str, ink: str, texts: Iterable[str], length: int = 600) -> list[Visual]:
    """Lines of one kind with their mark, of at most `length` characters."""
    return [Indented(Content.styled(f"{mark} ", ink), Content(one_line(text, length))) for text in texts]


def first_lines(mark: str, ink: str, texts: Sequence[str]) -> list[Visual]:
    """Lines of one kind with their mark; beyond `SHOWN` the rest is counted."""
    rows = marked_lines(mark, ink, texts[:SHOWN], 160)
    if len(texts) > SHOWN:
        rows.append(Content.styled(f"  and {len(texts) - SHOWN} more", ".quiet"))
    return rows


def more_and_less(more: Sequence[str], less: Sequence[str]) -> list[Visual]:
    """The first lines that are only there, and only here."""
    return [*first_lines("+", ".good", more), *first_lines("−", ".bad", less)]


def about(name: str, text: Visual) -> Visual:
    """A row with its subject in a column of its own."""
    return Indented(Content.styled(f"{one_line(name, ASIDE - 1):<{ASIDE}}", ".quiet"), text)
