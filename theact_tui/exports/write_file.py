from collections.abc import Callable
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

from theact_tui.errors import UsageError
from theact_tui.exports.book import Book, Lines, printable, read_book
from theact_tui.paths import exports_folder
from theact_tui.saves.codec import GAMES
from theact_tui.saves.save import Save
from theact_tui.saves.transfer import write_bundle
from theact_tui.text import one_line, slug

SAVE, JSONL = "save", "jsonl"
FORMATS = ("md", "html", "json", "epub", "txt", JSONL, SAVE)
"""Formats of every story; `lore` is one more for stories with lore."""


_FORMATS_BY_ENDING = {
    "md": ("md", "markdown"),
    "markdown": ("md", "markdown"),
    "html": ("html",),
    "htm": ("html",),
    "txt": ("txt",),
    "epub": ("epub",),
    "json": ("json", "lore", "card"),
    "png": ("card",),
    JSONL: (JSONL,),
    "theact": (SAVE, "theact"),
}


def format_for(to: Path | None, format: str) -> str:
    """Return `format`, else the one that the ending of the file `to` names, else Markdown. Raises UsageError for an
    ending of no format, or of another one.
    """
    ending = to.suffix.lower().lstrip(".") if to and not to.is_dir() else ""
    if not ending:
        return format or "md"
    formats = _FORMATS_BY_ENDING.get(ending, ())
    if not formats:
        raise UsageError(
            f"No export ends in .{one_line(ending, 20)}. Use one of: .{', .'.join(_FORMATS_BY_ENDING)}."
        )
    if format and format not in formats:
        raise UsageError(
            f"An export as {one_line(format, 20)} does not end in .{ending}. Leave out --format."
        )
    return format or formats[0]


def render(book: Book, format: str) -> bytes:
    from theact_tui.exports import formats

    writers: dict[str, Callable[[Book], str | bytes]] = {
        "md": formats.to_markdown,
        "html": formats.to_html,
        "txt": formats.to_text,
        "json": formats.to_json,
        "epub": formats.to_epub,
    }
    writer = writers.get("md" if format == "markdown" else format)
    if writer is None:
        raise UsageError(f"There is no format '{one_line(format, 20)}'. Choose one of: {', '.join(FORMATS)}.")
    written = writer(printable(book))
    return written if isinstance(written, bytes) else written.encode()


def export_save(
    save: Save[Any],
    format: str,
    to: Path | None = None,
    branch: str | None = None,
    *,
    draft: int = 0,
    lines: Lines = "you",
) -> Path:
    """Write a branch as a book, or the whole save, to `to` or a new file in `exports_folder`. A whole save replaces
    no file: UsageError.
    """
    format = format.lower().lstrip(".")
    contents = _contents(save, format, branch, draft, lines)
    return write_export(contents, to, save.folder.parent.parent, save.info.title, format)


def _contents(
    save: Save[Any], format: str, branch: str | None, draft: int, lines: Lines
) -> bytes | Callable[[Path], None]:
    match format:
        case "save":
            return partial(write_bundle, save.repository)
        case "jsonl":
            from theact_tui.exports.jsonl import to_jsonl

            return to_jsonl(save.of(GAMES), branch).encode(errors="replace")
        case "lore":
            from theact_tui.exports.cards import lorebook

            game = save.of(GAMES).state_at(branch=branch)
            return lorebook(game.pack, game)
        case _:
            return render(read_book(save, branch, draft, lines), format)


def write_export(
    contents: bytes | Callable[[Path], None], to: Path | None, home: Path, title: str, ending: str
) -> Path:
    """Write `to`, or a new file named after `title` in the folder `to` or in the exports of `home`. Raises
    UsageError. Only plain files outside the home are replaced.
    """
    try:
        return _write_export(contents, to, home, title, ending)
    except OSError as error:
        raise UsageError(f"Cannot write {one_line(str(to or home), 200)}: {error.strerror}.") from error


def _write_export(
    contents: bytes | Callable[[Path], None], to: Path | None, home: Path, title: str, ending: str
) -> Path:
    ending = {"markdown": "md", SAVE: "theact", "lore": "json"}.get(ending, ending)
    is_new = to is None or to.is_dir()
    file = to if to and not is_new else _free_name(to or exports_folder(home), slug(title), ending)
    if not (is_new or file.suffix or file.exists()):
        file = _free_name(file.parent, file.name, ending)
    target = file.resolve()
    if target.is_relative_to(home.resolve()) and not target.is_relative_to(exports_folder(home).resolve()):
        raise UsageError(f"{file} is inside the folder of your stories. Choose another place.")
    if file.is_symlink() or (file.exists() and not file.is_file()):
        raise UsageError(f"{file} is not a plain file. Choose another name.")
    if callable(contents) and file.exists():
        raise UsageError(f"{file} exists already. Choose another name.")
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    beside = file.parent / f".export-{token_hex(8)}"
    try:
        if callable(contents):
            contents(beside)
        else:
            beside.write_bytes(contents)
        beside.replace(file)
    finally:
        beside.unlink(missing_ok=True)
    return file


def is_plain_file(path: Path) -> bool:
    try:
        return path.is_file() and not path.is_symlink()
    except OSError:  # such as a name that is too long
        return False


def _free_name(folder: Path, name: str, ending: str) -> Path:
    names = (f"{name}{'' if n == 1 else f'-{n}'}.{ending}" for n in range(1, 10_000))
    return next(folder / name for name in names if not (folder / name).exists())
