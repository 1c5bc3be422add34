"""A book as Markdown. Text from models and players is escaped, so that it stays text."""

from __future__ import annotations

import re

from theact_tui.exports.book import Book, paragraphs, speaker
from theact_tui.story.turn import Entry

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!])")
_LIST = re.compile(r"^(\s*)([-+]|\d+[.)])(\s)")


def to_markdown(book: Book) -> str:
    """The whole book."""
    parts = [f"# {_plain(book.full_title)}", f"*{_plain(book.pack)}.* {_plain(book.description)}"]
    cast = [f"- **{_plain(name)}**, {_plain(role)}" for name, role in book.cast]
    parts += ["\n".join([f"- **{_plain(book.player)}**, the player", *cast])]
    for number, chapter in enumerate(book.chapters, 1):
        parts.append(f"## {number}. {_plain(chapter.title)}")
        for turn in chapter.turns:
            parts += [_entry(book, entry) for entry in turn.told]
    if book.complete:
        parts.append("*The End*")
    return "\n\n".join(parts) + "\n"


def _entry(book: Book, entry: Entry) -> str:
    said = [_plain(part) for part in paragraphs(entry.text)]
    match entry.role:
        case "player":
            return "\n>\n".join(f"> {part}" for part in said)
        case "character":
            return "\n\n".join([f"**{_plain(speaker(book, entry))}**", *said])
        case "system":
            return "\n\n".join(["---", *said])
        case _:
            return "\n\n".join(said)


def _plain(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", " ".join(text.split()))
    return _LIST.sub(r"\1\\\2\3", escaped)
