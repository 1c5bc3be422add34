"""What lasts is kept from the collector while a story is open, and given back when the app ends."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from tests.tui.driving import Player, until
from theact_tui.tui import lasting
from theact_tui.tui.screens.inspector import InspectorScreen
from theact_tui.tui.widgets import page
from theact_tui.tui.widgets.page import Page


@pytest.fixture(autouse=True)
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The real one, which other tests leave alone."""
    monkeypatch.setattr(lasting, "gc", gc)
    lasting.give_back()
    yield
    lasting.give_back()


def test_what_is_there_is_passed_over_until_it_is_given_back() -> None:
    lasting.set_aside()
    assert gc.get_freeze_count() > 0 and gc.get_threshold()[2] == lasting.SELDOM
    lasting.give_back()
    assert gc.get_freeze_count() == 0 and gc.get_threshold() == lasting.USUAL


@pytest.mark.parametrize(
    ("lasts", "long", "frozen"), [(True, 0.0, True), (True, 1_000.0, False), (False, 0.0, False)]
)
def test_only_what_is_there_for_long_and_takes_long_to_look_through_is_set_aside(
    monkeypatch: pytest.MonkeyPatch, lasts: bool, long: float, frozen: bool
) -> None:
    monkeypatch.setattr(lasting, "LONG", long)
    lasting.tidy(lasts)
    assert (gc.get_freeze_count() > 0) == frozen


async def test_a_page_tidies_up_only_while_nothing_lies_over_it(
    player: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    tidied: list[bool] = []
    monkeypatch.setattr(page, "tidy", tidied.append)
    monkeypatch.setattr(page, "REST", 0.001)
    await player.press("f2")
    await until(player.pilot, lambda: isinstance(player.app.screen, InspectorScreen))
    inspector = player.app.screen
    assert isinstance(inspector, InspectorScreen)

    async def rest(of: Page) -> None:
        of.rest()
        await until(player.pilot, lambda: not of._resting)

    await rest(inspector)
    tidied.clear()
    await rest(player.screen)
    assert tidied == []
    await rest(inspector)
    assert tidied == [False]
    await player.press("f2")
    await until(player.pilot, lambda: player.app.screen is player.screen)
    await rest(player.screen)
    assert tidied[-1] is True


async def test_a_page_that_is_left_lets_go_of_its_rows(player: Player) -> None:
    await player.press("f2")
    await until(player.pilot, lambda: isinstance(player.app.screen, InspectorScreen))
    inspector = player.app.screen
    await until(player.pilot, lambda: len(rows(inspector)) > 0)
    inspector.dismiss()
    assert not rows(inspector)


def rows(screen: Screen[object]) -> list[Strip]:
    """What Textual has drawn of a screen and keeps."""
    return [strip for part in screen.walk_children(Widget) for strip in part._styles_cache._cache.values()]
