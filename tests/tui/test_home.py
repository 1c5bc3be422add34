"""The listing: what is there, what can be begun, gone on with, renamed, copied, put away."""

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from tests.importing.chats import EVENING, jsonl, write
from tests.support.games import new_game
from tests.support.pilot import (
    NOON,
    Player,
    at_home,
    footer,
    make_app,
    new_session,
    opens,
    problem,
    running,
    until,
)
from tests.support.said import plain, said
from theact_tui.engine.session import StorySession
from theact_tui.errors import SaveUnwritable
from theact_tui.importing.pack_file import pack_contents, write_pack
from theact_tui.importing.report import ImportReport
from theact_tui.models.discovery import Server
from theact_tui.packs.library import create_pack
from theact_tui.packs.listing import shipped_folder
from theact_tui.paths import split_paths
from theact_tui.saves.library import Library
from theact_tui.saves.listing import SaveEntry
from theact_tui.tui.app import TheActApp
from theact_tui.tui.home.import_dialog import FileTree, ImportDialog
from theact_tui.tui.home.screen import HomeScreen
from theact_tui.tui.home.typed_paths import completed_path, typed_paths
from theact_tui.tui.open_stories import AppServices, LibraryListing
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.visuals import ago
from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, ListDialog
from theact_tui.tui.widgets.header import HeaderLine
from theact_tui.tui.widgets.inputs import LineField

BROKEN = "[bold]my-pack"
"""A folder whose name looks like markup."""


@pytest.fixture
async def pilot(tmp_path: Path) -> AsyncIterator[Pilot[None]]:
    folder = tmp_path / "packs" / BROKEN
    folder.mkdir(parents=True)
    (folder / "game.yaml").write_text("id: my-pack\ntitle: My pack\n")
    app = make_app(tmp_path)
    async with running(app, (120, 40)) as pilot:
        yield pilot


def home(pilot: Pilot[None]) -> HomeScreen:
    return next(screen for screen in pilot.app.screen_stack if isinstance(screen, HomeScreen))


def listed(pilot: Pilot[None]) -> str:
    return "\n".join(plain(option.prompt) for option in home(pilot).query_one(OptionList).options)


def preview(pilot: Pilot[None]) -> str:
    shown = home(pilot).query_one("#about", Static).visual
    return plain(shown)


def under_the_cursor(pilot: Pilot[None]) -> str | None:
    options = home(pilot).query_one(OptionList)
    return options.get_option_at_index(options.highlighted or 0).id


async def go_to(pilot: Pilot[None], id: str) -> None:
    options = home(pilot).query_one(OptionList)
    options.highlighted = options.get_option_index(id)
    await pilot.pause()


async def saved(pilot: Pilot[None]) -> None:
    """A save with one turn, and its line under the cursor."""
    session = await new_session(cast(TheActApp, pilot.app))
    await session.open_story()
    await session.close()
    home(pilot).action_refresh()
    await until(pilot, lambda: "Small" in listed(pilot))
    await go_to(pilot, "save:small")


async def test_a_newcomer_is_told_what_to_press_and_what_packs_there_are(pilot: Pilot[None]) -> None:
    assert "No stories yet. Choose one below and press enter." in listed(pilot)
    assert "enter starts a story. No model needed" in listed(pilot) and "i imports a card" in listed(pilot)
    await go_to(pilot, "pack:lost-island")
    for words in ("The Lost Island", "Maya Chen", "3 chapters", "plays offline"):
        assert words in preview(pilot)
    assert "You are Sam, a passenger of flight NZ-417" in preview(pilot)
    await go_to(pilot, f"pack:{BROKEN}")
    assert "broken" in listed(pilot) and BROKEN in listed(pilot)
    for words in ("This pack cannot be played", "game.yaml", BROKEN):
        assert words in preview(pilot)
    await pilot.press("enter")
    await pilot.pause()
    assert isinstance(pilot.app.screen, HomeScreen)
    options = home(pilot).query_one(OptionList)
    options.highlighted = options.get_option_index("pack:lost-island")
    await pilot.press("down")
    second = options.highlighted
    await pilot.press("j", "k")
    assert options.highlighted == second
    await pilot.press("k", "j", "j")
    assert options.highlighted is not None and second is not None and options.highlighted > second


async def test_a_new_game_asks_two_names_and_begins(pilot: Pilot[None]) -> None:
    await go_to(pilot, "pack:lost-island")
    await opens(pilot, FormDialog, "enter")
    fields = list(pilot.app.screen.query(Input))
    assert fields[0].value == "The Lost Island"
    fields[0].value = "Second try"
    await pilot.press("enter")
    assert fields[1].placeholder == "leave empty to be Sam"
    for refused in ("You", "I walk on to the harbour."):
        fields[1].value = refused
        await pilot.press("enter")
        await until(pilot, partial(_refuses, pilot, refused))
        assert pilot.app.focused is fields[1]
    for taken in ("maya", "Maya Chen", "Joaquin: another one"):
        fields[1].value = taken
        await pilot.press("enter")
        await until(pilot, lambda: "is one of the characters. Choose another name." in problem(pilot))
        fields[1].value = ""
        await pilot.pause()
    await opens(pilot, PlayScreen, "A", "d", "a", "enter")
    player = Player(pilot)
    await player.turn(1)
    assert player.session.game.info.player.name == "Ada"
    assert player.session.folder.name == "second-try"
    await player.press("ctrl+g", "h")
    await until(pilot, lambda: isinstance(pilot.app.screen, HomeScreen) and "Second try" in listed(pilot))
    assert "Second try · Ada" in listed(pilot)


async def test_a_story_is_shown_found_by_its_words_and_gone_on_with(pilot: Pilot[None]) -> None:
    await saved(pilot)
    assert "turn 1" in listed(pilot)
    word = preview(pilot).partition("LAST LINES")[2].split()[0].strip(".,")
    await opens(pilot, FormDialog, "ctrl+f")
    await pilot.press(*"zebra", "enter")
    await until(pilot, lambda: home(pilot).status.hint == "No match for “zebra”.")
    await opens(pilot, FormDialog, "ctrl+f")
    await pilot.press(*word, "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, ListDialog))
    await opens(pilot, PlayScreen, "enter")
    player = Player(pilot)
    await until(pilot, lambda: "chapter 1" in player.page)
    await player.say("I go on.")
    await player.session.close()


async def test_a_save_that_cannot_be_written_can_be_read(
    pilot: Pilot[None], monkeypatch: pytest.MonkeyPatch
) -> None:
    await saved(pilot)
    resume = AppServices.resume

    async def unwritable(services: AppServices, save: SaveEntry, *, write: bool = True) -> StorySession:
        if write:
            raise SaveUnwritable("'small' cannot be written (Read-only file system). It opens read-only.")
        return await resume(services, save, write=False)

    monkeypatch.setattr(AppServices, "resume", unwritable)
    await opens(pilot, ConfirmDialog, "enter")
    assert footer(pilot) == "y read   n no"
    await opens(pilot, PlayScreen, "y")
    player = Player(pilot)
    await player.press("h")
    assert player.status.warning == "Nothing can be written here. esc leaves."
    await player.session.close()


async def test_stories_of_another_window_come_in_a_row_each_and_the_page_that_is_read_stays(
    pilot: Pilot[None],
) -> None:
    await saved(pilot)
    library = Library(cast(TheActApp, pilot.app).home.data)
    for title in ("One", "Two", "Three"):
        library.create(new_game(title)).close()
    home(pilot)._look_again()
    await until(pilot, lambda: "Three" in listed(pilot), "the stories of the other window")
    assert under_the_cursor(pilot) == "save:small"
    options = home(pilot).query_one(OptionList).options
    rows = [plain(option.prompt) for option in options if str(option.id).startswith("save:")]
    assert [len(row.splitlines()) for row in rows] == [2, 1, 1, 1], "the newest has its last line, too"
    for width in (40, 60):
        await pilot.resize_terminal(width, 14)
        await until(pilot, lambda: not home(pilot).query_one("#preview").display)
        await pilot.pause()
        row = next(strip.text for strip in home(pilot)._compositor.render_strips() if "Alex" in strip.text)
        assert row.rstrip().endswith(("turn 0", "turn 1")) and len(row) == width
    await pilot.resize_terminal(80, 24)
    await until(pilot, lambda: home(pilot).query_one("#preview").display)


async def test_rename_copy_delete_and_bring_back(pilot: Pilot[None]) -> None:
    await saved(pilot)
    await opens(pilot, FormDialog, "c")
    pilot.app.screen.query_one(Input).value = "Copy of it"
    await pilot.press("enter")
    await until(pilot, lambda: "Copy of it" in listed(pilot))
    await until(pilot, lambda: under_the_cursor(pilot) == "save:copy-of-it")
    await go_to(pilot, "save:small")
    await opens(pilot, FormDialog, "r")
    pilot.app.screen.query_one(Input).value = ""
    await pilot.press("enter")
    await until(pilot, lambda: "needs a name" in problem(pilot))
    pilot.app.screen.query_one(Input).value = "Renamed"
    await pilot.press("enter")
    await until(pilot, lambda: "Renamed" in listed(pilot))
    await until(pilot, lambda: under_the_cursor(pilot) == "save:renamed")
    await go_to(pilot, "save:copy-of-it")
    await opens(pilot, ConfirmDialog, "x")
    await pilot.press("n")
    await pilot.pause()
    assert "Copy of it" in listed(pilot)
    await opens(pilot, ConfirmDialog, "x")
    await pilot.press("y")
    await until(pilot, lambda: "Copy of it" not in listed(pilot))
    assert list(cast(TheActApp, pilot.app).home.trash.iterdir())
    await opens(pilot, ListDialog, "t")
    await pilot.press("enter")
    await until(pilot, lambda: "Copy of it" in listed(pilot))


def test_when_in_words() -> None:
    said = {
        "2026-05-01T11:59:40+00:00": "just now", "2026-05-01T11:48:00+00:00": "12 min ago",
        "2026-05-01T10:00:00+00:00": "2 h ago", "2026-04-30T10:00:00+00:00": "yesterday",
        "2026-04-20T10:00:00+00:00": "11 days ago", "2025-01-02T10:00:00+00:00": "2025-01-02",
        "2026-05-01T13:00:00+00:00": "just now", "2026-05-01T10:00:00": "2 h ago",
        "2026-04-20": "11 days ago", "rubbish": "",
    }  # fmt: skip
    assert {at: ago(at, NOON) for at in said} == said


async def test_an_own_pack_goes_to_the_trash_and_comes_back_and_a_shipped_one_stays(
    pilot: Pilot[None],
) -> None:
    app = cast(TheActApp, pilot.app)
    await go_to(pilot, "pack:lost-island")
    assert not home(pilot).check_action("act", ("delete",))
    own = create_pack(app.home.packs, "lost-island")
    (own / ".git").mkdir()
    await pilot.press("f5")
    await until(pilot, lambda: bool((pack := home(pilot).pack) and not pack.shipped))
    await opens(pilot, ConfirmDialog, "x")
    await pilot.press("y")
    await until(pilot, lambda: bool((pack := home(pilot).pack) and pack.shipped))
    assert not own.exists() and not home(pilot).opening
    await opens(pilot, ListDialog, "t")
    assert len(app.screen.query_one(OptionList).options) == 1
    await pilot.press("enter")
    await until(pilot, own.is_dir)


async def bring_in(pilot: Pilot[None], text: str) -> None:
    await opens(pilot, ImportDialog, "i")
    pilot.app.screen.query_one(Input).value = text
    await pilot.press("enter")


async def accept(pilot: Pilot[None], *keys: str) -> str:
    """Import what was found; the report, which `keys` answer."""
    await until(pilot, lambda: "enter import" in footer(pilot))
    await pilot.press("enter")
    await until(pilot, lambda: "esc close" in footer(pilot))
    report = said(pilot.app.screen, "#found Static")
    await pilot.press(*keys)
    return report


async def test_a_story_goes_out_and_comes_back_twice(pilot: Pilot[None]) -> None:
    await saved(pilot)
    await opens(pilot, ListDialog, "o")
    await pilot.press("end", "enter")
    file = cast(TheActApp, pilot.app).home.data / "exports" / "small.theact"
    await until(pilot, lambda: file.exists() and isinstance(pilot.app.screen, HomeScreen))
    await bring_in(pilot, f"'{file}'")
    await accept(pilot, "escape")
    await until(pilot, lambda: under_the_cursor(pilot) == "save:small-1")
    await bring_in(pilot, file.as_uri())
    await accept(pilot, "escape")
    await until(pilot, lambda: under_the_cursor(pilot) == "save:small-2")
    assert "Small · Alex · small-2" in listed(pilot)
    await opens(pilot, PlayScreen, "enter")
    assert Player(pilot).session.game.state.turn == 1
    await Player(pilot).session.close()


async def test_a_chat_is_looked_for_shown_brought_in_and_played(
    pilot: Pilot[None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(write(tmp_path / "files", {"rain.jsonl": jsonl(*EVENING)})))
    await opens(pilot, ImportDialog, "i")
    await pilot.press("tab")
    tree = pilot.app.screen.query_one(FileTree)
    await until(pilot, lambda: len(tree.root.children) == 1)
    await pilot.press("down", "enter")
    await until(pilot, lambda: "enter import" in footer(pilot))
    assert not list(cast(TheActApp, pilot.app).home.saves.iterdir()), "nothing is written before"
    assert "5 messages → 3 turns" in await accept(pilot, "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, PlayScreen))
    assert Player(pilot).session.game.state.turn == 3
    await Player(pilot).session.close()


async def test_the_files_of_the_folder_that_is_typed_are_listed(pilot: Pilot[None], tmp_path: Path) -> None:
    folder = write(tmp_path / "elsewhere", {"rain.jsonl": jsonl(*EVENING), "fog.jsonl": jsonl(*EVENING)})
    for typed in (f"{folder}", f"{folder}/rain.jsonl"):
        await opens(pilot, ImportDialog, "i")
        line, tree = pilot.app.screen.query_one(LineField), pilot.app.screen.query_one(FileTree)
        line.value = typed
        await pilot.press("tab")
        await until(pilot, partial(_lists, tree, "fog.jsonl", "rain.jsonl"))
        await pilot.press("tab")
        assert line.value == typed
        await pilot.press("escape")


def _lists(tree: FileTree, *names: str) -> bool:
    return [str(each.label) for each in tree.root.children] == [*names]


async def test_a_card_is_a_pack_to_begin_at_once(pilot: Pilot[None], tmp_path: Path) -> None:
    data = {"name": "Seraphina", "description": "A healer.", "first_mes": "You wake, {{user}}."}
    card = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data})
    await bring_in(pilot, str(write(tmp_path / "files", {"card.json": card}) / "card.json"))
    assert "1 greeting of Seraphina (first page)" in await accept(pilot, "enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, FormDialog))
    await opens(pilot, PlayScreen, "enter", *"Bo", "enter")
    session = Player(pilot).session
    await until(pilot, lambda: session.game.state.turn == 1)
    assert "You wake, Bo." in str(session.game.last_turn)
    await session.close()


async def test_a_lorebook_asks_which_pack_it_is_added_to(pilot: Pilot[None], tmp_path: Path) -> None:
    entry = {"uid": 0, "key": ["hall"], "content": "The hall was built by giants.", "comment": "hall"}
    book = write(tmp_path / "files", {"book.json": json.dumps({"entries": {"0": entry}})}) / "book.json"
    await bring_in(pilot, str(book))
    await until(pilot, lambda: isinstance(pilot.app.screen, ListDialog))
    await pilot.press("escape")
    await until(pilot, lambda: "Which story is it for?" in problem(pilot))
    assert "--" not in problem(pilot), "a screen names no option of the command line"
    await opens(pilot, ListDialog, "enter")
    await pilot.press("enter")
    assert "1 entry of lore" in await accept(pilot, "escape")
    (lore,) = (tmp_path / "packs").rglob("lore/*.yaml")
    assert "giants" in lore.read_text("utf-8")


async def test_a_pack_that_is_there_already_is_given_another_id(pilot: Pilot[None], tmp_path: Path) -> None:
    contents = write_pack(pack_contents(shipped_folder() / "lost-island"))
    file = tmp_path / "island.theact"
    file.write_bytes(contents)
    shutil.copytree(shipped_folder() / "lost-island", tmp_path / "packs" / "lost-island")
    await bring_in(pilot, str(file))
    await until(pilot, lambda: isinstance(pilot.app.screen, FormDialog))
    await pilot.press(*"other", "enter")
    await accept(pilot, "escape")
    assert (tmp_path / "packs" / "other" / "game.yaml").exists()


async def test_a_long_card_can_be_made_shorter_and_that_can_be_stopped(
    pilot: Pilot[None], tmp_path: Path
) -> None:
    data = {"name": "Seraphina", "description": "A healer. " * 60, "first_mes": "You wake, {{user}}."}
    card = write(tmp_path / "files", {"card.json": json.dumps({"spec": "chara_card_v2", "data": data})})
    asked, go_on = list[str](), asyncio.Event()

    async def shorten(pack: str, on_step: Callable[[str], None]) -> ImportReport:
        asked.append(pack)
        on_step("Shortening Seraphina")
        await go_on.wait()
        return ImportReport("card", changed=("Seraphina is short now.",))

    app = cast(TheActApp, pilot.app)
    services = cast(AppServices, SimpleNamespace(propose=app.services.propose, shorten=shorten))
    app.push_screen(ImportDialog(services, tmp_path, has_model=True))
    await until(pilot, lambda: isinstance(app.screen, ImportDialog))
    app.screen.query_one(Input).value = str(card / "card.json")
    await pilot.press("enter")
    assert "Nothing was cut" in await accept(pilot, "s")
    await until(pilot, lambda: footer(pilot) == "Shortening Seraphina   esc stop")
    await pilot.press("escape")
    await until(pilot, lambda: "s make it shorter" in footer(pilot))
    go_on.set()
    await pilot.press("s")
    await until(pilot, lambda: footer(pilot) == "enter begin   esc close")
    assert asked == ["seraphina", "seraphina"]
    assert "short now" in said(app.screen, "#found Static")
    await pilot.press("escape")


def test_a_path_is_found_however_a_terminal_writes_it(tmp_path: Path) -> None:
    file, other = tmp_path / "a b.json", tmp_path / "c.json"
    file.touch()
    other.touch()
    escaped = str(file).replace(" ", "\\ ")
    for typed in (f"'{file}'", f'"{file}" ', f"{file}", escaped, file.as_uri()):
        assert typed_paths(typed) == [file], typed
    assert typed_paths(f"{escaped} '{other}'") == [file, other]
    assert [path.exists() for path in typed_paths("狼来了" * 100)] == [False], "too long for a path"
    dropped = r'"C:\Users\Åsa L\a card.png" C:\temp\lore.json'
    assert split_paths(dropped, posix=False) == [r"C:\Users\Åsa L\a card.png", r"C:\temp\lore.json"]


async def test_a_file_that_is_no_story_is_asked_for_again(
    pilot: Pilot[None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / "packs" / BROKEN)
    await opens(pilot, ImportDialog, "i")
    for typed, told in (
        ("", "Enter the path"),
        ("~nobody/at/all", "There is no file"),
        ("game.yaml", "game.yaml cannot be imported. Its format is not supported."),
        (".", "There is nothing to import in the folder"),
    ):
        pilot.app.screen.query_one(Input).value = typed
        await pilot.press("enter")
        await until(pilot, partial(lambda told: told in problem(pilot), told))
        assert pilot.app.screen.query_one(Input).value == typed
    await pilot.press("escape")
    assert not list(cast(TheActApp, pilot.app).home.saves.iterdir())


def test_a_free_title_is_found_for_any_title(tmp_path: Path) -> None:
    app = make_app(tmp_path)
    library = app.services.library
    for title in ("The stair that is longer than anybody remembers, and longer", "夜" * 120) * 3:
        free = app.services.free_title(title, LibraryListing(tuple(library.saves())))
        library.create(new_game(free)).close()
    assert len(library.names()) == 6


async def test_a_server_on_this_computer_is_named_while_no_model_plays(tmp_path: Path) -> None:
    app = make_app(tmp_path)

    async def look() -> list[Server]:
        return [Server("Ollama", "http://127.0.0.1:11434/v1", ("qwen",), 8192)]

    object.__setattr__(app.services, "look", look)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await at_home(pilot)
        head = screen.query_one("#head", HeaderLine)
        said = "Ollama answers on this computer: s uses it"
        await until(pilot, lambda: said in plain(head.parts), "the server")


def test_a_path_that_is_typed_is_completed(tmp_path: Path) -> None:
    for name in ("stories", ".hidden"):
        (tmp_path / name).mkdir()
    for name in ("chat one.jsonl", "chat two.jsonl", "Chat.txt", "bad\x1bname"):
        (tmp_path / name).write_text("")
    completed: dict[str, str | None] = {
        "ch": "chat one.jsonl", "chat t": "chat two.jsonl", "C": "Chat.txt", "s": "stories/", ".h": ".hidden/",
        "": "chat one.jsonl", "bad": None, "none": None, "nowhere/x": None, "chat one.jsonl": None,
    }  # fmt: skip
    for begun, whole in completed.items():
        assert completed_path(f"{tmp_path}/{begun}") == (whole and f"{tmp_path}/{whole}"), begun
    assert completed_path("") is None and completed_path("~") is None
    assert completed_path(f"{tmp_path}\0/x") is None


def _refuses(pilot: Pilot[None], name: str) -> bool:
    return f"'{name}'" in problem(pilot)


async def test_page_keys_keep_a_row_lit(tmp_path: Path) -> None:
    async with running(make_app(tmp_path)) as pilot:
        for key in ("pageup", "pagedown", "pagedown", "pageup", "pageup"):
            await pilot.press(key)
            assert home(pilot).query_one(OptionList).highlighted is not None, key
        await opens(pilot, FormDialog, "enter")


async def test_continue_opens_the_newest_story_that_has_begun_and_shows_no_list_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(tmp_path)
    session = await new_session(app)
    await session.open_story()
    await session.close()
    Library(app.home.data).create_chapter("Not begun", "1").close()
    app._go_on = True
    async with app.run_test(size=(80, 24)) as pilot:
        body = home(pilot).query_one("#body")
        player = Player(pilot)
        await until(pilot, lambda: player.playing, "the story")
        assert not body.visible and player.session.game.info.title == "Small"
        monkeypatch.setattr(AppServices, "listing", lambda services: asyncio.Event().wait())
        await player.press("ctrl+g", "h")
        await until(pilot, lambda: pilot.app.screen is home(pilot))
        assert body.visible and home(pilot).status.doing == "", "the story is not being opened any more"


async def test_until_the_stories_are_read_the_status_line_says_so_and_then_that_none_can_be_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, read = make_app(tmp_path), asyncio.Event()
    app._go_on = True
    listing = AppServices.listing

    async def slowly(services: AppServices) -> LibraryListing:
        await read.wait()
        return await listing(services)

    monkeypatch.setattr(AppServices, "listing", slowly)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: home(pilot).status.doing == "Reading your stories")
        read.set()
        await home(pilot).listed.wait()
        assert home(pilot).status.doing == "" and "no story to continue" in home(pilot).status.hint
        assert home(pilot).query_one("#body").visible
