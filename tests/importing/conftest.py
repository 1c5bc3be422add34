"""Commands run as those of `tests/cli` are."""

from tests.cli.conftest import home, run

__all__ = ["home", "run"]
