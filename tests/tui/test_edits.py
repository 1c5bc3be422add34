"""Files changed outside the program: the play screen asks what becomes of them."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from tests.support.pilot import Player, make_app, new_session, opens, playing, running, until
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.tui.app import TheActApp
from theact_tui.tui.branches.screen import BranchesScreen
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.widgets.dialogs import ChoiceDialog
from theact_tui.tui.widgets.external_edits import ExternalEditsDialog

TURN = "turns/0000/01.yaml"


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    """A story of one turn, whose files somebody changed."""
    session = await new_session(make_app(tmp_path))
    await session.play("I go down.")
    await session.close()
    replace(session.folder / TURN, "I go down.", "I stay up.")
    return session.folder


@pytest.fixture
async def asked(tmp_path: Path, folder: Path) -> AsyncIterator[Player]:
    """Somebody who opens that story, and is asked about it."""
    async with running(make_app(tmp_path)) as pilot:
        player = Player(pilot)
        await opens(pilot, ExternalEditsDialog, "enter")
        await until(pilot, lambda: bool(text(player.app, "keys")), "what can be done")
        yield player
        await player.session.close()


def replace(file: Path, old: str, new: str) -> None:
    file.write_text(file.read_text().replace(old, new))


def text(app: TheActApp, part: str) -> str:
    found = app.screen.query_one(f"#{part}, .{part}", Static)
    return str(found.content) if found.display else ""


async def answered(player: Player) -> None:
    await until(player.pilot, lambda: isinstance(player.app.screen, PlayScreen), "the answer to be followed")


async def test_what_was_changed_becomes_part_of_the_story(asked: Player) -> None:
    assert text(asked.app, "files") == TURN
    await asked.press("l")
    assert "+    text: I stay up." in text(asked.app, "difference").replace('"', "")
    await asked.press("a")
    await answered(asked)
    await until(asked.pilot, lambda: "I stay up." in asked.page, "the new words")
    log = await asked.session.run(asked.session.save.log, 1)
    assert log[0].line == f"files edited outside the program: {TURN}"


async def test_nothing_is_called_applied_when_the_files_were_mended_meanwhile(
    asked: Player, folder: Path
) -> None:
    replace(folder / TURN, "I stay up.", "I go down.")
    await asked.press("a")
    await answered(asked)
    assert "Applied" not in asked.screen.status.hint


async def test_it_can_be_put_back_or_left_for_later(asked: Player, folder: Path) -> None:
    await asked.press("escape")
    await answered(asked)
    assert "I go down." in asked.page
    assert await asked.session.hand_edits()
    await asked.session.discard_edits()
    assert await asked.session.hand_edits() is None
    edited = (folder / "turns/0000/01.edited.yaml").read_text()
    assert "I stay up." in edited
    (folder / TURN).write_text(edited)
    assert await asked.session.new_hand_edits(), "the same edit again is asked about again"


@pytest.fixture
def broken(folder: Path) -> None:
    """Somebody broke another file, too."""
    (folder / "state.yaml").write_text("mine: true\n" + (folder / "state.yaml").read_text())


async def test_a_broken_file_is_named_with_its_line_and_put_back_first(broken: None, asked: Player) -> None:
    app, sheet = asked.app, asked.app.screen
    assert "state.yaml is invalid, line 1: unknown field 'mine'." in text(app, "problem")
    assert "a apply" not in text(app, "keys")
    await asked.press("a")
    assert app.screen is sheet
    await asked.press("r")
    await until(asked.pilot, lambda: app.screen is not sheet and text(app, "files") == TURN, "the rest")
    assert isinstance(app.screen, ExternalEditsDialog) and text(app, "problem") == ""
    await asked.press("a")
    await answered(asked)
    assert asked.session.game.state.turn == 1


@pytest.fixture
async def player(tmp_path: Path) -> AsyncIterator[Player]:
    """Somebody in a story whose opening was told, and whose files show it."""
    async with playing(tmp_path, (80, 24)) as player:
        await player.say("I go down.")
        assert await player.session.hand_edits() is None
        yield player


async def test_files_changed_while_the_story_is_open_are_asked_about_once_before_it_moves(
    player: Player,
) -> None:
    file = player.session.folder / "state.yaml"
    file.write_text("mine: true")
    await player.type("I look around.")
    await opens(player.pilot, ExternalEditsDialog, "enter")
    assert player.session.game.state.turn == 2
    await player.press("escape")
    await player.turn(3)
    said = "Your version is kept in state.edited.yaml."
    await until(player.pilot, lambda: said in player.page.replace("\n", " "), "the notice")
    await player.say("I go on.")
    assert await player.session.hand_edits() is None
    replace(file, 'rolling_summary: ""', "rolling_summary: They are below.")
    await player.type("I look down.")
    await opens(player.pilot, ExternalEditsDialog, "enter")
    await until(player.pilot, lambda: text(player.app, "files") == "state.yaml")
    await player.press("a")
    await player.turn(5)
    assert player.session.game.state.rolling_summary == "They are below."
    await opens(player.pilot, BranchesScreen, "f3")
    file.write_text("mine: true")
    await opens(player.pilot, ExternalEditsDialog, "left", "enter")
    assert player.session.game.state.turn == 5
    await opens(player.pilot, ChoiceDialog, "escape")


async def test_typed_commands_that_move_the_story_ask_as_keys_do(player: Player) -> None:
    def where() -> tuple[object, ...]:
        return player.session.game.state.turn, player.session.takes

    async def asks_first(line: str) -> None:
        assert await player.session.hand_edits() is None, "the files show the story"
        (player.session.folder / "state.yaml").write_text(f"mine: {line}")
        before = where()
        await player.type(line)
        await opens(player.pilot, ExternalEditsDialog, "enter")
        assert where() == before, "nothing moves before the answer"
        await player.press("escape")
        await until(player.pilot, lambda: where() != before and not player.status.doing, line)

    for line in ("/retry", "/take 1", "/undo"):
        await asks_first(line)


@pytest.fixture
async def renamed(tmp_path: Path) -> TheActApp:
    """A home with a story of the user's own pack, in which Maya has another name since."""
    app = make_app(tmp_path)
    own = shutil.copytree(shipped_folder() / "lost-island", app.home.packs / "lost-island")
    session = await new_session(app, pack=load_pack(own))
    await session.play("I go down.")
    await session.close()
    replace(own / "characters/maya.yaml", "Maya Chen", "Maya Blue")
    return app


async def offered(pilot: Pilot[None]) -> Player:
    """Somebody who opens that story, and is told of the change."""
    player = Player(pilot)
    await opens(pilot, PlayScreen, "enter")
    await until(pilot, lambda: "^g z shows the changes" in player.screen.status.hint, "the offer")
    return player


@pytest.mark.parametrize(("answer", "name"), [("a", "Maya Blue"), ("r", "Maya Chen")])
async def test_a_changed_pack_is_offered_in_one_line_and_taken_or_kept(
    renamed: TheActApp, answer: str, name: str
) -> None:
    async with running(renamed) as pilot:
        player = await offered(pilot)
        for key in ("escape", answer):
            assert player.session.game.pack.name_of("maya") == "Maya Chen"
            await opens(pilot, ExternalEditsDialog, "ctrl+g", "z")
            await until(pilot, lambda: "r keep the old one" in text(renamed, "keys"), "what can be done")
            assert text(renamed, "files") == "pack/characters/maya.yaml"
            assert player.session.pack_edits and await player.session.pack_edits.news(), "esc is no answer"
            await player.press("l")
            assert '+name: "Maya Blue"' in text(renamed, "difference")
            await player.press(key)
            await answered(player)
        await until(pilot, lambda: player.session.game.pack.name_of("maya") == name, "the answer")
        if answer == "a":
            told = "Applied: pack/characters/maya.yaml."
            await until(pilot, lambda: player.screen.status.hint == told, "that it was applied")
        await player.session.close()
    (save,) = Library(renamed.home.data).saves()
    session = await renamed.services.resume(save)
    await session.edits_scanned()
    assert session.pack_edits and not await session.pack_edits.news()
    await session.close()


async def test_a_pack_that_was_broken_meanwhile_is_refused_in_a_sentence(renamed: TheActApp) -> None:
    async with running(renamed) as pilot:
        player = await offered(pilot)
        (renamed.home.packs / "lost-island" / "world.yaml").write_text("tone: [")
        await opens(pilot, ExternalEditsDialog, "ctrl+g", "z")
        await until(pilot, lambda: "world.yaml, line" in text(renamed, "problem"), "why not")
        assert "a apply" not in text(renamed, "keys")
        await player.press("escape")
        await answered(player)
        await player.session.close()
