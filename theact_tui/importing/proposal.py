"""Plan an import, then do it once accepted. Nothing is written before."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from theact_tui.errors import SaveError, UsageError
from theact_tui.importing.already_here import AlreadyHere
from theact_tui.importing.chat_files import read_chats
from theact_tui.importing.detect import BUNDLE
from theact_tui.importing.group_files import FilePart, GroupedFiles, find_parts
from theact_tui.importing.pack_file import import_pack
from theact_tui.importing.plan_card_import import plan_pack, source_file
from theact_tui.importing.read_untrusted import Archive
from theact_tui.importing.report import ImportQuestion, ImportReport, ImportStopped, OnStep, no_steps
from theact_tui.importing.save_chats import ChatPlan, plan_chats, write_chats
from theact_tui.packs.library import find_packs, pack_folder
from theact_tui.packs.listing import PackEntry
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.saves.personas import MAX_DESCRIPTION
from theact_tui.story.pack import Pack
from theact_tui.text import counted


@dataclass(frozen=True, slots=True)
class Proposal:
    report: ImportReport
    make: Callable[[OnStep], ImportReport]
    """Does it."""
    sources: tuple[Path, ...] = ()

    def accept(self, on_step: OnStep = no_steps) -> ImportReport:
        """Import; the report names the new pack or save. Raises SaveError, or ImportStopped from `on_step`; then
        nothing is left.
        """
        try:
            return self.make(on_step)
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
    fill: Sequence[str] = (),
) -> Proposal:
    """Plan an import. Raises UsageError, or ImportQuestion if a choice is missing. `into`: pack to extend; `id`:
    name of a new pack; `player` and `title`: for a new save; `fill`: answers for scenarios.
    """
    if not paths:
        raise UsageError("Name a file or a folder to import.")
    if len(paths) == 1 and _is_story(paths[0]):
        # a whole story may be larger than anything else
        story = ImportReport("story", taken=("A whole story, with its branches and takes",))
        return Proposal(story, lambda _: replace(story, save=library.import_file(paths[0], title).name))
    archive, lost = None, list[str]()
    if len(paths) == 1 and paths[0].is_file():
        file, payload = paths[0], source_file(paths[0]).payload
        archive = payload.archive
        if payload.kind == "pack" and archive:
            pack = archive
            return Proposal(
                import_pack(pack, packs, id=id, dry_run=True),
                lambda _: import_pack(source_file(file).payload.archive or pack, packs, id=id),
            )
        if payload.kind == "archive" and archive:
            folder, lost = archive.unpack(file.stem, library.folder)
            paths = [folder]
    is_folder = any(path.is_dir() for path in paths)
    maker = _Importer(library, packs, into, id, player, title, fill, is_folder, archive)
    parts = find_parts(paths)
    parts = replace(parts, left_out=(*lost, *parts.left_out))
    _ask([question for part in parts.parts for question in part.questions], fill)
    if len(parts.parts) > 1 or parts.personas:
        return Proposal(maker.all(parts, None), lambda on_step: maker.all(parts, on_step))
    plan = maker.plan(parts.parts[0], fill)
    left = [*parts.left_out, *_offered(parts.books)]
    report = plan.report.adding(left_out=left)
    return replace(plan, report=report, make=lambda on_step: plan.make(on_step).adding(left_out=left))


@dataclass(frozen=True)
class _Importer:
    library: Library
    packs: Path
    into: str
    id: str
    player: str
    title: str
    fill: Sequence[str]
    is_folder: bool
    """Folders are imported repeatedly."""
    archive: Archive | None = None
    """Kept for its unpacked files."""

    @cached_property
    def earlier_imports(self) -> AlreadyHere:
        return AlreadyHere(self.library, self.own)

    @cached_property
    def own(self) -> list[PackEntry]:
        return [entry for entry in find_packs(self.packs) if not (entry.shipped or entry.broken)]

    def _pack(self, id: str) -> Pack:
        folders = {entry.id: entry.folder for entry in self.own}
        return load_pack(folders.get(id) or pack_folder(self.packs, id))

    def plan(self, part: FilePart, fill: Iterable[str], taken: Collection[str] = ()) -> Proposal:
        """Plan a part, with an id not in `taken`. `fill`: remaining answers."""
        files, packs, into = part.sources(), self.packs, self.into
        sources = tuple(file.path for file in files)
        wanted = {"into": into, "id": self.id, "player": self.player}
        pack_plan = plan_pack(files, packs, **wanted, fill=fill, taken=taken) if files else None
        names = pack_plan.names if pack_plan else {}
        into = into or (
            self.earlier_imports.pack(pack_plan) if pack_plan and self.is_folder and not self.id else ""
        )
        report = ImportReport("chat")
        if pack_plan and into and not self.into:
            line = f"{', '.join(path.name for path in sources)}: here already, as the pack {into}."
            report = ImportReport(pack_plan.report.kind, pack=into, here=("pack",), left_out=(line,))
            pack_plan = None
        elif pack_plan:
            report = pack_plan.write(dry_run=True)
        pack = pack_plan.pack if pack_plan else self._pack(into) if into and part.chats else None

        chat_plan = None
        if part.chats:
            documents = [file.payload.value for file in files]
            try:
                chat_plan, report = self._with_chats(part, report, pack, names, documents)
            except UsageError as error:
                if not report.pack:
                    raise
                report = report.adding(left_out=(error.message,))

        def make(on_step: OnStep) -> ImportReport:
            save = write_chats(chat_plan, self.library, on_step).save if chat_plan else report.save
            if pack_plan:
                pack_plan.write()
            return replace(report, save=save)

        return Proposal(report, make, sources)

    def _with_chats(
        self,
        part: FilePart,
        report: ImportReport,
        pack: Pack | None,
        names: Mapping[str, str],
        documents: Sequence[Any],
    ) -> tuple[ChatPlan | None, ImportReport]:
        """Plan new chats. `report` and `documents` are those of their pack."""
        chats, left = ([*part.conversation], ()) if part.conversation else read_chats(part.chats)
        existing = self.earlier_imports.saves(chats) if self.is_folder else {}
        left += tuple(f"{file}: here already, in the story {save}." for file, save in existing.items())
        new = [chat for chat in chats if chat.source not in existing]
        if not new:
            report = replace(report, save=existing[chats[0].source], here=(*report.here, "save"))
            return None, report.adding(left_out=left)
        plan = plan_chats(
            new,
            own=self.own,
            into=pack,
            player=self.player,
            title=self.title,
            also=names,
            counted_already=documents,
        )
        chat = plan.report.adding(left_out=left)
        lines = {"taken": chat.taken, "changed": chat.changed, "left_out": chat.left_out}
        whole = replace(report, kind="folder").adding(**lines) if report.pack else chat
        return replace(plan, report=chat), whole

    def all(self, groups: GroupedFiles, on_step: OnStep | None) -> ImportReport:
        """Import (without `on_step`: plan) the parts one by one. Skips bad parts, and those after a stop. Raises
        UsageError if all are skipped.
        """
        results: list[tuple[str, ImportReport]] = []
        left, used, answers = list(groups.left_out), set[Path](), iter(self.fill)

        def report_step(part: FilePart, step: str) -> None:
            if on_step:
                on_step(f"{part.title}: {step}" if step else part.title)

        for place, part in enumerate(groups.parts):
            try:
                report_step(part, "")
                plan = self.plan(part, answers, [str(report.pack) for _, report in results])
                used |= {*plan.sources}
                results.append(
                    (part.title, plan.accept(partial(report_step, part)) if on_step else plan.report)
                )
            except ImportStopped as error:
                left += [f"{rest.title}: {error.message}" for rest in groups.parts[place:]]
                break
            except (UsageError, SaveError) as error:
                if isinstance(error, ImportQuestion) and error.asks == "fill":
                    raise
                left.append(f"{part.title}: {error.message}")
        if not (results or groups.personas):
            raise UsageError(left[0])
        personas = self.library.personas.all()
        new = [name for name in groups.personas if name not in personas]
        for name in new if on_step else ():
            self.library.personas.keep(name, groups.personas[name])
        left += [
            f"The description of {name}, beyond {MAX_DESCRIPTION} characters."
            for name in new
            if len(groups.personas[name]) > MAX_DESCRIPTION
        ]
        taken = [f"{counted(len(new), 'persona')}: {', '.join(new)}"] if new else []
        taken += [f"{title}: {'; '.join(report.taken)}" for title, report in results if report.taken]
        if old := [name for name in groups.personas if name in personas]:
            left.append(f"{counted(len(old), 'persona')} you already have: {', '.join(old)}.")
        left += [f"{title}: {line}" for title, report in results for line in report.left_out]
        left += _offered(book for book in groups.books if book not in used)
        reports = tuple(replace(report, title=title) for title, report in results)
        changed = (line for report in reports for line in report.changed)
        report = ImportReport("folder", parts=reports, files=groups.counts)
        return report.adding(taken=taken, changed=changed, left_out=left)


def _ask(questions: Sequence[str], answers: Sequence[str]) -> None:
    """Raises ImportQuestion for missing answers, UsageError for too many."""
    if len(answers) < len(questions):
        number = len(answers) + 1
        of = f"Question {number} of {len(questions)}" if len(questions) > 1 else "The scenario asks"
        raise ImportQuestion(f"{of}: “{questions[len(answers)]}”", "fill", tuple(questions))
    if len(answers) > len(questions):
        asked = counted(len(questions), "question")
        raise UsageError(f"{counted(len(answers), 'answer')} for {asked}: leave out what is not asked.")


def _offered(books: Iterable[Path]) -> list[str]:
    return [f"The lorebook {book.name}: import it with --into to add it to a pack." for book in books]


def _is_story(file: Path) -> bool:
    if not file.is_file():
        return False
    try:
        with file.open("rb") as stream:
            return stream.read(len(BUNDLE)) == BUNDLE
    except OSError as error:
        raise UsageError(f"{file} could not be read: {error.strerror or error}.") from error
