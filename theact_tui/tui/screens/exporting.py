"""The question in which form a story is written to a file."""

from __future__ import annotations

from textual.content import Content

from theact_tui.text import one_line
from theact_tui.tui.screens.picking import Entry, PickRow

FORMATS = {
    "epub": "a book for readers and telephones",
    "html": "a page for any browser",
    "md": "plain text with marks, to edit",
    "json": "all words and facts, for programs",
    "save": "every branch and take, to import elsewhere",
}


def formats(branch: str) -> PickRow:
    """Asks for a format."""
    rows = [
        Entry(name, Content.assemble((f"{name:<6}", ".strong"), (what, ".quiet")))
        for name, what in FORMATS.items()
    ]
    note = f"Branch “{one_line(branch, 40)}”, as it is told up to now."
    return PickRow("Write the story to a file", rows, note=note, yes="write")
