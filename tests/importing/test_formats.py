"""S16: stories and logs of other programs, made here by the rules of their formats."""

import base64
import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

from tests.importing import cards
from tests.importing.chats import jsonl, one_file, reply, user, write
from tests.importing.made import accepted, chat_save, made_pack, proposed, takes, told
from theact_tui.errors import UsageError
from theact_tui.importing.chat import chat_tree
from theact_tui.importing.chat_files import chats_in, read_chats
from theact_tui.importing.detect import Payload
from theact_tui.importing.report import ImportQuestion
from theact_tui.packs.loader import load_pack
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save

MAYA_AND_ALEX = [("Maya", "Hi."), ("player", "Hello."), ("Maya", "Sit down.")]


def kobold(mode: int, text: list[str], **settings: Any) -> dict[str, Any]:
    saved = {"opmode": mode, "chatname": "Alex", "chatopponent": "Maya", "apikey": "sk-secret", **settings}
    return {
        "gamestarted": True,
        "prompt": text[0],
        "actions": text[1:],
        "memory": "A harbour.",
        "savedsettings": saved,
    }


FORMATS: dict[str, tuple[Any, list[tuple[str, str]]]] = {
    "kobold story": (
        kobold(1, ["The rain sto", "ps.\n\nNobody [<|p|pic|p|>]comes."]),
        [("narrator", "The rain stops.\n\nNobody comes.")],
    ),
    "kobold adventure": (
        kobold(2, ["You wake.", "\n> I get up\n", "You stand.", "\n> I go\n", "It rains."]),
        [
            ("narrator", "You wake."), ("player", "I get up"), ("narrator", "You stand."),
            ("player", "I go"), ("narrator", "It rains."),
        ],
    ),
    "kobold chat": (kobold(3, ["", "\nMaya: Hi.", "\nAlex: Hello.", "\nMaya: Sit", " down."]), MAYA_AND_ALEX),
    "kobold instruct": (
        kobold(
            4,
            ["", "{{[OUTPUT]}}Maya: Hi.{{[OUTPUT_END]}}{{[INPUT]}}Alex: Hello.{{[INPUT_END]}}", "{{[OUTPUT]}}Sit down."],
        ),
        MAYA_AND_ALEX,
    ),
    "kobold of another version": (
        {
            "file_version": 2, "gamestarted": True, "prompt": "It", "memory": "",
            "actions": {"actions": {"1": {"Selected Text": " falls."}, "0": {"Selected Text": " rains. Night"}}},
        },
        [("narrator", "It rains. Night falls.")],
    ),
    "textgen": (
        {
            "internal": [["<|BEGIN-VISIBLE-CHAT|>", "Hi."], ["Hello.", "Sit down."]],
            "visible": [["", "Hi."], ["Hello.", "Sit &amp; down."]],
            "metadata": {"assistant_1": {"timestamp": "Mar 1", "versions": [{"content": "No."}, {"content": "Sit down."}]}},
            "character": "Maya",
        },
        MAYA_AND_ALEX,
    ),
    "agnai": (
        {
            "name": "Maya", "greeting": "Hi.",
            "messages": [{"userId": "u", "msg": "Hello."}, {"characterId": "c", "msg": "Sit down."}],
        },
        MAYA_AND_ALEX,
    ),
    "novelai": (
        {
            "storyContainerVersion": 1, "metadata": {"title": "The Pier"},
            "content": {
                "story": {"fragments": [
                    {"data": "You stand", "origin": "prompt"}, {"data": " there.\n\nWaves.", "origin": "ai"},
                ]},
                "context": [{"text": "A harbour town."}, {"text": "[ Style: terse ]"}],
                "lorebook": {"lorebookVersion": 4, "entries": [{"keys": ["tide"], "text": "The tide lies."}]},
            },
        },
        [("narrator", "You stand there.\n\nWaves.")],
    ),
    "backyard": (
        {"chat": {"ChatItems": [{"input": "Hello.", "output": "Sit down, {user}.", "createdAt": 1}]}, "version": 2},
        [("player", "Hello."), ("Character", "Sit down, You.")],
    ),
    "talemate": (
        {
            "name": "Harbour", "intro": "Rain.", "description": "A harbour.", "context": "Nobody is to be trusted.",
            "character_data": {"Maya": {"description": "A diver."}, "Alex": {"is_player": True, "description": "A clerk."}},
            "history": [
                {"message": "Maya: Hi.", "typ": "character", "source": "ai"},
                {"message": "Alex: Hello.", "typ": "character", "source": "player"},
                {"message": "They sit.", "typ": "narrator"}, {"message": "later", "typ": "time"},
            ],
            "archived_history": [{"text": "They met."}],
        },
        [("narrator", "Rain."), ("Maya", "Hi."), ("player", "Hello."), ("narrator", "They sit.")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_tells_who_says_what(name: str, tmp_path: Path) -> None:
    document, expected = FORMATS[name]
    with chat_save(tmp_path, document) as save:
        assert told(save) == expected
        game = save.load()
        everything = str(game) + str([save.files().need(f"imported/{n}") for n in ("report.yaml",)])
        assert "sk-secret" not in everything
        if name == "textgen":
            assert takes(save, 2) == ["No.", "Sit down."]
        if name == "novelai":
            assert (game.info.title, game.pack.world.setting) == ("The Pier", "A harbour town.")
            assert game.state.steering.note == "[ Style: terse ]"
            assert [entry.text for entry in game.pack.lore_entries] == ["The tide lies."]
        if name == "talemate":
            assert (game.info.player.name, game.state.rolling_summary) == ("Alex", "They met.")
            assert game.pack.characters["maya"].personality == "A diver."
            assert game.pack.world.setting == "A harbour.\n\nNobody is to be trusted."
            assert "Alex, who is the player" in everything and "(2 words)" in everything


def test_a_shared_story_is_unpacked_and_its_other_branches_are_branches(tmp_path: Path) -> None:
    document = kobold(3, ["", "\nMaya: Hi.", "\nAlex: Hello.", "\nMaya: 🌊"])
    document["altbranches"] = [None, ["", "\nMaya: Hi.", "\nAlex: Hello.", "\nMaya: Go away."]]
    text = json.dumps(document, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16")
    filters = [{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16}]
    packed = lzma.compress(text.encode(), lzma.FORMAT_ALONE, filters=filters)
    share = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    with chat_save(tmp_path, share) as save:
        assert told(save)[-1] == ("Maya", "🌊")
        assert [told(save, branch.name)[-1][1] for branch in save.branches()] == ["🌊", "Go away."]
        assert save.turn == 2 and len(save.log()) == 3


def test_world_info_of_kobold_is_the_lore_of_its_story(tmp_path: Path) -> None:
    entry = {
        "key": "tide,sea",
        "keysecondary": "moon, night",
        "keyanti": "noon",
        "selective": True,
        "content": "It lies.",
    }
    old = {**kobold(1, ["Rain."]), "worldinfo": [entry]}
    new = {**kobold(1, ["Rain."]), "worldinfo_v2": {"entries": {"tide": [entry]}}}
    for place, document in enumerate((old, new)):
        with chat_save(tmp_path / str(place), document) as save:
            (lore,) = save.load().pack.lore_entries
            assert (lore.keys, lore.any_of, lore.none_of) == (("tide", "sea"), ("moon", "night"), ("noon",))
            assert lore.known_by == ("everyone",)


def test_a_room_of_tavernai_has_a_head_of_its_own(tmp_path: Path) -> None:
    head = {
        "user_name": "You",
        "character_names": ["Ida", "Odo"],
        "create_date": 1684669029632,
        "notes": "",
        "scenario": "",
    }
    room = jsonl(reply("Hi.", name="Odo", chid=1), user("Hello."), head=head)
    with chat_save(tmp_path / "1", room) as save:
        assert told(save) == [("Odo", "Hi."), ("player", "Hello.")]
        assert {person.name for person in save.load().pack.characters.values()} == {"Ida", "Odo"}
    chat = jsonl(reply("Hi."), head={"something": "new"})
    with chat_save(tmp_path / "2", chat) as save:
        assert told(save) == [("Seraphina", "Hi.")], "a head of any kind is no message"


SCENE = {
    "title": "T", "narrative": "A glade for {character}.", "formattingInstructions": "Obey.", "exampleMessages": [],
    "firstMessages": [{"characterID": "1", "text": "Hello."}],
    "messages": [
        {"type": "human", "text": "Who is there?"},
        {"type": "ai", "outputs": [
            {"text": "Nobody.", "activeTimestamp": "2025-02-01T00:00:00Z"},
            {"text": "Me.", "activeTimestamp": "2025-01-01T00:00:00Z"},
        ]},
    ],
}  # fmt: skip


def test_a_character_of_backyard_brings_its_chat_with_the_lines_of_the_player(tmp_path: Path) -> None:
    character = {
        "name": "Sera",
        "displayName": "Sera Vale",
        "persona": "{character} guards.",
        "loreItems": [],
    }
    report = accepted(tmp_path, one_file(tmp_path, cards.backyard(character, SCENE), "a.byaf"))
    assert report.pack == "sera-vale" and any("system prompt" in line for line in report.left_out)
    with Save.open(tmp_path / "home" / "saves" / str(report.save)) as save:
        story = save.of(GAMES)
        assert told(story) == [("Sera", "Hello."), ("player", "Who is there?"), ("Sera", "Nobody.")]
        assert takes(story, 2) == ["Me.", "Nobody."] and [*story.load().pack.characters] == ["sera-vale"]


NOVELAI = {
    "scenarioVersion": 2, "title": "The Pier", "description": "A pier.", "prompt": "You stand on ${place[the pier]:Where?}.",
    "context": [{"text": "A harbour town."}, {"text": "[ Style: terse ]"}],
    "lorebook": {"lorebookVersion": 4, "entries": [{"keys": ["tide"], "text": "The tide of ${place} lies."}]},
}  # fmt: skip
DUNGEON = [
    {
        "title": "The Pier", "description": "A pier.", "prompt": "${What is your trade?} ${character.name}, you stand there.",
        "memory": "A harbour town.", "authorsNote": "[ Style: terse ]",
        "worldInfo": [{"keys": "tide", "entry": "The tide of the ${What is your trade?} lies."}],
    },
    {"title": "Other", "prompt": "x", "authorsNote": ""},
]  # fmt: skip


@pytest.mark.parametrize("name", ["novelai", "ai dungeon"])
def test_a_scenario_is_a_pack_with_its_page_and_what_it_asks_is_answered(name: str, tmp_path: Path) -> None:
    document = NOVELAI if name == "novelai" else DUNGEON[:1]
    file = one_file(tmp_path, document, "a")
    if name == "ai dungeon":
        with pytest.raises(ImportQuestion, match="What is your trade") as asked:
            proposed(tmp_path, file)
        assert asked.value.asks == "fill"
    answers = ["Diver"] if name == "ai dungeon" else []
    pack, report = made_pack(tmp_path, file, fill=answers)
    assert (report.kind, report.pack) == ("scenario", "the-pier")
    page = {"novelai": "You stand on the pier.", "ai dungeon": "Diver {player}, you stand there."}
    assert pack.first_chapter.openings == (page[name],)
    assert (pack.world.setting, pack.world.tone) == ("A harbour town.", "[ Style: terse ]")
    assert pack.game.description == "A pier." and pack.first_chapter.opening_cast == ()
    assert not any("${" in entry.text for entry in pack.lore_entries) and len(pack.lore_entries) == 1
    assert any("asks “" in line for line in report.changed)


def test_each_scenario_of_a_file_is_a_pack_and_is_asked_about(tmp_path: Path) -> None:
    scenes = [*DUNGEON, {"title": "Third", "prompt": "${Who?} of ${Where?}.", "authorsNote": ""}]
    file = one_file(tmp_path / "in", scenes, "a")
    with pytest.raises(ImportQuestion, match="Who"):
        proposed(tmp_path, file, fill=["Diver"])
    report = accepted(tmp_path, file, fill=["Diver", "Ida", "Ash"])
    assert [part.pack for part in report.parts] == ["the-pier", "other", "third"] and not report.left_out
    pages = [load_pack(tmp_path / "packs" / str(part.pack)).first_chapter.openings for part in report.parts]
    assert pages == [("Diver {player}, you stand there.",), ("x",), ("Ida of Ash.",)]
    one_file(tmp_path / "in", {"entries": {"0": {"uid": 0, "key": ["k"], "content": "c"}}}, "b.json")
    both = proposed(tmp_path / "2", tmp_path / "in", fill=["Diver", "Ida", "Ash"])
    assert len(both.report.parts) == 3 and any("b.json" in line for line in both.report.left_out)


def test_the_story_of_a_newer_novelai_is_a_pack_and_says_that_its_text_cannot_be_read(tmp_path: Path) -> None:
    content = {
        "document": "kpQ=",
        "context": [{"text": "A harbour."}],
        "lorebook": {"lorebookVersion": 6, "entries": []},
    }
    document = {"storyContainerVersion": 2, "metadata": {"title": "Far"}, "content": content}
    pack, report = made_pack(tmp_path, one_file(tmp_path, document))
    assert report.pack == "far" and any("cannot be read" in line for line in report.left_out)
    assert pack.world.setting == "A harbour."


def test_a_key_in_a_file_is_not_kept(tmp_path: Path) -> None:
    chats, _ = read_chats([write(tmp_path / "in", {"a": json.dumps(kobold(1, ["Rain."]))})])
    assert all("sk-secret" not in chat.original for chat in chats)


KEYS = (
    "name mes is_user is_system send_date extra swipes swipe_id swipe_info message type theact entries role turn text "
    "witnesses memory user_name chat_metadata scenario internal data metadata assistant_0 versions content messages msg "
    "characterId userId histories msgs src is_human history character_data intro typ source archived_history prompt "
    "scenarios characters character chat ChatItems Chat input output RegenSwipes outputs narrative content story fragments "
    "context lorebook actions 0 savedsettings opmode chatname chatopponent altbranches memory worldinfo instruct_starttag "
    "saying time"
).split()
atoms = some.one_of(
    some.none(), some.booleans(), some.integers(), some.floats(allow_nan=False), some.text(max_size=8),
    some.sampled_from(["narrator", "player", "2024-9-28 @21h 32m 29s 1ms", "0001-01-01T00:00:00+14:00", "<b>", "9" * 30]),
)  # fmt: skip
anything = some.recursive(
    atoms,
    lambda inner: (
        some.lists(inner, max_size=4) | some.dictionaries(some.sampled_from(KEYS), inner, max_size=5)
    ),
    max_leaves=20,
)
tables = some.dictionaries(some.sampled_from(KEYS), anything, max_size=6)


@example({"name": None, "internal": None}, "textgen-chat")
@given(
    tables,
    some.sampled_from(
        "chat textgen-chat agnai-chat cai-chat risu-chat talemate kobold backyard novelai-story".split()
    ),
)
@settings(max_examples=300, deadline=None)
def test_whatever_stands_in_a_file_is_a_chat_or_a_sentence(table: dict[str, Any], kind: Any) -> None:
    least: dict[str, dict[str, Any]] = {
        "cai-chat": {"histories": {"histories": []}},
        "risu-chat": {"data": {}},
        "textgen-chat": {"internal": []},
    }
    value = {**least.get(kind, {}), **table}
    if kind == "cai-chat":
        value["histories"] = {"histories": table.get("histories")}
    text = json.dumps({**table, "mes": table.get("mes")}) + "\n{}\n[]"
    payload = Payload(kind, text if kind == "chat" else value)
    try:
        chats = chats_in(payload, Path(__file__), b"{}")
    except UsageError as error:
        assert "\n" not in error.message
        return
    root, ends = chat_tree(chats)
    assert root.children and len(ends) == len(chats)
    assert all(message.text.strip() for chat in chats for message in chat.messages)
