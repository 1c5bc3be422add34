"""Shows the turn under the cursor of the tree of branches; however quickly it moves, one turn is read at a time."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, cast

from textual.visual import Visual

from theact_tui.tui.glance import glance
from theact_tui.tui.screens.branches_outlook import Outlook
from theact_tui.tui.screens.branches_page import against_page, here_page, turn_page
from theact_tui.tui.storylines import Forest, Place

if TYPE_CHECKING:
    from theact_tui.engine.session import Session
    from theact_tui.story.game import Game
    from theact_tui.tui.screens.branches import BranchesScreen

REST = 0.04
"""Seconds the cursor has to rest on a turn before it is read."""


class Preview(ABC):
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

    @abstractmethod
    async def game(self, forest: Forest, place: Place) -> Any:
        """What is open, as it is at a place."""

    @abstractmethod
    def pages(self, there: Any) -> tuple[Visual, Visual]:
        """What the turn under the cursor holds, and how it differs from where one stands."""

    def show(self, there: Any) -> None:
        """Tell of the turn under the cursor."""
        self._wanted = self._shown = self._screen.place
        self._screen.query_one(Outlook).show(*self.pages(there))


class StoryPreview(Preview):
    """Turns of a story that is played."""

    @property
    def _session(self) -> Session:
        return cast("Session", self._screen.session)

    async def game(self, forest: Forest, place: Place) -> Game:
        if place == forest.here and place.turn == self._session.game.state.turn:
            return self._session.game
        return await self._session.run(self._session.save.game_at, place.turn, forest.node(place).tip)

    def pages(self, there: Game) -> tuple[Visual, Visual]:
        screen, session, now = self._screen, self._session, self._session.game
        told, own = turn_page(there, screen.spot, session.bus.now()), screen.name_of(session.branch)
        if screen.place == screen.forest.here:
            return told, here_page(now, own, alone=len(screen.forest.lines) == 1)
        return told, against_page(there, glance(now, there), f"{own}, turn {now.state.turn}")
