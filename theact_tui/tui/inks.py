"""The inks a story is set in: styles that any widget of a page can name with a dot, such as `.quiet`.

They are looked up when a text is drawn. As component classes of a screen, which they could be, all of them would be
styled again with every change of a class on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from textual.app import App
from textual.style import Style
from textual.widget import Widget

from theact_tui.tui.stepwise import Stepwise
from theact_tui.tui.themes import MOODS, VOICES

Answer = TypeVar("Answer")
if TYPE_CHECKING:
    Base = Widget
else:
    Base = object  # a widget's styles are those of the first of its bases that is one


@dataclass(frozen=True, slots=True)
class Inks:
    """What each name stands for, in Textual's terms for a style in a text."""

    colours: Mapping[str, str]
    ansi: Mapping[str, str]
    """Those that differ on the terminal's own colours."""

    def style(self, name: str, app: App[Any]) -> Style:
        """An ink by its name without the dot, as the theme has it. Raises `KeyError` for a name it does not know."""
        plain = self.colours[name]
        return app.stylesheet.parse_style(self.ansi.get(name, plain) if app.native_ansi_color else plain)

    def and_(self, colours: Mapping[str, str], ansi: Mapping[str, str]) -> Inks:
        """These, with others beside them or in their place."""
        return Inks({**self.colours, **colours}, {**self.ansi, **ansi})


STORY_INKS = Inks(
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
        "heading": "bold $primary",
        **{f"voice-{n}": f"bold $voice-{n}" for n in range(1, VOICES + 1)},
        **{f"words-{n}": f"$words-{n}" for n in range(1, VOICES + 1)},
        **{f"mood-{mood}": f"$mood-{mood}" for mood in MOODS},
    },
    ansi={"quiet": "dim $quiet", "faint": "dim $faint", "line": "dim $line", "glow": "bold underline"},
)


class Inky(Base):
    """A widget whose texts name inks: it asks its screen at once, instead of every widget on the way there."""

    def get_visual_style(self, *component_classes: str, partial: bool = False) -> Style:
        """The style of an ink, or of what else is named."""
        screen, name = self.screen, component_classes[0] if len(component_classes) == 1 else ""
        if partial and isinstance(screen, Inked) and name in screen.inks.colours:
            return screen.inks.style(name, self.app)
        return super().get_visual_style(*component_classes, partial=partial)


class Inked(Inky, Stepwise[Answer]):
    """A screen on which texts may name inks."""

    inks: ClassVar[Inks] = STORY_INKS
