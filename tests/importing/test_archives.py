"""S16: an archive is read member by member; what cannot be read, and what is beside a card, is named."""

import json
import struct
from pathlib import Path

import pytest

from tests.importing import cards
from tests.importing.cards import zipped
from tests.importing.chats import jsonl, one_file, reply, write
from tests.importing.made import accepted
from theact_tui.errors import UsageError
from theact_tui.importing.report import ImportReport
from theact_tui.packs.loader import load_pack


def card(name: str, text: str = "Keeps the mill.") -> bytes:
    return json.dumps(cards.v2(name=name, description=text)).encode()


def read(folder: Path, data: bytes, name: str = "a.zip") -> ImportReport:
    return accepted(folder, one_file(folder, data, name))


def people(folder: Path, report: ImportReport) -> list[str]:
    packs = [str(one.pack) for one in report.parts or (report,)]
    return [name for pack in packs for name in load_pack(folder / "packs" / pack).names.values()]


@pytest.mark.parametrize("name", ["card.json", "Bram.json"])
def test_two_cards_of_one_name_in_two_folders_are_two_packs(tmp_path: Path, name: str) -> None:
    data = zipped((f"one/{name}", card("Bram")), (f"two/{name}", card("Bram", "Keeps the ferry.")))
    report = read(tmp_path, data)
    assert people(tmp_path, report) == ["Bram", "Bram"]
    assert [part.pack for part in report.parts] == ["bram", "bram-2"]


def test_what_stands_beside_folders_is_read_too(tmp_path: Path) -> None:
    data = zipped(
        ("Orla.json", card("Orla")), ("more/Bram.json", card("Bram")), ("more/deep/x.json", card("X"))
    )
    report = read(tmp_path, data)
    assert people(tmp_path, report) == ["Orla", "Bram"]
    assert "more/deep: a folder further down; import it by itself." in report.left_out


def test_cards_of_one_name_with_two_endings_are_both_read(tmp_path: Path) -> None:
    write(
        tmp_path / "st" / "characters", {"Bram.json": card("Bram").decode(), "Bram.txt": card("Old").decode()}
    )
    write(tmp_path / "st" / "chats" / "Bram", {"a.jsonl": jsonl(reply("Hm.", name="Bram"), head=None)})
    report = accepted(tmp_path, tmp_path / "st")
    assert sorted(people(tmp_path, report)) == ["Bram", "Old"]


def damaged(data: bytes, name: bytes) -> bytes:
    """Change a byte of a member."""
    at = data.index(name) + len(name) + 4
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def encrypted(data: bytes, name: bytes) -> bytes:
    """Set the flag of encryption in the directory of an archive."""
    at = data.rindex(name) - 46
    flags = struct.unpack_from("<H", data, at + 8)[0] | 1
    return data[: at + 8] + struct.pack("<H", flags) + data[at + 10 :]


def test_one_bad_member_is_named_and_the_others_come_in(tmp_path: Path) -> None:
    files = [
        ("Orla.json", card("Orla")),
        ("Bram.json", card("Bram")),
        ("Tilde.json", card("Tilde")),
        ("../x.json", card("X")),
    ]
    data = encrypted(damaged(zipped(*files), b"Bram.json"), b"Tilde.json")
    report = read(tmp_path, data)
    assert people(tmp_path, report) == ["Orla"]
    assert [line for line in report.left_out if "archive" in line] == [
        "The archive is damaged; Bram.json cannot be read.",
        "The archive is encrypted; Tilde.json cannot be read.",
        "../x.json in the archive has an unsafe name.",
    ]


def test_names_with_backslashes_are_folders_and_a_name_that_comes_twice_is_told(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate"):
        data = zipped(
            ("a\\Orla.json", card("Orla")), ("b\\Bram.json", card("X")), ("b\\Bram.json", card("Bram"))
        )
    report = read(tmp_path, data)
    assert people(tmp_path, report) == ["Orla", "Bram"]
    assert "b\\Bram.json: the archive has two files of this name; the last is read." in report.left_out


@pytest.mark.parametrize(
    "name, megabytes, words",
    [
        ("card.json", [9], "card.json in the archive is larger than 8 MB"),
        ("a.json", [40, 40], "larger than 64 MB together"),
    ],
)
def test_the_limit_that_is_named_is_the_one_that_was_reached(
    tmp_path: Path, name: str, megabytes: list[int], words: str
) -> None:
    files = [(f"{place or ''}{name}", b" " * size * 1_000_000) for place, size in enumerate(megabytes)]
    with pytest.raises(UsageError, match=words):
        read(tmp_path, zipped(*files))


def test_files_beside_a_card_are_named(tmp_path: Path) -> None:
    report = read(
        tmp_path, zipped(("card.json", card("Orla")), ("notes.txt", b"Two keys."), ("assets/a.png", b"x"))
    )
    assert people(tmp_path, report) == ["Orla"]
    assert "1 other file of the archive: notes.txt." in report.left_out


def test_an_archive_of_backyard_may_have_a_folder_at_its_top(tmp_path: Path) -> None:
    manifest = {"schemaVersion": 1, "characters": ["characters/a.json"], "scenarios": ["scenarios/s.json"]}
    scene = {"narrative": "Snow.", "firstMessages": [{"text": "Shut the door."}], "messages": []}
    files = {
        "manifest.json": manifest, "characters/a.json": {"name": "Bram", "persona": "Keeps the inn."},
        "scenarios/s.json": scene, "characters/images/a.txt": "x",
    }  # fmt: skip
    data = zipped(*((f"Bram/{name}", json.dumps(value).encode()) for name, value in files.items()))
    report = read(tmp_path, data, "Bram.byaf")
    assert people(tmp_path, report) == ["Bram"]
    assert "1 other file of the archive: Bram/characters/images/a.txt." in report.left_out
