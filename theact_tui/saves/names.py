"""Titles as people type them, and the plain names of folders and branches made from them (S13)."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.saves.disk import replace_file
from theact_tui.story.game import SaveInfo
from theact_tui.text import clean, slug

MAX_TITLE = 120
"""Characters."""


def checked_title(title: str, what: str) -> str:
    """`title` as it may be used, on one line. UsageError if it is blank or too long."""
    plain = " ".join(clean(title).split())
    if not plain:
        raise UsageError(f"A {what} needs a name.")
    if len(plain) > MAX_TITLE:
        raise UsageError(
            f"The name of a {what} has at most {MAX_TITLE} characters; this one has {len(plain)}."
        )
    return plain


def free_name(title: str, taken: Collection[str], what: str) -> str:
    """A name made from `title`. UsageError if it is taken; titles without any plain letter are numbered instead."""
    name = slug(title, fallback="")
    if name and name not in taken:
        return name
    if name:
        raise UsageError(f"There is already a {what} '{name}'. Choose another name.")
    numbers = (f"{what}-{number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbers if name not in taken)


# --- the name of a save -----------------------------------------------------------------------------------------


def given_name(git: Path, info: SaveInfo) -> SaveInfo:
    """`info` under the name the save has now. Undoing turns does not undo a renaming, so it is kept aside."""
    try:
        found = json.loads((git / "theact" / "name.json").read_bytes())
        return info.model_copy(update={"title": str(found["title"]), "id": str(found["id"])})
    except (OSError, ValueError, KeyError, TypeError):
        return info


def give_name(git: Path, title: str, id: str) -> None:
    """Name a save; its `save.yaml` follows with the next turn."""
    replace_file(git / "theact" / "name.json", json.dumps({"title": title, "id": id}).encode(), sync="all")
