"""What comes before the first frame, and what is fetched after it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from theact_tui.text import dotted


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Theme, movement and keys of the user's own, read without the parts of the program that check settings: a file that
    cannot be read counts as empty."""

    theme: str = ""
    animations: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> FirstLook:
        try:
            ui: Any = tomllib.loads(file.read_text("utf-8")).get("ui")
        except (OSError, ValueError):
            return cls()
        if not isinstance(ui, dict):
            return cls()
        keys = ui.get("keys")
        named = dotted(keys).items() if isinstance(keys, dict) else ()
        return cls(
            theme=str(ui.get("theme", "")),
            animations=ui.get("animations") is not False,
            keys={name: key for name, key in named if isinstance(key, str)},
        )


SLOW = (
    "theact_tui.saves.save",
    "theact_tui.engine.factory",
    "theact_tui.tui.home.screen",
    "theact_tui.tui.play.screen",
    "theact_tui.tui.widgets.menus",
    "theact_tui.tui.inspector.screen",
    "theact_tui.tui.branches.screen",
)
"""Modules that take long to import, in the order in which a player is likely to need them."""


def warm() -> None:
    """Import what is slow, once, in a thread, while the player reads the list."""
    for module in SLOW:
        import_module(module)
