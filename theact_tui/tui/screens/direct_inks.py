"""The inks of direct mode (D1): the story's in black, grey and white, what the game master typed, each slot's colour."""

from __future__ import annotations

from theact_tui.tui.inks import STORY_INKS

SLOTS = ("#ff6464", "#ff9d45", "#ffe14d", "#54d67a", "#5aa5ff", "#9184ff", "#dc8bff")
ANSI_SLOTS = ("red", "yellow", "bright_yellow", "green", "bright_blue", "blue", "magenta")

DIRECT_INKS = STORY_INKS.and_(
    {
        "quiet": "#a8a8a8",
        "faint": "#7c7c7c",
        "line": "#4a4a4a",
        "strong": "bold #ffffff",
        "accent": "bold #7db4ff",
        "typed": "#ffffff",
        "bad": "#ff8f8f",
        "warn": "#ffd479",
        **{f"slot-{n}": colour for n, colour in enumerate(SLOTS, 1)},
    },
    ansi={
        "quiet": "dim ansi_default",
        "faint": "dim ansi_default",
        "line": "dim ansi_default",
        "strong": "bold ansi_default",
        "accent": "bold ansi_cyan",
        "typed": "ansi_default",
        "bad": "ansi_red",
        "warn": "ansi_yellow",
        **{f"slot-{n}": f"ansi_{colour}" for n, colour in enumerate(ANSI_SLOTS, 1)},
    },
)
"""Whatever the theme; one of the terminal's own colours keeps order and outlines."""
