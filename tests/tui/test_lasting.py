"""What lasts is kept from the collector while a story is open, and given back when the app ends."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from theact_tui.tui import lasting


@pytest.fixture(autouse=True)
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The real one, which other tests leave alone."""
    monkeypatch.setattr(lasting, "gc", gc)
    yield
    lasting.give_back()


def test_what_is_there_is_passed_over_until_it_is_given_back() -> None:
    lasting.set_aside()
    assert gc.get_freeze_count() > 0 and gc.get_threshold()[2] == lasting.SELDOM
    lasting.give_back()
    assert gc.get_freeze_count() == 0 and gc.get_threshold() == lasting.USUAL


@pytest.mark.parametrize(("long", "frozen"), [(0.0, True), (1_000.0, False)])
def test_only_what_takes_long_to_look_through_is_set_aside(
    monkeypatch: pytest.MonkeyPatch, long: float, frozen: bool
) -> None:
    monkeypatch.setattr(lasting, "LONG", long)
    lasting.tidy()
    assert (gc.get_freeze_count() > 0) == frozen
