"""S16: who knows the lore of a card, who says a line, whom a name means: settled when a file comes in."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.importing import cards
from tests.importing.chats import jsonl, one_file, reply, user, write
from tests.importing.made import accepted, chat_save, imported, made_pack, told
from tests.support.fake_model import small_pack
from theact_tui.importing.chat_files import read_chats
from theact_tui.importing.plan_card_import import card_newcomer
from theact_tui.importing.save_chats import plan_chats
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.cast import add_character
from theact_tui.story.character_view import witnessed
from theact_tui.story.game import Game, new_game
from theact_tui.story.lore import LoreEntry, LoreRoom, choose_lore
from theact_tui.story.pack import Pack
from theact_tui.story.perception import perceived_line

SLUICE = {"keys": ["sluice"], "content": "Two keys open the sluice."}
HERON = {"keys": ["heron"], "content": "The heron is never shot."}


def with_book(name: str, *entries: Any) -> str:
    return json.dumps(cards.v2(name=name, description="Keeps the mill.", character_book={"entries": entries}))


def known(pack: Pack) -> dict[str, tuple[str, ...]]:
    return {entry.text: entry.known_by for entry in pack.lore_entries}


# --- lore of several cards --------------------------------------------------------------------------------------------


def test_lore_that_several_cards_carry_is_known_to_all_of_them(tmp_path: Path) -> None:
    """S16: cards of one world carry the same book; each character knows it, and what only one has it knows alone."""
    folder = write(
        tmp_path / "in",
        {f"{name}.json": with_book(name, SLUICE, HERON) for name in ("Bram", "Orla")}
        | {"Tilde.json": with_book("Tilde", {**SLUICE, "keys": ["lock"]})},
    )
    pack, report = made_pack(tmp_path, folder)
    assert known(pack) == {
        SLUICE["content"]: ("bram", "narrator", "orla", "tilde"),
        HERON["content"]: ("bram", "narrator", "orla"),
    }
    assert pack.lore_entries[0].keys == ("sluice", "lock")
    assert "1 entry of lore: in the pack already, now also known to Tilde" in report.changed


def test_a_card_that_joins_a_pack_or_comes_again_takes_no_lore_from_the_others(tmp_path: Path) -> None:
    """S16: the first card's book is everybody's book; replacing that card must not empty the others' heads."""
    files = write(tmp_path / "in", {f"{name}.json": with_book(name, SLUICE) for name in ("Bram", "Orla")})
    made_pack(tmp_path, files / "Bram.json", id="mill")
    book = tmp_path / "packs" / "mill" / "lore" / "bram.yaml"
    book.write_text(f"# from the mill\n{book.read_text()}")
    pack, _ = made_pack(tmp_path, files / "Orla.json", into="mill")
    assert known(pack) == {SLUICE["content"]: ("bram", "narrator", "orla")}
    assert book.read_text().startswith("# from the mill")
    (files / "Bram.json").write_text(with_book("Bram", HERON))
    pack, _ = made_pack(tmp_path, files / "Bram.json", into="mill")
    assert known(pack) == {SLUICE["content"]: ("narrator", "orla"), HERON["content"]: ("bram", "narrator")}


def test_a_book_for_everyone_does_not_tell_what_a_card_keeps(tmp_path: Path) -> None:
    files = write(tmp_path / "in", {"Bram.json": with_book("Bram", SLUICE)})
    made_pack(tmp_path, files / "Bram.json", id="mill")
    book = one_file(tmp_path / "more", {"entries": [SLUICE]}, "weir.json")
    assert known(made_pack(tmp_path, book, into="mill")[0]) == {SLUICE["content"]: ("bram", "narrator")}


def test_a_newcomer_knows_the_same_entry_as_those_who_are_there(tmp_path: Path) -> None:
    entry = LoreEntry(id="sluice", text=SLUICE["content"], keys=("sluice",), known_by=("ann", "narrator"))
    pack = small_pack().model_copy(update={"lore": {"mill": (entry,)}})
    newcomer = card_newcomer(one_file(tmp_path, with_book("Orla", SLUICE)))
    game = add_character(new_game(pack, title="T", player="Alex", seed=1, created=""), newcomer).game
    assert [(entry.text, entry.known_by) for entry in game.pack.lore_entries] == [
        (SLUICE["content"], ("ann", "narrator", "orla"))
    ]


# --- keys -------------------------------------------------------------------------------------------------------------


def awake(pack: Pack, line: str) -> list[str]:
    room = LoreRoom()
    matches = choose_lore(pack.lore, {"line": [line]}, room=room, chapter="01", seed=1, turn=1)
    return [match.entry.text for match in matches if match.fired]


@pytest.mark.parametrize(
    "content, conditions",
    [
        ("@@additional_keys miller, flour\nIt turns.", {"any_of": ("miller", "flour")}),
        ("@@exclude_keys ice\n@@exclude_keys snow\nIt turns.", {"none_of": ("ice", "snow")}),
        ("@@additional_keys a, b\n@@exclude_keys c\nIt turns.", {"any_of": ("a", "b"), "none_of": ("c",)}),
    ],
)
def test_additional_keys_of_a_card_are_a_choice(
    tmp_path: Path, content: str, conditions: dict[str, tuple[str, ...]]
) -> None:
    """Specification of V3 cards: an entry matches if one of its additional keys does, and none that is excluded."""
    card = with_book("Orla", {"keys": ["wheel"], "content": content})
    (entry,) = made_pack(tmp_path, one_file(tmp_path / "in", card))[0].lore_entries
    found = {name: getattr(entry, name) for name in ("all_of", "any_of", "none_of") if getattr(entry, name)}
    assert (entry.text, found) == ("It turns.", conditions)


def test_a_key_that_is_the_player_or_the_character_finds_their_name(tmp_path: Path) -> None:
    entries = [
        {"key": ["{{user}}"], "content": "Wanted."},
        {"key": ["{{char}}"], "content": "Owed a favour."},
    ]
    files = write(
        tmp_path / "in", {"b.json": json.dumps({"entries": entries}), "c.json": with_book("Orla Finn")}
    )
    pack, report = made_pack(tmp_path, files / "c.json", files / "b.json")
    game = new_game(pack, title="T", player="Sam", seed=1, created="")
    assert awake(game.pack, "Sam waves.") == ["Wanted."]
    assert awake(game.pack, "I look at Orla Finn.") == ["Owed a favour."]
    assert not report.left_out


def test_a_key_that_names_one_of_many_is_told(tmp_path: Path) -> None:
    names = {f"{name}.json": with_book(name) for name in ("Bram", "Orla")}
    book = json.dumps({"entries": [{"key": ["<BOT>", "reeve"], "content": "Owed a favour."}]})
    pack, report = made_pack(tmp_path, write(tmp_path / "in", {**names, "weir.json": book}))
    assert pack.lore_entries[0].keys == ("<BOT>", "reeve")
    assert "{{bot}}: here is nobody that it stands for, so it is kept as text." in report.left_out
    assert (
        "Keys with macros that nothing here stands for (1): kept, but they match nothing." in report.left_out
    )


def test_rules_by_which_entries_call_others_are_told(tmp_path: Path) -> None:
    entries = [
        {"key": ["a"], "content": "One.", "preventRecursion": True},
        {"key": ["b"], "content": "Two.", "extensions": {"delay_until_recursion": 2}, "sticky": 3},
        {"key": ["c"], "content": "Three.", "excludeRecursion": False, "group": "tide"},
    ]
    files = write(tmp_path / "in", {"a.json": json.dumps({"entries": entries}), "c.json": with_book("Orla")})
    _, report = made_pack(tmp_path, files)
    assert [line.split(":")[0] for line in report.left_out[:3]] == [
        "Timing of 1 entry of lore (sticky, cooldown, delay)",
        "Groups of lore, of which one entry was used at a time (1 entry of lore)",
        "Rules by which entries call others (2 entries of lore)",
    ]


# --- macros in chats and names ----------------------------------------------------------------------------------------

RAW = (
    reply("{{user}} steps onto the ferry. {{char}} nods. {{random::Rain,Rain}} falls.", name="Orla"),
    user("I give {{char}} two coins.", name="Robin"),
    reply('"Sit, <USER>," says <BOT>.', '"Sit, <USER>," says <BOT>.', "{{char}} waits.", name="Orla"),
)


def test_macros_of_a_chat_are_settled_with_the_name_that_was_given(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", {"a.jsonl": jsonl(*RAW, head=None)})
    lines = ["steps onto the ferry. Orla nods. Rain falls.", "I give Orla two coins."]
    for player, name in (("", "Robin"), ("Kay", "Kay")):
        with imported(Library(tmp_path / name), folder, player=player) as save:
            texts = [text for _, text in told(save)]
        assert texts == [f"{name} {lines[0]}", lines[1], f'"Sit, {name}," says Orla.']


def test_marks_of_scripts_in_a_chat_go_and_are_told(tmp_path: Path) -> None:
    update = "<UpdateVariable>\n_.set('Orla.mood', 'calm', 'tired');\n</UpdateVariable>"
    lines = (
        reply(f"Orla rows.\n\n{update}\n<StatusPlaceHolderImpl/>", name="Orla"),
        reply(f"She stops. {update[:40]}", name="Orla"),
    )
    chats, _ = read_chats([write(tmp_path, {"a.jsonl": jsonl(*lines)})])
    plan = plan_chats(chats)
    assert [message.text for message in plan.chats[0].messages] == ["Orla rows.", "She stops."]
    assert "Scripts in its texts: removed, never run." in plan.report.left_out
    assert any("mes (" in line for line in plan.report.left_out), "the words of the scripts are counted"


def test_a_macro_for_a_player_without_a_name_is_told(tmp_path: Path) -> None:
    chat = [{"role": "assistant", "content": "{{user}} steps on."}, {"role": "user", "content": "I wave."}]
    chats, _ = read_chats([one_file(tmp_path, chat)])
    hint = "The player has no name in the files, so {{user}} is “You”; --player gives one."
    assert hint in plan_chats(chats).report.changed
    named = plan_chats(chats, player="Robin")
    assert hint not in named.report.changed
    assert named.chats[0].messages[0].text == "Robin steps on."


def test_in_a_group_the_last_speaker_is_meant(tmp_path: Path) -> None:
    lines = (
        reply("{{char}} rows.", name="Orla"),
        reply("{{char}} sings.", name="Bram"),
        user("I thank {{char}}."),
    )
    with chat_save(tmp_path, jsonl(*lines)) as save:
        assert [text for _, text in told(save)] == ["Orla rows.", "Bram sings.", "I thank Bram."]


def test_a_macro_in_a_name_is_settled_and_told(tmp_path: Path) -> None:
    shadow = one_file(tmp_path, cards.v2(name="{{user}}'s shadow"))
    pack, report = made_pack(tmp_path, shadow, player="Robin")
    assert [*pack.names.values()] == ["Robin's shadow"]
    assert "The name “{{user}}'s shadow” is “Robin's shadow” here." in report.changed
    lines = (reply("Boo.", name="{{char}}"), user("Hello."))
    head = {"user_name": "Alex", "character_name": "Orla"}
    with chat_save(tmp_path / "chat", jsonl(*lines, head=head)) as save:
        assert told(save)[0] == ("Orla", "Boo.")


# --- who says a line, and who hears it --------------------------------------------------------------------------------


def group(top: Path, *lines: Any, **fields: Any) -> Path:
    for name in ("Orla", "Bram"):
        write(top / "characters", {f"{name}.json": json.dumps(cards.v2(name=name))})
    listing = {"name": "Landing", "members": ["Orla.json", "Bram.json"], "chats": ["c"], **fields}
    write(top / "groups", {"1.json": json.dumps(listing)})
    write(top / "group chats", {"c.jsonl": jsonl(*lines, head=None)})
    return top


def test_the_card_that_a_line_names_says_it(tmp_path: Path) -> None:
    lines = (
        reply("Coins first.", name="Orla", original_avatar="Orla.json"),
        user("I pay."),
        reply("I carry it.", "I carry it.", "No.", name="Bramble", original_avatar="Bram.json"),
    )
    report = accepted(tmp_path, group(tmp_path / "st", *lines))
    (landing,) = [part for part in report.parts if part.save]
    with Save.open(Library(tmp_path / "home").path(str(landing.save))) as save:
        assert told(save) == [("Orla", "Coins first."), ("player", "I pay."), ("Bram", "I carry it.")]
        assert len(save.state_at().pack.characters) == 2
    assert "By the card that their lines name: Bramble is Bram here." in landing.left_out


def test_without_cards_lines_of_one_card_are_one_speakers_and_two_cards_are_two_people(
    tmp_path: Path,
) -> None:
    lines = (
        reply("First.", name="Bramble", original_avatar="b.png"),
        reply("Second.", name="Bram", original_avatar="b.png"),
        user("Well?"),
        reply("Third.", name="Bram", original_avatar="c.png"),
    )
    with chat_save(tmp_path, jsonl(*lines)) as save:
        assert told(save) == [
            ("Bram", "First."), ("Bram", "Second."), ("player", "Well?"), ("Bram 2", "Third."),
        ]  # fmt: skip


def whispering(folder: Path, line: str) -> Save[Game]:
    lines = (
        reply("Evening.", name="Maya"), reply("Evening.", name="Joaquin"), user(line),
        reply("Under the cot, then.", name="Maya"), reply("Rain tonight.", name="Joaquin"),
    )  # fmt: skip
    return chat_save(folder, jsonl(*lines))


@pytest.mark.parametrize(
    "line, hearers",
    [
        ("→ Maya: the key is under the cot", ["maya"]),
        ("-> maya: the key is under the cot", ["maya"]),
        ("→ all: the key is under the cot", ["maya", "joaquin"]),
        ("I sit.\n→ Maya: the key is under the cot", ["maya"]),
        ("→ Maya: the key\n→ Joaquin: the cot", []),
        ("I say → Maya: the key", ["maya", "joaquin"]),
    ],
)
def test_an_arrow_in_a_chat_of_another_program_whispers(
    tmp_path: Path, line: str, hearers: list[str]
) -> None:
    with whispering(tmp_path, line) as save:
        turn = save.turns(2, 2)[0]
    assert [id for id in ("maya", "joaquin") if perceived_line(turn, id)] == hearers
    seen = [entry.text for entry in witnessed(turn, "joaquin").entries]
    assert ("Under the cot, then." in seen) is ("joaquin" in hearers or not hearers)
    assert "Rain tonight." in seen
