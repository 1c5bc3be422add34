"""The branches of a story that is played, as the screens of branches show and compare them."""

from __future__ import annotations

from textual.visual import Visual

from theact_tui.engine.session import StorySession
from theact_tui.saves.compare import Comparison, TurnPair
from theact_tui.story.game import Game
from theact_tui.tui.branches.compare import PAGE, meaning_page, pair_page
from theact_tui.tui.branches.layout import BranchLayout, Cursor
from theact_tui.tui.branches.preview import against_page, here_page, turn_page
from theact_tui.tui.branches.source import ComparedPoint, PreviewContext


class StorySource:
    """The branches of a story that is played."""

    word = "turn"

    def __init__(self, session: StorySession) -> None:
        self.session = session

    @property
    def title(self) -> str:
        return self.session.game.pack.game.title

    async def state_at(self, layout: BranchLayout, place: Cursor) -> Game:
        session = self.session
        if place == layout.here and place.turn == session.game.state.turn:
            return session.game
        return await session.run(session.save.state_at, place.turn, layout.node(place).tip)

    def preview(self, there: Game, context: PreviewContext) -> tuple[Visual, Visual]:
        now, branch = self.session.game, context.branch
        page = turn_page(there, context.spot, self.session.bus.now())
        if context.spot.is_here:
            return page, here_page(now, branch, alone=context.alone)
        return page, against_page(there, now, f"{branch}, turn {now.state.turn}")

    async def difference(self, a: ComparedPoint, b: ComparedPoint) -> Comparison:
        return await self.session.run(self.session.save.compare, a.place, b.place, limit=PAGE)

    async def following(self, found: Comparison, first: int, last: int) -> list[TurnPair]:
        sides = [
            await self.session.run(self.session.save.turns, first, last, side.commit)
            for side in (found.a, found.b)
        ]
        a, b = ({turn.number: turn for turn in turns} for turns in sides)
        return [TurnPair(number=n, a=a.get(n), b=b.get(n)) for n in sorted({*a, *b})]

    def meaning(self, found: Comparison, names: tuple[str, str]) -> Visual:
        return meaning_page(found, names, self.session.game)

    def side_by_side(self, pair: TurnPair, names: tuple[str, str]) -> Visual:
        return pair_page(pair, names, self.session.game)
