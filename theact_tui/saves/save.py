"""Open save, for one worker thread."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from theact_tui.errors import SaveError, UsageError
from theact_tui.long_works import check_stopped
from theact_tui.models.ledger import Ledger
from theact_tui.saves.atomic import Folder
from theact_tui.saves.branches import Branches, BranchInfo, give_names, names_of
from theact_tui.saves.codec import GAMES, Codec, Keepable, dump_value, read_info, turn_of, turn_path
from theact_tui.saves.compare import Comparison, TurnPair, compare_states, pairs
from theact_tui.saves.direct_codec import codec_of
from theact_tui.saves.git_objects import UNDONE, Clock, now
from theact_tui.saves.graph import Node, tree_of
from theact_tui.saves.hand_edits import HandEdits, examined
from theact_tui.saves.history import RENAMING, LogLine, Timeline
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.open_and_repair import create_save, mark_clean, open_save, sweep
from theact_tui.saves.since import Since, trace
from theact_tui.saves.takes import Takes
from theact_tui.saves.trees import Version, differences
from theact_tui.saves.unfinished import Unfinished
from theact_tui.saves.worktree import Background, WorkTree, write_index
from theact_tui.story.game import Game, SaveInfo
from theact_tui.story.item import find_item
from theact_tui.story.turn import Turn

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

P = ParamSpec("P")
State = TypeVar("State", bound=Keepable)
Other = TypeVar("Other", bound=Keepable)
TURNS_PER_PACKING = 100
_PLACE = re.compile(r"\s*(?:(.+)@)?(\d{1,9})(?:#(\d{1,9}))?\s*")


class Save(Generic[State]):
    """Open save; close it when done. A branch is given by name, title or id of a commit. Changes happen whole or not
    at all.
    """

    recovered: str
    """Sentences about repairs on opening."""

    def __init__(
        self,
        folder: Path,
        timeline: Timeline,
        codec: Codec[State],
        lock: SaveLock | None,
        recovered: str = "",
    ) -> None:
        self.folder = folder
        self.read_only = lock is None
        self.recovered = recovered
        self._timeline = timeline
        self._codec = codec
        self._lock = lock
        self._takes = Takes(timeline)
        self._branches = Branches(timeline)
        self.unfinished = Unfinished(timeline, codec, self._writing)
        self._showing, self._packing = Background(), Background()
        self._work_tree = WorkTree(folder, self._showing)
        self._newest_state: tuple[str, State] | None = None

    # --- making, opening, closing ---

    @classmethod
    def create(cls, folder: Path, state: State, *, clock: Clock = now) -> Save[State]:
        """Raises UsageError if the folder exists."""
        codec: Codec[State] = codec_of(state.info)
        timeline, lock = create_save(folder, codec.changed_files(state), codec.line(state), clock, codec.word)
        save = cls(folder, timeline, codec, lock)
        save._show()
        return save

    @classmethod
    def open(cls, folder: Path, *, write: bool = True, clock: Clock = now) -> Save[Any]:
        """Open and repair a save. Raises SaveInUse, SaveDamaged or SaveError."""
        opened = open_save(folder, write, clock)
        timeline, version = opened.timeline, opened.timeline.version
        save = Save(folder, timeline, codec_of(opened.state.info), opened.lock, opened.recovered)
        save._newest_state = timeline.head, opened.state
        if opened.is_repaired:
            save._work_tree.reset(version.repository, version.tree, keep_unchanged=False)
        elif write:
            save._work_tree.compare(version.tree)
        return save

    def of(self, codec: Codec[Other]) -> Save[Other]:
        """Narrow the type of the state. Raises UsageError for the other mode."""
        if self._codec.mode != codec.mode:
            codec.read(self.files())
        return cast("Save[Other]", self)

    def close(self) -> None:
        """Finish pending work and release the save; it stays readable."""
        self._work_tree.finish()
        self._packing.wait()
        if self._lock:
            with suppress(OSError, SaveError):  # git is told anew at the next closing
                write_index(self.repository, self.files().tree)
        self.repository.close()
        if self._lock:
            with suppress(OSError):  # without the mark the next opening looks for leftovers
                mark_clean(self.folder)
            self._lock.release()
            self._lock, self.read_only = None, True

    def __enter__(self) -> Save[State]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def problems(self) -> tuple[str, ...]:
        """Faults of background work; commits are safe."""
        return tuple(
            background.problem for background in (self._showing, self._packing) if background.problem
        )

    # --- what it is ---

    @property
    def repository(self) -> Repository:
        return self._timeline.repository

    @property
    def private(self) -> Folder:
        """Unversioned files, such as the ledger."""
        return Folder(self.folder / ".git" / "theact")

    @property
    def info(self) -> SaveInfo:
        return self._named(read_info(self.files()))

    @property
    def turn_word(self) -> str:
        """`turn`, or `prompt` in a directed chapter."""
        return self._codec.word.lower()

    @property
    def head(self) -> str:
        return self._timeline.head

    @property
    def branch(self) -> str:
        return self._timeline.branch

    def title_of(self, branch: str | None = None) -> str:
        return self._branches.title(branch or self.branch)

    @property
    def turn(self) -> int:
        return self._timeline.turn

    # --- reading ---

    def files(self, commit: str | None = None) -> Version:
        return self._timeline.version_of(commit or self.head)

    def load(self) -> State:
        state = self._committed()
        return self._codec.named(state, self._named(state.info))

    def state_at(self, turn: int | None = None, branch: str | None = None) -> State:
        """Return the state after a turn (default: the newest). Raises UsageError if there is none."""
        commit = self._commit_of(turn, branch)
        state = self._committed() if commit == self.head else self._codec.read(self.files(commit))
        return self._codec.named(state, self._named(state.info))

    def story_at(self, turn: int | None = None, branch: str | None = None) -> Game:
        """Return the story or chapter after a turn; see `state_at`."""
        return self._codec.story(self.state_at(turn, branch))

    def turns(self, first: int, last: int, branch: str | None = None) -> tuple[Turn, ...]:
        """Return the existing turns of this range."""
        tip = self._branches.tip(branch)
        files = self.files(tip)
        numbers = range(max(first, 0), min(last, self._timeline.history.turn(tip)) + 1)

        def content(number: int) -> Turn:
            check_stopped()  # a thousand turns take seconds
            return self._codec.turn_content(files, number)

        return tuple(content(number) for number in numbers if number or files.id(turn_path(0)))

    def versions(self, turn: int, branch: str | None = None) -> tuple[Turn, ...]:
        """Return all takes of a turn in order."""
        takes = self._takes.of(self._commit_of(turn, branch))
        return tuple(self._codec.turn_content(self.files(tip), turn) for tip in takes)

    def log(self, limit: int | None = None, branch: str | None = None) -> tuple[LogLine, ...]:
        most = None if limit is None else min(limit, sys.maxsize)
        return tuple(islice(self._timeline.history.log(self._branches.tip(branch)), most))

    def place(self, name: str) -> str:
        """Return the commit of a branch, a turn, `branch@turn`, `turn#take` or a commit. Raises UsageError."""
        if name.strip() in self._branches.names():
            return self._branches.tip(name.strip())
        if match := _PLACE.fullmatch(name):
            commit = self._commit_of(int(match[2]), match[1])
            return self._takes.find(commit, int(match[3])) if match[3] else commit
        return self._branches.tip(name)

    def compare(self, a: str, b: str, *, limit: int | None = None) -> Comparison:
        """Compare two places, see `place`."""
        return compare_states(self._timeline, self._codec, (a, self.place(a)), (b, self.place(b)), limit)

    def pairs(self, a: str, b: str, first: int, last: int) -> tuple[TurnPair, ...]:
        return pairs(self._timeline, self._codec, a, b, range(first, last + 1))

    def since(self, words: str, turn: int | None = None, character: str = "") -> Since:
        game = self.of(GAMES).state_at(turn)
        return trace(self._timeline, self._commit_of(turn, None), game, find_item(game, words, character))

    def tree(self) -> Node:
        return tree_of(self._timeline, self._branches, self._codec)

    def _commit_of(self, turn: int | None, branch: str | None) -> str:
        tip = self._branches.tip(branch)
        return tip if turn is None else self._timeline.history.at(tip, turn)

    def _committed(self) -> State:
        if self._newest_state is None or self._newest_state[0] != self.head:
            self._newest_state = self.head, self._codec.read(self.files())
        return self._newest_state[1]

    def _named(self, info: SaveInfo) -> SaveInfo:
        return names_of(self.repository).of(info)

    # --- writing ---

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Guard a change. Raises SaveError if the save is read-only or the disk refuses."""
        if self.read_only:
            raise SaveError("This save is read-only.")
        if not (self.folder / ".git" / "objects").is_dir():
            raise SaveError(f"The folder of '{self.folder.name}' is missing. Restore it to continue.")
        try:
            yield
        except OSError as error:
            sweep(self.folder / ".git")
            failed = f"'{self.folder.name}' could not be written: {error.strerror or error}."
            raise SaveError(f"{failed} Earlier turns are safe.") from error

    def _show(self) -> None:
        try:
            self._work_tree.show(self.files().tree)
        except (OSError, SaveError) as error:
            self._showing.problem = str(error)

    def _move(self, step: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> State:
        """Apply `step` and load the result; roll back if it cannot be loaded."""
        branch, head = self.branch, self.head
        with self._writing():
            step(*args, **kwargs)
            try:
                state = self.load()
            except SaveError:
                self._branches.switch(branch)
                self._timeline.go(head)
                raise
            self._show()
            return state

    def commit(self, state: State, turns: Iterable[Turn] = ()) -> str:
        """Commit the newest turn, with changed earlier ones; return the id. Idempotent."""
        if self._newest_state and self._newest_state[0] == self.head and self._newest_state[1] == state:
            return self.head
        codec = self._codec
        if codec.turn(state) != self.turn + 1:
            raise ValueError(f"turn {codec.turn(state)} cannot follow turn {self.turn}")
        contents = codec.changed_files(state, self._committed(), turns)
        with self._writing():
            is_take = self._takes.keep_undone()
            self._timeline.add_turn(contents, codec.line(state), codec.word)
            self._newest_state = self.head, state
        # The turn is saved. What is left of the way to it is void now, so it does no harm if the disk keeps it.
        with suppress(OSError, SaveError):
            self._takes.played(is_take=is_take)
            self.repository.drop(UNDONE + self.branch)
            self.unfinished.drop_spoken()
        turn = codec.turn(state)
        if turn % TURNS_PER_PACKING == 0:
            self._packing.start(partial(_pack, self.folder / ".git", Ledger(self.private), turn))
        return self._grown(state)

    def commit_edit(self, state: State, message: str, turns: Iterable[Turn] = ()) -> str:
        if self._codec.turn(state) != self.turn:
            raise ValueError("an edit belongs to the last turn")
        contents = self._codec.changed_files(state, self._committed(), turns)
        with self._writing():
            self._timeline.add_edit(contents, message)
            return self._grown(state)

    def _grown(self, state: State) -> str:
        self._newest_state = self.head, state
        self._show()
        return self.head

    def rename(self, title: str, *, id: str = "") -> None:
        info = self.info
        info = info.model_copy(update={"title": title, "id": id or info.id})
        with self._writing():
            # the old name holds until the last step: if the disk is full before, it is not half changed
            old = names_of(self.repository)
            names = old.model_copy(update={"title": self.info.title, "id": self.info.id})
            if names != old:
                give_names(self.repository, names)
            # a spoken turn follows this very head; `save.yaml` can wait for it
            if self.unfinished.journalled() is None:
                self._timeline.add_edit({"save.yaml": dump_value(info)}, RENAMING + title)
            give_names(self.repository, names.model_copy(update={"title": title, "id": info.id}))
            self._show()

    # --- going back, forward and aside ---

    def undo(self, turns: int | None = 1) -> State:
        """Undo turns; None undoes a newer edit of a text, else one turn. Raises UsageError."""
        return self._move(self._timeline.undo, turns)

    def redo(self, turns: int | None = 1) -> State:
        """Redo turns; None redoes an edit of a text if next, else one turn. Raises UsageError."""
        return self._move(self._timeline.redo, turns)

    def redoable(self) -> int:
        return self._timeline.redoable()

    def takes(self, turn: int | None = None) -> tuple[int, int]:
        """Return the current take of a turn (default: the last), from 1, and the number of takes."""
        return self._takes.count(turn)

    def base(self) -> str:
        """Return the commit from which the last turn was told. Raises UsageError."""
        base = self._timeline.history.base(self.head)
        if base is None:
            raise UsageError("There is no turn to retry yet.")
        return base

    def last_turn_and_edits(self) -> tuple[State, tuple[Turn, ...]]:
        """Return the state right after the last turn, and the earlier turns edited since."""
        told, turn = self._timeline.history.turn_commit(self.head), self.turn
        paths = (path for path, _, _ in differences(self.repository, told.tree, self.files().tree))
        numbers = (number for number in map(turn_of, paths) if number is not None and number < turn)
        edited = tuple(self._codec.turn_content(self.files(), number) for number in numbers)
        state = self._committed() if told.id == self.head else self._codec.read(self.files(told.id))
        return state, edited

    def edited_base(self, before: State, state: State, turns: Iterable[Turn]) -> str:
        """Store `state`, an edit of that `before` the last turn, to tell it again from there; return the commit."""
        contents = self._codec.changed_files(state, before, turns)
        with self._writing():
            return self._timeline.edit_of(self.base(), contents, "decided after the turn that is told again")

    def begin_take(self, base: str = "") -> State:
        """Store the last turn as a take and go back before it, to `base` or an edit of it, until `select_take` or the
        next opening.
        """
        return self._move(self._takes.retake, base or self.base())

    def select_take(self, number: int | None) -> State:
        """Make a take of the last turn current, from 1; None for the one left. Raises UsageError."""
        return self._move(self._takes.restore) if number is None else self._move(self._takes.take, number)

    def branches(self) -> tuple[BranchInfo, ...]:
        return self._branches.all()

    def deleted_branches(self) -> tuple[BranchInfo, ...]:
        return self._branches.deleted()

    def create_branch(self, name: str, turn: int | None = None, of: str | None = None) -> str:
        """Create a branch at a turn (default: the last) of the branch or commit `of`; return its plain name."""
        with self._writing():
            return self._branches.create(name, self._commit_of(turn, of))

    def copy_to(self, folder: Path) -> None:
        shutil.copytree(
            self.folder / ".git", folder / ".git", ignore=shutil.ignore_patterns("theact", "*.lock", "index")
        )

    def take_branches(self, copy: Save[Any], names: Iterable[str], base: str) -> None:
        """Add branches of a copy after the commit `base`. Raises SaveError if that was undone."""
        tips = {name: copy.place(name) for name in names}
        if not self._timeline.history.leads_to(base, self.head):
            raise SaveError("The story changed meanwhile, so nothing was added. Ask again.")
        with self._writing():
            self.repository.take_over(copy.repository, tips.values(), base)
            for name, tip in tips.items():
                self._branches.create(copy.title_of(name), tip)

    def switch_branch(self, name: str) -> State:
        return self._move(self._branches.switch, name)

    def rename_branch(self, name: str, title: str) -> str:
        with self._writing():
            return self._branches.rename(name, title)

    def delete_branch(self, name: str) -> None:
        with self._writing():
            self._branches.delete(name)

    def restore_branch(self, name: str) -> str:
        with self._writing():
            return self._branches.restore(name)

    # --- edits made outside ---

    @property
    def foreign_edits(self) -> tuple[str, ...]:
        """Visible files edited before opening or the last `hand_edits`. Waits for the background check."""
        return self._work_tree.edits()

    def hand_edits(self) -> HandEdits:
        """Return all outside edits and whether they fit the story."""
        files = self.files()
        if self.read_only:
            edited = self._work_tree.peek(files.repository, files.tree)
        else:
            self._work_tree.compare(files.tree)
            edited = self.foreign_edits
        return examined(self._work_tree, edited, files, self._codec, self.turn)

    def report_put_aside(self, report: Callable[[str], object]) -> None:
        """Call `report`, in another thread, with each file put aside."""
        self._work_tree.on_put_aside = report

    def adopt_edits(self) -> str:
        """Commit outside edits. Raises SaveError if the game would not load."""
        if self.unfinished.journalled():
            raise SaveError("The last turn is not saved yet. Wait until it is finished.")
        edits = self.hand_edits()
        with self._writing():
            if edits.broken:
                raise SaveError(next(iter(edits.broken.values())))
            adopted = f"files edited outside the program: {', '.join(edits.files)}"
            self._timeline.add_edit(edits.contents, adopted)
            self._show()
            return self.head

    def discard_edits(self, paths: Iterable[str] | None = None) -> None:
        """Restore files (default: all edited ones); the edits stay beside them as `<name>.edited.yaml`."""
        chosen, files = set(self.foreign_edits if paths is None else paths), self.files()
        with self._writing():
            self._work_tree.reset(files.repository, files.tree, keep_unchanged=True, only=chosen)


def _pack(git: Path, ledger: Ledger, turn: int) -> None:
    from theact_tui.saves.repository import pack

    pack(git)
    ledger.keep_totals(turn)
