"""Data and words for the branch screens, from a story or a directed chapter."""

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
"""Lines of a kind that are shown; the rest is counted."""
ASIDE = 10


@dataclass(frozen=True, slots=True)
class Spot:
    """Turn of the tree, as shown to people."""

    node: Node
    turn: int
    branch: str
    """Title of its branch; empty for a take or undone turns."""
    word: str = "turn"
    """"turn" or "prompt"."""

    @property
    def name(self) -> str:
        """Such as `main, turn 12` or `turn 12, take 2`."""
        turn = f"{self.word} {self.turn}"
        if self.branch:
            return f"{one_line(self.branch, 40)}, {turn}"
        return f"{turn}, {self.kind}"

    @property
    def kind(self) -> str:
        """Label for a take or undone turns; empty for turns of branches."""
        if self.node.is_undone:
            return "undone"
        if self.node.take and self.node.turn == self.turn:
            return f"take {self.node.take} of {self.node.takes}"
        return "" if self.branch else "on no branch"

    @property
    def place(self) -> str:
        """Position as the save names it."""
        return f"{self.node.tip}@{self.turn}"

    def head(self, right: str) -> Visual:
        title = " · ".join(bit for bit in (f"{self.word} {self.turn}".upper(), self.kind) if bit)
        return SplitLine(Content.styled(title, ".strong"), Content.styled(one_line(right, 40), ".quiet"))


class BranchSource(ABC):
    """Open story or chapter with branches to show, switch and compare."""

    session: BaseSession[Any]
    word: str
    whole: str
    same: str
    """Sentence for two equal positions."""

    @property
    def title(self) -> str:
        return str(self.session.game.info.title)

    async def state_at(self, layout: BranchLayout, place: Cursor) -> Any:
        """Read the story or chapter at a position."""
        return await self.session.run(self.session.save.state_at, place.turn, layout.node(place).tip)

    @abstractmethod
    def turn_page(self, state: Any, spot: Spot) -> Visual:
        """Show a turn of the tree."""

    @abstractmethod
    def here(self) -> Sequence[Visual]: ...

    @abstractmethod
    def against(self, state: Any) -> Sequence[Visual]:
        """Describe how `there` differs from the current position."""

    @abstractmethod
    def whereabouts(self, side: Any) -> str:
        """Line under the name of one side."""

    @abstractmethod
    def aspects(self, comparison: Any) -> Iterable[tuple[Content, Sequence[Visual], Sequence[Visual]]]:
        """Yield each aspect with differences: title, items only on the first side, items only on the second."""

    @abstractmethod
    def told(self, turn: Any) -> Visual: ...

    @property
    def beginning(self) -> Visual:
        """Placeholder before the first turn."""
        return Stack(Content(""), Content.styled(f"The start of the {self.whole}.", ".quiet"))

    @property
    def ended(self) -> Visual:
        """Placeholder for a turn that only the other side has."""
        return Content.styled(f"This version ends before this {self.word}.", ".quiet")


def marked_lines(mark: str, ink: str, texts: Iterable[str], length: int = 600) -> list[Visual]:
    """Lines with their mark, each of at most `length` characters."""
    return [Indented(Content.styled(f"{mark} ", ink), Content(one_line(text, length))) for text in texts]


def first_lines(mark: str, ink: str, texts: Sequence[str]) -> list[Visual]:
    """Lines with their mark; beyond `SHOWN` the rest is counted."""
    rows = marked_lines(mark, ink, texts[:SHOWN], 160)
    if len(texts) > SHOWN:
        rows.append(Content.styled(f"  and {len(texts) - SHOWN} more", ".quiet"))
    return rows


def more_and_less(more: Sequence[str], less: Sequence[str]) -> list[Visual]:
    """First lines that exist only there, and only here."""
    return [*first_lines("+", ".good", more), *first_lines("−", ".bad", less)]


def about(name: str, text: Visual) -> Visual:
    """Row with its label in a column of its own."""
    return Indented(Content.styled(f"{one_line(name, ASIDE - 1):<{ASIDE}}", ".quiet"), text)
