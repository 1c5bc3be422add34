"""Approved pictures of the tree of branches and of the comparison, in `snapshots/`."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from textual.pilot import Pilot

from tests.support.branches_pilot import Climber, climbing
from tests.support.pictures import SMALL, USUAL, Picture, sizes
from tests.support.pilot import Player, at_home, make_app, new_session
from tests.support.salt_story import PACK, salt_model

Before = Callable[[Pilot[None]], Awaitable[None]]


def climbed(forked: Path, *keys: str, compare: bool = False) -> Before:
    """Open the tree of a forked story and press keys."""

    async def before(pilot: Pilot[None]) -> None:
        climber = await climbing(pilot, forked)
        await climber.press(*keys)
        if compare:
            await climber.compare()

    return before


@sizes(USUAL)
def test_tree(picture: Picture, forked: Path) -> None:
    picture(climbed(forked, "down", "down"))


@sizes(SMALL)
def test_tree_in_the_terminal_s_colours(picture: Picture, tmp_path: Path, forked: Path) -> None:
    app = make_app(tmp_path, theme="terminal")
    picture(climbed(forked, "down", "space", "up", "left"), app)


@sizes(SMALL)
def test_tree_of_a_story_that_begins(picture: Picture) -> None:
    async def begun(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        player = Player(pilot)
        await player.open(await new_session(player.app, salt_model(), PACK))
        await Climber(player).open()

    picture(begun)


@sizes(SMALL)
def test_tree_asks_where_to_go_on(picture: Picture, forked: Path) -> None:
    picture(climbed(forked, "left", "left", "enter"))


@sizes(USUAL)
def test_compare(picture: Picture, forked: Path) -> None:
    picture(climbed(forked, "down", "down", compare=True))


@sizes(SMALL)
def test_compare_in_the_terminal_s_colours(picture: Picture, tmp_path: Path, forked: Path) -> None:
    async def prose(pilot: Pilot[None]) -> None:
        await climbed(forked, "down", "down", compare=True)(pilot)
        await pilot.press("tab")

    picture(prose, make_app(tmp_path, theme="terminal"))
