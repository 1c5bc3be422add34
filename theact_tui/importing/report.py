"""What an import found, took, changed and left out: shown before anything is written, and kept with what was made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

from theact_tui.errors import UsageError


class ImportQuestion(UsageError):
    """An import needs a choice of the user's: `asks` is the argument of `propose` that takes it; `fill` takes several."""

    def __init__(self, message: str, asks: Literal["into", "id", "fill"]) -> None:
        super().__init__(message)
        self.asks = asks


class ImportStopped(UsageError):
    """The user stopped an import; nothing was made."""

    def __init__(self) -> None:
        super().__init__("Stopped. Nothing was imported.")


OnStep = Callable[[str], None]
"""Told how far an import is, now and then. It may raise `ImportStopped`."""


def no_steps(step: str) -> None:
    """Tells nobody."""


_CHATS = ("chat", "group")
"""Their pack is inside their save."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """One import, as a preview or as done. Texts are sentences for people, without markup."""

    kind: str
    """A `Kind` of `theact_tui.importing.detect`."""
    pack: str | None = None
    """Id of the pack that was, or would be, made or changed."""
    save: str | None = None
    """Id of the save that was, or would be, made."""
    here: tuple[Literal["pack", "save"], ...] = ()
    """Which of the two were there before, made of the same files: nothing is made again."""
    taken: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """What was not taken, each with the reason."""

    long: tuple[str, ...] = ()
    """Ids of characters whose texts are longer than small models play well."""
    parts: tuple[ImportReport, ...] = ()
    """Where a folder holds several stories: a report for each, in their order."""

    def adding(
        self, *, taken: Iterable[str] = (), changed: Iterable[str] = (), left_out: Iterable[str] = ()
    ) -> ImportReport:
        """The report with more lines, each once; blank ones are none."""
        return replace(
            self,
            taken=tuple(dict.fromkeys(filter(None, (*self.taken, *taken)))),
            changed=tuple(dict.fromkeys(filter(None, (*self.changed, *changed)))),
            left_out=tuple(dict.fromkeys(filter(None, (*self.left_out, *left_out)))),
        )

    def as_json(self) -> dict[str, Any]:
        """The fields as `import --json` prints them."""
        texts = {name: list(getattr(self, name)) for name in ("taken", "changed", "left_out")}
        parts = {"parts": [part.as_json() for part in self.parts]} if self.parts else {}
        here = {"here": list(self.here)} if self.here else {}
        return {"kind": self.kind, "pack": self.pack, "save": self.save, **here, **texts, **parts}

    @property
    def made(self) -> tuple[int, int]:
        """How many packs and saves were made."""
        each = self.parts or (self,)
        packs = sum(bool(one.pack and "pack" not in one.here and one.kind not in _CHATS) for one in each)
        return packs, sum(bool(one.save and "save" not in one.here) for one in each)
