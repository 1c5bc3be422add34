"""The tables of `docs/settings.md`, made from the settings themselves. `python -m tests.support.settings_tables` writes
them anew; the text between them is written by hand.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from theact_tui.models.profiles import Override, Profile
from theact_tui.models.sampling import Sampling
from theact_tui.models.settings import Settings, Ui

DOCUMENT = Path(__file__).parents[2] / "docs" / "settings.md"
TABLES: dict[str, type[BaseModel]] = {
    "## At the top": Settings,
    "## `[ui]`": Ui,
    "## `[profiles.NAME]`": Profile,
    "## `[agents.NAME]`": Override,
    "## Sampling": Sampling,
}
"""Which settings stand below which heading."""
PARTS = frozenset({"profiles", "agents", "ui", "sampling", "keys"})
"""Settings that are tables of their own."""
_HEAD = "| setting | default | |\n|---|---|---|\n"


def document(text: str) -> str:
    """The page with its tables as they must be."""
    for heading, model in TABLES.items():
        rows = "".join(_row(name, field) for name, field in model.model_fields.items())
        before, head, after = text.partition(f"{heading}\n")
        told, table, rest = after.partition(_HEAD)
        text = before + head + told + table + rows + re.sub(r"\A(?:\|.*\n)*", "", rest)
    return text


def _row(name: str, field: FieldInfo) -> str:
    default = "" if name in PARTS else _shown(field.get_default(call_default_factory=True))
    meaning = " ".join(filter(None, (field.description, _choices(field))))
    return f"| `{name}` | {default} | {' '.join(meaning.split())} |\n"


def _shown(value: Any) -> str:
    if value in ("", None, (), {}):
        return ""
    return f"`{value:g}`" if isinstance(value, float) else f"`{str(value).lower()}`"


def _choices(field: FieldInfo) -> str:
    if get_origin(field.annotation) is not Literal:
        return ""
    return f"One of {', '.join(f'`{choice}`' for choice in get_args(field.annotation))}."


if __name__ == "__main__":
    DOCUMENT.write_text(document(DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
