"""The lab: games played by players without hands, measured and compared. Its libraries come with the extra `lab`."""

from theact_tui.errors import UsageError


def without_extra(feature: str) -> UsageError:
    """Why something cannot be done, and how to install what it needs."""
    return UsageError(f"{feature} needs the extra 'lab': install it with '.venv/bin/pip install \".[lab]\"'.")
