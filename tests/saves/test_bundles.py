"""A save leaves and comes in as one file, and what comes in is never trusted."""

import shlex
import zlib
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path

import pytest

from tests.support.saves import assert_same_story, export, git
from theact_tui.errors import SaveDamaged, SaveError, UsageError
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.saves.transfer import check_git_pack, is_own_ref


def test_an_exported_save_comes_back_whole_and_git_reads_it(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "reef.bundle"
    export(library, file)
    git(tmp_path, "clone", "-q", str(file), "clone")
    assert git(tmp_path / "clone", "rev-list", "--count", "HEAD") == "5\n"
    with pytest.raises(UsageError, match="exists already"):
        export(library, file)
    assert_same_story(library.import_file(file), "Reef")
    assert_same_story(library.import_file(file, "Zwei"), "Zwei")
    assert library.names() == ["reef", "reef-1", "zwei"]
    with pytest.raises(UsageError, match="already a save"):
        library.import_file(file, "Zwei")


def test_the_lines_of_git_in_the_manual_take_a_whole_save_to_another_repository_and_back(
    library: Library, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[2] / "docs/saves.md").read_text("utf-8")
    part = page.partition("### To another repository and back")[2]
    lines = [line for line in part.partition("The program never")[0].splitlines() if line.startswith("git ")]
    assert [line.split()[-2:][0] for line in lines] == [
        "'+refs/heads/*:refs/heads/*'",
        "there.git",
        "core.bare",
    ]
    with Save.open(library.path("reef")) as save:
        save.rename("Das Riff")
    git(tmp_path, "init", "-q", "--bare", "there.git")
    source, places = library.path("reef"), {"there.git": str(tmp_path / "there.git"), "HOME": str(tmp_path)}

    def run(line: str, **more: str) -> None:
        for name, place in {**places, **more}.items():
            line = line.replace(name, place)
        git(tmp_path, *shlex.split(line)[1:])

    run(lines[0], SAVE=str(source))
    with Save.open(source) as save:
        save.undo(2)
        save.redo(1)
        there = Save.open(source, write=False).repository.refs("refs/")
    run(lines[0], SAVE=str(source))
    source.rename(tmp_path / "elsewhere")
    for line in lines[1:]:
        run(line)
    with Save.open(source, write=False) as back:
        assert back.repository.refs("refs/") == there and back.info.title == "Das Riff"
    with Save.open(source) as save:
        save.redo(1)
    assert git(source, "status", "--short") == ""
    assert_same_story(source, "Das Riff")


def test_a_save_that_is_in_use_elsewhere_is_brought_in_whole(library: Library, tmp_path: Path) -> None:
    library.path("reef").rename(tmp_path / "run")
    with Save.open(tmp_path / "run") as running:
        folder = library.bring(tmp_path / "run")
        assert running.turn == 4
    assert_same_story(folder, "Reef")


def test_every_save_has_an_id_of_its_own_however_often_it_comes_in(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "reef.theact"
    export(library, file)
    first = ids(library)
    library.delete("reef")
    library.import_file(file)
    assert ids(library) == first, "nobody else in the list has it"
    library.import_file(file)
    library.copy("reef", "Zwei")
    library.bring(library.path("reef"))
    library.restore("reef-1")
    assert len(library.names()) == len(ids(library)) == 5


def ids(library: Library) -> set[str]:
    """The ids of all saves."""
    found = set()
    for name in library.names():
        with Save.open(library.path(name), write=False) as save:
            found.add(save.info.id)
    return found


def test_no_piece_of_an_exported_save_passes_for_the_whole(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "reef.bundle"
    export(library, file)
    whole = file.read_bytes()
    for length in (0, 10, 100, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(SaveError):
            library.import_file(file)
    for place in range(len(whole) - 2_000, len(whole), 97):
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(SaveError):
            library.import_file(file)
    with pytest.raises(SaveError, match="could not be read"):
        library.import_file(tmp_path / "nothing")
    assert library.names() == ["reef"]
    assert [path.name for path in library.folder.iterdir()] == ["reef"]


def test_only_known_refs_come_in(library: Library, tmp_path: Path) -> None:
    file = tmp_path / "reef.bundle"
    export(library, file)
    head, pack = file.read_bytes().split(b"\n\n", 1)
    id = head.split(b"\n")[1].split()[0]
    strange = b"refs/heads/../../hooks/x refs/heads/a/b refs/heads/Main refs/heads/con refs/theact/takes/1/../x".split()
    lines = [
        id + b" " + name for name in (*strange, b"refs/remotes/x/y", b"refs/notes/commits", b"../../evil")
    ]
    file.write_bytes(b"\n".join([head, *lines]) + b"\n\n" + pack)
    folder = library.import_file(file)
    assert {path.name for path in (folder / ".git/refs/heads").iterdir()} == {"main", "kana", "index"}
    assert not (folder / ".git/hooks").exists()
    assert git(folder, "config", "--local", "--list").splitlines() == [
        "core.repositoryformatversion=0", "core.filemode=false", "core.bare=false", "gc.auto=0",
    ]  # fmt: skip


def test_a_repository_that_is_no_save_is_refused(library: Library, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main", "other")
    (tmp_path / "other" / "a.txt").write_text("a")
    git(tmp_path / "other", "add", "-A")
    git(tmp_path / "other", "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "-m", "Turn 0: x")
    git(tmp_path / "other", "bundle", "create", "-q", str(tmp_path / "x.bundle"), "--all")
    with pytest.raises(SaveDamaged):
        library.import_file(tmp_path / "x.bundle")
    assert library.names() == ["reef"]


def pack_of(kind: int, declared: int, content: bytes, count: int = 1) -> bytes:
    size, header = declared, []
    header.append(kind << 4 | size & 15)
    size >>= 4
    while size:
        header[-1] |= 128
        header.append(size & 127)
        size >>= 7
    each = bytes(header) + (b"\0" * 20 if kind == 7 else b"") + zlib.compress(content)
    body = b"PACK" + (2).to_bytes(4, "big") + count.to_bytes(4, "big") + each * count
    return body + sha1(body, usedforsecurity=False).digest()


BURSTING: dict[str, Callable[[], bytes]] = {
    "declares a gigabyte": lambda: pack_of(3, 10**9, b"x"),
    "holds more than it declares": lambda: pack_of(3, 5, b"x" * 10_000_000),
    "a change of endless size": lambda: pack_of(7, 6, b"\x05\xff\xff\xff\xff\x7f"),
    "of no kind": lambda: pack_of(5, 1, b"x"),
    "nothing counted": lambda: b"PACK" + b"\0" * 40,
    "much counted": lambda: b"PACK\0\0\0\2\xff\xff\xff\xff" + b"\0" * 40,
    "no pack": lambda: b"x" * 100,
    "empty": lambda: b"",
}


@pytest.mark.parametrize("kind", BURSTING)
def test_packs_that_would_burst_are_refused(kind: str, tmp_path: Path) -> None:
    (tmp_path / "pack").write_bytes(BURSTING[kind]())
    with pytest.raises(SaveDamaged):
        check_git_pack(tmp_path / "pack")


def test_a_small_pack_does_not_unpack_to_gigabytes(tmp_path: Path) -> None:
    (tmp_path / "pack").write_bytes(pack_of(3, 15_000_000, bytes(15_000_000), count=8))
    with pytest.raises(SaveDamaged, match="far more than a story holds"):
        check_git_pack(tmp_path / "pack")


def test_a_sound_pack_is_not_refused_but_one_that_is_not_exactly_whole(
    library: Library, tmp_path: Path
) -> None:
    git(library.path("reef"), "gc", "-q", "--aggressive")
    (pack,) = (library.path("reef") / ".git/objects/pack").glob("*.pack")
    check_git_pack(pack)
    whole = pack_of(3, 5, b"hello")
    (tmp_path / "blob").write_bytes(whole)
    check_git_pack(tmp_path / "blob")
    for cut in (whole[:-1], whole + b"!"):
        (tmp_path / "blob").write_bytes(cut)
        with pytest.raises(SaveDamaged, match="incomplete"):
            check_git_pack(tmp_path / "blob")


def test_refs_of_a_save_are_known_and_no_others() -> None:
    known = [
        "refs/heads/main",
        "refs/heads/what-if",
        "refs/theact/takes/3/12",
        "refs/theact/names",
        "refs/theact/undone/a",
    ]
    assert all(is_own_ref(name) for name in known)
    others = "HEAD refs/heads/ refs/heads/.x refs/heads/a.lock refs/tags/v1 refs/theact/retaking/main".split()
    assert not any(is_own_ref(name) for name in others)
