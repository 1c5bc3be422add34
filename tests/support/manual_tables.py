"""The tables of `docs/` that are made from the program: settings, keys, slash commands, prompt templates.

The text around them is written by hand.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from theact_tui.agents.prompts import PLACEHOLDERS, REQUIRED
from theact_tui.engine.commands import COMMANDS
from theact_tui.models.profiles import Override, Profile
from theact_tui.models.sampling import Sampling
from theact_tui.models.settings import Settings, Ui
from theact_tui.tui.keymap import every_act, shown_key

DOCS = Path(__file__).parents[2] / "docs"
SETTINGS: Mapping[str, type[BaseModel]] = {
    "At the top": Settings,
    "`[ui]`": Ui,
    "`[profiles.NAME]`": Profile,
    "`[agents.NAME]`": Override,
    "Sampling": Sampling,
}
"""Which settings stand below which heading."""
PARTS = frozenset({"profiles", "agents", "ui", "sampling", "keys"})
"""Settings that are tables of their own."""
Row = tuple[str, ...]


def tables() -> Iterator[tuple[str, str, str, Iterable[Row]]]:
    """Page, heading, column titles and rows of each table."""
    for heading, model in SETTINGS.items():
        rows = [_setting(name, field) for name, field in model.model_fields.items()]
        yield "settings.md", heading, "setting | default | ", rows
    for place, acts in groupby(every_act(), key=lambda keyed: keyed.place):
        keys = [(f"`{one.act.id}`", f"`{shown_key(one.act, {})}`", one.act.help) for one in acts]
        yield "keys.md", place.capitalize(), "id | key | ", keys
    slash = [
        (f"`{command.usage.replace('|', chr(92) + '|')}`", command.help) for command in COMMANDS.values()
    ]
    yield "playing.md", "Slash commands", "command | ", slash
    needed = {name: REQUIRED.get(name, frozenset()) for name in PLACEHOLDERS}
    templates = [
        (f"`{name}`", _listed(needed[name]), _listed(names - needed[name]))
        for name, names in PLACEHOLDERS.items()
    ]
    yield "packs.md", "Prompt templates", "template | placeholders it must have | and may have", templates


def generated() -> dict[Path, str]:
    pages: dict[Path, str] = {}
    for page, heading, titles, rows in tables():
        path = DOCS / page
        text = pages.get(path) or path.read_text(encoding="utf-8")
        lines = "".join(f"| {' | '.join(row)} |\n" for row in rows)
        head = f"| {titles} |\n".replace("  |", " |") + "|---" * (titles.count("|") + 1) + "|\n"
        before, title, after = text.partition(f"\n## {heading}\n")
        told, old, rest = after.partition(head)
        assert old and "\n## " not in told, f"{page} needs a table of {titles} below '## {heading}'"
        pages[path] = before + title + told + head + lines + re.sub(r"\A(?:\|.*\n)*", "", rest)
    return pages


def _setting(name: str, field: FieldInfo) -> Row:
    default = "" if name in PARTS else _shown(field.get_default(call_default_factory=True))
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    meaning = [field.description or "", *([f"One of {_listed(choices)}."] if choices else [])]
    return f"`{name}`", default, " ".join(" ".join(meaning).split())


def _shown(value: Any) -> str:
    if value in ("", None, (), {}):
        return ""
    return f"`{value:g}`" if isinstance(value, float) else f"`{str(value).lower()}`"


def _listed(names: Iterable[str]) -> str:
    return " ".join(f"`{name}`" for name in sorted(names))
