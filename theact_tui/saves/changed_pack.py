"""A user's pack that was changed after a save began with it: how it differs from the save's own, and the game told by it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveError, UsageError
from theact_tui.packs.loader import errors_of, load_pack
from theact_tui.packs.schema import GAME
from theact_tui.saves.codec import pack_files
from theact_tui.saves.edits import HandEdits, shown_difference
from theact_tui.story.changed_pack import with_changed_pack
from theact_tui.story.edits import Edit
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack, addressed

if TYPE_CHECKING:
    from theact_tui.saves.save import Save

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
