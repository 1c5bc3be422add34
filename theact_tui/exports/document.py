"""A book as JSON, for programs."""

from __future__ import annotations

import json

from theact_tui.exports.book import Book


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
        "complete": book.complete,
        "cast": [{"name": name, "role": role} for name, role in book.cast],
        "chapters": [
            {
                "title": chapter.title,
                "recap": chapter.recap,
                "turns": [turn.model_dump(mode="json") for turn in chapter.turns],
            }
            for chapter in book.chapters
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
