"""Questions laid over a screen say what to press at any size."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from tests.support.pilot import Paper, make_app, running, until
from theact_tui.models.profiles import Profile
from theact_tui.tui.direct.dialogs import LOCK_QUESTION
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.play.keys import PLAY_ACTIONS
from theact_tui.tui.settings.forms import ModelForm
from theact_tui.tui.widgets.dialogs import (
    ChoiceDialog,
    ConfirmDialog,
    DialogChoice,
    FormDialog,
    FormField,
    GrowingTextDialog,
    ListDialog,
    TextDialog,
)
from theact_tui.tui.widgets.footer import DialogFooter, key_hints
from theact_tui.tui.widgets.menus import LeaderMenu, help_for

ROWS = {str(number): Content(f"Row {number}") for number in range(30)}
SHEETS: dict[str, Callable[[], ModalScreen[Any]]] = {
    "ask": lambda: FormDialog(
        "Begin", FormField("Name"), FormField("Yours"), note="A note.", yes="begin"
    ).again(("", ""), "Taken."),
    "confirm": lambda: ConfirmDialog("Delete?", "It goes to the trash folder. " * 8),
    "write": lambda: TextDialog("Turn 3: the narration", "The stones here are cut. " * 90),
    "grow": lambda: GrowingTextDialog(
        "Turn 3: the narration", "The stones here are cut. " * 90, "Nobody answers. " * 9
    ),
    "form": lambda: ModelForm(
        "Add a profile", Profile(base_url="http://127.0.0.1/v1", model="m"), name="mine"
    ),
    "pick": lambda: ChoiceDialog(
        "Go there", "The story is at turn 3.", DialogChoice("g", "go", "there"), DialogChoice("b", "begin")
    ),
    "row": lambda: ListDialog("Which?", ROWS, note="One of many.", at="29"),
    "consent": lambda: ConfirmDialog("Lock Setup?", LOCK_QUESTION, yes="confirm", no="cancel"),
}


def in_sight(sheet: ModalScreen[Any]) -> bool:
    inside = sheet.query("Vertical").first().content_region.intersection(sheet.region)
    told = [*sheet.query(".keys"), *sheet.query("Button"), *([sheet.focused] if sheet.focused else [])]
    return bool(told) and all(part.region and inside.contains_region(part.region) for part in told)


@pytest.mark.parametrize("size", [(80, 24), (40, 12)], ids=["80x24", "40x12"])
async def test_what_can_be_pressed_is_in_sight(size: tuple[int, int]) -> None:
    async with Paper().run_test(size=size) as pilot:
        for name, made in SHEETS.items():
            sheet = made()
            await pilot.app.push_screen(sheet)
            await until(pilot, partial(in_sight, sheet), f"the keys of {name}")
            await pilot.app.pop_screen()


async def test_the_page_below_is_seen_in_the_terminal_s_colours_too(tmp_path: Path) -> None:
    app = make_app(tmp_path, theme="terminal-light")
    async with running(app, (100, 30)) as pilot:
        for sheet in (SHEETS["confirm"](), LeaderMenu(lambda: PLAY_ACTIONS), help_for(app.screen)):
            app.push_screen(sheet)
            await pilot.pause()
            await pilot.pause()
            assert "storyteller" in app.export_screenshot(), sheet
            await pilot.press("escape")


def test_keys_of_a_question_stand_out_as_in_the_footer_and_notes_do_not() -> None:
    drawn = key_hints("^s save   ↑ ↓ scroll   one moment …")
    inked = [span for span in drawn.spans if span.style == ".accent"]
    assert [drawn.plain[span.start : span.end] for span in inked] == ["^s", "↑ ↓"]


async def test_a_question_is_answered_by_mouse_alone(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    async with running(app, (100, 30)) as pilot:
        answers: list[object] = []
        for name, place, (x, y) in (
            ("confirm", ".keys", (0, 1)), ("write", ".keys", (12, 1)), ("pick", ".answers Static:first-of-type", (1, 0)),
        ):  # fmt: skip
            app.push_screen(SHEETS[name](), answers.append)
            await until(
                pilot,
                lambda: bool(app.screen.query(".keys")) and app.screen.query_one(".keys").region.height > 0,
            )
            await pilot.click(place, offset=(x, y))
            await until(pilot, lambda: isinstance(app.screen, HomeScreen))
        leader = LeaderMenu(lambda: PLAY_ACTIONS)
        app.push_screen(leader, answers.append)
        await until(
            pilot, lambda: bool(leader.query("Static")) and leader.query_one(Static).region.height > 0
        )
        lines = str(leader.query_one(Static).content).splitlines()
        await pilot.click("LeaderMenu Static", offset=(2, len(lines) - 1))
        await until(pilot, lambda: "tree" in str(leader.query_one(Static).content))
        row = str(leader.query_one(Static).content).splitlines()[2]
        await pilot.click("LeaderMenu Static", offset=(row.index("tree"), 2))
        await until(pilot, lambda: len(answers) == 4)
        assert answers == [True, None, "g", "b"]


async def test_a_text_that_was_changed_is_left_only_after_a_question_that_enter_does_not_answer() -> None:
    answers: list[str | None] = []
    async with Paper().run_test(size=(80, 24)) as pilot:
        pilot.app.push_screen(TextDialog("Turn 3", "The stones are cut."), answers.append)
        await pilot.pause()
        await pilot.press("escape")
        await until(pilot, lambda: answers == [None], "a text that is as it was to be left at once")
        dialog = TextDialog("Turn 3", "The stones are cut.")
        pilot.app.push_screen(dialog, answers.append)
        await pilot.pause()
        await pilot.press("x", "escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog), "the question")
        await pilot.press("enter")
        keys = str(pilot.app.screen.query_one(DialogFooter).visual)
        assert keys == "Press y or n:   y leave   n no" and len(answers) == 1
        await pilot.press("n")
        await until(pilot, lambda: pilot.app.screen is dialog, "the text again")
        assert "x" in dialog.texts[0] and len(answers) == 1
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmDialog), "the question again")
        await pilot.press("y")
        await until(pilot, lambda: answers == [None, None], "the text to be left")


@pytest.mark.parametrize("theme", ["lamplight", "terminal"])
async def test_at_80_columns_no_letters_of_the_page_stand_beside_a_dialog(tmp_path: Path, theme: str) -> None:
    app = make_app(tmp_path, theme=theme)
    async with running(app, (80, 24)) as pilot:
        for dialog in (
            TextDialog("Turn 3", "The stones."),
            help_for(app.screen),
            ConfirmDialog("Delete?", "Now?"),
        ):
            app.push_screen(dialog)
            await pilot.pause()
            box = dialog.query_one(Vertical).region
            rows = [strip.text for strip in dialog._compositor.render_strips()]
            beside = [
                row[: box.x] + row[box.right :] if box.y <= n < box.bottom else row
                for n, row in enumerate(rows)
            ]
            assert not "".join(beside).strip()
            dialog.dismiss(None)
            await pilot.pause()


async def test_wrapped_rows_of_a_note_keep_their_indent() -> None:
    async with Paper().run_test(size=(80, 24)) as pilot:
        note = "Maya, since turn 6\n\n  " + "She counts the stones. " * 4
        pilot.app.push_screen(ChoiceDialog("It", note, keys="esc back"))
        await pilot.pause()
        about = pilot.app.screen.query_one(".about", Static)
        rows = [about.render_line(y).text.rstrip() for y in range(about.size.height)]
        assert rows[:2] == ["Maya, since turn 6", ""]
        assert len(rows) > 3 and all(row.startswith("  ") for row in rows[2:] if row)
