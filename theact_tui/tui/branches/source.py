"""Data and words for the branch screens."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from textual.content import Content
from textual.visual import Visual

from theact_tui.engine.base_session import BaseSession
from theact_tui.saves.compare import ComparedState, Comparison, MemoryDifference, only_in
from theact_tui.saves.graph import Node
from theact_tui.story.direct.as_story import NOTES
from theact_tui.story.game import Game
from theact_tui.story.memory import lines_of
from theact_tui.story.turn import Turn
from theact_tui.text import counted, one_line, unwrapped_paragraphs
from theact_tui.tui.blocks import Cast, block_rows, met, number_of, turn_blocks
from theact_tui.tui.branches.layout import BranchLayout, Cursor
from theact_tui.tui.visuals import Indented, SplitLine, Stack, ago, quiet, strong

_SHOWN = 4
_SAME = "The facts are the same: chapter, beats, who is here, moments and memories."
ASIDE = 10


class Side(NamedTuple):
    name: str
    place: str


class Point(NamedTuple):
    text: str
    mark: str = ""
    ink: str = ""
    turn: str = ""

    def drawn(self, *, faint: bool = False) -> Visual:
        text = " ".join(unwrapped_paragraphs(self.text))
        if not self.mark:
            return Content.styled(text, ".faint" if faint else self.ink)
        head = Content.assemble((self.mark, ".faint" if faint else self.ink), (self.turn, ".faint"))
        return Indented(head, Content.styled(text, ".faint" if faint else ""))


@dataclass(frozen=True, slots=True)
class Spot:
    node: Node
    turn: int
    branch: str
    """Title of its branch; empty for a take or undone turns."""
    word: str = "turn"

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
    def side(self) -> Side:
        return Side(self.name, f"{self.node.tip}@{self.turn}")

    def head(self, right: str) -> Visual:
        title = " · ".join(bit for bit in (f"{self.word} {self.turn}".upper(), self.kind) if bit)
        return SplitLine(strong(title), quiet(one_line(right, 40)))


class BranchSource:
    """Open story or chapter with branches to show, switch and compare."""

    def __init__(self, session: BaseSession[Any]) -> None:
        self.session = session
        self.word = session.save.turn_word
        is_played = self.word == "turn"
        self.whole = "story" if is_played else "chapter"
        self.same = _SAME if is_played else "Notes and drafts are the same."
        owner = "Everyone's memories" if is_played else "The notes"
        self.same_memories = f"{owner} are the same as now."

    @property
    def title(self) -> str:
        return self.session.story.info.title

    @property
    def beginning(self) -> Visual:
        return Stack(Content(""), quiet(f"The start of the {self.whole}."))

    @property
    def _cast(self) -> Cast:
        return Cast.of(self.session.story.pack)

    async def state_at(self, layout: BranchLayout, place: Cursor) -> Game:
        if place == layout.current_place and place.turn == self.session.story.state.turn:
            return self.session.story
        return await self.session.run(self.session.save.story_at, place.turn, layout.node(place).tip)

    def turn_page(self, game: Game, spot: Spot) -> Visual:
        turn, number = game.last_turn, number_of(game.pack, game.state.chapter)
        title = game.chapter.title
        head = spot.head(f"{number} {title}" if len(game.pack.chapters) > 1 else title)
        if turn is None or not spot.turn:
            return Stack(head, self.beginning)
        facts = " · ".join(bit for bit in (one_line(spot.branch, 40), turn.mood) if bit)
        when = ago(turn.at, self.session.bus.now())
        blocks = turn_blocks(game.pack, Cast.of(game.pack), turn, game.moments)
        about = SplitLine(quiet(facts), quiet(when))
        return Stack(head, about, *block_rows(block for block in blocks if not block.centred))

    def describe_current(self) -> list[Visual]:
        game, cast = self.session.story, self._cast
        chapter, beats = one_line(game.chapter.title, 60), game.chapter.beats
        reached = f", {len(set(game.state.beats_hit) & set(beats))} of {len(beats)} beats" if beats else ""
        rows = [
            about("chapter", Content(chapter + reached)),
            about("here", Content(", ".join(cast.name(id) for id in game.state.present) or "nobody")),
            Content(""),
        ]
        for id in (id for id in game.memories if id == NOTES or id in met(game)):
            count = len(lines_of(game.memories[id]))
            word, words = ("line", "lines") if id == NOTES else ("memory", "memories")
            memories = counted(count, word, words) if count else f"no {words} yet"
            rows.append(SplitLine(_name(cast, id), quiet(memories)))
        return rows

    def against(self, game: Game) -> list[Visual]:
        now, cast = self.session.story, Cast.of(game.pack)
        more, less = only_in(game, now), only_in(now, game)
        same, chapter = more.chapter == less.chapter, one_line(game.chapter.title, 60)
        groups: list[Visual] = []
        kinds: dict[str, Callable[[ComparedState], list[str]]] = {
            "beats": lambda side: list(side.beats) if same else [],
            "here": lambda side: [cast.name(id) for id in side.present],
            "moments": lambda side: [moment.summary for moment in side.moments],
        }
        for kind, lines in kinds.items():
            rows = more_and_less(lines(more), lines(less))
            groups += [about("" if n else kind, row) for n, row in enumerate(rows)]
        for id in (id for id in now.memories if id in more.characters or id in less.characters):
            groups += _changed_memory(_name(cast, id), more.characters.get(id), less.characters.get(id))
        if same and not groups:
            groups = [Content(""), quiet(self.same_memories)]
        return [about("chapter", Content(f"{chapter} (the same)" if same else chapter)), *groups]

    def aspects(
        self, comparison: Comparison, control: Comparison | None = None
    ) -> Iterator[tuple[Content, list[Visual], list[Visual]]]:
        """Yield title and both sides of each aspect with differences; faint if in `control`."""
        a, b, cast = comparison.a, comparison.b, self._cast
        if a.chapter != b.chapter:
            one, other = (Content(one_line(side.chapter.title, 80)) for side in (a, b))
            yield strong("CHAPTER"), [one], [other]
        sides = [self._points(side) for side in (a, b)]
        common = [self._points(side) for side in (control.a, control.b)] if control else [{}, {}]
        for title in sides[0]:
            first, second = (
                [point.drawn(faint=point in too.get(title, ())) for point in side[title]]
                for side, too in zip(sides, common, strict=True)
            )
            if first or second:
                is_kind = title not in (*cast.names, NOTES)
                heading = strong(title) if is_kind else _name(cast, title, 40)
                yield heading, first, second

    def _points(self, side: ComparedState) -> dict[str, list[Point]]:
        cast, none = self._cast, MemoryDifference()
        return {
            "BEATS": [Point(beat, "✓ ", ".good") for beat in side.beats],
            "HERE": [Point(cast.name(id), "● ") for id in side.present],
            "MOMENTS": [Point(f"turn {it.turn}: {it.summary}", "✦ ", ".warn") for it in side.moments],
            "CHAPTERS": [Point(f"{it.title}. {it.text}", "· ", ".quiet") for it in side.recaps],
            **{id: list(_memory(side.characters.get(id, none))) for id in (*cast.names, NOTES)},
        }

    def turn_text(self, turn: Turn | None, *, faint: bool = False) -> Visual:
        if turn is None:
            return quiet(f"This version ends before this {self.word}.")
        pack = self.session.story.pack
        blocks = [block for block in turn_blocks(pack, self._cast, turn) if not block.centred]
        if faint:
            blocks = [
                replace(block, text=Content.styled(block.text.plain, ".faint"), mark_ink=".faint")
                for block in blocks
            ]
        return Stack(*block_rows([*(replace(first, space=0) for first in blocks[:1]), *blocks[1:]]))


def _name(cast: Cast, id: str, length: int = 30) -> Content:
    return Content.styled(one_line(cast.name(id), length), cast.ink(id))


def _changed_memory(
    name: Content, other: MemoryDifference | None, now: MemoryDifference | None
) -> list[Visual]:
    learned, lost = ([line.text for line in side.learned] if side else [] for side in (other, now))
    changed = [line.here for line in other.changed] if other else []
    counts = (
        f"learned {len(learned)}" if learned else "",
        f"lost {len(lost)}" if lost else "",
        f"{len(changed)} reworded" if changed else "",
    )
    changes = ", ".join(filter(None, counts)) or "summary reworded"
    title = Content.assemble(name, (f"  {changes}", ".quiet"))
    return [Content(""), title, *more_and_less(learned, lost), *first_lines("~", ".warn", changed)]


def _memory(difference: MemoryDifference) -> Iterator[Point]:
    if difference.summary:
        yield Point(difference.summary, "", ".quiet")
    for line in difference.learned:
        yield Point(line.text, "+ ", ".good", f"{line.turn:<4}")
    for changed in difference.changed:
        yield Point(changed.here, "~ ", ".warn", f"{changed.turn:<4}")


def first_lines(mark: str, ink: str, texts: Sequence[str]) -> list[Visual]:
    rows = [Point(one_line(text, 160), f"{mark} ", ink).drawn() for text in texts[:_SHOWN]]
    if len(texts) > _SHOWN:
        rows.append(quiet(f"  and {len(texts) - _SHOWN} more"))
    return rows


def more_and_less(more: Sequence[str], less: Sequence[str]) -> list[Visual]:
    return [*first_lines("+", ".good", more), *first_lines("−", ".bad", less)]


def about(name: str, text: Visual) -> Visual:
    return Indented(quiet(f"{one_line(name, ASIDE - 1):<{ASIDE}}"), text)
