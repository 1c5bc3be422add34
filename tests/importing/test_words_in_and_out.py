"""S16: of every format, words in are words kept and words named; so a field that no reader knows is named by itself."""

import base64
import itertools
import json
import lzma
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.importing import cards
from tests.importing.chats import one_file
from tests.importing.made import accepted
from tests.importing.test_nothing_lost import named
from theact_tui.importing.report import ImportReport, words_left_out
from theact_tui.packs.loader import load_pack
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save

PERSON = {
    "name": "W", "description": "W W.", "personality": "W.", "scenario": "W W.", "first_mes": "W W.",
    "mes_example": "<START>\n{{user}}: W W.\n{{char}}: W.", "creator_notes": "W W.", "system_prompt": "W W W.",
    "post_history_instructions": "W.", "alternate_greetings": ["W."], "group_only_greetings": ["W."], "tags": ["W"],
    "creator": "W", "extensions": {"depth_prompt": {"prompt": "W W."}, "world": "W"},
    "character_book": {"name": "W", "entries": [
        {"keys": ["W"], "secondary_keys": ["W"], "selective": True, "content": "W W.", "name": "W", "comment": "W"},
        {"keys": ["W"], "content": "", "name": "W"},
    ]},
}  # fmt: skip
ENTRY = {"key": ["W"], "keysecondary": ["W"], "selective": True, "comment": "W", "content": "W W.", "uid": 0}
LINE = {"name": "Mara", "is_user": False, "mes": "W W.", "swipes": ["W W.", "W."], "swipe_id": 0}
KOBOLD = {
    "gamestarted": True, "prompt": "W W.", "actions": [" W.", " W W."], "memory": "W.", "authorsnote": "W.",
    "worldinfo": [{"key": "W", "content": "W W.", "comment": "W"}],
}  # fmt: skip
NOVELAI = {
    "title": "W", "description": "W.", "prompt": "W W.", "context": [{"text": "W."}, {"text": "W W."}],
    "lorebook": {"lorebookVersion": 4, "entries": [{"keys": ["W"], "text": "W W.", "displayName": "W"}]},
}  # fmt: skip
FARADAY = {
    "aiName": "W", "aiDisplayName": "W", "aiPersona": "W W.", "scenario": "W.", "firstMessage": "W.", "basePrompt": "W W.",
    "customDialogue": "#{user}: W.\n#{character}: W.", "loreItems": [{"key": "W", "value": "W W."}],
}  # fmt: skip
BACKYARD = {
    "name": "W", "displayName": "W", "persona": "W W.", "loreItems": [{"key": "W", "value": "W W."}],
}  # fmt: skip
SCENE = {
    "narrative": "W W.", "formattingInstructions": "W W.", "firstMessages": [{"text": "W W."}], "title": "W",
    "exampleMessages": [{"text": '#{user}: W?\n#{character}: "W." W W.'}],
    "messages": [{"type": "human", "text": "W."}, {"type": "ai", "outputs": [{"text": "W W."}, {"text": "W."}]}],
}  # fmt: skip
TALEMATE: dict[str, Any] = {
    "name": "W", "description": "W.", "intro": "W W.", "context": "W.",
    "character_data": {
        "Mara": {
            "description": "W W.", "base_attributes": {"age": "W"}, "details": {"past": "W W."}, "greeting_text": "W.",
            "example_dialogue": ["Mara: W."], "gender": "W",
        },
        "Alex": {"is_player": True, "description": "W W."},
    },
    "history": [
        {"message": "Mara: W W.", "typ": "character"}, {"message": "Alex: W.", "typ": "character", "source": "player"},
        {"message": "W.", "typ": "narrator"}, {"message": "W W.", "typ": "director"},
    ],
    "archived_history": [{"text": "W W."}],
}  # fmt: skip


def as_json(value: Any) -> bytes:
    return json.dumps(value).encode()


def as_lines(value: Any) -> bytes:
    return "\n".join(map(json.dumps, value)).encode()


def as_yaml(value: Any) -> bytes:
    return "\n".join(f"{key}: {json.dumps(text)}" for key, text in value.items()).encode()


def as_share(value: Any) -> bytes:
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16}]
    return base64.urlsafe_b64encode(lzma.compress(as_json(value), lzma.FORMAT_ALONE, filters=filters))


Writer = Callable[[Any], bytes]
FORMATS: dict[str, tuple[Any, Writer]] = {
    "card V1": ({**PERSON, "extensions": {}}, as_json),
    "card V2": ({"spec": "chara_card_v2", "data": PERSON}, as_json),
    "card V2 in a PNG": ({"spec": "chara_card_v2", "data": PERSON}, lambda v: cards.png(cards.text_chunk(v))),
    "card V3": ({"spec": "chara_card_v3", "data": {**PERSON, "nickname": "W"}}, as_json),
    "card V3 in a CHARX": ({"spec": "chara_card_v3", "data": PERSON}, cards.charx),
    "TavernAI": (PERSON, lambda v: cards.webp(cards.encoded(v))),
    "Pygmalion": (
        {"char_name": "W", "char_persona": "W.", "char_greeting": "W.", "world_scenario": "W.", "example_dialogue": "W."},
        as_json,
    ),
    "text-generation-webui": ({"name": "W", "greeting": "W W.", "context": "W W.\n{{user}}: W.\n{{char}}: W."}, as_yaml),
    "Agnai": (
        {
            "kind": "character", "name": "W", "greeting": "W.", "scenario": "W.", "sampleChat": "{{char}}: W.",
            "description": "W.", "persona": {"kind": "attributes", "attributes": {"job": ["W", "W"]}},
            "systemPrompt": "W W.", "alternateGreetings": ["W."],
        },
        as_json,
    ),
    "Backyard": ([BACKYARD, SCENE], lambda v: cards.backyard(*v)),
    "Backyard of before": ({"character": FARADAY, "version": 4}, lambda v: cards.jpeg(cards.encoded(v))),
    "NovelAI scenario": ({"scenarioVersion": 2, **NOVELAI}, as_json),
    "AI Dungeon scenario": (
        [{
            "title": "W", "description": "W.", "prompt": "W W.", "memory": "W.", "authorsNote": "W.",
            "worldInfo": [{"keys": "W", "entry": "W W.", "title": "W"}],
        }],
        as_json,
    ),
    "SillyTavern world": ({"entries": {"0": ENTRY, "1": {**ENTRY, "uid": 1}}}, as_json),
    "RisuAI lorebook": (
        {"type": "risu", "data": [{"key": "W", "secondkey": "W", "selective": True, "content": "W.", "comment": "W"}]},
        as_json,
    ),
    "NovelAI lorebook": (NOVELAI["lorebook"], as_json),
    "NovelAI lorebook in a PNG": (
        NOVELAI["lorebook"], lambda v: cards.png(cards.text_chunk(v, b"naidata")),
    ),
    "Agnai memory": (
        {"kind": "memory", "name": "Sea", "entries": [{"keywords": ["W"], "entry": "W.", "name": "W"}]}, as_json,
    ),
    "AI Dungeon world": ([{"keys": "W, W", "entry": "W W."}, {"keys": "W", "value": "W.", "title": "W"}], as_json),
    "lorebook V3": (
        {"spec": "lorebook_v3", "data": {"name": "W", "description": "W.", "entries": [{"keys": ["W"], "content": "W."}]}},
        as_json,
    ),
    "SillyTavern chat": (
        [
            {"user_name": "Alex", "character_name": "Mara", "chat_metadata": {"note_prompt": "W.", "scenario": "W W."}},
            {**LINE, "extra": {"reasoning": "W W.", "memory": "W."}},
            {"name": "Alex", "is_user": True, "mes": "<think>W W</think>W."},
            {"name": "SillyTavern System", "is_system": True, "mes": "W W.", "extra": {"type": "help"}},
            {**LINE, "mes": "W\n```html\n<div>W W</div>\n```", "swipes": []},
        ],
        as_lines,
    ),
    "SillyTavern group chat": ([LINE, {**LINE, "name": "Odo"}, {"name": "Alex", "is_user": True, "mes": "W."}], as_lines),
    "KoboldAI": (KOBOLD, as_json),
    "KoboldAI Lite": (
        {**KOBOLD, "altbranches": [["W W.", " W."]], "savedsettings": {"opmode": 2, "chatname": "Alex"}}, as_json,
    ),
    "KoboldAI share text": (KOBOLD, as_share),
    "NovelAI story": (
        {
            "storyContainerVersion": 1, "metadata": {"title": "W"},
            "content": {**NOVELAI, "story": {"fragments": [{"data": "W W."}, {"data": " W."}]}},
        },
        as_json,
    ),
    "text-generation-webui history": (
        {
            "internal": [["<|BEGIN-VISIBLE-CHAT|>", "W."], ["W.", "W W."]], "visible": [["", "W."]], "character": "W",
            "metadata": {"assistant_1": {"versions": [{"content": "W."}, {"content": "W W."}]}},
        },
        as_json,
    ),
    "Agnai chat": (
        {"name": "W", "greeting": "W.", "scenario": "W.", "messages": [{"userId": "u", "msg": "W."}, {"msg": "W."}]},
        as_json,
    ),
    "CAI Tools": (
        {"histories": {"histories": [{"msgs": [
            {"text": "W.", "src": {"is_human": False, "name": "Mara"}}, {"text": "W.", "src": {"is_human": True}},
        ]}]}},
        as_json,
    ),
    "RisuAI chat": (
        {"type": "risuChat", "ver": 2, "data": {"message": [{"role": "char", "data": "W."}, {"role": "user", "data": "W."}]}},
        as_json,
    ),
    "RisuAI chat with all that belongs to it": (
        {"type": "risuChat", "ver": 2, "data": {
            "message": [{"role": "char", "data": "W {{img::x}} W."}, {"role": "user", "data": "W.", "disabled": True}],
            "note": "W W.", "name": "W", "localLore": [{"key": "W", "content": "W W.", "comment": "W"}],
            "hypaV3Data": {"summaries": [{"text": "W W."}]},
        }},
        as_json,
    ),
    "CAI Tools with other versions": (
        {
            "info": {"character": {"name": "Mara", "greeting": "W.", "description": "W.", "definition": "W W."}},
            "histories": {"histories": [{"msgs": [
                {"text": "W.", "src": {"is_human": True}}, {"text": "W.", "src": {"name": "Mara"}, "is_alternative": True},
                {"text": "W W.", "src": {"name": "Mara"}},
            ]}]},
        },
        as_json,
    ),
    "roles and content": (
        {"character": "W", "messages": [
            {"role": "system", "content": "W W."}, {"role": "user", "content": [{"type": "text", "text": "W."}]},
            {"role": "assistant", "content": "W."},
        ]},
        as_json,
    ),
    "Talemate scene": (TALEMATE, as_json),
    "Talemate scene that has not begun": (
        {**TALEMATE, "history": [], "intro": "", "archived_history": []}, as_json,
    ),
    "Talemate character": ({"name": "W", **TALEMATE["character_data"]["Mara"]}, as_json),
    "card with a lexicon": (
        {**PERSON, "character_book": {"entries": [], "lexicon": [{"keys": ["W"], "content": "W W.", "name": "W"}]}},
        as_json,
    ),
    "JanitorAI world": ([{"name": "W", "key": ["W"], "keysRaw": "", "content": "W.", "comment": "W"}], as_json),
    "Backyard chat": (
        {"character": {"aiName": "W"}, "chat": {"ChatItems": [
            {"input": "W.", "output": "W W.", "RegenSwipes": [{"text": "W."}]}, {"input": "W W.", "output": "W."},
        ]}},
        as_json,
    ),
    "Backyard of before with its chats": (
        {"character": {**FARADAY, "Chat": [{"ChatItems": [{"input": "W.", "output": "W W."}], "title": "W"}]}, "version": 4},
        as_json,
    ),
    "AI Dungeon scenarios": (
        [{"title": f"{place} W", "description": "W.", "prompt": "W W.", "worldInfo": []} for place in (1, 2)], as_json,
    ),
    "card in an envelope": (
        {"type": "marinara_character", "version": 1, "data": {"spec": "chara_card_v2", "data": PERSON}}, as_json,
    ),
    "envelope with a world": (
        {"type": "marinara_lorebook", "version": 1, "data": {"lorebook": {"name": "Sea"}, "entries": [
            {"name": "W", "content": "W W.", "keys": ["W"],
             "secondaryKeys": ["W"], "selective": True, "selectiveLogic": "and"},
        ]}},
        as_json,
    ),
}  # fmt: skip
"""A document of each format, in which each `W` is a word, and how it is written."""


def filled(value: Any, words: Iterator[str], *, planted: bool) -> Any:
    """A document with a word for each `W`, and with a field that nobody knows in each of its tables."""
    if isinstance(value, dict):
        told = {key: filled(each, words, planted=planted) for key, each in value.items()}
        return {**told, "murmurs": f"{next(words)} {next(words)}, {next(words)}."} if planted else told
    if isinstance(value, list):
        return [filled(each, words, planted=planted) for each in value]
    return re.sub("W", lambda _: next(words), value) if isinstance(value, str) else value


def new_words() -> Iterator[str]:
    letters = (f"{a}{b}{c}" for a, b, c in itertools.product("bcdfghjklm", "aeiou", "nprstvwxyz"))
    return (f"Q{part}q" for part in letters)


WORD = re.compile("Q[a-z]{3}q")


def taken_in(folder: Path, name: str, data: bytes) -> ImportReport:
    """The report of importing a file of a format; lore alone goes into a pack that is there."""
    file = one_file(folder, data, "in")
    if not ("lorebook" in name or name.endswith(("world", "memory"))):
        return accepted(folder, file)
    base = one_file(folder, {"name": "Ida", "first_mes": "Hello.", "description": "Ida."}, "base")
    return accepted(folder, file, into=str(accepted(folder, base).pack))


def words_kept(folder: Path, report: ImportReport) -> set[str]:
    """The words that are in the packs and saves of an import below a folder, without their originals."""
    parts = report.parts or (report,)
    return {word for part in parts for word in _words_of(folder, part.pack, part.save)}


def _words_of(folder: Path, pack: str | None, save: str | None) -> set[str]:
    text = str(load_pack(folder / "packs" / pack)) if pack and (folder / "packs" / pack).is_dir() else ""
    if save:
        with Save.open(folder / "home" / "saves" / save) as opened:
            story = opened.of(GAMES)
            game = story.load()
            for branch in story.branches():
                last = story.state_at(branch=branch.name)
                turns = story.turns(1, last.state.turn, branch.name)
                text += str(last) + str(turns)
                text += "".join(str(story.versions(turn.number, branch.name)) for turn in turns)
            text += str(game)
    return set(WORD.findall(text))


@pytest.mark.parametrize("name", FORMATS)
def test_words_in_are_words_kept_and_words_named(name: str, tmp_path: Path) -> None:
    document, written = FORMATS[name]
    document = filled(document, new_words(), planted=True)
    report = taken_in(tmp_path, name, written(document))
    read = {*re.findall("“(\\w+)”", str(report.taken)), *words_kept(tmp_path, report)}
    missing = set(WORD.findall(str(document))) - read
    assert len(missing) == named(report), (missing, report.left_out)
    assert any("murmurs" in line for line in report.left_out)


def test_words_of_a_data_folder_are_words_kept_and_words_named(tmp_path: Path) -> None:
    """A character with a chat and a lorebook that its card names, a group with its chat, and a persona."""
    words = new_words()
    line = {"name": "Mara", "is_user": False, "mes": "W W."}
    card = {"spec": "chara_card_v2", "data": {**PERSON, "name": "Mara", "extensions": {"world": "Sea"}}}
    documents: dict[str, tuple[Any, Writer]] = {
        "characters/Mara.json": (card, as_json),
        "chats/Mara/one.jsonl": ([{"user_name": "Alex", "character_name": "Mara"}, line], as_lines),
        "worlds/Sea.json": ({"entries": {"0": ENTRY}}, as_json),
        "groups/Tea.json": ({"name": "Tea", "members": ["Mara.json"], "chats": ["tea"]}, as_json),
        "group chats/tea.jsonl": ([line, {"name": "Alex", "is_user": True, "mes": "W."}], as_lines),
    }
    content = {name: filled(value, words, planted=True) for name, (value, _) in documents.items()}
    for name, (_, written) in documents.items():
        one_file((tmp_path / "in" / name).parent, written(content[name]), Path(name).name)
    report = accepted(tmp_path, tmp_path / "in")
    assert len(report.parts) == 2 and report.whole.left_out == ()
    card_files = ("characters/Mara.json", "worlds/Sea.json")
    files = [(*card_files, "chats/Mara/one.jsonl"), (*card_files, "groups/Tea.json", "group chats/tea.jsonl")]
    for part, names in zip(report.parts, files, strict=True):
        missing = set(WORD.findall(str([content[name] for name in names]))) - words_kept(tmp_path, part)
        assert len(missing) == named(part), (missing, part.left_out)


def test_what_no_person_reads_is_not_counted() -> None:
    document = {
        "id": "a quiet one", "create_date": "one day", "hash": "abc", "where": "https://example.invalid/a", "n": 3,
        "avatar": "Mara.png", "key": "f3a0", "said": "{{char}} nods.", "tint": "#aabbcc",
    }  # fmt: skip
    assert words_left_out([document], ["nods."]) == ()


def test_words_of_scripts_and_of_tables_of_numbers_are_counted() -> None:
    cut = {"note": "Before. <script> never closed again", "seal": "Wax{{//"}
    assert words_left_out([cut], ["Before."]) == (
        "Pages of HTML, their scripts and remarks (3 words). Kept in imported/.",
        "Fields that are not used here: seal (1 word). Kept in imported/.",
    )
    assert words_left_out([[{"0": "one", "1": "two"}]], [])[0].count("(1 word)") == 2
    assert "text (2 words)" in words_left_out([["one two", []]], [])[0]
    assert (
        words_left_out([{"note": "<Mara is tired> <b class='x'>now</b>"}], ["now"])[0].count("(3 words)") == 1
    )


def test_a_sentence_is_counted_whatever_its_field_is_called() -> None:
    document = {
        "status": "She limps since the fall from the tower.",
        "mode": "chat",
        "template": "a b c d e f g h",
    }
    assert words_left_out([document], []) == (
        "Fields that are not used here: status (8 words). Kept in imported/.",
    )


def test_a_field_is_named_by_the_outermost_of_which_nothing_is_used() -> None:
    document = {
        "data": {"name": "Mara", "book": {"name": "Sea", "lexicon": [{"text": "The tide lies."}] * 2}}
    }
    assert words_left_out([document], ["Mara", "Sea"]) == (
        "Fields that are not used here: book.lexicon (3 words). Kept in imported/.",
    )
    told = words_left_out([{f"f{'x' * n}": f"{'y' * (n + 1)} z" for n in range(20)}], [])
    assert "8 more fields" in told[0]
