"""Permissions and limits of guests: visitors of `serve`, each in a home of their own. A guest reads, writes and runs
nothing outside it, and cannot change models, keys or addresses.
"""

from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.paths import Home

CHANGE_MODELS = "Only whoever runs this server can change the models. Ask them."
"""Also shown when a guest tries to view, list or test models."""
AGREE_TO_SEND = "Only whoever runs this server can agree to that. Ask them, or play offline."
OPEN_FILES = "You cannot open files of this server. Upload one instead."
UPLOADS = "uploads"
"""Folder of uploads: the only files a guest may import."""

MAX_UPLOAD_BYTES = 64 * 1024 * 1024
MOST_UPLOADS = 20
MOST_HOMES = 500
WIDEST, TALLEST = 400, 200
"""Cells of the terminal."""
MOST_STRANGERS = 100
"""Connections without our cookie; the oldest is dropped."""
HEAD_SECONDS = 15.0
"""For the head of a request, and for a connection without one."""


def refuse_guest(home: Home, why: str) -> None:
    """Raise UsageError with a sentence from above."""
    if home.guest:
        raise UsageError(why)


def refuse_file(home: Home, file: Path) -> None:
    """Raise UsageError for a guest's file that was not uploaded."""
    if file.parent != home.data / UPLOADS or file.is_symlink():
        refuse_guest(home, OPEN_FILES)


def may_open_files(home: Home) -> bool:
    return not home.guest


def may_change_models(home: Home) -> bool:
    return not home.guest


def may_run_lab(home: Home) -> bool:
    return not home.guest


def shown_path(home: Home, file: Path) -> str:
    return file.name if home.guest else str(file)
