"""The inks of direct mode: those of every page, what the game master typed, and the colour of each slot (D1)."""

from __future__ import annotations

from theact_tui.story.direct.limits import AGENTS_MAX
from theact_tui.tui.widgets.page import INKS

DIRECT_INKS = {*INKS, "typed", *(f"slot-{n}" for n in range(1, AGENTS_MAX + 1))}
"""Component classes of its screens, whose class is `directed`."""
