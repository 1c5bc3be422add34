"""Themes with the inks of a story: `quiet` and `faint` text, `line`, `glow`, `voice-n`, `words-n`, `slot-n`, and moods."""

from collections.abc import Sequence
from typing import NamedTuple

from textual.color import Color
from textual.theme import Theme

MOODS = ("tense", "calm", "urgent", "mysterious", "humorous", "dramatic", "melancholic")
"""Copied from `theact_tui.story.pack`, which would import pydantic before the first frame."""
VOICES = 7


class Inks(NamedTuple):
    """Colours by number and, in the order of `MOODS`, by mood."""

    voices: Sequence[str]
    slots: Sequence[str]
    moods: Sequence[str]

    def variables(self, words: Sequence[str]) -> dict[str, str]:
        numbered = {"voice": self.voices, "words": words, "slot": self.slots}
        return {
            **{f"{kind}-{n}": ink for kind, inks in numbered.items() for n, ink in enumerate(inks, 1)},
            **{f"mood-{mood}": ink for mood, ink in zip(MOODS, self.moods, strict=True)},
        }


DARK_INKS = Inks(
    voices=("#e5bd86", "#7ed6d5", "#edaed1", "#a7d29e", "#a9c4fc", "#f6b19f", "#d5b5ee"),
    slots=("#ff6464", "#ff9d45", "#ffe14d", "#54d67a", "#5aa5ff", "#9184ff", "#dc8bff"),
    moods=("#e08256", "#62aea5", "#e4605c", "#ab8be3", "#c9b43a", "#da7baa", "#64a1ee"),
)
LIGHT_INKS = Inks(
    voices=("#7c5000", "#006061", "#834068", "#34622a", "#3d5896", "#8c4230", "#6d4886"),
    slots=("#b3261e", "#8c4300", "#6f5a00", "#1b6b36", "#1a54ba", "#4b3fc4", "#8427b0"),
    moods=("#934924", "#296760", "#aa3232", "#7145b6", "#6c5d00", "#983d6c", "#275ea4"),
)
ANSI_INKS = Inks(
    voices="ansi_yellow ansi_cyan ansi_magenta ansi_green ansi_bright_blue ansi_red ansi_bright_magenta".split(),
    slots="ansi_red ansi_yellow ansi_bright_yellow ansi_green ansi_bright_blue ansi_blue ansi_magenta".split(),
    moods="ansi_yellow ansi_cyan ansi_red ansi_magenta ansi_bright_yellow ansi_bright_magenta ansi_blue".split(),
)

DEFAULT_THEME = "lamplight"
ANSI_THEME = "terminal"
LIGHT_ANSI_THEME = "terminal-light"


def _theme(
    name: str,
    accent: str,
    foreground: str,
    grounds: str,
    greys: str,
    dark: bool = True,
) -> Theme:
    """`grounds` are those of page, surface and panel, `greys` of quiet and faint words and of lines."""
    background, surface, panel = grounds.split()
    quiet, faint, line = greys.split()
    inks = DARK_INKS if dark else LIGHT_INKS
    text, ground = Color.parse(foreground), Color.parse(background)
    words = [Color.parse(ink).blend(text, 0.45).hex for ink in inks.voices]
    glow = ground.blend(Color.parse(accent), 0.15).hex
    variables = {
        "quiet": quiet,
        "faint": faint,
        "line": line,
        "glow": glow,
        "text-muted": quiet,
        "border-blurred": line,
        "block-cursor-foreground": foreground,
        "block-cursor-background": glow,
        "block-cursor-text-style": "none",
        "block-cursor-blurred-background": ground.blend(Color.parse(accent), 0.08).hex,
        "input-cursor-background": accent,
        "input-cursor-foreground": background,
        "input-selection-background": f"{accent} 30%",
        "screen-selection-background": f"{accent} 30%",
        "scrollbar": line,
        "scrollbar-hover": faint,
        "scrollbar-active": accent,
        "scrollbar-corner-color": background,
        **dict.fromkeys((f"scrollbar-background{state}" for state in ("", "-hover", "-active")), background),
        **inks.variables(words),
    }
    return Theme(
        name=name,
        primary=accent,
        accent=accent,
        foreground=foreground,
        background=background,
        surface=surface,
        panel=panel,
        success=inks.voices[3],
        warning=inks.voices[0],
        error="#f08a80" if dark else "#a8322a",
        dark=dark,
        variables=variables,
    )


def _terminal(name: str, dark: bool) -> Theme:
    ink = "ansi_default"
    variables = {
        "ansi-background": "ansi_black" if dark else "ansi_white",
        "ansi-foreground": "ansi_white" if dark else "ansi_black",
        "quiet": ink,
        "faint": ink,
        "line": ink,
        "glow": ink,
        "block-cursor-text-style": "reverse",
        "block-cursor-foreground": ink,
        "block-cursor-background": ink,
        "input-cursor-text-style": "reverse",
        "screen-selection-background": "ansi_bright_blue",
        "screen-selection-foreground": "ansi_black",
        "scrollbar": "ansi_bright_black" if dark else "ansi_white",
        **dict.fromkeys((f"scrollbar-background{state}" for state in ("", "-hover", "-active")), ink),
        **ANSI_INKS.variables(ANSI_INKS.voices),
    }
    return Theme(
        name=name,
        ansi=True,
        primary="ansi_cyan" if dark else "ansi_blue",
        accent="ansi_cyan" if dark else "ansi_blue",
        success="ansi_green",
        warning="ansi_yellow" if dark else "ansi_magenta",
        error="ansi_red",
        foreground=ink,
        background=ink,
        surface=ink,
        panel=ink,
        boost=ink,
        dark=dark,
        variables=variables,
    )


THEMES = (
    _theme("lamplight", "#e5bd86", "#e6ddce", "#1a1511 #241e18 #2d2620", "#aea597 #a19689 #3f3831"),
    _theme("tidewater", "#7ed6d5", "#d7e2e5", "#0f1b22 #17262e #1e2e37", "#9eadb3 #8d9fa8 #2c3e48"),
    _theme("inkwell", "#a9c4fc", "#ececec", "#000000 #131316 #1c1c20", "#b0b0b4 #85858b #3a3a40"),
    _theme("stage", "#6aa5ff", "#ffffff", "#000000 #161616 #262626", "#a8a8a8 #8d8d8d #4a4a4a"),
    _theme("paper", "#8c4230", "#332921", "#f6efe3 #ede4d4 #e3d9c6", "#5b5048 #665c50 #d2c7b4", dark=False),
    _theme("fog", "#3d5896", "#212a33", "#eef1f4 #e3e8ec #d9dfe4", "#4b545f #585f67 #c6ccd1", dark=False),
    _terminal(ANSI_THEME, dark=True),
    _terminal(LIGHT_ANSI_THEME, dark=False),
)


def fallback_variables(dark: bool = True) -> dict[str, str]:
    inks = DARK_INKS if dark else LIGHT_INKS
    greys = (
        ("#b4b4b4", "#a0a0a0", "#4a4a4a", "#3c3c28") if dark else ("#4a4a4a", "#555555", "#b8b8b8", "#e4dcb8")
    )
    return dict(zip(("quiet", "faint", "line", "glow"), greys, strict=True)) | inks.variables(inks.voices)


TEXT_STYLES = {
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
    **{f"voice-{n}": f"bold $voice-{n}" for n in range(1, VOICES + 1)},
    **{f"{kind}-{n}": f"${kind}-{n}" for kind in ("words", "slot") for n in range(1, VOICES + 1)},
    **{f"mood-{mood}": f"$mood-{mood}" for mood in MOODS},
}
"""Text styles by name, such as `.quiet`."""
ANSI_TEXT_STYLES = TEXT_STYLES | {
    "quiet": "dim $quiet",
    "faint": "dim $faint",
    "line": "dim $line",
    "glow": "bold underline",
}
