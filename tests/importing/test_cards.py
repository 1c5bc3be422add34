"""S16: cards and lorebooks of other programs become packs that pass `check` and play."""

import json
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.importing import cards
from tests.importing.chats import one_file
from tests.support.cli import Ran, ran
from theact_tui.errors import UsageError
from theact_tui.importing.card_to_character import read_card
from theact_tui.importing.detect import unpack
from theact_tui.importing.lorebooks import read_lorebook
from theact_tui.importing.macros import MAX_INSERTED_LETTERS, Expansion
from theact_tui.importing.pictures import hidden_text
from theact_tui.importing.plan_card_import import plan_pack, source_file
from theact_tui.packs.listing import OUTLINE
from theact_tui.packs.loader import check_pack, load_pack
from theact_tui.story.pack import Pack

V3 = {
    "spec": "chara_card_v3",
    "data": {"name": "Seraphina", "nickname": "Sera", "first_mes": "Hello, {{user}}."},
}


def taken_in(tmp_path: Path, *files: tuple[str, bytes], **options: Any) -> Pack:
    """The pack that these files make, written and loaded."""
    paths = [one_file(tmp_path, data, name) for name, data in files]
    plan = plan_pack([source_file(path) for path in paths], tmp_path / "packs", **options)
    report = plan.write()
    folder = tmp_path / "packs" / str(report.pack)
    assert not [finding for finding in check_pack(folder) if finding.level == "error"]
    return load_pack(folder)


def dumped(value: Any) -> bytes:
    return json.dumps(value).encode()


BACKYARD_CARD = {
    "character": {
        "aiName": "Sera", "aiDisplayName": "Sera", "aiPersona": "{character} guards {user}.",
        "firstMessage": "Hello, {user}.", "customDialogue": "#{character}: Hm.",
        "loreItems": [{"key": "glade, oak", "value": "The glade is old."}],
    },
    "version": 4,
}  # fmt: skip
CONTAINERS = {
    "v2 text": cards.png(cards.text_chunk(cards.v2())),
    "v2 packed text": cards.png(cards.zipped_chunk(cards.v2())),
    "v3 international": cards.png(cards.international_chunk(V3, packed=False)),
    "v3 international packed": cards.png(cards.international_chunk(V3, packed=True)),
    "v3 wins": cards.png(cards.text_chunk(cards.v2(name="Old")), cards.text_chunk(V3, b"ccv3")),
    "v3 in chara": cards.png(cards.text_chunk(V3)),
    "no end": cards.png(cards.text_chunk(cards.v2()))[:-12],
    "json": dumped(cards.v2()),
    "json with byte order mark": b"\xef\xbb\xbf" + dumped(cards.v2()),
    "utf-16": json.dumps(cards.v2()).encode("utf-16"),
    "v1": dumped({"name": "Sera", "description": "x", "first_mes": "Hello, <USER>.", "mes_example": ""}),
    "charx": cards.charx(V3, picture=b"png"),
    "charx behind a jpeg": b"\xff\xd8\xff\xe0" + b"\0" * 40 + cards.charx(V3),
    "jpeg": cards.jpeg(dumped(cards.v2())),
    "jpeg base64": cards.jpeg(cards.encoded(BACKYARD_CARD)),
    "webp": cards.webp(",".join(str(byte) for byte in dumped(cards.v2())).encode()),
    "pygmalion": dumped({"char_name": "Sera", "char_persona": "x", "char_greeting": "Hello, {{user}}."}),
    "textgen": b"name: Sera\ngreeting: Hello, {{user}}.\ncontext: |\n  Sera guards.\n  {{user}}: Hi\n  {{char}}: Hm.\n",
    "agnai": dumped(
        {"kind": "character", "name": "Sera", "persona": {"kind": "text", "attributes": {"text": ["Guards."]}},
         "greeting": "Hello, {{user}}.", "sampleChat": "Sera: Hm.", "scenario": ""}
    ),
    "backyard": cards.backyard(
        {"name": "Sera", "displayName": "Sera", "persona": "{character} guards.", "loreItems": []},
        {"firstMessages": [{"text": "Hello, {user}."}], "narrative": "", "exampleMessages": []},
    ),
}  # fmt: skip


@pytest.mark.parametrize("data", CONTAINERS.values(), ids=CONTAINERS)
def test_a_card_of_any_form_becomes_a_pack_that_greets(tmp_path: Path, data: bytes) -> None:
    pack = taken_in(tmp_path, ("download.bin", data))
    (person,) = pack.characters.values()
    assert person.name == "Sera" and pack.first_chapter.openings == ("Hello, {player}.",)
    assert not pack.first_chapter.beats and "{{" not in person.personality


def test_it_plays_offline_and_greets_with_its_own_opening(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THEACT_HOME", str(tmp_path / "home"))
    book = {"entries": [{"keys": ["spring"], "content": "The spring is silver.", "enabled": True}]}
    file = one_file(tmp_path, cards.png(cards.text_chunk(cards.v2(character_book=book))), "a.png")
    planned = ran(capsys, "import", str(file), "--dry-run", "--json").json
    assert planned["pack"] == "sera" and not (tmp_path / "home" / "packs" / "sera").exists()
    assert ran(capsys, "import", str(file), "--player", "Alex", "--json").json == planned
    assert ran(capsys, "check", "sera").code == 0
    lines = one_file(tmp_path, "Sera, what do you know about the spring?\n", "lines")
    played = ran(capsys, "play", "sera", "--offline", "--inputs", str(lines))
    assert played.out.startswith("Hello, Alex.") and "The spring is silver." in played.out
    told = ran(capsys, "lore", "sera", "--json").json
    assert [(each["id"], each["fired"], each["known_by"]) for each in told] == [("spring", True, ["sera"])]


def test_offline_no_example_is_spoken_whole_and_the_card_is_said_to_be_an_outline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("THEACT_HOME", str(tmp_path / "home"))
    talk = (
        '<START>\n{{user}}: Is the well deep?\n{{char}}: *lifts the lid* "Deeper than yesterday." {{user}}: "Ok." '
        '{{char}}: "Go home."\n<START>\n{{char}}: "The moss remembers."\n{{user}}: Really?'
    )
    file = one_file(tmp_path, cards.v2(mes_example=talk))
    assert ran(capsys, "import", str(file), "--player", "Alex").code == 0
    asked = [
        "Is the well deep, Sera?",
        "Hello.",
        "I sit down.",
        "What of the moss?",
        "Go on.",
        "Who are you?",
    ]
    lines = one_file(tmp_path, "\n".join(asked * 3), "lines")
    played = ran(capsys, "play", "sera", "--offline", "--inputs", str(lines))
    told = " ".join(line for line in played.out.splitlines() if not line.startswith(">"))
    assert OUTLINE in " ".join(played.err.split())
    assert "Is the well deep" not in told and "Alex:" not in told and "Sera:" not in told and "{" not in told


def test_a_long_card_is_kept_whole_and_unknown_fields_with_it(tmp_path: Path) -> None:
    card = cards.v2(
        description="word " * 2000, extensions={"depth_prompt": {"prompt": "Obey."}, "x/y": [1, {"z": None}]}
    )
    card["odd"] = {"key": "kept"}
    pack = taken_in(tmp_path, ("a.png", cards.png(cards.text_chunk(card))))
    kept = tmp_path / "packs" / "sera" / "imported"
    assert (
        json.loads((kept / "sera.json").read_text()) == card
        and (kept / "sera.png").read_bytes()[:4] == b"\x89PNG"
    )
    assert len(pack.characters["sera"].personality.split()) == 2000
    assert "instructions to programs" in (kept / "report.yaml").read_text("utf-8")


def test_a_card_in_w_plus_plus_becomes_plain_lines(tmp_path: Path) -> None:
    text = '[Character("Sera")\n{\nAge("27")\nLikes("black tea" + "crows (two)"+"{{user}}")\n}]\n\nSpeaks softly.'
    made = taken_in(tmp_path, ("sera.json", dumped(cards.v2(description=text))))
    (sera,) = made.characters.values()
    assert sera.personality == "Age: 27.\nLikes: black tea, crows (two), {player}.\n\nSpeaks softly."


def test_several_cards_are_one_cast_and_a_lorebook_is_known_to_everyone(tmp_path: Path) -> None:
    other = cards.v2(name="Bran", first_mes="Bran nods.", group_only_greetings=["You all meet."])
    world = {"entries": {"0": {"uid": 0, "key": ["forge"], "content": "It never cools.", "comment": "Forge"}}}
    files = (("a", dumped(cards.v2())), ("b", dumped(other)), ("w", dumped(world)))
    pack = taken_in(tmp_path, *files)
    assert pack.game.title == "Sera and Bran" and list(pack.characters) == ["sera", "bran"]
    assert pack.first_chapter.openings == ("Hello, {player}.", "Bran nods.", "You all meet.")
    assert [entry.known_by for entry in pack.lore["w"]] == [("everyone",)]


def test_people_and_lore_join_a_pack_and_comments_in_it_stay(tmp_path: Path) -> None:
    taken_in(tmp_path, ("a", dumped(cards.v2())))
    game = tmp_path / "packs" / "sera" / "game.yaml"
    game.write_text("# mine\n" + game.read_text("utf-8"), "utf-8")
    pack = taken_in(tmp_path, ("b", dumped(cards.v2(name="Bran"))), into="sera")
    assert list(pack.characters) == ["sera", "bran"] == list(pack.first_chapter.characters)
    assert game.read_text("utf-8").startswith("# mine\n")


def test_a_card_that_comes_again_replaces_the_one_before_and_the_pack_as_it_was_is_in_the_trash(
    tmp_path: Path,
) -> None:
    book = {"entries": [{"keys": ["oak"], "content": "Old."}, {"keys": ["elm"], "content": "Green."}]}
    taken_in(tmp_path, ("a", dumped(cards.v2(mes_example="{{char}}: Hm.", character_book=book))))
    mine = tmp_path / "packs" / "sera" / "characters" / "sera.yaml"
    mine.write_text(mine.read_text("utf-8") + "want: Peace.\n", "utf-8")
    newer = {"entries": [{"keys": ["oak"], "content": "Oldest."}]}
    card = cards.v2(description="Tired.", character_book=newer)
    after = taken_in(tmp_path, ("b", dumped(card)), into="sera")
    (sera,) = after.characters.values()
    assert (sera.personality, sera.examples, sera.want) == ("Tired.", (), "Peace."), "a card says no want"
    assert [entry.text for entry in after.lore["sera"]] == ["Oldest."]
    report = (tmp_path / "packs" / "sera" / "imported" / "report-sera.yaml").read_text("utf-8")
    assert "replaced" in report and "in the trash" in report
    (before,) = (tmp_path / "trash").iterdir()
    assert load_pack(before).characters["sera"].examples == ("Hm.",) and before.name == "pack-sera-1"
    again = taken_in(tmp_path, ("c", dumped(cards.v2())), into="sera")
    assert not again.lore_entries


def test_a_pack_that_a_killed_import_had_moved_aside_comes_back(tmp_path: Path) -> None:
    taken_in(tmp_path, ("a", dumped(cards.v2())))
    packs = tmp_path / "packs"
    (packs / ".incoming-x" / "before").mkdir(parents=True)
    (packs / ".incoming-x" / "in-use").touch()
    (packs / "sera").rename(packs / ".incoming-x" / "before" / "sera")
    taken_in(tmp_path, ("b", dumped(cards.v2(name="Bran"))))
    assert load_pack(packs / "sera").game.title == "Sera"


def test_what_would_not_be_playable_leaves_nothing_behind(tmp_path: Path) -> None:
    taken_in(tmp_path, ("a", dumped(cards.v2())))
    before = sorted(path for path in (tmp_path / "packs").rglob("*"))
    huge = cards.v2(name="Bran", description="word " * 600_000)
    with pytest.raises(UsageError, match="cannot be played"):
        taken_in(tmp_path, ("b", dumped(huge)), into="sera")
    assert sorted(path for path in (tmp_path / "packs").rglob("*")) == before


# --- macros -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("{{Char}} <BOT> {{user}} <user>", "Sera Sera {player} {player}"),
        ("{{reverse:{{char}}}}", "areS"),
        ("a{{// note}}b{{noop}}c{{original}}", "abc"),
        ("{{newline}}x{{space}}y", "\nx y"),
        ("{{pick::one::one}} {{random:two,two}}", "one two"),
        ("{{roll:1}}{{roll:1d1+4}}", "15"),
        ("{{if x}}yes{{else}}no{{/if}}", "yes"),
        ("{{strange}} {plain}", "{{strange}} {plain}"),
        ("<% evil() %>ok{{setvar::a::b}}{{time}}", "ok"),
        ("{{description}}!", "of Sera!"),
    ],
)
def test_macros_are_settled_when_they_come_in(text: str, becomes: str) -> None:
    assert Expansion(char="Sera", fields={"description": "of Sera"})(text) == becomes


@given(some.text(alphabet="{}:<%>uscr harndom/=", max_size=80), some.text(alphabet="{}user", max_size=12))
def test_names_are_data_and_the_same_text_comes_of_the_same_file(text: str, name: str) -> None:
    one, two = Expansion(char=name, seed="s"), Expansion(char=name, seed="s")
    assert one(text) == two(text)
    assert one("{{char}}") == (name or "{{char}}")


# --- lorebooks --------------------------------------------------------------------------------------------------------

BOOKS: dict[str, Any] = {
    "sillytavern": {"entries": {"3": {"uid": 3, "key": ["oak"], "content": "Old.", "order": 7, "constant": False}}},
    "card book": {"entries": [{"keys": ["oak"], "content": "Old.", "priority": 7, "enabled": True}]},
    "v3": {"spec": "lorebook_v3",
           "data": {"entries": [{"keys": ["oak"], "content": "@@depth 4\nOld.", "insertion_order": 7}]}},
    "agnai": {"kind": "memory", "entries": [{"keywords": ["oak"], "entry": "Old.", "priority": 7, "enabled": True}]},
    "risu": {"type": "risu", "ver": 1, "data": [{"mode": "folder"}, {"key": "oak", "content": "Old.", "insertorder": 7}]},
    "novelai": {"lorebookVersion": 4, "entries": [{"keys": ["oak"], "text": "Old.", "contextConfig": {"budgetPriority": 7}}]},
    "kobold": {"entries": [{"key": "oak,", "content": "Old.", "order": 7, "selective": False}]},
    "ai dungeon": [{"keys": "oak#[t=5](a|b)", "value": "Old.", "type": "place"}],
}  # fmt: skip


@pytest.mark.parametrize("book", BOOKS.values(), ids=BOOKS)
def test_every_program_s_entries_mean_the_same(book: Any) -> None:
    assert unpack(dumped(book), "x").kind == "lorebook"
    if isinstance(book, dict):  # NovelAI keeps its lorebooks in pictures
        picture = unpack(cards.png(cards.text_chunk(book, b"naidata")), "x")
        assert (picture.kind, picture.value) == ("lorebook", book)
    (found,) = read_lorebook(book, Expansion()).entries
    assert (found.keys, found.text) == (("oak",), "Old.") and found.weight in (7, 100)


def test_second_keys_flags_and_decorators() -> None:
    def one(**more: Any) -> Any:
        each = {
            "keys": ["oak"],
            "content": "Old.",
            "secondary_keys": ["moon", "sun"],
            "selective": True,
            **more,
        }
        return read_lorebook({"entries": [each]}, Expansion())

    assert one(extensions={"selectiveLogic": 3}).entries[0].all_of == ("moon", "sun")
    assert one(extensions={"selectiveLogic": 2}).entries[0].none_of == ("moon", "sun")
    assert one().entries[0].any_of == ("moon", "sun") and not (one().changed or one().left_out)
    assert one(extensions={"selectiveLogic": 1}).left_out
    assert one(content="@@dont_activate\nOld.").entries[0].enabled is False
    assert one(content="@@activate\nOld.").entries[0].always is True
    plain = one(use_regex=True, extensions={"display_index": 1}, keys=["oak (old)"]).entries[0]
    assert plain.keys == ("oak (old)",), "SillyTavern says so of every key"
    assert one(use_regex=True, keys=["o+ak", "elm"]).entries[0].keys == ("/o+ak/", "elm")


def test_keys_are_judged_as_they_read_once_their_macros_are_settled() -> None:
    keys = ["{{char}}", "{{description}}", "oak"]
    each = {"keys": keys, "secondary_keys": ["{{char}}"], "selective": True, "content": "Old."}
    found = read_lorebook({"entries": [each]}, Expansion(char="Sera", fields={"description": "x" * 201}))
    assert [(entry.keys, entry.any_of) for entry in found.entries] == [(("Sera", "oak"), ("Sera",))]
    assert found.left_out == ("Keys that are too long or too many (1).",)


def test_a_book_in_a_card_is_known_to_its_character_and_one_without_text_or_key_is_off(
    tmp_path: Path,
) -> None:
    entries = [
        {"keys": ["oak"], "content": "Old."},
        {"keys": [], "content": "Never."},
        {"keys": ["x"], "content": ""},
    ]
    pack = taken_in(tmp_path, ("a", dumped(cards.v2(character_book={"entries": entries}))))
    assert [(e.known_by, e.enabled) for e in pack.lore["sera"]] == [
        (("sera", "narrator"), True),
        (("sera", "narrator"), False),
    ]


FILTERS: dict[str, tuple[dict[str, Any], tuple[str, ...], str]] = {
    "for one": ({"characterFilter": {"names": ["default_Sera"]}}, ("sera", "narrator"), "characters: 1 entry of lore"),
    "for all but one": (
        {"characterFilter": {"names": ["Sera"], "isExclude": True}}, ("odo", "narrator"), "characters: 1 entry of lore",
    ),
    "for somebody else": ({"characterFilter": {"names": ["Zoe"]}}, ("narrator",), "who are not in the story"),
    "not for somebody else": ({"characterFilter": {"names": ["Zoe"], "isExclude": True}}, ("everyone",), ""),
    "by tag": ({"characterFilter": {"tags": ["elf"]}}, ("everyone",), "has a tag"),
    "one of a group": ({"group": "weather"}, ("everyone",), "one entry was used at a time"),
}  # fmt: skip


@pytest.mark.parametrize("filter, known_by, said", FILTERS.values(), ids=FILTERS)
def test_who_an_entry_is_for_is_who_knows_it_or_it_is_said(
    filter: dict[str, Any], known_by: tuple[str, ...], said: str
) -> None:
    book = {"entries": {"0": {"uid": 0, "key": ["oak"], "content": "Old.", **filter}}}
    found = read_lorebook(book, Expansion(), people={"sera": "Sera", "odo": "Brother Odo"})
    assert found.entries[0].known_by == known_by
    assert said in " ".join((*found.changed, *found.left_out)) and bool(said) == bool(
        found.changed + found.left_out
    )


# --- bad input --------------------------------------------------------------------------------------------------------

DEEP = b'{"spec":"chara_card_v2","data":' + b"[" * 10_000 + b"]" * 10_000 + b"}"
BAD = {
    "a bomb": cards.png(cards.chunk(b"zTXt", b"chara\0\0" + zlib.compress(b"A" * 30_000_000))),
    "a lie about its length": cards.SIGNATURE + struct.pack(">I4s", 0x7FFFFFFF, b"tEXt") + b"chara\0abc",
    "half a picture": cards.png(cards.text_chunk(cards.v2()))[:120],
    "no card": cards.png(),
    "damaged base64": cards.png(cards.chunk(b"tEXt", b"chara\0!!!!")),
    "too many parts": cards.png(*[cards.chunk(b"tEXt", b"a\0b")] * 10_001),
    "ten thousand levels": DEEP,
    "levels without end": b'{"a":' * 10_000,
    "half a text": dumped(cards.v2(description="x" * 500))[:300],
    "a web page": b"<!DOCTYPE html><html></html>",
    "nothing": b"",
    "noise": bytes(range(256)) * 4,
    "half an archive": cards.charx(cards.v2(description="x" * 5000))[:60],
    "an archive's bomb": cards.charx({"x": "A" * 9_000_000}),
    "a module of RisuAI": b"o\0" + struct.pack("<I", 4) + b"\xd1\x03\x9a\x11",
    "password": b"rcc||rccv1||abc",
    "another thing": b'{"hello": "world"}',
    "a picture's torn directory": cards.jpeg(b"{}")[:40],
    "too many macros": dumped(cards.v2(description="{{random:a,b}}" * 20_001)),
    "too much lore": dumped(cards.v2(character_book={"entries": [{"keys": ["a"], "content": "b"}] * 5001})),
}  # fmt: skip


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_bad_input_is_one_sentence_and_nothing_is_written(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(UsageError) as refused:
        taken_in(tmp_path, ("bad", data))
    assert re.fullmatch(r"[^\n\x1b]{10,220}", refused.value.message)
    assert not (tmp_path / "packs").exists() or not any((tmp_path / "packs").iterdir())


def test_only_the_part_of_a_picture_that_counts_is_unpacked() -> None:
    damaged = cards.chunk(b"zTXt", b"chara\0\0never unpacked")
    found = hidden_text(cards.png(damaged, cards.zipped_chunk(cards.v2(name="Ada"))))
    assert found and json.loads(found[1])["data"]["name"] == "Ada"


@pytest.mark.parametrize("text", ["{{description}}", "<char>", "{{char}}", "{character}", "{user}"])
def test_macros_put_in_no_more_than_a_million_characters(text: str) -> None:
    expand = Expansion(char="S" * 80, single=True, fields={"description": "x" * 20_000})
    made = 0
    with pytest.raises(UsageError, match="repeats its own texts by macros"):
        while made < 2 * MAX_INSERTED_LETTERS:
            made += len(expand(text))
    assert MAX_INSERTED_LETTERS * 0.9 < made <= MAX_INSERTED_LETTERS


def test_what_acts_is_only_text(tmp_path: Path) -> None:
    wild = (
        b'{"spec":"chara_card_v2","data":{"name":"..\\/..\\/S\\ud800x","first_mes":"\\u001b]52;c;AA\\u0007[bold]hi",'
        b'"x":NaN,"y":1e999,"z":'
        + b"9"
        * 5000
        + b',"character_book":{"name":"../../b","entries":[{"keys":["k"],'
        b'"content":"c","name":"../id","insertion_order":NaN}]}}}'
    )
    pack = taken_in(tmp_path, ("a", wild))
    assert pack.id == "sx" and pack.first_chapter.openings == ("[bold]hi",)
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["packs"]


fields = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=20),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
NAMES = "name description first_mes alternate_greetings tags extensions character_book creator_notes source".split()


@given(some.dictionaries(some.sampled_from(NAMES), fields))
def test_fields_of_any_type_are_read_without_an_error(data: dict[str, Any]) -> None:
    card = read_card({"spec": "chara_card_v3", "data": data}, "file")
    assert card.name and isinstance(card.description, str)
    read_lorebook(card.book, Expansion())


def test_a_file_that_is_not_there_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused: Ran = ran(capsys, "import", str(tmp_path / "none"), "--home", str(tmp_path / "home"))
    assert refused.code == 2 and "File not found" in refused.err
