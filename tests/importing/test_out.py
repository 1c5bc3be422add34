"""S16: characters, packs and lore go out in the forms of the field, and come in again without loss."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.importing import cards
from tests.importing.chats import EVENING, jsonl, one_file, write
from tests.importing.made import accepted
from tests.support.cli import Run
from theact_tui.errors import UsageError
from theact_tui.exports.cards import card_of, export_card, lorebook, with_card
from theact_tui.importing.detect import unpack
from theact_tui.importing.lorebooks import read_lorebook
from theact_tui.importing.macros import Expansion
from theact_tui.importing.pack_file import import_pack, pack_contents, write_pack
from theact_tui.importing.read_untrusted import Archive
from theact_tui.packs.listing import shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.saves.save import Save
from theact_tui.story.memory import Fact, FactsMemory

CARD: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "stranger": {"kept": True},
    "data": {
        "name": "Seraphina",
        "description": "A healer whom {{user}} met.",
        "personality": "Kind.",
        "first_mes": "You wake, {{user}}.",
        "alternate_greetings": ["Rain."],
        "mes_example": "<START>\n{{char}}: Hush.",
        "tags": ["forest"],
        "unheard_of": [1, None, {"deep": "x"}],
        "extensions": {"chub": {"id": 7}, "talkativeness": "0.5"},
        "character_book": {
            "name": "Eldoria",
            "odd": 1,
            "entries": [{"keys": ["glade"], "content": "Safe.", "id": 3, "extensions": {"x": 1}}],
        },
    },
}


def brought_in(tmp_path: Path, name: str, data: bytes) -> Path:
    """The folder of the pack that a file becomes."""
    report = accepted(tmp_path, one_file(tmp_path, data, name))
    assert report.pack
    return tmp_path / "packs" / report.pack


@pytest.mark.parametrize("in_a_picture", [False, True])
def test_a_card_goes_out_with_all_that_it_came_with(tmp_path: Path, in_a_picture: bool) -> None:
    data = with_card(cards.png(), CARD) if in_a_picture else json.dumps(CARD).encode()
    folder = brought_in(tmp_path, "card", data)
    made = export_card(load_pack(folder), "seraphina", folder=folder)
    assert made.ending == ("png" if in_a_picture else "json")
    out = unpack(made.contents, "again").value
    kept = {key: out["data"][key] for key in CARD["data"]}
    (entry,) = kept["character_book"]["entries"]
    (came_with,) = CARD["data"]["character_book"]["entries"]
    assert {key: entry[key] for key in came_with} == came_with
    kept["character_book"] = {**kept["character_book"], "entries": [came_with]}
    kept["character_book"].pop("extensions", None)
    assert kept == CARD["data"] and out["stranger"] == CARD["stranger"]
    (folder / "characters" / "seraphina.yaml").write_text(
        "name: Seraphina\nrole: ''\npersonality: Cold.\n", "utf-8"
    )
    assert card_of(load_pack(folder), "seraphina", CARD)["data"]["description"] == "Cold.", "an edit goes out"


def test_w_plus_plus_goes_out_as_it_came(tmp_path: Path) -> None:
    text = '[Character("Bram")\n{\nAge("61")\nLikes("ale" + "quiet")\n}]\nHe owes {{user}} a crown.'
    card = {"spec": "chara_card_v2", "data": {"name": "Bram", "description": text, "first_mes": "Hm."}}
    folder = brought_in(tmp_path, "card", json.dumps(card).encode())
    pack = load_pack(folder)
    assert pack.characters["bram"].personality.startswith("Age: 61.")
    assert json.loads(export_card(pack, "bram", folder=folder).contents)["data"]["description"] == text


def test_strict_readers_find_what_they_want_in_each_entry(tmp_path: Path) -> None:
    """The fields that the specification of V3 wants, and what SillyTavern asks the extensions for."""
    folder = brought_in(tmp_path, "card", json.dumps(CARD).encode())
    (folder / "lore" / "more.yaml").write_text(
        "- {id: tide, text: The tide lies., keys: [tide], any_of: [moon, sun], known_by: [seraphina]}\n"
        "- {id: oak, text: Old., keys: [oak], none_of: [fire], chapters: ['01']}\n",
        "utf-8",
    )
    pack = load_pack(folder)
    book = json.loads(export_card(pack, "seraphina", folder=folder).contents)["data"]["character_book"]
    assert isinstance(book["extensions"], dict) and [each["content"] for each in book["entries"]] == [
        "Safe.", "The tide lies.", "Old.",
    ]  # fmt: skip
    wanted = {
        "keys": list, "content": str, "extensions": dict, "enabled": bool, "insertion_order": int, "use_regex": bool,
    }  # fmt: skip
    lore = json.loads(lorebook(pack))["data"]
    for entry in (*book["entries"], *lore["entries"]):
        assert all(isinstance(entry[name], kind) for name, kind in wanted.items())
    assert book["entries"][0]["id"] == 3 and book["entries"][0]["extensions"] == {"x": 1}
    again = read_lorebook(book, Expansion()).entries
    assert (again[1].any_of, again[2].none_of) == (("moon", "sun"), ("fire",))
    assert ["01"] in [entry["extensions"]["theact"].get("chapters") for entry in lore["entries"]]


def test_a_picture_holds_one_card_whatever_it_held_before() -> None:
    old = cards.png(cards.chunk(b"tEXt", b"Chara\0b2xk"))
    made = with_card(with_card(old, {"data": {"name": "A"}}), {"data": {"name": "B"}})
    assert (made.count(b"chara\0"), made.count(b"ccv3\0"), b"b2xk" in made) == (1, 1, False)


def test_a_character_leaves_as_of_a_turn_with_its_own_memories_and_no_secret(run: Run, home: Path) -> None:
    run("play", "lost-island", "--save", "s", "--seed", "7", lines="I look around.\n")
    with Save.open(home / "saves" / "s") as save:
        game = save.load()
        for who, text in (("maya", "The radio is dead."), ("joaquin", "A bell under water.")):
            game = game.with_memory(who, FactsMemory(summary="", key_facts=(Fact(text=text, turn=1),)))
        save.commit_edit(game, "memories")
        secret = game.pack.characters["maya"].secret
    done = run("export", "s", "--format", "card", "--character", "Maya", "--json")
    card = json.loads(Path(done.json["file"]).read_text("utf-8"))["data"]
    entries = {entry["name"]: entry for entry in card["character_book"]["entries"]}
    assert entries["turn 1"]["content"] == "The radio is dead." and entries["turn 1"]["constant"]
    assert secret and secret not in json.dumps(card) and "A bell" not in json.dumps(card)
    assert card["first_mes"] and card["first_mes"].split()[0] in run("show", "s", "--turn", "1").out
    private = [
        entry
        for name, entry in entries.items()
        if name == "turn 1" or name.startswith(("About", "What it wants"))
    ]
    assert len(private) > 2
    assert all(entry["extensions"]["theact"]["known_by"] == ["maya"] for entry in private)
    at_first = run(
        "export", "s", "--format", "card", "--character", "maya", "--turn", "0", "--with-secret", "--json"
    )
    first = Path(at_first.json["file"]).read_text("utf-8")
    assert (
        "radio is dead" not in first
        and json.loads(first)["data"]["character_book"]["entries"][-1]["content"] == secret
    )
    assert run("export", "s", "--format", "card").code == 2


def test_a_pack_goes_out_as_one_file_and_comes_in_again_the_same(tmp_path: Path) -> None:
    folder = shipped_folder() / "lost-island"
    data = write_pack(pack_contents(folder))
    made = brought_in(tmp_path, "x.zip", data)
    assert pack_contents(made) == pack_contents(folder) and load_pack(made) == load_pack(folder)
    assert {path.name for path in made.iterdir()} == {path.name for path in folder.iterdir()}
    with pytest.raises(UsageError, match="already a pack"):
        import_pack(Archive(data), tmp_path / "packs")
    import_pack(Archive(data), tmp_path / "packs", id="other")
    assert load_pack(tmp_path / "packs" / "other").id == "other"


def test_a_pack_gets_its_other_name_beside_a_remark(tmp_path: Path) -> None:
    contents = pack_contents(shipped_folder() / "lost-island")
    told = contents["game.yaml"].replace(b"id: lost-island\n", b"id: lost-island  # as the folder\n")
    import_pack(Archive(write_pack({**contents, "game.yaml": told})), tmp_path / "packs", id="other")
    assert load_pack(tmp_path / "packs" / "other").id == "other"


def test_nothing_of_a_packs_file_leads_out_of_the_pack(tmp_path: Path) -> None:
    contents = pack_contents(shipped_folder() / "lost-island")
    strange = {"../evil.yaml": b"x", "/etc/passwd": b"x", "characters/../../up.yaml": b"x", "run.sh": b"x"}
    made = brought_in(tmp_path, "x.zip", write_pack({**contents, **strange}))
    assert pack_contents(made) == contents
    assert not [
        path for path in tmp_path.rglob("*") if path.name in ("evil.yaml", "up.yaml", "run.sh", "passwd")
    ]
    broken = {**contents, "world.yaml": b"setting: 1"}
    before = {path.name for path in (tmp_path / "packs").iterdir()}
    with pytest.raises(UsageError, match="cannot be played"):
        import_pack(Archive(write_pack(broken)), tmp_path / "packs", id="broken")
    assert {path.name for path in (tmp_path / "packs").iterdir()} == before


def test_commands_bring_in_and_take_out(run: Run, home: Path, tmp_path: Path) -> None:
    folder = write(tmp_path / "chats", {"a.jsonl": jsonl(*EVENING), "b.jsonl": jsonl(*EVENING[:3])})
    assert run("import", str(folder), "--dry-run", "--json").json["save"] is None
    assert not list((home / "saves").iterdir())
    report = run("import", str(folder), "--player", "Bo", "--json").json
    assert (report["kind"], report["save"], report["pack"]) == ("chat", "seraphina", "seraphina")
    played = run("play", "seraphina", "--save", "seraphina", lines="Hello, where am I?\n")
    assert played.code == 0, played.err
    words = Path(run("export", "seraphina", "--format", "txt", "--json").json["file"]).read_text("utf-8")
    assert "Seraphina: Come." in words and "\nYou: Hello, where am I?" in words
    assert "I go in." not in words, "a book leaves out short lines"
    for format in ("jsonl", "theact"):
        assert run("export", "seraphina", "--format", format, "--json").code == 0
    assert run("export", "seraphina", "--format", "lore").code == 2
    assert run("export", "nothing", "--format", "theact").code == 2
