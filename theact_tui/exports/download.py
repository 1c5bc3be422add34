"""Writing a text where the user looks for what was downloaded."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.text import slug


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
        raise UsageError(f"The chapter cannot be written to {place}: {error.strerror}.") from error


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
