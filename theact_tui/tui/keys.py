"""Keys that Textual does not tell apart in terminals without the newer keyboard protocol: alt with enter or a digit."""

from __future__ import annotations

from enum import Enum
from typing import Any, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS
from textual.keys import Keys

ALT_ENTER = "\x1b\r"


class AltDigit(Enum):
    """Alt and a digit: what chooses a panel. Textual takes them for signs such as £, which would be typed."""

    ONE = "alt+1"
    TWO = "alt+2"
    THREE = "alt+3"
    FOUR = "alt+4"
    FIVE = "alt+5"
    SIX = "alt+6"
    SEVEN = "alt+7"


def know_alt_enter() -> None:
    """Let alt+enter arrive as ctrl+j, the key for a new line; else it would arrive as enter and send what is written."""
    _sequences().setdefault(ALT_ENTER, (Keys.ControlJ,))


def know_alt_digits() -> None:
    """Let alt+1 to alt+7 arrive as such."""
    _sequences().update({f"\x1b{key.value[-1]}": (key,) for key in AltDigit})


def _sequences() -> dict[str, Any]:
    return cast(dict[str, Any], ANSI_SEQUENCES_KEYS)
