"""A text in the player's own editor, while the app makes room for it."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from textual.app import App, SuspendNotSupported

from theact_tui.errors import UsageError
from theact_tui.text import clean

SUFFIX = ".md"


def edited(app: App[Any], text: str) -> str:
    """`text` as $VISUAL or $EDITOR left it. Raises `UsageError` when there is no editor, or it failed."""
    command = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not command:
        raise UsageError("No editor is set. Set EDITOR, for example EDITOR=nano, and start again.")
    with TemporaryDirectory(prefix="theact-") as folder:
        file = Path(folder, f"line{SUFFIX}")
        file.write_text(text, "utf-8")
        try:
            with app.suspend():
                done = subprocess.run([*command, str(file)], check=False)
        except SuspendNotSupported:
            raise UsageError("An editor can only be opened in a terminal.") from None
        except OSError as error:
            raise UsageError(f"Cannot run {command[0]}: {error.strerror}.") from error
        if done.returncode:
            raise UsageError(f"{command[0]} ended with an error. Your text is as it was.")
        return clean(file.read_text("utf-8", errors="replace")).rstrip("\n")
