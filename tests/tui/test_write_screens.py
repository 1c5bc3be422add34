"""Approved pictures of the Write screen, in `snapshots/`."""

from pathlib import Path

import pytest
from textual.pilot import Pilot

from tests.support.pictures import SMALL, Picture, sizes
from tests.support.pilot import at_home, make_app, until
from tests.tui.test_write import Writer
from theact_tui.authoring.draft import Draft
from theact_tui.packs.listing import shipped_folder

ROOMY = (140, 40)


@sizes(SMALL)
def test_write_new(picture: Picture, tmp_path: Path) -> None:
    app = make_app(tmp_path)

    async def before(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        writer = Writer(pilot)
        await writer.open(Draft.begin(app.home, "A lighthouse, dark for thirty years, is lit.", "lamp"))
        await writer.press("enter")

    picture(before, app)


@pytest.mark.parametrize(
    ("theme", "size"), [("terminal", SMALL), ("", ROOMY)], ids=["terminal-80x24", "-140x40"]
)
def test_write_character(picture: Picture, tmp_path: Path, theme: str) -> None:
    app = make_app(tmp_path, theme=theme)

    async def before(pilot: Pilot[None]) -> None:
        await at_home(pilot)
        writer = Writer(pilot)
        await writer.open(Draft.of_pack(app.home, shipped_folder() / "horsell-pit", "horsell-pit"))
        await writer.go("character:ogilvy")
        await writer.fill("reveal", "9/9")
        await until(pilot, lambda: "there is no chapter" in writer.about("reveal"))
        await writer.press("escape")
        writer.screen.form.scroll_home(animate=False)
        await pilot.pause()

    picture(before, app)
