"""The lower half of the tree of branches: the turn under the cursor, and beside it how the story there differs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.saves.compare import MemoryDifference, only_in
from theact_tui.saves.graph import Node
from theact_tui.story.game import Game
from theact_tui.story.memory import lines_of
from theact_tui.text import counted, one_line
from theact_tui.tui.blocks import Cast, block_rows, number_of, turn_blocks
from theact_tui.tui.visuals import Indented, SplitLine, Stack, ago


class TurnPreview(Horizontal):
    """Two pages side by side; both scroll together."""

    def compose(self) -> ComposeResult:
        with VerticalScroll(id="turn", can_focus=False):
            yield Static(id="told")
        with VerticalScroll(id="against", can_focus=False):
            yield Static(id="glance")

    def show(self, told: Visual, beside: Visual) -> None:
        """Show two other pages from their beginning."""
        self.query_one("#told", Static).update(told)
        self.query_one("#glance", Static).update(beside)
        for pane in self.query(VerticalScroll):
            pane.scroll_home(animate=False)

    def page(self, pages: int) -> None:
        """Scroll on by so many pages."""
        for pane in self.query(VerticalScroll):
            pane.scroll_relative(y=pages * max(1, pane.size.height - 2), animate=False)


SHOWN = 4
"""Lines of a kind before the rest is counted."""
ASIDE = 10
"""Cells of the column in which it says what a line is about."""

FIRST_LINE = """\
No branches yet. To create one, go to any turn and press n, or retry the last turn of the story with F4. \
Both versions are kept and shown here."""
BEGINNING = "The start of the story."


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
    head = SplitLine(Content.styled(first, ".strong"), Content.styled(chapter, ".quiet"))
    if turn is None or not spot.turn:
        return Stack(head, Content(""), Content.styled(BEGINNING, ".quiet"))
    bits = [one_line(spot.branch, 40), turn.mood]
    blocks = turn_blocks(game.pack, Cast.of(game.pack), turn, game.moments)
    return Stack(
        head,
        SplitLine(
            Content.styled(" · ".join(bit for bit in bits if bit), ".quiet"),
            Content.styled(ago(turn.at, now), ".quiet"),
        ),
        *block_rows(block for block in blocks if not block.centred),
    )


def here_page(game: Game, branch: str, *, alone: bool) -> Visual:
    """What stands beside the turn at which one is."""
    cast, state = Cast.of(game.pack), game.state
    present = ", ".join(cast.name(id) for id in state.present) or "nobody"
    beats = f"{len(set(state.beats_hit) & set(game.chapter.beats))} of {len(game.chapter.beats)} beats"
    rows: list[Visual] = [Content.styled("YOU ARE HERE", ".accent"), Content("")]
    rows.append(about("branch", Content.styled(one_line(branch, 60), ".strong")))
    chapter = one_line(game.chapter.title, 60)
    rows.append(about("chapter", Content(f"{chapter}, {beats}" if game.chapter.beats else chapter)))
    rows.append(about("here", Content(present)))
    rows += [Content("")]
    rows += [
        SplitLine(Content.assemble(_named(cast, id)), Content.styled(_remembers(game, id), ".quiet"))
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
    return f"remembers {counted(count, 'thing')}" if count else "no memories yet"


def against_page(there: Game, now: Game, name: str) -> Visual:
    """How the story there differs from the one being played, which is called `name`."""
    cast, more, less = Cast.of(there.pack), only_in(there, now), only_in(now, there)
    rows: list[Visual] = [
        SplitLine(Content.styled("AGAINST", ".strong"), Content.styled(one_line(name, 40), ".quiet")),
        Content.styled(distance(more.turn - less.turn), ".quiet"),
        Content(""),
    ]
    same, chapter = more.chapter == less.chapter, one_line(there.chapter.title, 60)
    rows.append(about("chapter", Content(f"{chapter} (the same)" if same else chapter)))
    groups = [
        *(_group("beats", more.beats, less.beats) if same else []),
        *_group("here", *(tuple(map(cast.name, side.present)) for side in (more, less))),
        *_group("moments", *(tuple(moment.summary for moment in side.moments) for side in (more, less))),
    ]
    for id in now.pack.characters:
        if id in more.characters or id in less.characters:
            groups += _memory_rows(_named(cast, id), more.characters.get(id), less.characters.get(id))
    if same and not groups:
        rows += [Content(""), Content.styled("Nobody's memories differ from now.", ".quiet")]
    return Stack(*rows, *groups)


def distance(turns: int, word: str = "turn") -> str:
    """How much longer or shorter the way there is."""
    if not turns:
        return f"same number of {word}s"
    return f"{counted(abs(turns), word)} {'more' if turns > 0 else 'fewer'}"


def _group(name: str, more: tuple[str, ...], less: tuple[str, ...]) -> list[Visual]:
    if not (more or less):
        return []
    lines = [*marked("+", ".good", more), *marked("−", ".bad", less)]
    return [about(name, lines[0]), *(about("", line) for line in lines[1:])]


def _memory_rows(
    name: tuple[str, str], there: MemoryDifference | None, now: MemoryDifference | None
) -> list[Visual]:
    """What somebody remembers only there, only now, and otherwise."""
    learned, lost = (tuple(line.text for line in side.learned) if side else () for side in (there, now))
    changed = tuple(line.here for line in there.changed) if there else ()
    counts = (
        f"learned {len(learned)}" if learned else "",
        f"lost {len(lost)}" if lost else "",
        f"{len(changed)} reworded" if changed else "",
    )
    said = ", ".join(filter(None, counts)) or "summary reworded"
    return [
        Content(""),
        Content.assemble(name, (f"  {said}", ".quiet")),
        *marked("+", ".good", learned),
        *marked("−", ".bad", lost),
        *marked("~", ".warn", changed),
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
