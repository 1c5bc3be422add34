"""Commands run as those of `tests/cli` are."""

from __future__ import annotations

from tests.cli.conftest import home, run

__all__ = ["home", "run"]
