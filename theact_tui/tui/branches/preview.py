"""The lower half of the tree of branches: the turn under the cursor, and beside it how the story there differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.saves.compare import MemoryDifference, memory_difference
from theact_tui.saves.graph import Node
from theact_tui.story.game import Game
from theact_tui.story.memory import empty_memory, lines_of
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


@dataclass(frozen=True, slots=True)
class MemoryDiff:
    """What a character remembers there and not now (`more`), now and not there (`less`), or otherwise (`changed`)."""

    id: str
    more: tuple[str, ...]
    less: tuple[str, ...]
    changed: tuple[str, ...]
    """As it reads there."""

    @property
    def sentence(self) -> str:
        """Such as `learned 2, lost 1`."""
        parts = [
            f"learned {len(self.more)}" if self.more else "",
            f"lost {len(self.less)}" if self.less else "",
            f"{len(self.changed)} reworded" if self.changed else "",
        ]
        return ", ".join(part for part in parts if part) or "summary reworded"


@dataclass(frozen=True, slots=True)
class GameDiff:
    """What there is there and not now, and the other way round."""

    turns: int
    """Turns there are more; below 0: less."""
    chapter: bool
    """It is in another chapter."""
    beats: tuple[tuple[str, ...], tuple[str, ...]]
    """More and less, of the same chapter."""
    present: tuple[tuple[str, ...], tuple[str, ...]]
    moments: tuple[tuple[str, ...], tuple[str, ...]]
    memories: tuple[MemoryDiff, ...]

    @property
    def is_empty(self) -> bool:
        """No difference in meaning."""
        both = (*self.beats, *self.present, *self.moments)
        return not (self.chapter or any(both) or self.memories)


def game_diff(now: Game, there: Game) -> GameDiff:
    """How the story at `there` differs from the one at `now`."""
    same = now.state.chapter == there.state.chapter
    nothing: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    return GameDiff(
        turns=there.state.turn - now.state.turn,
        chapter=not same,
        beats=_both(there.state.beats_hit, now.state.beats_hit) if same else nothing,
        present=_both(there.state.present, now.state.present),
        moments=_both([m.summary for m in there.moments], [m.summary for m in now.moments]),
        memories=tuple(
            _memory_diff(id, now, there)
            for id in now.pack.characters
            if now.memories.get(id) != there.memories.get(id)
        ),
    )


def _both(there: Sequence[str], now: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(item for item in there if item not in now), tuple(item for item in now if item not in there)


def _memory_diff(id: str, now: Game, there: Game) -> MemoryDiff:
    none = empty_memory(now.pack.game.memory)
    new, old = there.memories.get(id, none), now.memories.get(id, none)
    more, less = memory_difference(new, old), memory_difference(old, new)
    return MemoryDiff(id, _texts(more), _texts(less), tuple(line.here for line in more.changed))


def _texts(difference: MemoryDifference) -> tuple[str, ...]:
    return tuple(line.text for line in difference.learned)


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


def against_page(game: Game, seen: GameDiff, now: str) -> Visual:
    """How the story there differs from the one being played, which is called `now`."""
    cast = Cast.of(game.pack)
    rows: list[Visual] = [
        SplitLine(Content.styled("AGAINST", ".strong"), Content.styled(one_line(now, 40), ".quiet")),
        Content.styled(distance(seen.turns), ".quiet"),
        Content(""),
    ]
    chapter = one_line(game.chapter.title, 60)
    rows.append(about("chapter", Content(chapter if seen.chapter else f"{chapter} (the same)")))
    if seen.is_empty:
        return Stack(*rows, Content(""), Content.styled("Nobody's memories differ from now.", ".quiet"))
    rows += _group("beats", *seen.beats)
    rows += _group("here", *(tuple(map(cast.name, ids)) for ids in seen.present))
    rows += _group("moments", *seen.moments)
    for learned in seen.memories:
        rows += _learned_rows(_named(cast, learned.id), learned)
    return Stack(*rows)


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


def _learned_rows(name: tuple[str, str], learned: MemoryDiff) -> list[Visual]:
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
