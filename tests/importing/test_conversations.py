"""S16: what servers and chat pages export is a story: the path that was shown, other replies as takes or branches."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.importing import cards
from tests.importing.chats import one_file, write
from tests.importing.made import accepted, chat_save, made_pack, proposed, takes, told
from theact_tui.errors import UsageError
from theact_tui.importing.chat_files import read_chats
from theact_tui.importing.detect import unpack
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save

Node = tuple[str, str, str, str]
"""Id, id of the message before, role, text."""
TREE: tuple[Node, ...] = (
    ("0", "", "system", "You are a miller."),
    ("1", "0", "user", "I knock."),
    ("2", "1", "assistant", "Nobody answers."),
    ("3", "1", "assistant", '"You are late," says Orla.'),
    ("4", "3", "user", "I know."),
    ("5", "4", "assistant", "She nods."),
    ("6", "3", "user", "I run."),
    ("7", "6", "assistant", "She laughs."),
)
SHOWN = "5"
Export = Callable[[str], Any]
"""Writes the tree as a program does, standing at a message; text is a file as it is."""


def children(id: str) -> list[str]:
    return [other for other, before, *_ in TREE if before == id]


def llama(shown: str = SHOWN) -> Any:
    messages = [
        {"id": id, "convId": "c", "type": "text", "role": role, "content": text, "parent": before or None,
         "children": children(id)}
        for id, before, role, text in TREE
    ]  # fmt: skip
    return [{"conv": {"id": "c", "name": "Ferry", "currNode": shown}, "messages": messages}]


def webui(shown: str = SHOWN) -> Any:
    messages = {
        id: {"id": id, "parentId": before or None, "childrenIds": children(id), "role": role, "content": text}
        for id, before, role, text in TREE
    }
    chat = {"title": "Ferry", "history": {"messages": messages, "currentId": shown}, "messages": []}
    return [{"id": "x", "title": "Ferry", "chat": chat}]


def chatgpt(shown: str = SHOWN) -> Any:
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None, "children": ["0"]}}
    for id, before, role, text in TREE:
        # what a tool was asked stands between two messages
        content = {"content_type": "text", "parts": [text]}
        message = {"id": id, "author": {"role": role}, "content": content, "recipient": "all"}
        mapping[f"t{id}"] = {
            "parent": before or "root",
            "message": {"author": {"role": "assistant"}, "recipient": "python", "content": content},
        }
        mapping[id] = {"id": id, "parent": f"t{id}", "message": message, "children": children(id)}
    return [{"title": "Ferry", "mapping": mapping, "current_node": shown}]


def records(shown: str = SHOWN) -> str:
    """What llama-server writes since 2026: a session, then its messages, a line each."""
    ((value),) = llama(shown)
    session = {"type": "session", "harness": "llama.app", **value["conv"]}
    lines = [session, *({"type": "message", "message": message} for message in value["messages"])]
    return "\n".join(map(json.dumps, lines))


def claude(shown: str = SHOWN) -> Any:
    senders = {"user": "human"}
    messages = [
        {"uuid": id, "parent_message_uuid": before, "sender": senders.get(role, role), "text": "",
         "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": text}], "attachments": []}
        for id, before, role, text in TREE
    ]  # fmt: skip
    return [
        {"uuid": "x", "name": "", "chat_messages": []},
        {"uuid": "y", "name": "Ferry", "chat_messages": messages, "current_leaf_message_uuid": shown},
    ]


def grok(shown: str = SHOWN) -> Any:
    senders = {"user": "human", "assistant": "ASSISTANT"}
    responses = [
        {"response": {"response_id": id, "parent_response_id": before or None, "message": text,
         "sender": senders.get(role, role)}}
        for id, before, role, text in TREE
    ]  # fmt: skip
    one = {"conversation": {"title": "Ferry", "leaf_response_id": shown or None}, "responses": responses}
    return {"conversations": [one]}


def written(export: Export, shown: str = SHOWN) -> str:
    value = export(shown)
    return value if isinstance(value, str) else json.dumps(value)


TREES: list[Export] = [llama, records, webui, chatgpt, claude, grok]


@pytest.mark.parametrize("export", TREES)
def test_the_path_that_was_shown_is_the_story(tmp_path: Path, export: Export) -> None:
    with chat_save(tmp_path, written(export), player="Robin") as save:
        assert [text for _, text in told(save)] == [
            "I knock.", '"You are late," says Orla.', "I know.", "She nods.",
        ]  # fmt: skip
        assert takes(save, 1) == ["Nobody answers.", '"You are late," says Orla.']
        (other,) = [branch.name for branch in save.branches() if branch.name != "main"]
        assert [text for _, text in told(save, other)][-2:] == ["I run.", "She laughs."]
        assert save.state_at().info.title == "Ferry"


@pytest.mark.parametrize("export", TREES)
@pytest.mark.parametrize("shown", ["2", "nowhere", ""])
def test_a_path_that_ends_early_or_nowhere_loses_no_words(tmp_path: Path, export: Export, shown: str) -> None:
    chats, _ = read_chats([one_file(tmp_path, written(export, shown))])
    messages = [message for chat in chats for message in chat.messages]
    texts = {one.text for message in messages for one in (message, *(t[0] for t in message.takes))}
    assert texts == {text for _, _, role, text in TREE if role != "system"}
    assert any("system" in left.sentence for left in chats[0].left_out)


def test_a_conversation_that_runs_in_a_circle_ends(tmp_path: Path) -> None:
    messages = [
        {"id": "1", "parent": "2", "role": "user", "content": "One."},
        {"id": "2", "parent": "1", "role": "assistant", "content": "Two."},
    ]
    value = {"conv": {"currNode": "2"}, "messages": messages}
    chats, _ = read_chats([one_file(tmp_path, value)])
    assert {message.text for chat in chats for message in chat.messages} == {"One.", "Two."}


def test_versions_of_lm_studio_are_takes_and_thoughts_stay_out(tmp_path: Path) -> None:
    def said(text: str, **more: Any) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": text}], **more}

    thought = said("She is tired.", type="contentBlock", style={"type": "thinking"})
    reply = {
        "type": "multiStep",
        "role": "assistant",
        "steps": [thought, said("Come in.", type="contentBlock")],
    }
    value = {
        "name": "Ferry",
        "messages": [
            {"versions": [said("I knock.", role="user", type="singleStep")], "currentlySelected": 0},
            {"versions": [reply, said("Go away.", role="assistant")], "currentlySelected": 1},
        ],
    }
    with chat_save(tmp_path, value) as save:
        assert [text for _, text in told(save)] == ["I knock.", "Go away."]
        assert takes(save, 1) == ["Come in.", "Go away."]


PAIRS = [{"from": "human", "value": "I knock."}, {"from": "gpt", "value": "Come in."}]
CHUNKS = [
    {"role": "user", "text": "I knock."},
    {"role": "model", "text": "Somebody is at the door.", "isThought": True},
    {"role": "model", "text": "Come in."},
]
ROLES = [{"role": "user", "content": "I knock."}, {"role": "assistant", "content": "Come in."}]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"conversations": PAIRS}),
        json.dumps({"items": PAIRS}),
        json.dumps(ROLES),
        "\n".join(map(json.dumps, ROLES)),
        json.dumps({"messages": ROLES}),
        json.dumps({"chunkedPrompt": {"chunks": CHUNKS}}),
    ],
    ids=["ShareGPT", "older", "list", "lines", "messages", "AI Studio"],
)
def test_messages_one_after_another_are_a_story(tmp_path: Path, text: str) -> None:
    with chat_save(tmp_path, text) as save:
        assert told(save) == [("player", "I knock."), ("Assistant", "Come in.")]


@pytest.mark.parametrize("form", ["list", "lines"])
def test_each_conversation_of_a_file_is_a_story_of_its_own(tmp_path: Path, form: str) -> None:
    values = [{"title": "One", "messages": ROLES}, {"messages": []}, {"conversations": PAIRS}]
    text = json.dumps(values) if form == "list" else "\n".join(map(json.dumps, values))
    report = accepted(tmp_path, one_file(tmp_path, text, "a.jsonl"))
    assert [part.title for part in report.parts] == ["One", "a 3"]
    for part in report.parts:
        with Save.open(Library(tmp_path / "home").path(str(part.save))) as save:
            assert [text for _, text in told(save)] == ["I knock.", "Come in."]
    assert "a.jsonl: 1 conversation without messages." in report.left_out


def test_several_sessions_of_a_file_are_stories_of_their_own(tmp_path: Path) -> None:
    report = accepted(tmp_path, one_file(tmp_path, f"{records()}\n{records()}"))
    assert [part.title for part in report.parts] == ["Ferry", "Ferry"]


@pytest.mark.parametrize("is_archive", [False, True], ids=["folder", "archive"])
def test_conversations_in_files_of_their_own_are_stories_of_their_own(
    tmp_path: Path, is_archive: bool
) -> None:
    texts = {"one.jsonl": records(), "two.json": json.dumps(ROLES), "three.json": json.dumps([])}
    source = folder = write(tmp_path / "in", texts)
    if is_archive:
        source = one_file(tmp_path, cards.zipped(*texts.items()), "talks.zip")
    report = accepted(tmp_path, source)
    assert [part.title for part in report.parts] == ["Ferry", "two"]
    assert any("three.json" in line for line in report.left_out)
    one_file(folder, cards.v2(), "Sera.json")
    (folder / "one.jsonl").unlink()
    with_card = proposed(tmp_path / "other", folder).report
    assert with_card.kind == "folder" and not with_card.parts


def test_a_card_with_traits_is_a_card(tmp_path: Path) -> None:
    value = {
        "name": "Hedda",
        "tags": ["calm"],
        "traits": {
            "description": "Hedda keeps the bell.", "background": "Born over there.", "personality": "patient",
            "scenario": "A ferry house.", "firstMessage": "{{user}} is late.", "exampleDialogue": 'Hedda: "Step in."',
            "appearance": "A grey coat.", "systemPrompt": "Never stop.",
        },
        "alternateGreetings": ["Hedda rings the bell."],
    }  # fmt: skip
    pack, report = made_pack(tmp_path, one_file(tmp_path, value))
    (hedda,) = pack.characters.values()
    assert hedda.personality.split("\n\n") == [
        "Hedda keeps the bell.\nbackground: Born over there.\nappearance: A grey coat.", "patient",
    ]  # fmt: skip
    assert pack.first_chapter.openings == ("{player} is late.", "Hedda rings the bell.")
    assert pack.world.setting == "A ferry house."
    assert hedda.examples == ('"Step in."',)
    assert report.left_out == (
        "The system prompt of Hedda: instructions to programs are not used (2 words). Kept in imported/.",
    )


@pytest.mark.parametrize(
    "data, words",
    [
        ({"prompts": [], "prompt_order": [], "temperature": 1}, "a preset of SillyTavern"),
        ({"input_sequence": "A", "output_sequence": "B", "name": "ChatML"}, "a template"),
        ({"story_string": "{{system}}", "name": "Default"}, "a template"),
        ({"scriptName": "x", "findRegex": "/a/", "replaceString": "b"}, "a script of regular expressions"),
        ({"name": "Dark", "main_text_color": "#fff", "blur_tint_color": "#000"}, "a theme of SillyTavern"),
        ({"name": "Set", "qrList": []}, "quick replies of SillyTavern"),
        (b"Rar!\x1a\x07\x01\x00", "RAR archive"),
        (b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
        (b"\x1f\x8b\x08", "packed with gzip"),
        (b"%PDF-1.7", "PDF"),
    ],
)
def test_what_is_not_read_is_told_by_its_name(data: Any, words: str) -> None:
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    with pytest.raises(UsageError, match=words):
        unpack(content, "a.json")
