"""A story that went several ways, and somebody at the keyboard of its tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from textual.pilot import Pilot

from tests.engine.scripted import Scripted, narration
from tests.tui.driving import Player, at_home, new_session, until
from tests.tui.salt import PACK, next_line, salt_model
from theact_tui.engine.session import Session
from theact_tui.tui.screens.branches import BranchesScreen
from theact_tui.tui.screens.compare import CompareScreen
from theact_tui.tui.widgets.storytree import StoryTree

ASIDE = "I leave the lamp with Bob."


async def fork(session: Session, model: Scripted) -> None:
    """Four turns on main, the last of them told twice; `what-if` leaves it after turn 2 and has one turn."""

    async def told(text: str) -> None:
        await session.play(text)
        await session.settle()

    await session.open_story()
    await session.settle()
    for page in range(2):
        await told(next_line(model, page))
    await session.branch_at("What if", 2)
    await told(next_line(model, 2))
    model.answers["narrator"] = narration(
        "Nobody answers you. The lamp goes out by itself.", "", "tense", "ann"
    )
    await session.retry("I ask the dark who swept here.")
    await session.settle()
    await session.switch("what-if")
    model.answers["narrator"] = narration("Bob takes the lamp as if it were alive.", "bob", "calm")
    model.answers["character:bob"] = '"I have it," says Bob.'
    model.answers["memory:bob"] = (
        '```yaml\nsummary: ""\nadd: ["Alex trusts me with the lamp."]\nremove: []\nupdate: []\n```'
    )
    await told(ASIDE)
    await session.switch("main")


@dataclass
class Climber:
    """Somebody who looks at the tree of a story."""

    player: Player

    @property
    def pilot(self) -> Pilot[None]:
        return self.player.pilot

    @property
    def session(self) -> Session:
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
        return _plain(self.screen, "#told")

    @property
    def against(self) -> str:
        """How it differs."""
        return _plain(self.screen, "#glance")

    @property
    def compared(self) -> CompareScreen:
        return cast(CompareScreen, self.player.app.screen)

    @property
    def at(self) -> tuple[int, int]:
        """Row and turn under the cursor."""
        return self.screen.place.row, self.screen.place.turn

    async def open(self) -> None:
        """Press F3 and wait until all is read."""
        await self.player.press("f3")
        await until(self.pilot, lambda: isinstance(self.player.app.screen, BranchesScreen), "the tree")
        await self.settle()

    async def settle(self) -> None:
        await until(self.pilot, lambda: self.screen.settled, "the turn under the cursor")

    async def press(self, *keys: str) -> None:
        """Press keys, and wait until what they moved to is read."""
        await self.player.press(*keys)
        if self.is_open and self.player.app.screen is self.screen:
            await self.settle()

    async def gone(self) -> None:
        """Wait until the tree was left for the story."""
        await until(self.pilot, lambda: not self.is_open, "the story")

    async def compare(self) -> None:
        await self.player.press("c")
        await until(
            self.pilot,
            lambda: isinstance(self.player.app.screen, CompareScreen) and bool(self.compared.pairs),
            "the comparison",
        )


def _plain(screen: BranchesScreen, selector: str) -> str:
    from textual.widgets import Static

    return str(getattr(screen.query_one(selector, Static).content, "plain", ""))


async def climbing(pilot: Pilot[None]) -> Climber:
    """The tree of a forked story, open over it."""
    await at_home(pilot)
    player, model = Player(pilot), salt_model()
    session = await new_session(player.app, model, PACK)
    await fork(session, model)
    await player.open(session)
    climber = Climber(player)
    await climber.open()
    return climber
