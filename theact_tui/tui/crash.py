"""What is kept of an error nobody expected: a file with the traceback, readable by the user only."""

from __future__ import annotations

import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from theact_tui.paths import Home, write_private


def write_down(home: Home, error: BaseException) -> Path | None:
    """Write the traceback to the log folder; returns the file, or None when that failed too."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    file = home.logs / f"crash-{stamp}.log"
    text = "".join(traceback.format_exception(error))
    try:
        write_private(file, f"Python {sys.version}\n\n{text}")
    except OSError:
        return None
    return file
