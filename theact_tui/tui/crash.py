"""What is kept of an error nobody expected: a file with the traceback, readable by the user only."""

from __future__ import annotations

import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.models.environment import environment, without_secrets
from theact_tui.paths import Home, write_private


def write_down(home: Home, error: BaseException) -> Path | None:
    """Write the traceback, without keys, to the log folder; returns the file, or None when that failed too."""
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    file = home.logs / f"crash-{stamp}.log"
    text = without_secrets("".join(traceback.format_exception(error)), environment(), _key_names(home))
    try:
        write_private(file, f"Python {sys.version}\n\n{text}")
    except OSError:
        return None
    return file


def _key_names(home: Home) -> list[str]:
    """The variables that profiles name for their keys."""
    from theact_tui.models.settings import SettingsFile

    try:
        profiles = SettingsFile(home.config_file).read().profiles.values()
    except UsageError:
        return []
    return [profile.api_key_env for profile in profiles if profile.api_key_env]
