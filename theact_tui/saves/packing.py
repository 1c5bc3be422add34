"""Packing: many small objects become one file, so that a long story stays quick to copy and light on the disk (S9).

It runs beside the play, on a store of its own. A new pack is complete and on the disk before what it holds goes, and
an index over all packs keeps finding an object as quick as if there were one.
"""

from __future__ import annotations

from pathlib import Path

from theact_tui.saves.repository import open_store

EVERY = 100
"""Turns after which packing pays."""


def pack(git: Path) -> int:
    """Put all loose objects of a repository into one pack; how many they were."""
    store = open_store(git / "objects")
    try:
        count = store.pack_loose_objects()
        store.write_midx()
        return count
    finally:
        store.close()
