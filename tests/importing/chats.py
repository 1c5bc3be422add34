"""Chat files by the rules of their formats."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

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


def one_file(folder: Path, value: Any, name: str = "a.json") -> Path:
    """A file in a folder: bytes and texts as they are, anything else as JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    text = value if isinstance(value, bytes | str) else json.dumps(value)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


EVENING = (
    reply("The rain stops.", "The rain stops.", "It rains."),
    user("I go in."),
    reply("Come.", "No.", "Come.", "Later."),
    user("Who are you?"),
    reply("Seraphina."),
)
