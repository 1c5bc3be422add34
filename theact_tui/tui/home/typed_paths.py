"""Typed and dropped paths, and their completion."""

import asyncio
import os
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

from textual.suggester import Suggester

from theact_tui.errors import UsageError
from theact_tui.paths import split_paths
from theact_tui.text import clean


class PathSuggester(Suggester):
    """Completes the last name of a path; → accepts it."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        return await asyncio.to_thread(completed_path, value)


def typed_paths(text: str) -> list[Path]:
    """Parse typed or dropped paths: quoted, with escaped blanks, as `file://`, or several. Raises UsageError without
    any.
    """
    plain = text.strip()
    if not plain:
        raise UsageError("Enter the path of a file or a folder.")
    if _path(plain).exists():
        return [_path(plain)]
    try:
        parts = split_paths(plain)
    except ValueError:
        parts = [plain.strip("'\"")]
    paths = [_path(part) for part in parts]
    # an unquoted path with blanks is one path, even if it is misspelt
    return paths if paths and all(path.exists() for path in paths) else [_path(plain.strip("'\""))]


def completed_path(text: str) -> str | None:
    cut = max(text.rfind("/"), text.rfind(os.sep)) + 1
    folder, slash, begun = text[: max(cut - 1, 0)], text[max(cut - 1, 0) : cut], text[cut:]
    if not text or (not slash and text.startswith("~")):
        return None
    try:
        entries = sorted(_path(folder + slash or ".").iterdir(), key=lambda entry: entry.name.casefold())
    except (OSError, ValueError):
        return None
    for entry in entries:
        name = entry.name
        if name.startswith(begun) and name != begun and clean(name) == name and (begun or name[0] != "."):
            return f"{folder}{slash}{name}{slash or os.sep if entry.is_dir() else ''}"
    return None


def _path(text: str) -> Path:
    if text.startswith("file://"):
        text = url2pathname(urlparse(text).path)
    try:
        path = Path(text).expanduser()
        path.exists()
    except (RuntimeError, ValueError, OSError):
        return Path(clean(text).replace("\0", "").encode()[:200].decode(errors="ignore"))
    return path
