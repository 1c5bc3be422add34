"""Lab: automated playthroughs, measured and compared. Needs the extra `lab`."""

from theact_tui.errors import UsageError


def without_extra(feature: str) -> UsageError:
    return UsageError(f"{feature} needs the extra 'lab': install it with '.venv/bin/pip install \".[lab]\"'.")
