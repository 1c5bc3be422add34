"""Visible files a person changed: show, check, adopt or discard the edits."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from theact_tui.errors import SaveError
from theact_tui.packs.diagnostics import Finding
from theact_tui.saves.codec import Codec, Contents, read_pack
from theact_tui.saves.trees import Changes, Version, is_safe
from theact_tui.saves.worktree import WorkTree
from theact_tui.text import clean

_MAX_LINES = 400


@dataclass(frozen=True, slots=True)
class HandEdits:
    contents: Contents = field(default_factory=dict)
    """New contents by path; None for a deleted file."""
    broken: dict[str, str] = field(default_factory=dict)
    """Reasons by path why a file cannot be adopted."""
    difference: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(sorted({*self.contents, *self.broken}))


def examined(
    view: WorkTree, paths: tuple[str, ...], version: Version, codec: Codec[Any], turn: int
) -> HandEdits:
    """Compare `paths` with `version`, the files of a story at `turn`."""
    contents: Contents = {}
    broken: dict[str, str] = {}
    for path in paths:
        try:
            content = view.content(path)
            if content == version.read(path):
                continue
            contents[path] = content
            codec.check_edit(replace(version, contents={path: content}), path, turn)
        except SaveError as error:
            broken[path] = error.message
    packed: Changes = {path: content for path, content in contents.items() if path.startswith("pack/")}
    if packed and not broken and (fault := _pack_fault(version, replace(version, contents=packed))):
        path, reason = fault
        broken = dict.fromkeys([path] if path in packed else packed, reason)
    if not broken and len(contents) > 1:
        try:
            codec.check_edit(replace(version, contents=contents), "", turn)
        except SaveError as error:  # each is sound alone, but not all together
            broken = dict.fromkeys(contents, error.message)
    before = {path: version.read(path) for path in contents}
    return HandEdits(contents, broken, shown_difference(before, contents, contents))


def shown_difference(before: Changes, after: Changes, paths: Iterable[str]) -> str:
    lines: list[str] = []
    for path in paths:
        old, new = (
            (files.get(path) or b"").decode(errors="replace").splitlines() for files in (before, after)
        )
        changes = list(unified_diff(old, new, lineterm="", n=1))[2:]
        lines += [path, *("  …" if line.startswith("@@") else f"  {clean(line)}" for line in changes)]
    more = [f"… and {len(lines) - _MAX_LINES} more lines"] if len(lines) > _MAX_LINES else []
    return "\n".join([*lines[:_MAX_LINES], *more])


def _pack_fault(before: Version, edited: Version) -> tuple[str, str] | None:
    """Return the file at fault and a sentence, unless the edited pack has everything the story uses."""
    game, old, new = "pack/game.yaml", read_pack(before), read_pack(edited)
    if old.id != new.id:
        return game, f"{game} is invalid: the id must stay '{old.id}'."
    for kind, ids in (("chapter", old.chapters), ("character", old.characters)):
        if lost := [id for id in ids if id not in new.chapters and id not in new.characters]:
            return game, f"{game} is invalid: the story still uses the {kind} '{lost[0]}'."
    if errors := _errors(edited):
        old_errors = {(error.file, error.message) for error in _errors(before)}
        fresh = next((error for error in errors if (error.file, error.message) not in old_errors), None)
        return (f"pack/{fresh.file}", f"pack/{fresh}.") if fresh else None
    return None


def _errors(version: Version) -> list[Finding]:
    from theact_tui.packs.files import write_files
    from theact_tui.packs.loader import check_pack

    folders = ("pack", *(f"pack/{name}" for name in version.names("pack")))
    paths = (f"{folder}/{name}" for folder in folders for name in version.names(folder))
    read = (path for path in paths if is_safe(path) and path.endswith((".yaml", ".txt")))
    with TemporaryDirectory() as scratch:
        write_files(Path(scratch), {path: version.need(path) for path in read})
        return [finding for finding in check_pack(Path(scratch) / "pack") if finding.level == "error"]
