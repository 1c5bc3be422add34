"""Questions and forms in small terminals: what is cut says so, and everything can be reached."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import pytest
from textual.errors import NoWidget
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Static

from tests.support.pilot import at_home, make_app, until
from tests.support.settings_pilot import box_of
from theact_tui.models.profiles import Profile
from theact_tui.tui.play.keys import PLAY_ACTIONS
from theact_tui.tui.settings.forms import ModelForm
from theact_tui.tui.widgets.consent import consent_dialog
from theact_tui.tui.widgets.dialogs import FormDialog, FormField
from theact_tui.tui.widgets.inputs import LineField
from theact_tui.tui.widgets.menus import LeaderMenu


@pytest.fixture
async def pilot(tmp_path: Path) -> AsyncIterator[Pilot[None]]:
    async with make_app(tmp_path).run_test(size=(40, 12)) as pilot:
        await at_home(pilot)
        yield pilot


async def opened(pilot: Pilot[None], question: Screen[Any]) -> None:
    pilot.app.push_screen(question)
    await until(pilot, lambda: pilot.app.screen is question and question.is_mounted, "the question")


def is_seen(widget: Widget) -> bool:
    """All of it stands on the screen."""
    try:
        place = widget.screen.find_widget(widget)
    except NoWidget:  # it is new, and the screen is still to be laid out
        return False
    return bool(place.region.area) and place.clip.contains_region(place.region)


async def press_until(pilot: Pilot[None], key: str, state: Callable[[], bool]) -> None:
    """Press a key again and again, until the screen has scrolled far enough."""
    for _ in range(100):
        if state():
            return
        await pilot.press(key)
        await pilot.pause()
    raise AssertionError(f"{key} does not lead there")


async def test_answers_below_a_long_question_are_reached_with_the_arrows(pilot: Pilot[None]) -> None:
    await opened(pilot, consent_dialog(["api.example.com", "models.example.org"], offline=True))
    last = pilot.app.screen.query(".answers Static").last()
    await press_until(pilot, "down", lambda: is_seen(last))


async def test_a_hint_in_an_empty_field_that_is_cut_says_so(pilot: Pilot[None]) -> None:
    hint = "leave empty for the first model that the server lists, or the one it likes best"
    await opened(pilot, FormDialog("Connect a model", FormField("Model", placeholder=hint), yes="test"))
    field = pilot.app.screen.query_one(LineField)
    await until(pilot, lambda: field.placeholder.endswith("…"), "the ellipsis")
    assert hint.startswith(field.placeholder[:-1])
    await pilot.resize_terminal(140, 40)
    await until(pilot, lambda: field.placeholder[:-1] in hint and len(field.placeholder) > 50, "more of it")


async def test_a_form_shows_what_a_field_means_and_what_is_wrong_with_it(pilot: Pilot[None]) -> None:
    form = ModelForm("Model far", Profile(base_url="http://127.0.0.1:9/v1"), name="far")
    await opened(pilot, form)
    await until(pilot, lambda: is_seen(form.query_one(".sentence")), "the sentence")
    cast("LineField", box_of(form, "timeout")).value = "soon"
    await pilot.press("ctrl+s")
    await until(pilot, lambda: is_seen(form.query_one(".problem")), "the reason")
    assert "Timeout" in str(form.query_one(".problem", Static).render())


async def test_the_menu_marks_words_that_are_cut_and_scrolls_to_what_does_not_fit(pilot: Pilot[None]) -> None:
    await opened(pilot, LeaderMenu(lambda: PLAY_ACTIONS))
    menu = pilot.app.screen.query_one(Static)
    await pilot.press("space")
    await until(pilot, lambda: "y retry edi…" in str(menu.render()), "the ellipsis")
    await press_until(
        pilot, "right", lambda: menu.screen.find_widget(menu).region.right <= pilot.app.size.width
    )
    await pilot.press("down")
    assert isinstance(pilot.app.screen, LeaderMenu)


async def test_page_keys_do_no_harm_where_a_list_has_no_room(tmp_path: Path) -> None:
    async with make_app(tmp_path).run_test(size=(20, 3)) as pilot:
        home = await at_home(pilot)
        for size in ((20, 3), (1, 1), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.press("pagedown", "pageup", "down", "end", "pagedown")
        assert pilot.app.screen is home
