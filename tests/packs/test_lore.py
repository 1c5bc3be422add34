"""S15: lore of a pack is read and checked with file and line; chapters may be open and have written first pages."""

import shutil
from pathlib import Path

import pytest

from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import check_pack, load_pack


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "lost-island"
    shutil.copytree(shipped_folder() / "lost-island", made)
    (made / "lore").mkdir()
    return made


def write(folder: Path, text: str) -> Path:
    (folder / "lore" / "sea.yaml").write_text(text, "utf-8")
    return folder


def test_a_book_is_a_list_of_entries(folder: Path) -> None:
    write(
        folder,
        "- id: tide\n  text: It turns at ten.\n  keys: [tide]\n  always: true\n  known_by: maya\n  weight: 7\n",
    )
    (found,) = load_pack(folder).lore["sea"]
    assert (found.known_by, found.always, found.weight) == (("maya",), True, 7)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        (
            "- id: a\n  text: x\n  keys: [k]\n  known_by: [mayo]\n",
            4,
            "there is no character 'mayo'; did you mean 'maya'?",
        ),
        (
            "- id: a\n  text: x\n  keys: [k]\n- id: a\n  text: y\n  keys: [k]\n",
            4,
            "'a' is in lore/sea.yaml too",
        ),
        ("- id: a\n  text: x\n  kees: [k]\n", 3, "unknown field 'kees'; did you mean 'keys'?"),
        ("- id: a\n  keys: [k]\n", 1, "the field 'text' is missing"),
        ("- id: a\n  text: x\n  keys: [k]\n  weight: 2000\n", 4, "'weight' must be at most 1000"),
        ("- id: a\n  text: x\n  keys: [k]\n  chapters: [nowhere]\n", 4, "there is no chapter 'nowhere'"),
        ("- id: a\n  text: x\n", 1, "an entry without keys is never used (in 'a')"),
        ("- id: a\n  text: x\n  keys: ['/a+/i']\n", 3, "is a regular expression, which is never used"),
    ],
)
def test_a_mistake_is_told_with_its_line(folder: Path, text: str, line: int, says: str) -> None:
    finding = next(each for each in check_pack(write(folder, text)) if each.file == "lore/sea.yaml")
    assert finding.line == line and says in finding.message


def last_chapter(folder: Path, *changes: tuple[str, str]) -> list[str]:
    file = sorted((folder / "chapters").glob("*.yaml"))[-1]
    kept = [
        line
        for line in file.read_text("utf-8").splitlines()
        if not line.startswith((" ", "beats", "completion"))
    ]
    file.write_text("\n".join([*kept, *(f"{name}: {value}" for name, value in changes)]) + "\n", "utf-8")
    (folder / "storyteller.yaml").unlink()
    return [finding.message for finding in check_pack(folder) if finding.file.startswith("chapters/")]


def test_a_chapter_without_beats_is_open(folder: Path) -> None:
    assert last_chapter(folder, ("beats", "[]"), ("openings", "[Night.]")) == []
    assert [*load_pack(folder).chapters.values()][-1].openings == ("Night.",)


def test_an_open_chapter_is_never_complete(folder: Path) -> None:
    found = last_chapter(folder, ("beats", "[]"), ("completion", "They leave."))
    assert found == ["a chapter without beats is open and does not end; remove 'completion', or add beats"]
