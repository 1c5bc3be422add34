"""S16: what belongs together comes in together: a folder with a card, its book and a chat; SillyTavern's data folder."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.importing import cards
from tests.importing.chats import jsonl, one_file, reply, user, write
from tests.support.cli import Run
from theact_tui import yaml
from theact_tui.errors import UsageError
from theact_tui.importing.proposal import Proposal, propose
from theact_tui.importing.report import ImportStopped
from theact_tui.packs import loader
from theact_tui.packs.loader import check_pack, load_pack
from theact_tui.saves import codec
from theact_tui.saves.codec import GAMES
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save

TIDE = {"entries": {"0": {"uid": 0, "key": ["tide"], "content": "The tide lies."}}}
OAK = {"entries": {"0": {"uid": 0, "key": ["oak"], "content": "The oak listens."}}}
SETTINGS = {
    "power_user": {
        "personas": {"a.png": "Alex", "b.png": "Bo"},
        "persona_descriptions": {"a.png": {"description": "{{user}} is a tired clerk."}, "b.png": {}},
    },
    "api_key": "sk-secret",
}


def card(name: str, **fields: Any) -> bytes:
    return cards.png(cards.text_chunk(cards.v2(name=name, **fields)))


def data_folder(top: Path) -> Path:
    """A data folder of SillyTavern: three cards, two with chats, a group, two lorebooks, two personas."""
    told = jsonl(reply("Hello.", name="Sera"), user("Hi."), reply("Come in.", name="Sera"), head=None)
    other = jsonl(reply("Hello.", name="Sera"), user("No."), head=None)
    group = {"name": "The inn", "members": ["Bran.png", "Sera.png", "../../x.png"], "chats": ["g", "../../y"]}
    write(top / "chats" / "Sera", {"one.jsonl": told, "two.jsonl": other})
    write(top / "chats" / "Gone", {"old.jsonl": jsonl(reply("I left.", name="Gone"), head=None)})
    together = jsonl(reply("Ale?", name="Bran"), reply("Tea.", name="Sera"), head=None)
    one_file(top / "group chats", together, "g.jsonl")
    one_file(top / "groups", group, "1.json")
    write(top / "worlds", {"Sea.json": json.dumps(TIDE), "Wood.json": json.dumps(OAK)})
    write(top, {"settings.json": json.dumps(SETTINGS), "secrets.json": '{"key": "sk-secret"}'})
    for name, fields in (
        ("Sera", {"extensions": {"world": "Sea"}, "nickname": "Se"}),
        ("Bran", {}),
        ("Zoe", {}),
    ):
        one_file(top / "characters", card(name, **fields), f"{name}.png")
    one_file(top / "characters", cards.png(), "broken.png")
    one_file(top / "User Avatars", cards.png(), "a.png")
    return top


def found(path: Path, home: Path, **options: Any) -> Proposal:
    return propose([path], Library(home), home / "packs", **options)


@pytest.mark.parametrize("below", ["", "data/default-user"])
def test_a_data_folder_comes_in_whole(tmp_path: Path, below: str) -> None:
    top, home = tmp_path / "SillyTavern", tmp_path / "home"
    data_folder(top / below)
    proposal = found(top, home)
    assert not (home / "saves").exists() and not [*(home / "packs").iterdir()]
    report = proposal.accept()
    assert [part.pack for part in report.parts] == ["bran", "sera", "zoe", "gone", "bran-and-sera"]
    assert [part.pack for part in proposal.report.parts] == [part.pack for part in report.parts]
    assert [bool(part.save) for part in report.parts] == [False, True, False, True, True]
    for name in ("bran", "sera", "zoe", "bran-and-sera"):
        assert not [each for each in check_pack(home / "packs" / name) if each.level == "error"]
    sera = load_pack(home / "packs" / "sera")
    assert [entry.text for entry in sera.lore_entries] == ["The tide lies."], "the book that its card names"
    with Save.open(home / "saves" / str(report.parts[1].save)) as save:
        game = save.of(GAMES).load()
        assert [*game.pack.characters] == ["sera"], "its chats say Sera, its card says Se"
        assert game.pack.id == "sera" and len(save.branches()) == 2
        assert game.pack.lore_entries == sera.lore_entries
    assert yaml.load((home / "personas.yaml").read_bytes(), "p") == {"Alex": "Alex is a tired clerk."}
    told = "\n".join((*report.taken, *report.left_out))
    assert "1 persona: Alex" in told and "The lorebook Wood.json" in told and "1 persona picture" in told
    assert "broken: broken.png cannot be imported" in told
    everything = b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file())
    assert b"sk-secret" not in everything


def everything_in(home: Path) -> dict[str, bytes]:
    files = (path for name in ("packs", "saves") for path in (home / name).rglob("*"))
    kept = {path.relative_to(home).as_posix(): path for path in files if path.is_file()}
    return {name: path.read_bytes() for name, path in kept.items() if ".git/" not in name}


def test_a_folder_is_shown_and_taken_and_when_it_comes_again_only_what_is_new(
    run: Run, home: Path, tmp_path: Path
) -> None:
    top = data_folder(tmp_path / "data")
    planned = run("import", str(top), "--dry-run", "--json").json
    assert (planned["kind"], planned["pack"], planned["save"]) == ("folder", None, None)
    assert [part["pack"] for part in planned["parts"]] == ["bran", "sera", "zoe", "gone", "bran-and-sera"]
    assert not (home / "personas.yaml").exists() and not [*(home / "packs").iterdir()]
    done = run("import", str(top))
    assert done.code == 0 and "Imported 4 packs and 3 saves." in done.out
    before = everything_in(home)
    for flags in (["--dry-run"], []):
        again = run("import", str(top), "--json", *flags).json
        assert [(part["pack"], part["save"]) for part in again["parts"]] == [
            ("bran", None), ("sera", "sera"), ("zoe", None), (None, "gone"), ("bran-and-sera", "the-inn"),
        ]  # fmt: skip
        assert [part["here"] for part in again["parts"]] == [
            ["pack"], ["pack", "save"], ["pack"], ["save"], ["pack", "save"],
        ]  # fmt: skip
        assert not again["taken"] and "Sera: one.jsonl: here already, in the story sera." in again["left_out"]
        assert any("1 persona you already have" in line and "Alex" in line for line in again["left_out"])
    assert "Nothing was imported: all of it is here already." in run("import", str(top)).out
    assert everything_in(home) == before
    told = cards.v2(name="Sera", extensions={"world": "Sea", "fav": True}, nickname="Se")
    picture = cards.png(cards.text_chunk({**told, "chat": "Sera - 2026", "fav": True}))
    one_file(top / "characters", picture, "Sera.png")
    one_file(top / "characters", card("Bran", description="Another Bran."), "Bran.png")
    other = jsonl(reply("Hello.", name="Sera"), user("Why?"), head=None)
    one_file(top / "chats" / "Sera", other, "three.jsonl")
    bran, sera, *rest = run("import", str(top), "--json").json["parts"]
    assert (bran["pack"], bran.get("here")) == ("bran-2", None), "it says something else now"
    assert (sera["pack"], sera["save"], sera["here"]) == ("sera", "sera-1", ["pack"])
    assert all("pack" in part["here"] or "save" in part["here"] for part in rest)
    with Save.open(home / "saves" / "sera-1") as save:
        game = save.of(GAMES).load()
        assert game.pack.id == "sera" and [*game.pack.characters] == ["sera"] and len(save.branches()) == 1


def test_a_card_alone_is_taken_as_often_as_it_is_named(run: Run, home: Path, tmp_path: Path) -> None:
    file = one_file(tmp_path, card("Sera"), "Sera.png")
    for id in ("sera", "sera-2"):
        assert run("import", str(file), "--json").json["pack"] == id


def test_what_is_in_the_trash_is_not_here(run: Run, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    one_file(folder, jsonl(reply("Hello.", name="Sera"), user("Hi."), head=None), "a.jsonl")
    one_file(folder, card("Sera"), "Sera.png")
    assert run("import", str(folder)).code == 0
    assert run("trash", "sera").code == run("trash", "--pack", "sera").code == 0
    again = run("import", str(folder), "--json").json
    assert (again["pack"], again["save"]) == ("sera", "sera") and "here" not in again


def test_a_folder_with_a_card_its_book_and_a_chat_takes_all_three(tmp_path: Path) -> None:
    told = jsonl(reply("Hello.", name="Sera"), user("Hi."), head=None)
    folder = write(tmp_path / "in", {"book.json": json.dumps(TIDE), "a.jsonl": told, "notes.txt": "mine"})
    one_file(folder, card("Sera"), "Sera.png")
    report = found(folder, tmp_path / "home").accept()
    assert (report.kind, report.pack, report.save) == ("folder", "sera", "sera")
    assert any("notes.txt" in line for line in report.left_out)
    with Save.open(tmp_path / "home" / "saves" / "sera") as save:
        pack = save.of(GAMES).load().pack
    assert pack.id == "sera" and [*pack.characters] == ["sera"]
    assert [entry.text for entry in pack.lore_entries] == ["The tide lies."]


def test_a_folder_of_more_cards_than_a_cast_has_is_a_pack_for_each(tmp_path: Path) -> None:
    folder = tmp_path / "cards"
    for n in range(8):
        one_file(folder, card(f"P{n}"), f"P{n}.png")
    report = found(folder, tmp_path / "home").accept()
    assert [part.pack for part in report.parts] == [f"p{n}" for n in range(8)]


def test_one_bad_part_does_not_keep_the_others_out_and_only_bad_ones_are_refused(tmp_path: Path) -> None:
    top = tmp_path / "data"
    write(top / "chats" / "Sera", {"a.jsonl": "{half"})
    (top / "characters").mkdir()
    one_file(top, card("Sera"), "Sera.png")
    with pytest.raises(UsageError, match="nothing to import"):
        found(top, tmp_path / "home")
    (top / "Sera.png").rename(top / "characters" / "Sera.png")
    one_file(top / "characters", card("Bran"), "Bran.png")
    report = found(top, tmp_path / "home").accept()
    assert [part.pack for part in report.parts] == ["bran", "sera"]


def test_our_own_folders_are_no_data_folders(tmp_path: Path) -> None:
    pack = write(tmp_path / "pack", {"game.yaml": "id: x"})
    (pack / "characters").mkdir()
    (pack / "chats").mkdir()
    with pytest.raises(UsageError, match="nothing to import"):
        found(pack, tmp_path / "home")


def test_the_work_of_an_import_grows_with_what_comes_in_and_no_faster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts: Counter[int] = Counter()
    size = 0

    def counting(read: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(*values: Any) -> Any:
            counts[size] += 1
            return read(*values)

        return wrapped

    monkeypatch.setattr("theact_tui.saves.library.read_info", counting(codec.read_info))
    monkeypatch.setattr("theact_tui.packs.library.examine_pack", counting(loader.examine_pack))
    for size in (4, 8):
        top = tmp_path / str(size)
        for n in range(size):
            told = jsonl(reply("Hello.", name=f"P{n}"), user("Hi."), head=None)
            write(top / "chats" / f"P{n}", {"a.jsonl": told})
        (top / "characters").mkdir()
        report = found(top, tmp_path / f"home-{size}").accept()
        assert len(report.parts) == size
    assert 0 < counts[8] <= 2 * counts[4] + 4


def test_what_came_in_before_an_import_was_stopped_is_kept_and_the_rest_is_named(tmp_path: Path) -> None:
    proposal = found(data_folder(tmp_path / "data"), tmp_path / "home")

    def stop(step: str) -> None:
        if step.startswith("Sera:"):
            raise ImportStopped

    report = proposal.accept(stop)
    assert [part.pack for part in report.parts] == ["bran"]
    assert "Sera: Stopped. Nothing was imported." in report.left_out
    assert Library(tmp_path / "home").names() == []
    assert sorted(path.name for path in (tmp_path / "home" / "packs").iterdir()) == ["bran"]


def test_all_chats_of_a_file_are_known_again_by_the_one_original_that_is_kept(
    run: Run, home: Path, tmp_path: Path
) -> None:
    told = [{"role": "user", "data": "Hi."}, {"role": "char", "data": "Hm.", "saying": "Maya"}]
    chats = [{"name": f"Chat {n}", "message": [*told, {"role": "user", "data": f"{n}?"}]} for n in range(2)]
    folder = one_file(tmp_path / "in", {"type": "risuAllChats", "ver": 2, "data": chats}).parent
    first = run("import", str(folder), "--json").json
    assert first["save"] and "here" not in first
    again = run("import", str(folder), "--json").json
    assert (again["save"], again["here"]) == (first["save"], ["save"]) and not again["taken"]
    assert len(Library(home).names()) == 1
