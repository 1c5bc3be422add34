"""What a person changed in the visible files of a save, or in the pack it began with: how it differs, and whether it can
become part of the story."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from difflib import unified_diff
from hashlib import sha1
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from theact_tui.errors import SaveError, UsageError
from theact_tui.saves.codec import Codec, Contents, pack_files, read_pack
from theact_tui.saves.trees import Changes, Version
from theact_tui.saves.worktree import WorkTree
from theact_tui.story.changed_pack import with_changed_pack
from theact_tui.story.edits import Edit
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack, addressed
from theact_tui.text import clean

if TYPE_CHECKING:
    from theact_tui.packs.diagnostics import Finding
    from theact_tui.saves.save import Save

MAX_LINES = 400
"""Lines of a difference that are shown."""


@dataclass(frozen=True, slots=True)
class HandEdits:
    """Visible files that hold something else than the save."""

    contents: Contents = field(default_factory=dict)
    """By path, of those that can be read; None where a file is gone."""
    broken: dict[str, str] = field(default_factory=dict)
    """By path: a sentence that says where and why a file cannot become part of the story."""
    difference: str = ""
    """What was changed, as lines with - and +."""

    @property
    def files(self) -> tuple[str, ...]:
        """All of them, sorted."""
        return tuple(sorted({*self.contents, *self.broken}))


def examined(
    view: WorkTree, paths: tuple[str, ...], version: Version, codec: Codec[Any], turn: int
) -> HandEdits:
    """What `paths` hold, compared with `version`, the files of a story that is at `turn`."""
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
    """How files differ, as lines with - and +; at most `MAX_LINES`."""
    lines = [line for path in paths for line in _difference(path, before.get(path), after.get(path))]
    more = [f"… and {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    return "\n".join([*lines[:MAX_LINES], *more])


def _difference(path: str, before: bytes | None, after: bytes | None) -> Iterator[str]:
    old, new = ((data or b"").decode(errors="replace").splitlines() for data in (before, after))
    yield path
    for line in list(unified_diff(old, new, lineterm="", n=1))[2:]:
        yield f"  {clean(line)}" if not line.startswith("@@") else "  …"


FOLDERS = ("pack", "pack/characters", "pack/chapters", "pack/prompts")


def _pack_fault(before: Version, edited: Version) -> tuple[str, str] | None:
    """The file at fault, and a sentence about it, unless the pack in `edited` is sound and has everything that the story
    of `before` speaks of."""
    game, old, new = "pack/game.yaml", read_pack(before), read_pack(edited)
    if old.id != new.id:
        return game, f"{game} is invalid: the id must stay '{old.id}'."
    for kind, ids in (("chapter", old.chapters), ("character", old.characters)):
        if lost := [id for id in ids if id not in new.chapters and id not in new.characters]:
            return game, f"{game} is invalid: the story still uses the {kind} '{lost[0]}'."
    if errors := _errors(edited):
        known = {(error.file, error.message) for error in _errors(before)}
        fresh = next((error for error in errors if (error.file, error.message) not in known), None)
        return (f"pack/{fresh.file}", f"pack/{fresh}.") if fresh else None
    return None


def _errors(version: Version) -> list[Finding]:
    """What the check of packs has against the pack in these files."""
    from theact_tui.packs.loader import check_pack

    paths = [f"{folder}/{name}" for folder in FOLDERS for name in version.names(folder)]
    with TemporaryDirectory() as scratch:
        for path in paths:
            if path.endswith((".yaml", ".txt")):
                file = Path(scratch) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(version.need(path))
        return [finding for finding in check_pack(Path(scratch) / "pack") if finding.level == "error"]


# --- the user's own pack ---

KEPT = "pack-kept"
"""The private file that says which changed pack the user did not want."""


@dataclass(frozen=True, slots=True)
class ChangedPack:
    """What a save could take over."""

    began: Pack
    """The pack as the story began with it."""
    now: Pack
    edits: HandEdits
    """What differs, or why it cannot be taken over."""

    @property
    def mark(self) -> bytes:
        """Names this version of the pack."""
        return sha1(repr(self.now).encode()).hexdigest().encode()

    def taken_over(self, game: Game) -> Edit:
        """Tell the game by the pack as it is now. UsageError where it does not fit."""
        return Edit(_told(game, self.began, self.now), "the changed pack")


def changed_pack(save: Save[Game], game: Game, packs: Path) -> ChangedPack | None:
    """What the pack among the user's own that a story began with has changed since; None if there is nothing to take
    over. PackError where the pack cannot be played."""
    from theact_tui.packs.loader import load_pack
    from theact_tui.packs.schema import GAME

    folder = packs / game.info.pack
    if not (folder / GAME).is_file():
        return None
    began, now = save.state_at(0).pack, addressed(load_pack(folder), game.info.player)
    try:
        pack = _told(game, began, now).pack
    except UsageError as error:
        return ChangedPack(began, now, HandEdits(broken={f"pack/{GAME}": error.message}))
    before, after = pack_files(game.pack), pack_files(pack)
    paths = sorted((before.keys() | after.keys()), key=lambda path: (path.endswith("storyteller.yaml"), path))
    contents = {path: after.get(path) for path in paths if before.get(path) != after.get(path)}
    edits = HandEdits(contents, {}, shown_difference(before, after, contents))
    return ChangedPack(began, now, edits) if contents else None


def _told(game: Game, began: Pack, now: Pack) -> Game:
    from theact_tui.packs.loader import errors_of

    told = with_changed_pack(game, began, now)
    if faults := errors_of(told.pack):
        raise UsageError(f"The changed pack does not fit this story. {faults[0]}.")
    return told


def is_kept(save: Save[Game], mark: bytes) -> bool:
    """Whether the user did not want this version of the pack."""
    try:
        return save.private.read(KEPT) == mark
    except (OSError, SaveError):
        return False
