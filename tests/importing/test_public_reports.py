"""S16: files in the forms that people reported, and what comes of them."""

import json
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from tests.importing import cards
from tests.importing.chats import jsonl, one_file, reply, user, write
from tests.importing.made import accepted, chat_save, made_pack, proposed, takes, told
from tests.support.cli import Run
from tests.support.fake_model import small_pack
from theact_tui.cli import library as cli_library
from theact_tui.errors import UsageError
from theact_tui.exports.cards import with_card
from theact_tui.importing import proposal
from theact_tui.importing.chat_files import read_chats
from theact_tui.importing.lorebooks import pattern_words, read_lorebook
from theact_tui.importing.macros import Expansion
from theact_tui.importing.pictures import hidden_text
from theact_tui.importing.read_untrusted import Archive
from theact_tui.importing.report import ImportQuestion, ImportReport
from theact_tui.importing.save_chats import plan_chats, titled
from theact_tui.packs.listing import OUTLINE
from theact_tui.packs.loader import load_pack
from theact_tui.saves.codec import turn_path
from theact_tui.saves.takes import TAKES
from theact_tui.saves.trees import differences
from theact_tui.story.cast import Newcomer, add_character
from theact_tui.story.game import new_game
from theact_tui.story.names import forms, short_name
from theact_tui.story.pack import Character, Pack
from theact_tui.text import slug

OAK = {"keys": ["oak"], "content": "Old."}
ELM = {"keys": ["elm"], "content": "Tall."}


def pack_of(folder: Path, value: Any, **options: Any) -> tuple[Pack, ImportReport]:
    return made_pack(folder, one_file(folder / "in", value), **options)


# --- lorebooks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "book",
    [
        {"entries": [OAK], "lexicon": [ELM]},
        {"entries": {"0": OAK}, "glossary": {"a": ELM}},
        [{"key": ["oak"], "content": "Old."}, {"key": ["elm"], "content": "Tall."}],
        {"data": {"lorebook": {"name": "Wood"}, "entries": [OAK, ELM], "folders": []}},
    ],
    ids=["lexicon", "glossary", "list", "envelope"],
)
def test_every_list_of_a_book_that_holds_entries_is_lore(book: Any) -> None:
    found = read_lorebook(book, Expansion())
    assert [(entry.keys, entry.text) for entry in found.entries] == [(("oak",), "Old."), (("elm",), "Tall.")]


@pytest.mark.parametrize(
    "pattern, words",
    [
        ("lampwife|lamp-wife", ["lampwife", "lamp-wife"]),
        ("(salt( |)gate)", ["salt gate", "saltgate"]),
        ("(orin(a|))", ["orina", "orin"]),
        (r"\bgr[ae]y?\b", ["gray", "gra", "grey", "gre"]),
        (r"(?:mr\.? )?vane", ["mr. vane", "mr vane", "vane"]),
        ("o+ak", []),
        ("oak.*", []),
        ("(oak", []),
        (r"\d", []),
        ("[^o]ak", []),
        ("(?=oak)", []),
        ("[abcdefgh][abcdefgh]", []),
    ],
)
def test_a_simple_pattern_is_the_words_that_it_matches(pattern: str, words: list[str]) -> None:
    assert pattern_words(pattern) == words


def test_keys_of_ai_dungeon_are_words_and_what_cannot_be_is_counted() -> None:
    book = [
        {"keys": "lampwife|lamp-wife#[t=5l=3f=1S=2]", "entry": "She lights the quay."},
        {"keys": "(salt( |)gate)#[t=5l],harbour", "entry": "It is shut."},
        {"keys": "(run.*)", "entry": "Far."},
    ]
    found = read_lorebook(book, Expansion())
    assert [entry.keys for entry in found.entries[:2]] == [
        ("lampwife", "lamp-wife"),
        ("salt gate", "saltgate", "harbour"),
    ]
    assert found.left_out == ("Keys that are regular expressions (1): kept, but not used.",)


def test_why_lore_is_off_is_told_and_so_is_a_key_that_heeds_capitals() -> None:
    book = {
        "entries": [
            {**OAK, "enabled": False}, {**OAK, "keys": []}, {**OAK, "keys": [], "vectorized": True},
            {**OAK, "case_sensitive": True}, {**OAK, "extensions": {"case_sensitive": True}},
        ]
    }  # fmt: skip
    found = read_lorebook(book, Expansion())
    assert found.changed == (
        "Turned off, as before: 1 entry of lore.",
        "Turned off, for want of a key: 1 entry of lore.",
        "Turned off, for want of a key: 1 entry of lore, which SillyTavern finds by meaning.",
    )
    assert found.left_out == (
        "Keys that heed capital letters (2 entries of lore): here a key is found in any case.",
    )


def test_what_second_keys_mean_may_be_a_word() -> None:
    entry = {**OAK, "secondaryKeys": ["moon"], "selective": True}
    books = [
        read_lorebook({"entries": [{**entry, "selectiveLogic": name}]}, Expansion())
        for name in ("and", "or", "not")
    ]
    (every, one, none) = (book.entries[0] for book in books)
    assert (every.all_of, one.any_of, none.none_of) == (("moon",), ("moon",), ("moon",))


# --- cards and scenes -------------------------------------------------------------------------------------------------

ILSE = {
    "description": "A captain.", "greeting_text": "The ferry waits.", "gender": "female", "is_player": False,
    "example_dialogue": ['Ilse: "Two coins."'], "base_attributes": {"age": "60"}, "details": {"past": "born on the boat"},
}  # fmt: skip


def test_a_character_of_talemate_brings_all_that_is_said_of_it(tmp_path: Path) -> None:
    pack, report = pack_of(tmp_path, {"name": "Ilse", **ILSE})
    ilse = pack.characters["ilse"]
    assert ilse.personality == "A captain.\n\ngender: female\nage: 60\npast: born on the boat"
    assert ilse.examples == ('"Two coins."',) and pack.first_chapter.openings == ("The ferry waits.",)
    assert not report.left_out


def test_a_scene_that_has_not_begun_is_a_pack_with_its_world_and_people(tmp_path: Path) -> None:
    people = [{"name": "Ilse", **ILSE}, {"name": "Robin", "description": "A passenger.", "is_player": True}]
    scene = {
        "name": "The Night Ferry",
        "description": "It crosses at night.",
        "history": [],
        "characters": people,
    }
    pack, report = pack_of(tmp_path, {**scene, "world_state": {}, "intro": "Fog."})
    assert (pack.id, pack.game.title, pack.game.player.name) == (
        "the-night-ferry",
        "The Night Ferry",
        "Robin",
    )
    assert [*pack.characters] == ["ilse"] and pack.world.setting == "It crosses at night."
    assert pack.first_chapter.openings[0] == "Fog."
    assert any("Robin, who is the player" in line and "(2 words)" in line for line in report.left_out)


def test_an_envelope_is_opened_and_its_own_words_are_named(tmp_path: Path) -> None:
    card = {"type": "marinara_character", "version": 1, "remark": "very dear", "data": cards.v2()}
    pack, report = pack_of(tmp_path, card)
    assert [*pack.characters] == ["sera"]
    assert report.left_out == ("Fields that are not used here: remark (2 words). Kept in imported/.",)


def test_html_is_no_part_of_a_card(tmp_path: Path) -> None:
    page = (
        '<div><img src="https://example.invalid/t.png"></div>\n![banner](https://example.invalid/b.png)\n'
        '"Mind the rope." &quot;It bites.&quot; <b>Always.</b>\n```html\n<html>status page</html>\n```'
    )
    notes = "<style>.a{color:red}</style><div><h2>Sera of the Quay</h2><p>A <b>slow</b> story &amp; a storm.</p></div>"
    pack, report = pack_of(
        tmp_path, cards.v2(first_mes=page, creator_notes=notes, description="Salt &amp; sand.<br>Wind.")
    )
    assert pack.first_chapter.openings == ('"Mind the rope." "It bites." Always.',)
    assert pack.characters["sera"].personality == "Salt & sand.\nWind."
    assert pack.game.description == "Sera of the Quay. A slow story & a storm."
    assert report.left_out == ("Pages of HTML, their scripts and remarks (5 words). Kept in imported/.",)


@pytest.mark.parametrize(
    "text, becomes",
    [
        ('{{img::door}}<img="smile">{{bgm::storm}}"You, {{u}}?" {{button::Enter::enter}}', '"You, {player}?" '),
        ("the {{lower::LIGHT}}{{br}}{{upper::now}}{{bo}}x{{bc}}", "the light\nNOW{{x}}"),
        ("She is {{#if {{equal::{{getvar::mood}}::bad}}}}angry{{/if}}{{#if {{getvar::mood}}}}kind{{/if}}.", "She is angry."),
        ("{{#when::night}}She sings.{{:else}}She sleeps.{{/}} {{#if x}}a{{#if y}}b{{/if}}c{{/if}}", "She sings. "),
        ("{{#if x}}a{{#if y}}b{{/if}}c{{/if}}, then {{#if z}}d{{/if}}", "abc, then d"),
        ("{{/if}}x{{:else}}", "x"),
    ],
)  # fmt: skip
def test_marks_of_risuai_are_settled_and_of_exclusive_parts_one_stays(text: str, becomes: str) -> None:
    assert Expansion(char="Sera")(text) == becomes


# --- chats ------------------------------------------------------------------------------------------------------------


def test_a_chat_of_risuai_brings_its_note_lore_summary_and_name(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "data": "I knock."},
        {"role": "char", "data": '{{char}} opens. "Who, {{user}}?" {{img::smile}}', "name": "Mara"},
        {"role": "user", "data": "{{// aside}}Me."},
        {"role": "user", "data": "{{// only this}}"},
        {"role": "char", "data": "Hidden.", "name": "Mara", "disabled": True},
        {"role": "char", "data": "A remark.", "isComment": True},
    ]
    data = {
        "message": messages, "note": "Keep it wintry.", "name": "Gate scene",
        "hypaV3Data": {"summaries": [{"text": "Snow."}]},
        "localLore": [{"key": "well", "content": "The well is dry.", "mode": "normal"}],
    }  # fmt: skip
    with chat_save(tmp_path, {"type": "risuChat", "ver": 2, "data": data}) as save:
        assert told(save) == [
            ("player", "I knock."), ("Mara", 'Mara opens. "Who, You?"'), ("player", "Me."), ("Mara", "Hidden."),
        ]  # fmt: skip
        game = save.load()
        assert (game.info.title, game.state.rolling_summary) == ("Gate scene", "Snow.")
        assert game.state.steering.note == "Keep it wintry."
        assert [entry.text for entry in game.pack.lore_entries] == ["The well is dry."]
        assert save.turns(3, 3)[0].witnesses == (), "the user kept it from the characters"


def test_rejected_replies_of_character_ai_are_takes_and_its_card_is_used(tmp_path: Path) -> None:
    def line(text: str, name: str = "", *, other: bool = False) -> dict[str, Any]:
        return {"text": text, "src": {"is_human": not name, "name": name or "Robin"}, "is_alternative": other}

    lines = [
        line("Wait.", "Ilse"), line("I run."), line("No.", "Ilse", other=True), line("Yes.", "Ilse"), line("Ha."),
        line("Only this.", "Ilse", other=True),
    ]  # fmt: skip
    card = {"name": "Ilse", "greeting": "Wait.", "description": "A captain.", "definition": "Ilse is gruff."}
    with chat_save(
        tmp_path, {"info": {"character": card}, "histories": {"histories": [{"msgs": lines}]}}
    ) as save:
        assert told(save) == [
            ("Ilse", "Wait."), ("player", "I run."), ("Ilse", "Yes."), ("player", "Ha."), ("Ilse", "Only this."),
        ]  # fmt: skip
        assert takes(save, 2) == ["No.", "Yes."] and save.load().info.player.name == "Robin"
        assert save.load().pack.characters["ilse"].personality == "A captain.\n\nIlse is gruff."
        assert "first page already" not in str(save.files().need("imported/report.yaml"))


def test_messages_with_roles_are_a_chat(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": "Obey me."}, {"role": "assistant", "content": "Wait."},
        {"role": "user", "content": [{"type": "text", "text": "I run."}]}, {"role": "assistant", "content": "Yes."},
    ]  # fmt: skip
    with chat_save(tmp_path, {"character": "Ilse.png", "messages": messages}) as save:
        assert told(save) == [("Ilse", "Wait."), ("player", "I run."), ("Ilse", "Yes.")]
        assert "1 message of the system" in str(save.files().need("imported/report.yaml"))


def test_a_story_of_kobold_whose_lines_are_you_or_one_other_is_a_chat(tmp_path: Path) -> None:
    story = {
        "gamestarted": True,
        "prompt": "\nEmber: Oh.\nSit: down.",
        "actions": ["\nYou: Bread?", "\nEmber: Rye."],
    }
    with chat_save(tmp_path / "1", {**story, "prompt": "\nEmber: Oh."}) as save:
        assert told(save) == [("Ember", "Oh."), ("player", "Bread?"), ("Ember", "Rye.")]
    for prompt in (story["prompt"], "It rains. You: wait.", "\nEmber: Oh.\nIt rains."):
        with chat_save(tmp_path / str(hash(prompt)), {**story, "prompt": prompt}) as save:
            assert {who for who, _ in told(save)} == {"narrator"}


def test_what_stands_before_a_lone_end_of_a_thought_is_a_thought(tmp_path: Path) -> None:
    chat = jsonl(user("I sit."), reply("She should frown.\n</think>\n\nShe frowns."))
    with chat_save(tmp_path, chat) as save:
        assert told(save)[-1] == ("Seraphina", "She frowns.")
        assert "Thoughts of the model (3 words)" in str(save.files().need("imported/report.yaml"))


# --- files and folders ------------------------------------------------------------------------------------------------


def test_what_may_be_no_card_is_left_out_of_a_folder_and_taken_alone(tmp_path: Path) -> None:
    folder = tmp_path / "cards"
    one_file(folder, cards.v2())
    one_file(folder, {"name": "Ida", "description": "A guest.", "avatar": "x"}, "plain.json")
    doubtful = {"name": "mine", "version": "1", "description": "Cards", "scripts": {}}
    alone = one_file(folder, doubtful, "package.json")
    pack, report = made_pack(tmp_path, folder)
    assert {*pack.characters} == {"sera", "ida"}
    assert any("package.json may be something else" in line for line in report.left_out)
    assert proposed(tmp_path, alone).report.pack == "mine"


def zipped(folder: Path, files: dict[str, str]) -> Path:
    return one_file(folder, cards.zipped(*files.items()), "backup.zip")


def test_an_archive_of_several_files_is_read_like_their_folder(tmp_path: Path) -> None:
    chat = "\n".join(
        map(json.dumps, [{"user_name": "Ann", "character_name": "Sera"}, {"name": "Sera", "mes": "Come in."}])
    )
    files = {
        "data/user/characters/Sera.json": json.dumps(cards.v2()),
        "data/user/characters/Ida.json": json.dumps({"name": "Ida", "description": "A guest."}),
        "data/user/chats/Sera/a.jsonl": chat,
    }
    out = zipped(tmp_path, files)
    report = accepted(tmp_path, out)
    assert dict(report.files) == {"card": 2, "chat": 1, "lorebook": 0} and report.new_counts == (2, 1)
    assert proposed(tmp_path, out).report.new_counts == (0, 0), "here already"


def test_an_archive_writes_nothing_beside_its_folder_and_is_deleted_with_it(tmp_path: Path) -> None:
    out = zipped(
        tmp_path,
        dict.fromkeys(("../up", "/top", "a/../../up", ".hidden/a", "b\\c", "c:d", "a/b/c.json"), "x"),
    )
    archive = Archive(out.read_bytes())
    folder, left_out = archive.unpack("mine", tmp_path)
    files = (file.relative_to(folder.parent) for file in folder.parent.rglob("*") if file.is_file())
    assert {*files} == {Path("in-use"), Path("mine/a/b/c.json"), Path("mine/b/c")}
    assert [line.partition(" in the archive ")[0] for line in left_out] == [
        "../up",
        "/top",
        "a/../../up",
        "c:d",
    ]
    del archive
    assert not folder.parent.exists()


def test_an_archive_of_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theact_tui.importing.read_untrusted.MAX_FILE_BYTES", 1000)
    archive = Archive(zipped(tmp_path, {"a.json": "a" * 600, "b.json": "b" * 600}).read_bytes())
    with pytest.raises(UsageError, match="larger than"):
        archive.unpack("mine", tmp_path)


def test_a_folder_of_folders_is_read_folder_by_folder(tmp_path: Path) -> None:
    files = {
        "a/one.json": json.dumps({"name": "Ida", "description": "A guest."}),
        "b/two.json": json.dumps(cards.v2()),
    }
    for name, text in {**files, "c/notes.md": "Nothing.", "notes.md": "Nothing."}.items():
        one_file((tmp_path / "all" / name).parent, text, Path(name).name)
    report = proposed(tmp_path, tmp_path / "all").report
    assert len({part.pack for part in report.parts}) == 2
    assert any("folder c" in line for line in report.left_out)


SCENARIOS = [
    {"title": "A", "prompt": "You are ${Your name?}, a ${Your trade?}.", "authorsNote": ""},
    {"title": "B", "prompt": "It is ${Which season?}.", "authorsNote": ""},
]


def test_all_questions_of_scenarios_are_listed_at_once(run: Run, home: Path, tmp_path: Path) -> None:
    file = str(one_file(tmp_path, SCENARIOS))
    assert run("import", file, "--dry-run", "--json").json["questions"] == [
        "Your name?",
        "Your trade?",
        "Which season?",
    ]
    assert "2. Your trade?" in run("import", file, "--dry-run").out
    missing = run("import", file, "--fill", "Ida")
    assert (
        missing.code and "2. Your trade?; 3. Which season?" in missing.err and "Your name" not in missing.err
    )
    answers = [part for answer in ("Ida", "diver", "spring", "too many") for part in ("--fill", answer)]
    assert "4 answers for 3 questions" in run("import", file, *answers).err
    done = run("import", file, *answers[:-2], "--json").json
    pages = [load_pack(home / "packs" / part["pack"]).first_chapter.openings for part in done["parts"]]
    assert pages == [("You are Ida, a diver.",), ("It is spring.",)]
    with pytest.raises(ImportQuestion, match="Question 2 of 3: “Your trade"):
        proposed(tmp_path, Path(file), fill=["Ida"])


def test_a_folder_of_many_cards_is_taken_whole_and_costs_as_much_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "data"
    for n in range(12):
        one_file(top / "characters", {"name": f"G{n}", "first_mes": "Hi."}, f"g{n}.json")
    write(top / "chats", {})
    assert accepted(tmp_path, top).new_counts == (12, 0)
    asked: list[str] = []

    def refuse(_: Path, id: str) -> Path:
        asked.append(id)
        raise UsageError("All packs are read for one.")

    monkeypatch.setattr(proposal, "pack_folder", refuse)
    assert not proposed(tmp_path, top).report.taken
    assert not asked


@pytest.mark.posix("links")
def test_links_that_lead_out_of_a_folder_are_left_out_and_named(tmp_path: Path) -> None:
    secret = write(tmp_path / "else" / "chats", {"s.jsonl": jsonl(reply("Secret."))})
    outside = one_file(tmp_path, cards.v2(name="Outside"))
    flat = tmp_path / "flat"
    (flat / "c.json").symlink_to(one_file(flat, cards.v2()))
    (flat / "b.json").symlink_to(outside)
    report = proposed(tmp_path / "1", flat).report
    assert "b.json: a link that leads out of the folder flat." in report.left_out and "Outside" not in str(
        report.taken
    )
    data = tmp_path / "data"
    one_file(data / "characters", cards.v2())
    write(data / "worlds", {})
    (data / "chats").symlink_to(secret.parent / "chats", target_is_directory=True)
    (data / "settings.json").symlink_to(outside)
    report = proposed(tmp_path / "2", data).report
    assert {line.partition(":")[0] for line in report.left_out} == {"chats", "settings.json"}
    assert report.save is None and "Secret" not in str(report)


def test_the_takes_of_a_chat_are_refs_in_one_file_and_write_their_turns_only(tmp_path: Path) -> None:
    lines = [
        line for n in range(4) for line in (user(f"{n}."), reply(f"{n} c.", f"{n} a.", f"{n} b.", f"{n} c."))
    ]
    with chat_save(tmp_path, jsonl(*lines)) as save:
        assert [takes(save, n) for n in (1, 4)] == [["0 a.", "0 b.", "0 c."], ["3 a.", "3 b.", "3 c."]]
        git = save.folder / ".git"
        assert not [*(git / "refs" / "theact" / "takes").rglob("*/*")]
        assert (git / "packed-refs").read_text("utf-8").count("refs/theact/takes/") == 12
        for turn in range(1, 5):
            commits = save.repository.refs(f"{TAKES}{turn}/").values()
            one, *others = (save.repository.link(commit).tree for commit in commits)
            for other in others:
                paths = [path for path, _, _ in differences(save.repository, one, other)]
                assert paths == [turn_path(turn)]


def test_of_a_crowd_only_those_in_the_story_are_guessed_to_hear(tmp_path: Path) -> None:
    names = [f"Guest {n}" for n in range(60)]
    lines = [reply(f"I am {name}.", name=name) for name in names] + [reply("Well.", name="Guest 3")] * 9
    chats, _ = read_chats([one_file(tmp_path, jsonl(*lines, head=None), "a.jsonl")])
    plan = plan_chats(chats)
    assert len(plan.ids) == 7 and "Guest 3" in plan.ids
    heard = {name for chat in plan.chats for message in chat.messages for name in message.hearers or ()}
    assert heard <= {*plan.ids}
    assert all(len(node.cast) <= 7 for node in plan.root.below())
    crowd = next(line for line in plan.report.changed if "at most 7 characters" in line)
    assert "and 33 more" in crowd


@pytest.mark.parametrize(
    "source, title, date",
    [
        ("Mira - 2026-02-01@10h00m00s imported.jsonl", "Mira", "2026-02-01 10:00"),
        ("Mira - 2024-9-28 @21h 32m 29s 228ms.jsonl", "Mira", "2024-9-28 21:32"),
        ("2026-02-01@10h00m00s.jsonl", "", "2026-02-01 10:00"),
        ("the pier.json", "the pier", ""),
    ],
)
def test_a_chat_is_called_after_its_file_without_what_the_program_adds(
    source: str, title: str, date: str
) -> None:
    assert titled(source) == (title, date)


def test_an_imported_chat_says_that_it_is_an_outline_without_a_model(tmp_path: Path) -> None:
    chat = write(tmp_path, {"Mira - 2026-02-01@10h00m00s imported.jsonl": jsonl(user("Hi."), head=None)})
    report = accepted(tmp_path, chat)
    assert OUTLINE in report.changed and report.save == "mira"


def test_a_folder_is_shown_and_asked_about_on_a_terminal(
    run: Run, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(
        tmp_path / "cards", {f"{n}.json": json.dumps(cards.v2(name=f"Guest {n}")) for n in range(8)}
    )
    monkeypatch.setattr(cli_library, "is_terminal", lambda stream: stream is sys.stdin)
    answers = iter([False, True])
    monkeypatch.setattr(
        click, "confirm", lambda *_, **__: next(answers) or (_ for _ in ()).throw(click.Abort())
    )
    refused = run("import", str(folder))
    assert "8 cards." in refused.err and not [*(home / "packs").glob("guest*")]
    assert run("import", str(folder)).code == 0 and len([*(home / "packs").glob("guest*")]) == 8
    assert run("import", str(folder)).code == 0, "nothing is asked where nothing is new"


# --- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name, id", [("Everyone", "everyone-2"), ("Narrator", "narrator-2")])
def test_nobody_has_the_id_of_all_or_of_the_narrator(name: str, id: str, tmp_path: Path) -> None:
    book = {"entries": [{"keys": ["quay"], "content": "The key is under the quay."}]}
    pack, _ = pack_of(tmp_path, cards.v2(name=name, character_book=book))
    assert [*pack.characters] == [id]
    assert [entry.known_by for entry in pack.lore_entries] == [(id, "narrator")]
    game = new_game(small_pack(), title="T", player="Alex", seed=1, created="")
    joined = add_character(game, Newcomer(Character(name=name, role="", personality=""))).game
    assert id in joined.pack.characters


def test_the_short_name_of_a_card_has_no_comma() -> None:
    assert short_name("Berta, Night Porter") == "Berta"
    assert forms("Berta, Night Porter") == ["Berta, Night Porter", "Berta", "Night", "Porter"]


@pytest.mark.parametrize(
    "name, id", [("テス", "tesu"), ("Сюзи", "syuzi"), ("Żuk", "zuk"), ("김", "gim"), ("你", "story")]
)
def test_names_of_other_scripts_make_ids_that_tell_them_apart(name: str, id: str) -> None:
    assert slug(name) == id


def test_a_v2_card_in_a_picture_goes_out_with_all_that_v3_wants(tmp_path: Path) -> None:
    book = {"name": "b", "entries": [{"id": 1, "keys": ["q"], "content": "Q.", "extensions": {}}]}
    picture = with_card(cards.png(), cards.v2(character_book=book))
    keyword, text = hidden_text(picture) or ("", b"")
    assert keyword == "ccv3"
    whole = json.loads(text)["data"]["character_book"]
    assert whole["extensions"] == {} and whole["entries"][0]["use_regex"] is False
    assert whole["entries"][0]["id"] == 1
