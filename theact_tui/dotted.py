"""Names with a dot in them, as TOML reads them without quotes: `play.retry = "f9"` is a table in a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def dotted(table: Mapping[str, Any]) -> dict[str, Any]:
    """The values of `table` and of the tables in it, by their names from the outermost on, joined by dots."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping):
            found |= {f"{name}.{inner}": deep for inner, deep in dotted(value).items()}
        else:
            found[name] = value
    return found
