"""Containers that only place what is in them: Textual draws no lines of theirs, border and padding included."""

from __future__ import annotations

from typing import ClassVar

from textual.containers import Horizontal, Vertical


class Column(Vertical):
    """One below the other."""

    BLANK: ClassVar[bool] = True


class Columns(Horizontal):
    """Side by side."""

    BLANK: ClassVar[bool] = True
