"""The debug log of `--log FILE`: what the program did, without keys and without the story's prose."""

from __future__ import annotations

import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.models.environment import without_secrets

MAX_BYTES = 2_000_000
"""Size at which the file is set aside as FILE.1; three such files are kept."""


class _WithoutKeys(logging.Formatter):
    """Formats a record and takes the values of variables that hold keys out of it."""

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record), os.environ)


def start_debug_log(file: Path) -> None:
    """Append what happens from now on to `file`, readable by the user only. Raises `UsageError` if it cannot be."""
    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        handler = RotatingFileHandler(file, maxBytes=MAX_BYTES, backupCount=3, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The log {file} cannot be written: {error.strerror}.") from error
    handler.setFormatter(_WithoutKeys("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger = logging.getLogger("theact_tui")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
