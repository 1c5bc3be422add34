"""What the first frame needs of the settings; a file that is wrong never keeps the app from opening."""

from pathlib import Path

import pytest

from tests.support.pilot import at_home, until
from theact_tui.paths import Home
from theact_tui.tui.app import FirstLook, TheActApp
from theact_tui.tui.open_stories import AppServices


def test_it_is_read_from_the_ui_table(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[ui]\ntheme = "paper"\nanimations = false\n[ui.keys]\n"play.undo" = "ctrl+t"\n')
    assert FirstLook.read(file) == FirstLook("paper", animations=False, keys={"play.undo": "ctrl+t"})


@pytest.mark.parametrize("text", ["", "ui = 3", "[ui]\nkeys = 1", "[ui", "[ui.keys]\nx = 1"])
def test_what_is_wrong_counts_as_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    assert FirstLook.read(file) == FirstLook() == FirstLook.read(tmp_path / "none.toml")


async def test_wrong_settings_are_told_on_the_screen(tmp_path: Path) -> None:
    home = Home.find(tmp_path).create()
    home.config_file.write_text('[ui]\ntheme = "fog"\npace = "fast"\n')
    app = TheActApp(home, services=AppServices(home))
    async with app.run_test(notifications=True) as pilot:
        await at_home(pilot)
        assert app.theme == "fog"
        await until(pilot, lambda: any("ui.pace" in note.message for note in app._notifications))
