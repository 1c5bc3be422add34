"""Prose as paragraphs, cleaned. What is set on a screen or in a book passes through here or through `one_line` (S13)."""

from __future__ import annotations

from theact_tui.text import clean

WRAPPED = 50
"""A line at least this long (characters) that ends in a single line feed was wrapped, not ended."""


def paragraphs(text: str) -> list[str]:
    """Cleaned paragraphs of prose. A line feed after a short line stays, as in a poem; after a long one it is a space."""
    found: list[str] = []
    for part in clean(text).replace("\t", "    ").split("\n\n"):
        made = ""
        for line in part.strip("\n").split("\n"):
            joint = " " if len(made.rsplit("\n", 1)[-1]) >= WRAPPED else "\n"
            made = made + joint + line.strip() if made else line.strip()
        if made:
            found.append(made)
    return found
