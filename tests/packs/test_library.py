"""S2: the list of packs, which a broken one never takes down, and the scaffold."""

import re
from pathlib import Path

import pytest

from tests.packs.conftest import Edit
from theact_tui.errors import UsageError
from theact_tui.packs.library import create_pack, find_packs, pack_folder
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import check_pack, load_pack


def put(folder: Path, field: str, value: str) -> None:
    """Write another value of a field into the `game.yaml` of a pack."""
    file = folder / "game.yaml"
    file.write_text(re.sub(rf"(?m)^{field}:.*", f"{field}: {value}", file.read_text("utf-8")), "utf-8")


def test_the_users_packs_are_listed_with_the_shipped_ones(pack: Path) -> None:
    entries = {entry.id: entry for entry in find_packs(pack.parent)}
    assert {"halfway", "lost-island"} <= set(entries)
    mine = entries["halfway"]
    assert (mine.title, mine.shipped, mine.broken, mine.plays_offline) == ("Halfway", False, None, True)
    assert mine.cast[1] == ("Bram", "tea seller, twelve or thereabouts, coat to his ankles")
    assert mine.chapters == ("The Platform", "The Up Train")
    assert entries["lost-island"].shipped


def test_a_newcomer_meets_the_island_first_and_own_packs_come_last(pack: Path) -> None:
    listed = [entry.id for entry in find_packs(pack.parent)]
    assert listed == ["lost-island", "horsell-pit", "salt-road", "guest-in-nine", "halfway"]


def test_no_packs_of_the_user_are_no_problem(tmp_path: Path) -> None:
    assert all(entry.shipped for entry in find_packs(tmp_path / "none"))


def test_a_users_pack_wins_over_a_shipped_one(tmp_path: Path) -> None:
    create_pack(tmp_path, "lost-island")
    found = [entry for entry in find_packs(tmp_path) if entry.id == "lost-island"]
    assert [(entry.title, entry.shipped) for entry in found] == [("Lost island", False)]


def test_a_broken_pack_is_listed_last_with_its_reason(pack: Path, edit: Edit) -> None:
    edit("chapters/01-the-platform.yaml", "beats:", "beat:")
    last = find_packs(pack.parent)[-1]
    assert last.id == "halfway"
    assert last.broken == "chapters/01-the-platform.yaml, line 7: unknown field 'beat'; did you mean 'beats'?"


@pytest.mark.posix("links")
def test_any_rubbish_among_the_packs_is_survived(pack: Path) -> None:
    (pack.parent / "empty").mkdir()
    (pack.parent / "a\x1b[31mred").mkdir()
    (pack.parent / "file").write_text("no pack", "utf-8")
    (pack.parent / "loop").symlink_to("loop")
    (pack.parent / ".hidden").mkdir()
    (pack / "game.yaml").write_bytes(b"\xff\xfe\x00")
    found = [entry for entry in find_packs(pack.parent) if not entry.shipped]
    assert {entry.id for entry in found} == {"empty", "ared", "halfway"}
    assert all(entry.broken and entry.broken.startswith("game.yaml") for entry in found)


def test_two_packs_of_one_id_are_told_apart(pack: Path) -> None:
    put(create_pack(pack.parent, "second"), "id", "halfway")
    entries = {entry.id: entry for entry in find_packs(pack.parent)}
    assert entries["halfway"].broken is None
    assert entries["second"].broken == "has the same id as the pack in the folder 'halfway'"


def test_no_pack_is_hidden_by_one_in_another_folder_that_has_its_id(pack: Path) -> None:
    for folder, id in (("a-copy", "halfway"), ("b", "c"), ("c", "halfway")):
        put(create_pack(pack.parent, folder), "id", id)
    found = [entry for entry in find_packs(pack.parent) if not entry.shipped]
    assert {entry.folder.name for entry in found} == {"a-copy", "b", "c", "halfway"}
    assert {entry.folder.name for entry in found if not entry.broken} == {"halfway", "b"}
    assert pack_folder(pack.parent, "halfway") == pack


def test_a_pack_is_named_by_id_or_folder(pack: Path) -> None:
    assert pack_folder(pack.parent, "halfway") == pack
    assert pack_folder(pack.parent, str(pack)) == pack.resolve()
    assert pack_folder(pack.parent, "lost-island") == shipped_folder() / "lost-island"


@pytest.mark.parametrize("name", ["halfwya", "", "\0", "../halfway/game.yaml"])
def test_an_unknown_pack_is_refused(pack: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(pack.parent)
    with pytest.raises(UsageError) as error:
        pack_folder(pack.parent, name)
    assert "theact-tui packs" in error.value.message


def test_the_nearest_pack_is_named(pack: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'halfway'"):
        pack_folder(pack.parent, "halfwya")
    with pytest.raises(UsageError, match="Did you mean 'halfway'"):
        pack_folder(pack.parent, "hal")


def test_a_new_pack_is_complete_and_without_a_fault(tmp_path: Path) -> None:
    folder = create_pack(tmp_path / "packs", "my-first")
    assert check_pack(folder) == []
    pack = load_pack(folder)
    assert pack.id == "my-first"
    assert len(pack.chapters) == 2
    assert "my-first" in (folder / "game.yaml").read_text("utf-8")


@pytest.mark.parametrize("id", ["", "..", "a/b", "a\\b", "A", "con", "-a", "a\0", "ä", "x" * 65])
def test_a_new_pack_needs_a_safe_id(tmp_path: Path, id: str) -> None:
    with pytest.raises(UsageError, match="cannot be an id"):
        create_pack(tmp_path, id)
    assert list(tmp_path.iterdir()) == []


def test_a_new_pack_never_overwrites(pack: Path) -> None:
    with pytest.raises(UsageError, match="already a folder"):
        create_pack(pack.parent, "halfway")


def test_a_pack_is_found_by_its_title_too(tmp_path: Path) -> None:
    put(create_pack(tmp_path, "loaf"), "title", "The Loaf")
    assert pack_folder(tmp_path, "the loaf") == tmp_path / "loaf"
    with pytest.raises(UsageError, match="Did you mean 'The Loaf'"):
        pack_folder(tmp_path, "The Loav")
    put(create_pack(tmp_path, "other"), "title", "The Loaf")
    with pytest.raises(UsageError, match="Several packs are called 'The Loaf': loaf, other"):
        pack_folder(tmp_path, "The Loaf")
