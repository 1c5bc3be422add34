"""What lasts, kept from the collector: Python stops while it looks through all objects, and a story would stutter.

The modules, and the screen of an open story with all it shows at first, are set aside until the story is left. The
looks through all the rest, which would come in the middle of a frame, are put off to the rests between two turns.
"""

from __future__ import annotations

import gc
import time

LONG = 0.01
"""Seconds that a collection between two turns may take."""
USUAL = gc.get_threshold()
SELDOM = 1_000
"""Lesser collections between two full ones, if there is no rest for so long."""


def set_aside() -> None:
    """From now on the collector passes over everything that is there now."""
    gc.set_threshold(*USUAL[:2], SELDOM)
    gc.freeze()


def tidy(lasting: bool) -> None:
    """Collect what was left behind; if what is left is there for long, and once this takes long, set it aside."""
    began = time.perf_counter()
    gc.collect()
    if lasting and time.perf_counter() - began > LONG:
        gc.freeze()


def look_through() -> None:
    """Collect among what was set aside too, and set aside what is left. Takes some tenths of a second."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def give_back() -> None:
    """The collector minds everything again."""
    gc.set_threshold(*USUAL)
    gc.unfreeze()
