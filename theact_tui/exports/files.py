"""A book as JSON, for programs, and as plain text."""

from __future__ import annotations

import json
from itertools import chain, count
from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.exports.book import Book, speaker
from theact_tui.text import slug


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


def write_download(text: str, name: str, target: Path | None = None) -> Path:
    """Write exactly `text` to `target`, or to a new file of this name in the download folder; where it is now.

    Raises `UsageError` when that is not possible.
    """
    try:
        if target is not None:
            target.write_bytes(text.encode())
            return target.absolute()
        return _write_new(text, slug(name, fallback="chapter"))
    except OSError as error:
        place = target or "the download folder"
        raise UsageError(f"Cannot write the chapter to {place}: {error.strerror}.") from error


def _write_new(text: str, name: str) -> Path:
    import platformdirs

    folder = Path(platformdirs.user_downloads_dir())
    folder.mkdir(parents=True, exist_ok=True)
    for title in chain([name], (f"{name}-{number}" for number in count(2))):
        path = folder / f"{title}.txt"
        try:
            with path.open("xb") as file:
                file.write(text.encode())
        except FileExistsError:
            continue
        return path
    raise AssertionError("numbers do not end")
