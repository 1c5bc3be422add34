"""What importing some files or folders would do: told first, done when it is accepted. Nothing is written before."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from theact_tui.errors import SaveError, UsageError
from theact_tui.importing.already_here import AlreadyHere
from theact_tui.importing.chat_files import read_chats
from theact_tui.importing.detect import BUNDLE
from theact_tui.importing.group_files import Found, Part, find_parts
from theact_tui.importing.pack_file import import_pack
from theact_tui.importing.plan_card_import import plan_pack, source_file
from theact_tui.importing.report import ImportQuestion, ImportReport, ImportStopped, OnStep, no_steps
from theact_tui.importing.save_chats import plan_chats, write_chats
from theact_tui.packs.library import find_packs, pack_folder
from theact_tui.packs.listing import PackEntry
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.saves.personas import MAX_DESCRIPTION
from theact_tui.story.pack import Pack
from theact_tui.text import counted


@dataclass(frozen=True, slots=True)
class Proposal:
    """What was found, and how to take it in."""

    report: ImportReport
    make: Callable[[OnStep], ImportReport]
    """Does it."""
    sources: tuple[Path, ...] = ()
    """The cards and lorebooks that are read."""

    def accept(self, on_step: OnStep = no_steps) -> ImportReport:
        """Do it; the report names the pack or save that was made. SaveError if the disk refuses, `ImportStopped` if
        `on_step` raises it; nothing is there then."""
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
    """What importing the paths would make, by what they hold. UsageError, one sentence, if it cannot be done; an
    `ImportQuestion` if it lacks one of these:

    `into` is a pack to join, `id` the name of a new pack, `player` and `title` those of a new save, `fill` answers what a
    scenario asks for.
    """
    if not paths:
        raise UsageError("Name a file or a folder to import.")
    if len(paths) == 1 and _is_story(paths[0]):
        # a whole story may be larger than anything else
        story = ImportReport("story", taken=("A whole story, with its branches and takes",))
        return Proposal(story, lambda _: replace(story, save=library.import_file(paths[0], title).name))
    if len(paths) == 1 and paths[0].is_file():
        payload = source_file(paths[0]).payload
        if payload.kind == "pack" and (archive := payload.archive):
            return Proposal(
                import_pack(archive, packs, id=id, dry_run=True),
                lambda _: import_pack(source_file(paths[0]).payload.archive or archive, packs, id=id),
            )
    is_folder = any(path.is_dir() for path in paths)
    found, maker = find_parts(paths), _Importer(library, packs, into, id, player, title, fill, is_folder)
    _ask([question for part in found.parts for question in part.questions], fill)
    if len(found.parts) > 1 or found.personas:
        return Proposal(maker.all(found, None), lambda on_step: maker.all(found, on_step))
    plan = maker.plan(found.parts[0], fill)
    left = [*found.left_out, *_offered(found.books)]
    report = plan.report.adding(left_out=left)
    return replace(plan, report=report, make=lambda on_step: plan.make(on_step).adding(left_out=left))


@dataclass(frozen=True)
class _Importer:
    """Imports parts, by what the user chose."""

    library: Library
    packs: Path
    into: str
    id: str
    player: str
    title: str
    fill: Sequence[str]
    is_folder: bool
    """Folders come again and again, as their programs write them."""

    @cached_property
    def here(self) -> AlreadyHere:
        """What came of the same files before."""
        return AlreadyHere(self.library, self.own)

    @cached_property
    def own(self) -> list[PackEntry]:
        """The user's packs before the import."""
        return [entry for entry in find_packs(self.packs) if not (entry.shipped or entry.broken)]

    def _pack(self, id: str) -> Pack:
        """A pack that was there before. UsageError if there is none of this id."""
        folders = {entry.id: entry.folder for entry in self.own}
        return load_pack(folders.get(id) or pack_folder(self.packs, id))

    def plan(self, part: Part, fill: Iterable[str], taken: Collection[str] = ()) -> Proposal:
        """What importing a part would make, its pack with an id that is not `taken`. `fill`: the answers that are left."""
        files, packs, into = part.sources(), self.packs, self.into
        sources = tuple(file.path for file in files)
        wanted = {"into": into, "id": self.id, "player": self.player}
        made = plan_pack(files, packs, **wanted, fill=fill, taken=taken) if files else None
        names = made.names if made else {}
        into = into or (self.here.pack(made) if made and self.is_folder and not self.id else "")
        told = ImportReport("chat")
        if made and into and not self.into:
            line = f"{', '.join(path.name for path in sources)}: here already, as the pack {into}."
            told = ImportReport(made.report.kind, pack=into, here=("pack",), left_out=(line,))
            made = None
        elif made:
            told = made.write(dry_run=True)
        pack = made.pack if made else self._pack(into) if into and part.chats else None

        def make_pack() -> None:
            if made:
                made.write()

        if not part.chats:
            return Proposal(told, lambda _: made.write() if made else told, sources)
        documents = [file.payload.value for file in files]
        return replace(self._with_chats(part, told, pack, names, documents, make_pack), sources=sources)

    def _with_chats(
        self,
        part: Part,
        told: ImportReport,
        pack: Pack | None,
        names: Mapping[str, str],
        documents: Sequence[Any],
        make_pack: Callable[[], None],
    ) -> Proposal:
        """What importing the chats of a part on its pack would make; `told` is what is said of the pack that comes with
        them, if one does, and `documents` are those that it comes from."""
        try:
            chats, left = read_chats(part.chats)
            known = self.here.saves(chats) if self.is_folder else {}
            left += tuple(f"{file}: here already, in the story {save}." for file, save in known.items())
            new = [chat for chat in chats if chat.source not in known]
            if not new:
                told = replace(told, save=known[chats[0].source], here=(*told.here, "save"))
                plan = None
            else:
                plan = plan_chats(
                    new,
                    own=self.own,
                    into=pack,
                    player=self.player,
                    title=self.title,
                    also=names,
                    counted_already=documents,
                )
        except UsageError as error:
            if not told.pack:
                raise
            left, plan = (error.message,), None
        if plan is None:
            without = told.adding(left_out=left)

            def only_pack(_: OnStep) -> ImportReport:
                make_pack()
                return without

            return Proposal(without, only_pack)
        chat = plan.report.adding(left_out=left)
        lines = {"taken": chat.taken, "changed": chat.changed, "left_out": chat.left_out}
        whole = replace(told, kind="folder").adding(**lines) if told.pack else chat

        def both(on_step: OnStep) -> ImportReport:
            save = write_chats(replace(plan, report=chat), self.library, on_step).save
            make_pack()
            return replace(whole, save=save)

        return Proposal(whole, both)

    def all(self, found: Found, on_step: OnStep | None) -> ImportReport:
        """What importing all parts makes, or without `on_step` would make: one after another, so that only one of them
        is in memory. A part that cannot be imported is left out, and those behind where it was stopped. UsageError if all
        of them are."""
        made: list[tuple[str, ImportReport]] = []
        left, used, answers = list(found.left_out), set[Path](), iter(self.fill)

        def tell(part: Part, step: str) -> None:
            if on_step:
                on_step(f"{part.title}: {step}" if step else part.title)

        for place, part in enumerate(found.parts):
            try:
                tell(part, "")
                plan = self.plan(part, answers, [str(report.pack) for _, report in made])
                used |= {*plan.sources}
                made.append((part.title, plan.accept(partial(tell, part)) if on_step else plan.report))
            except ImportStopped as error:
                left += [f"{rest.title}: {error.message}" for rest in found.parts[place:]]
                break
            except (UsageError, SaveError) as error:
                if isinstance(error, ImportQuestion) and error.asks == "fill":
                    raise
                left.append(f"{part.title}: {error.message}")
        if not (made or found.personas):
            raise UsageError(left[0])
        known = self.library.personas.all()
        new = [name for name in found.personas if name not in known]
        for name in new if on_step else ():
            self.library.personas.keep(name, found.personas[name])
        left += [
            f"The description of {name}, beyond {MAX_DESCRIPTION} characters."
            for name in new
            if len(found.personas[name]) > MAX_DESCRIPTION
        ]
        taken = [f"{counted(len(new), 'persona')}: {', '.join(new)}"] if new else []
        taken += [f"{title}: {'; '.join(report.taken)}" for title, report in made if report.taken]
        if old := [name for name in found.personas if name in known]:
            left.append(f"{counted(len(old), 'persona')} that are here already: {', '.join(old)}.")
        left += [f"{title}: {line}" for title, report in made for line in report.left_out]
        left += _offered(book for book in found.books if book not in used)
        reports = tuple(replace(report, title=title) for title, report in made)
        changed = (line for report in reports for line in report.changed)
        return ImportReport("folder", parts=reports).adding(taken=taken, changed=changed, left_out=left)


def _ask(questions: Sequence[str], answers: Sequence[str]) -> None:
    """An ImportQuestion with all questions where answers are missing; UsageError where there are more answers."""
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
