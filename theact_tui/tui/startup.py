"""What the first frame needs of the settings, read without the parts of the program that check them.

A file that cannot be read counts as empty here; who reads it in full says what is wrong with it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from theact_tui.text import dotted


@dataclass(frozen=True, slots=True)
class FirstLook:
    """Theme, movement and keys of the user's own."""

    theme: str = ""
    animations: bool = True
    keys: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, file: Path) -> FirstLook:
        """The look said in `config.toml`."""
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
