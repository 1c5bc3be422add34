"""S16: a picture that came with a card is shown where the terminal can, and breaks nothing where it cannot."""

from __future__ import annotations

import io
import os
import pty
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import textual_image.widget
from PIL import Image
from textual.widgets import Input, OptionList

from tests.importing import cards
from tests.support.pilot import Player, at_home, make_app, new_session, until
from theact_tui.importing.proposal import propose
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.tui.app import TheActApp
from theact_tui.tui.home.import_dialog import ImportDialog
from theact_tui.tui.inspector.screen import InspectorScreen
from theact_tui.tui.widgets.portrait import LONGEST_SIDE, Portrait, opened


def picture(width: int = 300, height: int = 400, form: str = "PNG") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (width, height), (200, 40, 40)).save(out, form)
    return out.getvalue()


def card(tmp_path: Path) -> Path:
    """A card in a picture, as programs write it."""
    file = tmp_path / "Sera.png"
    file.write_bytes(
        picture().replace(b"IEND", b"", 1)[:-8] + cards.text_chunk(cards.v2()) + cards.chunk(b"IEND", b"")
    )
    return file


def shown(app: TheActApp) -> bool:
    portrait = app.screen.query_one(Portrait)
    return portrait.display and len(portrait.query(textual_image.widget.HalfcellImage)) == 1


async def test_a_picture_is_shown_in_the_preview_on_the_page_of_the_pack_and_in_the_inspector(
    tmp_path: Path,
) -> None:
    app, file = make_app(tmp_path), card(tmp_path)
    async with app.run_test(size=(100, 40)) as pilot:
        await at_home(pilot)
        await pilot.press("i")
        await until(pilot, lambda: isinstance(app.screen, ImportDialog))
        app.screen.query_one(Input).value = str(file)
        await pilot.press("enter")
        await until(pilot, lambda: shown(app), "the picture in the preview")
        propose([file], Library(app.home.data), app.home.packs).accept()
        await pilot.press("escape", "escape")
        home = await at_home(pilot)
        home.action_refresh()
        rows = home.query_one(OptionList)
        await until(pilot, lambda: "pack:sera" in [row.id for row in rows.options], "the pack")
        rows.highlighted = rows.get_option_index("pack:sera")
        await until(pilot, lambda: shown(app), "the picture of the pack")
        await pilot.press("end")
        await until(pilot, lambda: not shown(app), "a page without one")
        player = Player(pilot)
        await player.open(await new_session(app, pack=load_pack(app.home.packs / "sera")))
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(app.screen, InspectorScreen))
        assert isinstance(app.screen, InspectorScreen)
        app.screen.action_person(1)
        await until(pilot, lambda: shown(app), "hers")
        await pilot.press("escape")
        await player.session.close()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "WEBP"])
def test_a_picture_is_made_small(form: str) -> None:
    made = opened(picture(2000, 1000, form))
    assert made is not None and made.size == (LONGEST_SIDE, LONGEST_SIDE // 2)


def _claims(width: int, height: int) -> bytes:
    head = cards.chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return (
        cards.SIGNATURE + head + cards.chunk(b"IDAT", zlib.compress(b"\0" * 100)) + cards.chunk(b"IEND", b"")
    )


BROKEN = {
    "nothing": b"",
    "noise": bytes(range(256)),
    "half": picture()[:200],
    "a bomb": _claims(60_000, 60_000),
    "no rows": _claims(0, 10),
    "another form": picture(form="GIF"),
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_broken_picture_is_no_picture(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "imported").mkdir()
    (tmp_path / "imported" / "sera.png").write_bytes(data)
    assert opened(data) is None and opened(tmp_path) is None and opened(tmp_path, "odo") is None


def test_a_picture_that_cannot_be_read_is_no_picture(tmp_path: Path) -> None:
    (tmp_path / "imported").mkdir()
    (tmp_path / "imported" / "sera.png").symlink_to("/proc/self/mem")
    assert opened(tmp_path) is None


async def test_nothing_is_shown_where_the_terminal_was_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "textual_image.widget")
    app = make_app(tmp_path)
    propose([card(tmp_path)], Library(app.home.data), app.home.packs).accept()
    async with app.run_test(size=(100, 40)) as pilot:
        await at_home(pilot)
        await pilot.press("home")
        await app.workers.wait_for_complete()
        assert not app.screen.query_one(Portrait).display


KINDS = {
    "sixels": (b"\x1b[?62;4;22c", "True Image textual_image.widget.sixel."),
    "no graphics": (b"\x1b[?62;22c", "False HalfcellImage textual_image.widget."),
}


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("answer", "told"), KINDS.values(), ids=KINDS)
def test_only_terminals_with_graphics_pay_for_pictures_at_the_start(answer: bytes, told: str) -> None:
    ask = """
import sys
from theact_tui.tui.startup import find_pictures, picture_widget
find_pictures()
asked = "PIL" in sys.modules
widget = picture_widget()
print(asked, widget.__name__, widget.__module__, end=".", flush=True)
"""
    child, terminal = pty.fork()
    if not child:
        for name in ("NO_COLOR", "KITTY_WINDOW_ID"):
            os.environ.pop(name, None)
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-c", ask])
    said = b""
    while told.encode() not in said:
        said += (piece := os.read(terminal, 1000))
        os.write(terminal, answer * piece.count(b"\x1b[c"))
    os.waitpid(child, 0)
    os.close(terminal)
    assert told.encode() in said


def test_without_colour_or_a_terminal_it_is_not_asked() -> None:
    ask = "import sys; from theact_tui.tui.startup import find_pictures; find_pictures(); print('PIL' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True).stdout
        == "False\n"
    )
