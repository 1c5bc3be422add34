"""A story that went several ways, and somebody at the keyboard of its tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from textual.pilot import Pilot

from tests.support.fake_model import learnt, narration
from tests.support.inspector_pilot import open_told, remembering
from tests.support.pilot import Player, at_home, opens, still, until
from tests.support.said import said
from tests.support.salt_story import PACK, next_line, salt_model
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import create_session
from theact_tui.engine.session import StorySession
from theact_tui.saves.library import Library
from theact_tui.story.moments import Moment
from theact_tui.tui.app import TheActApp
from theact_tui.tui.branches.compare import CompareScreen
from theact_tui.tui.branches.graph import StoryTree
from theact_tui.tui.branches.screen import BranchesScreen

ASIDE = "I leave the lamp with Bob."
LAST: Mapping[str, str] = {
    "narrator": narration("Bob takes the lamp as if it were alive.", "bob", "calm"),
    "character:bob": '"I have it," says Bob.',
    "memory:bob": learnt("Alex trusts me with the lamp."),
}
"""What the model answers to it."""


FOUND = Moment(turn=3, type="discovery", summary="something behind the door moved", significance=0.8)


async def fork(root: Path) -> Path:
    """The folder of a closed save: four turns on main, the last of them told twice; `what-if` leaves it after turn 2 and
    has one turn."""
    model = salt_model()
    session = await create_session(
        Library(root), PACK, PACK.game.title, "Alex", 7, lambda pack, seed: model, Bus(still), id="test"
    )

    async def told(text: str) -> None:
        await session.play(text)
        await session.settle()

    await session.open_story()
    await session.settle()
    for page in range(2):
        await told(next_line(model, page))
    await session.edit(remembering, FOUND)
    await session.branch_at("What if", 2)
    await told(next_line(model, 2))
    model.answers["narrator"] = narration(
        "Nobody answers you. The lamp goes out by itself.", "", "tense", "ann"
    )
    await session.retry("I ask the dark who swept here.")
    await session.settle()
    await session.switch("what-if")
    model.answers |= LAST
    await told(ASIDE)
    await session.switch("main")
    await session.close()
    return session.folder


async def open_forked(app: TheActApp, forked: Path) -> StorySession:
    """A copy of a forked story, open in the app's own home; its model answers as in the last turn."""
    model = salt_model()
    for page in range(3):
        next_line(model, page)
    model.answers |= LAST
    return await open_told(app, forked, model)


@dataclass
class Climber:
    """Somebody who looks at the tree of a story."""

    player: Player

    @property
    def pilot(self) -> Pilot[None]:
        return self.player.pilot

    @property
    def session(self) -> StorySession:
        return self.player.session

    @property
    def screen(self) -> BranchesScreen:
        return next(s for s in self.player.app.screen_stack if isinstance(s, BranchesScreen))

    @property
    def is_open(self) -> bool:
        return any(isinstance(screen, BranchesScreen) for screen in self.player.app.screen_stack)

    @property
    def tree(self) -> StoryTree:
        return self.screen.query_one(StoryTree)

    @property
    def turn(self) -> str:
        """What stands about the turn under the cursor."""
        return said(self.screen, "#told")

    @property
    def against(self) -> str:
        """How it differs."""
        return said(self.screen, "#glance")

    @property
    def compared(self) -> CompareScreen:
        return cast(CompareScreen, self.player.app.screen)

    @property
    def at(self) -> tuple[int, int]:
        """Row and turn under the cursor."""
        return self.screen.place.row, self.screen.place.turn

    async def open(self) -> None:
        """Press F3 and wait until all is read."""
        await opens(self.pilot, BranchesScreen, "f3")
        await self.settle()

    async def settle(self) -> None:
        await until(self.pilot, lambda: self.screen.settled, "the turn under the cursor")

    async def press(self, *keys: str) -> None:
        """Press keys, and wait until what they moved to is read."""
        await self.player.press(*keys)
        if self.is_open and self.player.app.screen is self.screen:
            await self.settle()

    async def gone(self) -> None:
        await until(self.pilot, lambda: not self.is_open, "the story")

    async def compare(self) -> None:
        await self.player.press("c")
        await until(
            self.pilot,
            lambda: isinstance(self.player.app.screen, CompareScreen) and bool(self.compared.pairs),
            "the comparison",
        )


async def climbing(pilot: Pilot[None], forked: Path) -> Climber:
    """The tree of a forked story, open over it."""
    await at_home(pilot)
    player = Player(pilot)
    await player.open(await open_forked(player.app, forked))
    climber = Climber(player)
    await climber.open()
    return climber
