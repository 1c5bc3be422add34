"""The page about events."""

from __future__ import annotations

from tests.support.event_table import DOCUMENT, document


def test_the_page_about_events_is_current() -> None:
    """`python -m tests.support.event_table` makes it so."""
    assert DOCUMENT.read_text(encoding="utf-8") == document()
