"""Letters typed before a question is there are for its box."""

import asyncio
from pathlib import Path

import pytest
from textual import events
from textual._xterm_parser import XTermParser
from textual.widgets import Input

from tests.support.pilot import Paper, at_once, make_app, running, until
from theact_tui.tui.home.import_dialog import ImportDialog
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.widgets.inputs import LineField, TextField, answer_of, named_key, types_a_sign


async def test_letters_typed_while_a_question_is_opening_go_into_its_box(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_last = HomeScreen.import_files

    async def slowly(screen: HomeScreen) -> str:
        for _ in range(50):
            await asyncio.sleep(0)
        return await at_last(screen)

    monkeypatch.setattr(HomeScreen, "import_files", slowly)
    async with running(make_app(tmp_path), (80, 24)) as pilot:
        await at_once(pilot, "i", *"~/x")
        await until(pilot, lambda: isinstance(pilot.app.screen, ImportDialog), "the question")
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == "~/x", "the letters")


@pytest.fixture(params=[LineField, TextField])
def field(request: pytest.FixtureRequest) -> LineField | TextField:
    made: LineField | TextField = request.param()
    return made


@pytest.mark.parametrize(
    "text", ["\u0645\u06cc\u200c\u062e", "bonjour\u00a0!", "\u79c1\u306f\u3000\u6d77", "a\u202fb"]
)
async def test_spaces_and_joiners_of_other_scripts_are_typed(field: LineField | TextField, text: str) -> None:
    async with Paper(field).run_test() as pilot:
        field.focus()
        for character in text:
            field.post_message(events.Key("letter", character))
        await pilot.pause()
        assert answer_of(field) == text


@pytest.mark.parametrize("sign", ["👨‍👩‍👧‍👦", "👩🏽‍🚀", "❤️‍🔥", "e\u0301", "1️⃣"])
async def test_a_sign_of_several_code_points_is_deleted_whole(
    field: LineField | TextField, sign: str
) -> None:
    async with Paper(field).run_test() as pilot:
        field.focus()
        await pilot.pause()
        field.put(f"a{sign}{sign}")
        await pilot.press("backspace")
        assert answer_of(field) == f"a{sign}"
        if isinstance(field, TextField):
            await pilot.press("left", "b", "right", "c")
            assert field.text == f"ab{sign}c"
            await pilot.press("left", "left", "delete")
            assert field.text == "abc"
        await pilot.press("end", *["backspace"] * 5)
        assert answer_of(field) == ""


def test_enter_with_shift_has_its_name_also_from_xterm_and_tmux() -> None:
    keys = [
        event
        for event in XTermParser().feed("\x1b[27;2;13~\x1b[27;5;13~a\r")
        if isinstance(event, events.Key)
    ]
    assert [named_key(key).key for key in keys] == ["shift+enter", "ctrl+enter", "a", "enter"]


@pytest.mark.parametrize("typed", ["\x1ba", "\x1bA", "\x1bé", "\x1b[97;3u"])
def test_alt_and_a_letter_types_nothing(typed: str) -> None:
    parser = XTermParser()
    fed = [*parser.feed(typed), *parser.feed("")]
    keys = [event for event in fed if isinstance(event, events.Key)]
    assert keys and not any(types_a_sign(named_key(key)) for key in keys)
    assert all(named_key(key).key.startswith("alt+") for key in keys)


def test_signs_that_act_are_no_letters() -> None:
    assert not any(types_a_sign(events.Key("x", sign)) for sign in "\x1b\u202e\ufeff\n")
