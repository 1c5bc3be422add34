"""Import packs, whole and validated or not at all; pack files `.theact` are zip archives."""

import io
import re
import shutil
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from theact_tui.errors import UsageError
from theact_tui.importing.read_untrusted import MAX_FILE_BYTES, Archive
from theact_tui.importing.report import ImportQuestion, ImportReport
from theact_tui.packs.diagnostics import PackError
from theact_tui.packs.files import write_files
from theact_tui.packs.loader import check_pack, load_pack
from theact_tui.paths import Home, incoming_folder
from theact_tui.story.pack import Pack
from theact_tui.text import counted, is_slug, slug
from theact_tui.trash import move_to_trash

_EPOCH = (1980, 1, 1, 0, 0, 0)
_NAME = r"[a-z0-9][a-z0-9_-]{0,80}"
_PARTS = re.compile(
    rf"(?:game|world|storyteller)\.yaml|(?:characters|chapters|lore|scenarios)/{_NAME}\.yaml|prompts/{_NAME}\.txt"
    rf"|imported/{_NAME}\.(?:yaml|json|jsonl|png|jpg|webp|zip|txt)"
)


def pack_contents(folder: Path) -> dict[str, bytes]:
    """Read a pack's files by relative path. Raises UsageError if too large."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    named = ((path.relative_to(folder).as_posix(), path) for path in paths)
    files = {name: path for name, path in named if _PARTS.fullmatch(name)}
    if sum(path.stat().st_size for path in files.values()) > MAX_FILE_BYTES:
        raise UsageError(f"The pack {folder.name} is larger than 64 MB.")
    return {name: path.read_bytes() for name, path in files.items()}


def write_pack(contents: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(contents):
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), contents[name], zipfile.ZIP_DEFLATED)
    return out.getvalue()


def import_pack(archive: Archive, packs: Path, *, id: str = "", dry_run: bool = False) -> ImportReport:
    """Add an archive's pack to `packs`, optionally as `id`. Raises UsageError, writing nothing."""
    top = min((name for name in archive.names if name.rsplit("/", 1)[-1] == "game.yaml"), key=len)
    root = top.removesuffix("game.yaml")
    own = [name for name in archive.names if name.startswith(root) and not name.endswith("/")]
    members = [name for name in own if _PARTS.fullmatch(name.removeprefix(root))]
    files = (name for name in archive.names if not (name.endswith("/") or name.startswith("__MACOSX")))
    strange = [name for name in files if name not in members]
    packs.mkdir(parents=True, exist_ok=True, mode=0o700)
    with incoming_folder(packs) as scratch:
        folder = scratch / "pack"
        write_files(folder, {name.removeprefix(root): archive.read(name) for name in members})
        try:
            pack = load_pack(folder)
        except PackError as error:
            raise UsageError(f"This pack cannot be played. {error.message}") from error
        wanted = slug(id) if id else pack.id
        if not is_slug(wanted) or (packs / wanted).exists():
            raise ImportQuestion(f"There is already a pack '{wanted}'. Choose another id for this one.", "id")
        if wanted != pack.id:
            _rename(folder / "game.yaml", pack.id, wanted)
        if not dry_run:
            folder.rename(packs / wanted)
    cast, chapters = len(pack.characters), len(pack.chapters)
    return ImportReport("pack", pack=wanted).adding(
        taken=(f"The pack {pack.game.title}: {counted(cast, 'character')}, {counted(chapters, 'chapter')}",),
        left_out=(f"{name[:80]}: not a file of a pack" for name in strange[:20]),
    )


def _rename(file: Path, old: str, new: str) -> None:
    is_id = re.compile(rf"^id:\s*[\"']?{re.escape(old)}[\"']?(?=\s*(?:#.*)?$)", re.MULTILINE)
    file.write_text(is_id.sub(f"id: {new}", file.read_text("utf-8")), "utf-8")


@dataclass(slots=True)
class PackPlan:
    packs: Path
    id: str
    base: Path | None
    contents: dict[str, bytes]
    report: ImportReport
    pack: Pack | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    """Character ids by name and file of their card."""
    is_replacing: bool = False
    """It replaces texts of `base`, whose old version goes to the trash."""
    sound: bool = False

    def write(self, *, dry_run: bool = False) -> ImportReport:
        """Write the pack, whole or not at all. Raises UsageError if unplayable; `dry_run` only checks."""
        self.packs.mkdir(parents=True, exist_ok=True, mode=0o700)
        target = self.packs / self.id
        with incoming_folder(self.packs) as scratch:
            folder = scratch / "new" / self.id
            if self.base:
                shutil.copytree(self.base, folder, ignore=_links)
            write_files(folder, self.contents)
            findings = [] if self.sound else check_pack(folder)
            if error := next((finding for finding in findings if finding.level == "error"), None):
                raise UsageError(f"The resulting pack cannot be played. {error}")
            self.sound = self.base is None
            if not dry_run:
                _put(folder, target, aside := scratch / "before" / self.id)
                if self.is_replacing:
                    home = self.packs.parent
                    move_to_trash(Home(home, config=home, cache=home), aside)
        return self.report


def _links(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if (Path(folder) / name).is_symlink()]


def _put(source: Path, target: Path, aside: Path) -> None:
    if not target.exists():
        source.rename(target)
        return
    aside.parent.mkdir()
    target.rename(aside)
    try:
        source.rename(target)
    except OSError:
        aside.rename(target)
        raise
