"""What a person changed in the visible files (S9): how it differs, and whether it can become part of the story."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import unified_diff

from theact_tui.errors import SaveError
from theact_tui.saves import files
from theact_tui.saves.directed import check_directed
from theact_tui.saves.trees import Changes, Overlay, Version
from theact_tui.saves.view import View
from theact_tui.text import clean

_TURN = re.compile(r"turns/(\d{4})/(\d{2})\.yaml")
MAX_LINES = 400
"""Lines of a difference that are shown."""


@dataclass(frozen=True, slots=True)
class HandEdits:
    """Visible files that hold something else than the save."""

    contents: dict[str, bytes] = field(default_factory=dict)
    """By path, of those that can be read."""
    broken: dict[str, str] = field(default_factory=dict)
    """By path: a sentence that says where and why a file cannot become part of the story."""
    difference: str = ""
    """What was changed, as lines with - and +."""

    @property
    def files(self) -> tuple[str, ...]:
        """All of them, sorted."""
        return tuple(sorted({*self.contents, *self.broken}))


def examined(view: View, paths: tuple[str, ...], version: Version, turn: int) -> HandEdits:
    """What `paths` hold, compared with `version`, the files of a story that is at `turn`."""
    contents: dict[str, bytes] = {}
    broken: dict[str, str] = {}
    for path in paths:
        try:
            content = view.content(path)
            if content == version.read(path):
                continue
            contents[path] = content
            _check(Overlay(version, {path: content}), path, turn)
        except SaveError as error:
            broken[path] = error.message
    packed: Changes = {path: content for path, content in contents.items() if path.startswith("pack/")}
    if packed and not broken:
        broken |= _unfit(version, packed)
    if not broken and len(contents) > 1:
        try:
            _check(Overlay(version, {**contents}), "", turn)
        except SaveError as error:  # each is sound alone, but not all together
            broken = dict.fromkeys(contents, error.message)
    lines = [line for path in contents for line in _difference(path, version.read(path), contents[path])]
    more = [f"… and {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return HandEdits(contents, broken, "\n".join([*lines[:MAX_LINES], *more]))


def _check(edited: Overlay, path: str, turn: int) -> None:
    """SaveError where the story would not load with a file, or the file itself would not."""
    if files.read_info(edited).mode != "play":
        if path:
            check_directed(path, edited.need(path), turn)
        return
    if found := _TURN.fullmatch(path):
        files.read_turn(edited, int(found[1]) * 100 + int(found[2]))
    at = files.read_game(edited).state.turn
    if at != turn:
        raise SaveError(f"state.yaml must stay at turn {turn}; use undo to go back.")


def _unfit(version: Version, packed: Changes) -> dict[str, str]:
    """Why the pack cannot be as `packed` has it: by path, or by all of its paths if the fault shows somewhere else."""
    from theact_tui.saves.own_pack import UnfitPack, check_own_pack

    try:
        check_own_pack(version, Overlay(version, packed))
    except UnfitPack as error:
        return dict.fromkeys([error.path] if error.path in packed else packed, error.message)
    return {}


def _difference(path: str, before: bytes | None, after: bytes) -> Iterator[str]:
    old, new = ((data or b"").decode(errors="replace").splitlines() for data in (before, after))
    yield path
    for line in list(unified_diff(old, new, lineterm="", n=1))[2:]:
        yield f"  {clean(line)}" if not line.startswith("@@") else "  …"
