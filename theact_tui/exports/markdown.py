"""A book as Markdown. Text from models and players is escaped, so that it stays text."""

from __future__ import annotations

import re

from theact_tui.exports.book import Book
from theact_tui.story.turn import Entry
from theact_tui.text import emphasized, paragraphs

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~]|&(?=#?\w+;))")
_AT_THE_BEGINNING = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$))|(?=[-+](?:[\s-]|$))|(?==+$))")
"""Up to a sign that would make a list, a rule or a heading of a line."""


def to_markdown(book: Book) -> str:
    parts = [f"# {_plain(book.full_title)}", f"*{_plain(book.pack)}.* {_plain(book.description)}".strip()]
    cast = [f"- **{_plain(name)}**{_plain(role)}" for name, role in book.members]
    parts += ["\n".join(cast)] if cast else []
    end = book.end
    for number, chapter in enumerate(book.chapters, 1):
        parts.append(f"## {number}. {_plain(chapter.title)}")
        for turn in chapter.turns:
            parts += [_entry(book, entry) for entry in turn.told]
            parts += ["*The End*"] if turn is end else []
    return "\n\n".join(parts) + "\n"


def _entry(book: Book, entry: Entry) -> str:
    said = [_lines(part) for part in paragraphs(entry.text)]
    match entry.role:
        case "player":
            return "\n>\n".join("> " + part.replace("\n", "\n> ") for part in said)
        case "character":
            return "\n\n".join([f"**{_plain(book.speaker(entry))}**", *said])
        case "system":
            return "\n\n".join(["### Epilogue", *said])
        case _:
            return "\n\n".join(said)


def _lines(paragraph: str) -> str:
    return "\\\n".join(map(_line, paragraph.split("\n")))


def _line(text: str) -> str:
    pieces = emphasized(" ".join(text.split()))
    return _begun(
        "".join(f"*{_escaped(piece)}*" if stressed else _escaped(piece) for piece, stressed in pieces)
    )


def _plain(text: str) -> str:
    """One line of text that means nothing but itself."""
    return _begun(_escaped(" ".join(text.split())))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _begun(line: str) -> str:
    """A line whose first signs mean nothing but themselves."""
    return _AT_THE_BEGINNING.sub(r"\1\\", line, count=1)
