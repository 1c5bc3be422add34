"""What the tree of branches says about the turn under the cursor: values in, visuals out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from textual.content import Content
from textual.visual import Visual

from theact_tui.saves.graph import Node
from theact_tui.story.game import Game
from theact_tui.story.memory import lines_of
from theact_tui.text import one_line
from theact_tui.tui.glance import Glance, Learned
from theact_tui.tui.screens.shelf import ago
from theact_tui.tui.typeset import Block, Cast, number_of, turn_blocks
from theact_tui.tui.visuals import Indented, Spread, Stack

SHOWN = 4
"""Lines of a kind before the rest is counted."""
ASIDE = 10
"""Cells of the column in which it says what a line is about."""

FIRST_LINE = """\
One line so far. To try another way, go to any turn and press n, or tell the last turn again in the story with F4: \
both ways are kept and drawn here."""
BEGINNING = "The beginning. Nothing had been told yet."


@dataclass(frozen=True, slots=True)
class Spot:
    """The turn under the cursor, as people call it."""

    node: Node
    turn: int
    branch: str
    """Title of the branch it lies on; empty for a take, or for turns that were undone."""
    is_here: bool
    word: str = "turn"
    """What a turn is called."""

    @property
    def name(self) -> str:
        """Such as `main, turn 12` or `turn 12, take 2`."""
        turn = f"{self.word} {self.turn}"
        if self.branch:
            return f"{one_line(self.branch, 40)}, {turn}"
        return f"{turn}, {self.kind}" if self.kind else turn

    @property
    def kind(self) -> str:
        """That it is a take, or was undone."""
        if self.node.is_undone:
            return "undone"
        is_take = self.node.take and self.node.turn == self.turn
        return f"take {self.node.take} of {self.node.takes}" if is_take else ""


def turn_page(game: Game, spot: Spot, now: datetime) -> Visual:
    """The turn itself: where it belongs, what was said and told."""
    number, turn = number_of(game.pack, game.state.chapter), game.last_turn
    chapter = one_line(f"{number} {game.chapter.title}", 40)
    first = " · ".join(bit for bit in (f"TURN {spot.turn}", spot.kind) if bit)
    head = Spread(Content.styled(first, ".strong"), Content.styled(chapter, ".quiet"))
    if turn is None or not spot.turn:
        return Stack(head, Content(""), Content.styled(BEGINNING, ".quiet"))
    bits = [one_line(spot.branch, 40), turn.mood]
    blocks = turn_blocks(game.pack, Cast.of(game.pack), turn, game.moments)
    return Stack(
        head,
        Spread(
            Content.styled(" · ".join(bit for bit in bits if bit), ".quiet"),
            Content.styled(ago(turn.at, now), ".quiet"),
        ),
        *block_rows(block for block in blocks if not block.centred),
    )


def block_rows(blocks: Iterable[Block]) -> list[Visual]:
    """Blocks of a turn below one another, with their marks."""
    rows: list[Visual] = []
    for block in blocks:
        rows += [Content("")] * block.space
        rows.append(Indented(Content.styled(f"{block.mark:<2}", block.mark_ink), block.text))
    return rows


def here_page(game: Game, branch: str, *, alone: bool) -> Visual:
    """What stands beside the turn at which one is."""
    cast, state = Cast.of(game.pack), game.state
    present = ", ".join(cast.name(id) for id in state.present) or "nobody"
    beats = f"{len(set(state.beats_hit) & set(game.chapter.beats))} of {len(game.chapter.beats)} beats"
    rows: list[Visual] = [Content.styled("YOU ARE HERE", ".accent"), Content("")]
    rows.append(about("branch", Content.styled(one_line(branch, 60), ".strong")))
    rows.append(about("chapter", Content(f"{one_line(game.chapter.title, 60)}, {beats}")))
    rows.append(about("here", Content(present)))
    rows += [Content("")]
    rows += [
        Spread(Content.assemble(_named(cast, id)), Content.styled(_remembers(game, id), ".quiet"))
        for id in cast.names
        if id in game.memories
    ]
    if alone:
        rows += [Content(""), Content.styled(FIRST_LINE, ".quiet")]
    return Stack(*rows)


def _named(cast: Cast, id: str) -> tuple[str, str]:
    return one_line(cast.name(id), 30), f".voice-{cast.voice(id)}"


def _remembers(game: Game, id: str) -> str:
    count = len(lines_of(game.memories[id]))
    return f"remembers {count} thing{'' if count == 1 else 's'}" if count else "remembers nothing yet"


def against_page(game: Game, seen: Glance, now: str) -> Visual:
    """How the story there differs from the one being played, which is called `now`."""
    cast = Cast.of(game.pack)
    rows: list[Visual] = [
        Spread(Content.styled("AGAINST", ".strong"), Content.styled(one_line(now, 40), ".quiet")),
        Content.styled(distance(seen.turns), ".quiet"),
        Content(""),
    ]
    chapter = one_line(game.chapter.title, 60)
    rows.append(about("chapter", Content(chapter if seen.chapter else f"{chapter} (the same)")))
    if seen.is_empty:
        return Stack(*rows, Content(""), Content.styled("Nobody knows more or less than now.", ".quiet"))
    rows += _group("beats", *seen.beats)
    rows += _group("here", *(tuple(map(cast.name, ids)) for ids in seen.present))
    rows += _group("moments", *seen.moments)
    for learned in seen.memories:
        rows += _learned(_named(cast, learned.id), learned)
    return Stack(*rows)


def distance(turns: int, word: str = "turn") -> str:
    """How much longer or shorter the way there is."""
    if not turns:
        return f"as many {word}s"
    return f"{abs(turns)} {word}{'' if abs(turns) == 1 else 's'} {'more' if turns > 0 else 'less'}"


def _group(name: str, more: tuple[str, ...], less: tuple[str, ...]) -> list[Visual]:
    if not (more or less):
        return []
    lines = [*marked("+", ".good", more), *marked("−", ".bad", less)]
    return [about(name, lines[0]), *(about("", line) for line in lines[1:])]


def _learned(name: tuple[str, str], learned: Learned) -> list[Visual]:
    lines = [
        *marked("+", ".good", learned.more),
        *marked("−", ".bad", learned.less),
        *marked("~", ".warn", learned.changed),
    ]
    return [
        Content(""),
        Content.assemble(name, (f"  {learned.sentence}", ".quiet")),
        *lines,
    ]


def marked(mark: str, ink: str, texts: tuple[str, ...]) -> list[Visual]:
    """Lines of one kind with their mark; beyond `SHOWN` the rest is counted."""
    rows: list[Visual] = [
        Indented(Content.styled(f"{mark} ", ink), Content(one_line(text, 160))) for text in texts[:SHOWN]
    ]
    if len(texts) > SHOWN:
        rows.append(Content.styled(f"  and {len(texts) - SHOWN} more", ".quiet"))
    return rows


def about(name: str, text: Visual) -> Visual:
    """A row with its subject in a column of its own."""
    return Indented(Content.styled(f"{one_line(name, ASIDE - 1):<{ASIDE}}", ".quiet"), text)
