"""Chat files by the rules of their formats, and saves made of them."""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from theact_tui.importing.chat_files import read_chats
from theact_tui.importing.proposal import propose
from theact_tui.importing.report import ImportReport
from theact_tui.importing.save_chats import plan_chats, write_chats
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack

HEAD: dict[str, Any] = {
    "user_name": "Alex",
    "character_name": "Seraphina",
    "create_date": "2024-9-28 @21h 32m 29s 228ms",
    "chat_metadata": {"note_prompt": "Be brief.", "variables": {"x": 1}},
}


def user(text: str, **more: Any) -> dict[str, Any]:
    return {
        "name": "Alex",
        "is_user": True,
        "is_system": False,
        "send_date": "July 19, 2024 3:30pm",
        "mes": text,
        **more,
    }


def reply(text: str, *swipes: str, name: str = "Seraphina", **more: Any) -> dict[str, Any]:
    """A message of a character; `swipes` are all its versions, the text among them."""
    made = {
        "name": name,
        "is_user": False,
        "is_system": False,
        "send_date": 1721403000000,
        "mes": text,
        "extra": {},
    }
    if swipes:
        made |= {
            "swipes": list(swipes),
            "swipe_id": swipes.index(text),
            "swipe_info": [{"extra": {}} for _ in swipes],
        }
    return {**made, **more}


def jsonl(*messages: Mapping[str, Any], head: Mapping[str, Any] | None = HEAD) -> str:
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in ([head] if head else []) + [*messages])


def write(folder: Path, texts: Mapping[str, str]) -> Path:
    """A folder with files, each written a second after the one before."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, (name, text) in enumerate(texts.items()):
        (folder / name).write_text(text, "utf-8")
        os.utime(folder / name, (1_700_000_000 + place, 1_700_000_000 + place))
    return folder


def imported(library: Library, *paths: Path, **options: Any) -> Save[Game]:
    """The save that importing these paths makes, open."""
    chats, _ = read_chats(paths)
    report = write_chats(plan_chats(chats, **options), library)
    assert report.save is not None
    return Save.open(library.path(report.save))


def chat_save(folder: Path, text: str) -> Save[Game]:
    """The save that the only file of a folder makes, open."""
    return imported(Library(folder / "home"), write(folder / "in", {"a.jsonl": text}) / "a.jsonl")


def made_pack(folder: Path, *paths: Path, **options: Any) -> tuple[Pack, ImportReport]:
    """The pack that importing these paths makes below `folder`, and its report."""
    report = propose(paths, Library(folder / "home"), folder / "packs", **options).accept()
    return load_pack(folder / "packs" / str(report.pack)), report


def told(save: Save[Game], branch: str | None = None) -> list[tuple[str, str]]:
    """Who says what on a branch, in the order in which it is told."""
    game = save.state_at(branch=branch)
    turns = save.turns(1, game.state.turn, branch)
    return [
        (game.pack.name_of(entry.character) if entry.character else entry.role, entry.text)
        for turn in turns
        for entry in turn.ordered_entries
    ]


def takes(save: Save[Game], turn: int, branch: str | None = None) -> Sequence[str]:
    """The last words of each take of a turn."""
    return [version.ordered_entries[-1].text for version in save.versions(turn, branch)]


EVENING = (
    reply("The rain stops.", "The rain stops.", "It rains."),
    user("I go in."),
    reply("Come.", "No.", "Come.", "Later."),
    user("Who are you?"),
    reply("Seraphina."),
)


def long_chat(home: Path, folder: Path, turns: int) -> Path:
    """The save of a chat with one character, in which the player turns a key in every turn."""
    lines = [
        line for n in range(1, turns + 1) for line in (user(f"I turn key {n}."), reply(f"The key {n} turns."))
    ]
    chats, _ = read_chats([write(folder, {"a.jsonl": jsonl(*lines)})])
    library = Library(home)
    return library.path(str(write_chats(plan_chats(chats), library).save))
