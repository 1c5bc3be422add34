"""The text styles of the app: names such as `.quiet` that any text on a screen can be set in.

A screen looks them up when a text is drawn (`BaseScreen.get_visual_style`), so that one screen may have others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual.app import App
from textual.style import Style

from theact_tui.tui.themes import MOODS, VOICES


@dataclass(frozen=True, slots=True)
class TextStyles:
    """What each name stands for, in Textual's terms for a style in a text."""

    styles: Mapping[str, str]
    ansi: Mapping[str, str]
    """Those that differ on the terminal's own colours."""

    def parse(self, name: str, app: App[Any]) -> Style:
        """A style by its name without the dot, as the theme has it. Raises `KeyError` for an unknown name."""
        plain = self.styles[name]
        return Style.parse(self.ansi.get(name, plain) if app.native_ansi_color else plain)

    def updated(self, styles: Mapping[str, str], ansi: Mapping[str, str]) -> TextStyles:
        """These, with others beside them or in their place."""
        return TextStyles({**self.styles, **styles}, {**self.ansi, **ansi})


TEXT_STYLES = TextStyles(
    {
        "quiet": "$quiet",
        "faint": "$faint",
        "line": "$line",
        "strong": "bold",
        "accent": "bold $primary",
        "good": "$success",
        "bad": "$error",
        "warn": "$warning",
        "glow": "bold",
        "found": "underline $primary",
        "here": "bold reverse $primary",
        "heading": "bold $primary",
        **{f"voice-{n}": f"bold $voice-{n}" for n in range(1, VOICES + 1)},
        **{f"words-{n}": f"$words-{n}" for n in range(1, VOICES + 1)},
        **{f"slot-{n}": f"$slot-{n}" for n in range(1, VOICES + 1)},
        "typed": "$foreground",
        **{f"mood-{mood}": f"$mood-{mood}" for mood in MOODS},
    },
    ansi={"quiet": "dim $quiet", "faint": "dim $faint", "line": "dim $line", "glow": "bold underline"},
)
