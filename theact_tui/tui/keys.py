"""A key that Textual does not tell apart: alt+enter in terminals without the newer keyboard protocol."""

from __future__ import annotations

from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import Keys

ALT_ENTER = "\x1b\r"


def know_alt_enter() -> None:
    """Let alt+enter arrive as ctrl+j, the key for a new line; else it would arrive as enter and send what is written."""
    cast(dict[str, Any], ANSI_SEQUENCES_KEYS).setdefault(ALT_ENTER, (Keys.ControlJ,))
