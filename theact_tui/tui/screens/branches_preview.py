"""Shows the turn under the cursor of the tree of branches; however quickly it moves, one turn is read at a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from theact_tui.tui.glance import glance
from theact_tui.tui.screens.branches_outlook import Outlook
from theact_tui.tui.screens.branches_page import against_page, here_page, turn_page
from theact_tui.tui.storylines import Forest, Place

if TYPE_CHECKING:
    from theact_tui.story.game import Game
    from theact_tui.tui.screens.branches import BranchesScreen

REST = 0.04
"""Seconds the cursor has to rest on a turn before it is read."""


class Preview:
    """The lower half of one tree."""

    def __init__(self, screen: BranchesScreen) -> None:
        self._screen = screen
        self._wanted: Place | None = None
        self._shown: Place | None = None
        self._running = False

    @property
    def settled(self) -> bool:
        """The turn under the cursor is shown."""
        return not self._running and self._wanted in (None, self._shown)

    def forget(self) -> None:
        """What is shown may be out of date."""
        self._shown = None

    def want(self, place: Place) -> None:
        """Read and show a place once the cursor rests there."""
        self._wanted = place
        if not self._running:
            self._running = True
            self._screen.run_worker(self._follow(), group="preview")

    async def _follow(self) -> None:
        try:
            while self._wanted != self._shown and self._wanted is not None:
                place = self._wanted
                await asyncio.sleep(REST)
                if place == self._wanted:
                    self._shown = place
                    await self._screen.guarded(self._read(place))
        finally:
            self._running = False

    async def _read(self, place: Place) -> None:
        forest = self._screen.forest
        game = await self.game(forest, place)
        if place == self._screen.place and forest is self._screen.forest:
            self.show(game)

    async def game(self, forest: Forest, place: Place) -> Game:
        """The story as it is at a place."""
        session = self._screen.session
        return await session.run(session.save.game_at, place.turn, forest.node(place).tip)

    def show(self, there: Game) -> None:
        """Tell of the turn under the cursor, and of how it differs from where the story stands."""
        screen, session = self._screen, self._screen.session
        self._wanted = self._shown = place = screen.place
        told, own = turn_page(there, screen.spot, session.bus.now()), screen.name_of(session.branch)
        if place == screen.forest.here:
            beside = here_page(session.game, own, alone=len(screen.forest.lines) == 1)
        else:
            now = session.game
            beside = against_page(there, glance(now, there), f"{own}, turn {now.state.turn}")
        screen.query_one(Outlook).show(told, beside)
