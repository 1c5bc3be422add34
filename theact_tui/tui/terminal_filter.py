"""The filter of everything that goes to the terminal: no control sign in it can steer the terminal.

Text from outside is cleaned where it comes in, and again where it is set. This is for what was forgotten.
"""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from theact_tui.text import without_controls

_MOVING = {ord("\n"): None, ord("\t"): None}
"""Allowed in a text, but not within a row: they would move the cursor."""


class ControlFilter(LineFilter):
    """Takes the signs out that steer a terminal or turn the order of letters; none of them has a width."""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        return [segment if segment.text.isprintable() else _inert(segment) for segment in segments]


def _inert(segment: Segment) -> Segment:
    return segment._replace(text=without_controls(segment.text).translate(_MOVING))
