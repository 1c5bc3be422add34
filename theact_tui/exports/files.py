"""A book as JSON, for programs, and as plain text."""

from __future__ import annotations

import json

from theact_tui.exports.book import Book, speaker


def to_json(book: Book) -> str:
    """One document: cover, cast, chapters with their turns as stored."""
    document = {
        "format": 1,
        "id": book.id,
        "title": book.title,
        "pack": book.pack,
        "description": book.description,
        "player": book.player,
        "branch": book.branch,
        "branch_title": book.branch_title,
        "created": book.created,
        "language": book.language,
        "complete": book.complete,
        "cast": [{"name": name, "role": role} for name, role in book.cast],
        "chapters": [
            {
                "title": chapter.title,
                "recap": chapter.recap,
                "turns": [turn.model_dump(mode="json", exclude={"steering"}) for turn in chapter.turns],
            }
            for chapter in book.chapters
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def to_text(book: Book) -> str:
    """Title, chapters and words, each line of speech after its speaker's name. Nothing is marked up."""
    lines = [book.full_title]
    for chapter in book.chapters:
        lines += ["", chapter.title.upper()]
        for entry in (entry for turn in chapter.turns for entry in turn.told):
            name = speaker(book, entry)
            lines += ["", f"{name}: {entry.text}" if name else entry.text]
    return "\n".join(lines) + "\n"
