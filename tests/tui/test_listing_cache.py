"""The listing is right whatever changed on disk since it was remembered, and what is remembered is cheap to list."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import theact_tui
from tests.support.games import new_game, played
from theact_tui.packs import library
from theact_tui.packs.library import create_pack, find_packs
from theact_tui.packs.listing import shipped_folder
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.tui import listing_cache
from theact_tui.tui.listing_cache import ListingCache

SLOW = "dulwich", "pydantic", "ruamel"
LIST = f"""
import sys
from theact_tui.paths import Home
from theact_tui.tui.listing_cache import ListingCache

listed = ListingCache(Home.find(sys.argv[1]))
print([save.title for save in listed.saves()], [pack.title for pack in listed.packs()])
assert not (found := [name for name in {SLOW!r} if name in sys.modules]), found
"""


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a pack and a save of its own, both remembered."""
    home = Home.find(tmp_path).create()
    create_pack(home.packs, "mine")
    Library(home.data).create(new_game()).close()
    assert_right(home)
    return home


def assert_right(home: Home) -> None:
    """The list says what reading everything says."""
    assert ListingCache(home).saves() == Library(home.data).saves()
    assert ListingCache(home).packs() == find_packs(home.packs)


@pytest.mark.parametrize("is_first", [False, True], ids=["remembered", "at the first start"])
def test_what_did_not_change_is_listed_without_what_is_slow_to_import(home: Home, is_first: bool) -> None:
    root = home.data / "another" if is_first else home.data
    done = subprocess.run(
        [sys.executable, "-c", LIST, str(root)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    titles = [save.title for save in ListingCache(home).saves()]
    assert repr([] if is_first else titles) in done.stdout and "The Lost Island" in done.stdout


def test_the_list_of_what_comes_with_the_program_is_used_while_it_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_right(Home.find(tmp_path).create())
    other = shutil.copytree(shipped_folder(), tmp_path / "shipped")
    title = other / "lost-island" / "game.yaml"
    title.write_text(title.read_text("utf-8").replace("The Lost Island", "Another Island"), "utf-8")
    monkeypatch.setattr(listing_cache, "shipped_folder", lambda: other)
    monkeypatch.setattr(library, "shipped_folder", lambda: other)
    titles = [pack.title for pack in ListingCache(Home.find(tmp_path / "home").create()).packs()]
    assert "Another Island" in titles, "what does not fit its seal is read"


def test_saves_are_played_on_come_and_go_and_are_damaged_and_mended(home: Home) -> None:
    [before] = ListingCache(home).saves()
    with Save.open(home.saves / before.name) as save:
        save.commit(played(save.load()))
    [after] = ListingCache(home).saves()
    assert (before.turn, after.turn) == (0, 1)
    assert_right(home)
    library = Library(home.data)
    library.copy(after.name, "Another")
    assert_right(home)
    library.rename("another", "A third")
    assert_right(home)
    library.delete(after.name)
    [left] = ListingCache(home).saves()
    assert left.title == "A third"
    objects = home.saves / left.name / ".git" / "objects"
    objects.rename(objects.with_name("gone"))
    assert ListingCache(home).saves()[0].broken
    objects.with_name("gone").rename(objects)
    assert_right(home)


def test_a_pack_that_was_edited_is_listed_as_it_is_now(home: Home) -> None:
    game = home.packs / "mine" / "game.yaml"
    text = game.read_text("utf-8")
    title = next(pack.title for pack in ListingCache(home).packs() if pack.id == "mine")
    same_length = title[::-1]
    game.write_text(text.replace(title, same_length), "utf-8")
    assert same_length in [pack.title for pack in ListingCache(home).packs()]
    game.write_text("id: mine\n", "utf-8")
    assert next(pack for pack in ListingCache(home).packs() if pack.id == "mine").broken
    game.write_text(text, "utf-8")
    assert_right(home)


@pytest.mark.posix("links")
def test_a_pack_that_is_a_link_is_watched_where_it_leads(home: Home, tmp_path: Path) -> None:
    elsewhere = create_pack(tmp_path / "elsewhere", "linked")
    (home.packs / "linked").symlink_to(elsewhere)
    assert_right(home)
    game = elsewhere / "game.yaml"
    game.write_text(game.read_text("utf-8").replace("title:", "title: Far"), "utf-8")
    assert_right(home)


def test_a_memory_that_cannot_be_read_or_was_changed_by_hand_is_done_without(home: Home) -> None:
    file = home.cache / "listing.json"
    remembered = json.loads(file.read_text("utf-8"))
    remembered["packs"]["value"][0]["title"] = "Not what the pack says"
    for damage in ("", "{", "[]", '{"packs": 1, "saves": {"the-cave": []}}', json.dumps(remembered)):
        file.write_text(damage, "utf-8")
        assert_right(home)


def test_another_version_of_the_program_reads_anew(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing_cache, "_read_packs", lambda own: [])
    assert ListingCache(home).packs()
    (home.data / "__init__.py").touch()
    monkeypatch.setattr(theact_tui, "__file__", str(home.data / "__init__.py"))
    assert not ListingCache(home).packs()


@pytest.mark.posix("file modes")
def test_the_memory_is_for_the_user_only(home: Home) -> None:
    assert (home.cache / "listing.json").stat().st_mode & 0o077 == 0


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_whose_cache_cannot_be_written_is_listed_all_the_same(home: Home) -> None:
    (home.cache / "listing.json").unlink()
    home.cache.chmod(0o500)
    assert_right(home)
    home.cache.chmod(0o700)
