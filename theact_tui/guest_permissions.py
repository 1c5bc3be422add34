"""What a guest may not do, and how much a guest may take. A guest is a visitor of the web version (`serve`), who plays in
a home of their own on the host's computer.

A guest reads, writes and runs nothing outside that home (no editor either: an app in a browser cannot be suspended), and
sees no path of it; only the host chooses models, keys and addresses. What is refused has its sentence here; what has none
is left off the guest's screens.
"""

from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.paths import Home

CHANGE_MODELS = "Only whoever runs this server can change the models. Ask them."
"""Nor see, list or try them."""
AGREE_TO_SEND = "Only whoever runs this server can agree to that. Ask them, or play offline."
OPEN_FILES = "You cannot open files of this server. Upload one instead."
UPLOADS = "uploads"
"""The folder of a home into which `serve` puts what a guest uploads: the only files that a guest may import."""

LARGEST_UPLOAD = 64 * 1024 * 1024
"""Bytes."""
MOST_UPLOADS = 20
"""Files that wait in a guest's home."""
MOST_HOMES = 500
"""Of all guests there ever were."""
WIDEST, TALLEST = 400, 200
"""Cells of the largest terminal."""
MOST_STRANGERS = 100
"""Connections that have shown no cookie of ours; older ones give way to newer ones."""
HEAD_SECONDS = 15.0
"""For the head of a request, and for an open connection without one."""


def refuse_guest(home: Home, why: str) -> None:
    """Raises `UsageError` for a guest; `why` is one of the sentences above."""
    if home.guest:
        raise UsageError(why)


def refuse_file(home: Home, file: Path) -> None:
    """Raises `UsageError` for a guest's file that was not uploaded."""
    if file.parent != home.data / UPLOADS or file.is_symlink():
        refuse_guest(home, OPEN_FILES)


def may_open_files(home: Home) -> bool:
    """Any file may be imported, not only an uploaded one."""
    return not home.guest


def may_change_models(home: Home) -> bool:
    """Models, keys and addresses are shown and can be changed; servers on the host's computer are looked for."""
    return not home.guest


def may_run_lab(home: Home) -> bool:
    """Games of the lab are read only: none is begun, continued, stopped or reported."""
    return not home.guest


def shown_path(home: Home, file: Path) -> str:
    """A file as it is named on the screen: a guest is not told where it is."""
    return file.name if home.guest else str(file)
