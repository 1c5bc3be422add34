"""Notes of a save: small files outside the versioned tree, each with one thing that is on its way into the story.

The spoken turn is on the disk before it is announced. The words that were not sent, or not told yet, survive a
kill; they are not worth waiting for the disk.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import ValidationError

from theact_tui.saves.atomic import Folder
from theact_tui.story.base import Value
from theact_tui.story.direct.models import Words
from theact_tui.story.game import Spoken

V = TypeVar("V", bound=Value)


class Note(Generic[V]):
    """One private file of a save that holds a value, or is not there."""

    def __init__(self, git: Path, name: str, kind: type[V], *, durable: bool = False) -> None:
        self._files, self._name = Folder(git), f"theact/{name}"
        self._kind = kind
        self._durable = durable

    def write(self, value: V) -> None:
        """Keep `value`; it survives a kill once this returns, and a power cut too if the note is `durable`."""
        self._files.replace(
            self._name,
            json.dumps(value.model_dump(), ensure_ascii=False).encode(errors="replace"),
            sync="all" if self._durable else "no",
        )

    def read(self) -> V | None:
        """What was kept; None if nothing was, or nothing readable."""
        try:
            return self._kind.model_validate_json(self._files.read(self._name))
        except (FileNotFoundError, ValidationError):
            return None

    def drop(self) -> None:
        """Forget it."""
        self._files.remove(self._name)


def journal(git: Path) -> Note[Spoken]:
    """The journal of the spoken turn of the save in `git`."""
    return Note(git, "spoken.json", Spoken, durable=True)


def typed_words(git: Path) -> Note[Words]:
    """What is typed in a directed chapter and not given."""
    return Note(git, "words.json", Words)
