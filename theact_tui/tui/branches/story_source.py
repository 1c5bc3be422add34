"""Branches of a story, for the branch screens."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from textual.content import Content
from textual.visual import Visual

from theact_tui.engine.session import StorySession
from theact_tui.saves.compare import ComparedState, Comparison, MemoryDifference, only_in
from theact_tui.story.game import Game
from theact_tui.story.memory import lines_of
from theact_tui.story.turn import Turn
from theact_tui.text import counted, one_line, unwrapped_paragraphs
from theact_tui.tui.blocks import Cast, block_rows, met, number_of, turn_blocks
from theact_tui.tui.branches.layout import BranchLayout, Cursor
from theact_tui.tui.branches.source import BranchSource, Spot, about, first_lines, marked_lines, more_and_less
from theact_tui.tui.visuals import Indented, SplitLine, Stack, ago


class StorySource(BranchSource):
    word, whole = "turn", "story"
    same = "The facts are the same: chapter, beats, who is here, moments and memories."

    def __init__(self, session: StorySession) -> None:
        self.session: StorySession = session

    @property
    def _cast(self) -> Cast:
        return Cast.of(self.session.game.pack)

    async def state_at(self, layout: BranchLayout, place: Cursor) -> Game:
        if place == layout.here and place.turn == self.session.game.state.turn:
            return self.session.game
        game: Game = await super().state_at(layout, place)
        return game

    def turn_page(self, game: Game, spot: Spot) -> Visual:
        """Show chapter, line, page and replies of a turn."""
        turn = game.last_turn
        head = spot.head(f"{number_of(game.pack, game.state.chapter)} {game.chapter.title}")
        if turn is None or not spot.turn:
            return Stack(head, self.beginning)
        facts = " · ".join(bit for bit in (one_line(spot.branch, 40), turn.mood) if bit)
        when = ago(turn.at, self.session.bus.now())
        blocks = turn_blocks(game.pack, Cast.of(game.pack), turn, game.moments)
        about = SplitLine(Content.styled(facts, ".quiet"), Content.styled(when, ".quiet"))
        return Stack(head, about, *block_rows(block for block in blocks if not block.centred))

    def here(self) -> list[Visual]:
        game, cast = self.session.game, self._cast
        chapter, beats = one_line(game.chapter.title, 60), game.chapter.beats
        reached = f", {len(set(game.state.beats_hit) & set(beats))} of {len(beats)} beats" if beats else ""
        rows = [
            about("chapter", Content(chapter + reached)),
            about("here", Content(", ".join(cast.name(id) for id in game.state.present) or "nobody")),
            Content(""),
        ]
        for id in (id for id in met(game) if id in game.memories):
            count = len(lines_of(game.memories[id]))
            memories = counted(count, "memory", "memories") if count else "no memories yet"
            rows.append(SplitLine(_name(cast, id), Content.styled(memories, ".quiet")))
        return rows

    def against(self, game: Game) -> list[Visual]:
        now, cast = self.session.game, Cast.of(game.pack)
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
        for id in (id for id in now.pack.characters if id in more.characters or id in less.characters):
            groups += _changed_memory(_name(cast, id), more.characters.get(id), less.characters.get(id))
        if same and not groups:
            groups = [Content(""), Content.styled("Everyone's memories are the same as now.", ".quiet")]
        return [about("chapter", Content(f"{chapter} (the same)" if same else chapter)), *groups]

    def whereabouts(self, side: ComparedState) -> str:
        return side.chapter.title

    def aspects(
        self, comparison: Comparison[ComparedState, Turn]
    ) -> Iterator[tuple[Content, list[Visual], list[Visual]]]:
        a, b, cast = comparison.a, comparison.b, self._cast
        if a.chapter != b.chapter:
            one, other = (Content(one_line(side.chapter.title, 80)) for side in (a, b))
            yield Content.styled("CHAPTER", ".strong"), [one], [other]
        kinds: tuple[tuple[str, str, str, Callable[[ComparedState], list[str]]], ...] = (
            ("BEATS", "✓", ".good", lambda side: list(side.beats)),
            ("HERE", "●", "", lambda side: [cast.name(id) for id in side.present]),
            ("MOMENTS", "✦", ".warn", lambda side: [f"turn {m.turn}: {m.summary}" for m in side.moments]),
            ("EARLIER CHAPTERS", "·", ".quiet", lambda side: [f"{r.title}. {r.text}" for r in side.recaps]),
        )
        for title, mark, ink, lines in kinds:
            both = [marked_lines(mark, ink, lines(side)) for side in (a, b)]
            if any(both):
                yield Content.styled(title, ".strong"), both[0], both[1]
        for id in (id for id in cast.names if id in a.characters or id in b.characters):
            yield _name(cast, id, 40), _memory(a.characters.get(id)), _memory(b.characters.get(id))

    def told(self, turn: Turn | None) -> Visual:
        if turn is None:
            return self.ended
        pack = self.session.game.pack
        blocks = [block for block in turn_blocks(pack, self._cast, turn) if not block.centred]
        return Stack(*block_rows([*(replace(first, space=0) for first in blocks[:1]), *blocks[1:]]))


def _name(cast: Cast, id: str, length: int = 30) -> Content:
    return Content.styled(one_line(cast.name(id), length), f".voice-{cast.voice(id)}")


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


def _memory(difference: MemoryDifference | None) -> list[Visual]:
    if difference is None:
        return []
    rows: list[Visual] = []
    if difference.summary:
        rows.append(Content.styled(" ".join(unwrapped_paragraphs(difference.summary)), ".quiet"))
    lines = [("+", ".good", line.turn, line.text) for line in difference.learned]
    lines += [("~", ".warn", line.turn, line.here) for line in difference.changed]
    for mark, ink, turn, text in lines:
        head = Content.assemble((f"{mark} ", ink), (f"{turn:<4}", ".faint"))
        rows.append(Indented(head, Content(" ".join(unwrapped_paragraphs(text)))))
    return rows
