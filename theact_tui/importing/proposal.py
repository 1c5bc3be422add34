"""What importing some files or folders would do: told first, done when it is accepted. Nothing is written before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from theact_tui.errors import SaveError, UsageError
from theact_tui.importing.card_packs import SourceFile, plan_pack, source_file
from theact_tui.importing.chat_files import files_in, read_chats
from theact_tui.importing.detect import BUNDLE, CARD_KINDS, CHAT_KINDS
from theact_tui.importing.pack_file import import_pack
from theact_tui.importing.report import ImportReport
from theact_tui.importing.save_chats import plan_chats, write_chats
from theact_tui.packs.library import pack_folder
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library


@dataclass(frozen=True, slots=True)
class Proposal:
    """What was found, and how to take it in."""

    report: ImportReport
    make: Callable[[], ImportReport]
    """Does it."""
    picture: bytes = b""
    """What came with the first card that has one; not looked into."""

    def accept(self) -> ImportReport:
        """Do it; the report names the pack or save that was made. SaveError if the disk refuses; nothing is there then."""
        try:
            return self.make()
        except OSError as error:
            raise SaveError(f"Nothing was imported: {error.strerror or error}.") from error


def propose(
    paths: Sequence[Path],
    library: Library,
    packs: Path,
    *,
    into: str = "",
    id: str = "",
    player: str = "",
    title: str = "",
) -> Proposal:
    """What importing the paths would make, by what they hold. UsageError, one sentence, if it cannot be done; an
    `ImportQuestion` if it lacks one of these:

    `into` is a pack to join, `id` the name of a new pack, `player` and `title` those of a new save.
    """
    if not paths:
        raise UsageError("Name a file or a folder to import.")
    if len(paths) == 1 and _is_story(paths[0]):
        # a whole story may be larger than anything else
        story = ImportReport("story", taken=("A whole story, with its branches and takes",))
        return Proposal(story, lambda: replace(story, save=library.import_file(paths[0], title).name))
    files = _cards(paths)
    if len(files) == 1 and (archive := files[0].payload.archive) and files[0].payload.kind == "pack":
        return Proposal(
            import_pack(archive, packs, id=id, dry_run=True),
            lambda: import_pack(source_file(paths[0]).payload.archive or archive, packs, id=id),
        )
    if files:
        pack_plan = plan_pack(files, packs, into=into, id=id, player=player)
        picture = next((file.data for file in files if file.payload.picture), b"")
        return Proposal(pack_plan.write(dry_run=True), pack_plan.write, picture)
    chats, left = read_chats(paths)
    pack = load_pack(pack_folder(packs, into)) if into else None
    plan = plan_chats(chats, packs=packs, into=pack, player=player, title=title)
    plan = replace(plan, report=plan.report.adding(left_out=left))
    return Proposal(plan.report, lambda: write_chats(plan, library))


def _cards(paths: Sequence[Path]) -> list[SourceFile]:
    """The cards and lorebooks in files, and in folders that hold no chat; nothing if any chat is among them."""
    in_folders, found = any(path.is_dir() for path in paths), list[SourceFile]()
    others: list[SourceFile] = []
    for path in (file for top in paths for file in (files_in(top) if top.is_dir() else [top])):
        try:
            file = source_file(path)
        except UsageError:
            if in_folders:
                continue
            raise
        kind = file.payload.kind
        if in_folders and kind in CHAT_KINDS:
            return []
        is_pack = kind == "pack" and len(paths) == 1 and not in_folders
        (found if kind in CARD_KINDS or is_pack else others).append(file)
    if found and others and not in_folders:
        raise UsageError(f"{others[0].path.name} is not a card. Import the cards first, then the rest.")
    return found


def _is_story(file: Path) -> bool:
    if not file.is_file():
        return False
    try:
        with file.open("rb") as stream:
            return stream.read(len(BUNDLE)) == BUNDLE
    except OSError as error:
        raise UsageError(f"{file} could not be read: {error.strerror or error}.") from error
