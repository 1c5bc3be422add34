"""A save, open: how it is read, how it grows, and how it goes back, forward and aside.

Everything here is synchronous, to be called in a worker thread, one call at a time. Every move is one step that
happened or did not. What a save keeps is turned into files by the codec of its mode.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from theact_tui.errors import SaveError
from theact_tui.models.ledger import Ledger
from theact_tui.saves.atomic import Folder
from theact_tui.saves.branches import Branches, BranchInfo, give_names, names_of
from theact_tui.saves.codec import Codec, Keepable, dump, read_info, read_turn, turn_path
from theact_tui.saves.compare import Comparison, TurnPair, compare, compare_directed, pairs
from theact_tui.saves.direct_codec import codec_of
from theact_tui.saves.git_objects import UNDONE, Clock, now
from theact_tui.saves.graph import Node, tree_of
from theact_tui.saves.hand_edits import HandEdits, adopt, discard, examined
from theact_tui.saves.history import NAMED, LogLine, Timeline
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.open_and_repair import create_save, mark_clean, open_save, sweep
from theact_tui.saves.takes import Takes
from theact_tui.saves.trees import Version
from theact_tui.saves.unfinished import Unfinished
from theact_tui.saves.worktree import Background, WorkTree, write_index
from theact_tui.story.game import SaveInfo
from theact_tui.story.turn import Turn

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

P = ParamSpec("P")
State = TypeVar("State", bound=Keepable)
Other = TypeVar("Other", bound=Keepable)
PACK_EVERY = 100
"""Turns after which packing pays."""
_PLACE = re.compile(r"\s*(?:(.+)@)?(\d{1,9})(?:#(\d{1,9}))?\s*")


class Save(Generic[State]):
    """One save, open. Close it when done. A branch may be given by name, by title, or as the id of a commit."""

    recovered: str
    """A sentence about what was repaired on opening, or nothing."""

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
        """The line that was sent, the turn that is told and not committed, and what is going on."""
        self._showing, self._packing = Background(), Background()
        self._work_tree = WorkTree(folder, self._showing)
        self._newest_state: tuple[str, State] | None = None
        """The newest commit and what it holds."""

    # --- making, opening, closing ---

    @classmethod
    def create(cls, folder: Path, state: State, *, clock: Clock = now) -> Save[State]:
        """A new save of what was not played yet: turn 0. UsageError if the folder exists."""
        codec: Codec[State] = codec_of(state.info)
        timeline, lock = create_save(folder, codec.changed_files(state), codec.line(state), clock, codec.word)
        save = cls(folder, timeline, codec, lock)
        save._show()
        return save

    @classmethod
    def open(cls, folder: Path, *, write: bool = True, clock: Clock = now) -> Save[Any]:
        """Open a save, repairing what a crash left. SaveInUse, SaveDamaged or SaveError if that cannot be done.

        `of` tells the kind of its state.
        """
        opened = open_save(folder, write, clock)
        timeline, version = opened.timeline, opened.timeline.version
        save = Save(folder, timeline, codec_of(opened.state.info), opened.lock, opened.recovered)
        save._newest_state = timeline.head, opened.state
        if opened.is_repaired:
            save._work_tree.reset(version.repository, version.tree, keep_known=False)
        elif write:
            save._work_tree.compare(version.tree)
        return save

    def of(self, codec: Codec[Other]) -> Save[Other]:
        """This save, known to keep what `codec` reads. UsageError if it is a save of the other mode."""
        if self._codec.mode != codec.mode:
            codec.read(self.files())
        return cast("Save[Other]", self)

    def close(self) -> None:
        """Finish what is going on and let others open the save; from now on it can only be read."""
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
        """What went wrong in the background, with the visible files or with packing; the commits are safe."""
        return tuple(
            background.problem for background in (self._showing, self._packing) if background.problem
        )

    # --- what it is ---

    @property
    def repository(self) -> Repository:
        """The objects and refs of the save, for reading."""
        return self._timeline.repository

    @property
    def private(self) -> Folder:
        """The files of this save outside the versioned ones, among them its ledger of calls."""
        return Folder(self.folder / ".git" / "theact")

    @property
    def info(self) -> SaveInfo:
        """`save.yaml`, with the title and id the save has now."""
        return self._named(read_info(self.files()))

    @property
    def head(self) -> str:
        """The id of the newest commit."""
        return self._timeline.head

    @property
    def branch(self) -> str:
        """The name of the current branch."""
        return self._timeline.branch

    def title_of(self, branch: str | None = None) -> str:
        """What people call a branch (default: the current one), on one line."""
        return self._branches.title(branch or self.branch)

    @property
    def turn(self) -> int:
        """The number of the last turn."""
        return self._timeline.turn

    # --- reading ---

    def files(self, commit: str | None = None) -> Version:
        """The files as of a commit (default: the newest)."""
        return self._timeline.version_of(commit or self.head)

    def load(self) -> State:
        """The state as of now."""
        state = self._committed()
        return self._codec.named(state, self._named(state.info))

    def state_at(self, turn: int | None = None, branch: str | None = None) -> State:
        """The state as the last commit of a turn (default: the newest) left it. UsageError if there is no such turn."""
        commit = self._commit_of(turn, branch)
        state = self._committed() if commit == self.head else self._codec.read(self.files(commit))
        return self._codec.named(state, self._named(state.info))

    def turns(self, first: int, last: int, branch: str | None = None) -> tuple[Turn, ...]:
        """The turns of a game from `first` to `last`, those that there are, as they read now."""
        tip = self._branches.tip(branch)
        files = self.files(tip)
        numbers = range(max(first, 0), min(last, self._timeline.history.turn(tip)) + 1)
        return tuple(read_turn(files, number) for number in numbers if number or files.id(turn_path(0)))

    def versions(self, turn: int, branch: str | None = None) -> tuple[Turn, ...]:
        """All takes of a turn of a game, in their order; none if it was told only once."""
        base = self._timeline.history.base(self._commit_of(turn, branch))
        return tuple(read_turn(self.files(tip), turn) for tip in self._takes.of(turn, base))

    def log(self, limit: int | None = None, branch: str | None = None) -> tuple[LogLine, ...]:
        """The commits, newest first."""
        most = None if limit is None else min(limit, sys.maxsize)
        return tuple(islice(self._timeline.history.log(self._branches.tip(branch)), most))

    def place(self, name: str) -> str:
        """The commit that `name` means: a branch, a turn of this branch, `branch@turn`, `turn#take`, or a commit.
        UsageError if it does not exist."""
        if name.strip() in self._branches.names():
            return self._branches.tip(name.strip())
        if match := _PLACE.fullmatch(name):
            commit = self._commit_of(int(match[2]), match[1])
            return self._takes.find(commit, int(match[3])) if match[3] else commit
        return self._branches.tip(name)

    def compare(self, a: str, b: str, *, limit: int | None = None) -> Comparison[Any, Any]:
        """What parts two states, with at most `limit` turns side by side (default: all).

        Each is what `place` takes.
        """
        compared = compare if self._codec.mode == "play" else compare_directed
        return compared(self._timeline, (a, self.place(a)), (b, self.place(b)), limit)

    def pairs(self, a: str, b: str, first: int, last: int) -> tuple[TurnPair[Any], ...]:
        """The turns from `first` to `last` as they are in two commits, those that there are."""
        return pairs(self._timeline, self._codec, a, b, range(first, last + 1))

    def tree(self) -> Node:
        """The tree of branches and takes, from turn 0."""
        return tree_of(self._timeline, self._branches, self._codec)

    def _commit_of(self, turn: int | None, branch: str | None) -> str:
        """The last commit of a turn (None: the newest) of a branch (None: the current one)."""
        tip = self._branches.tip(branch)
        return tip if turn is None else self._timeline.history.at(tip, turn)

    def _committed(self) -> State:
        """The state as the newest commit has it."""
        if self._newest_state is None or self._newest_state[0] != self.head:
            self._newest_state = self.head, self._codec.read(self.files())
        return self._newest_state[1]

    def _named(self, info: SaveInfo) -> SaveInfo:
        return names_of(self.repository).of(info)

    # --- writing ---

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Around whatever changes the save. SaveError if it is open for reading only or the disk refuses."""
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
        """Let the visible files follow; what is wrong with that is no fault of the move that was made."""
        try:
            self._work_tree.show(self.files().tree)
        except (OSError, SaveError) as error:
            self._showing.problem = str(error)

    def _move(self, step: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> State:
        """The state after a step of the timeline; it is taken back where that state cannot be read."""
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

    def commit(self, state: State) -> str:
        """Keep the turn that `state` was just brought to, with everything else, as one commit; return its id. The same
        state once more changes nothing: what failed then failed after the commit."""
        if self._newest_state and self._newest_state[0] == self.head and self._newest_state[1] is state:
            return self.head
        codec = self._codec
        if codec.turn(state) != self.turn + 1:
            raise ValueError(f"turn {codec.turn(state)} cannot follow turn {self.turn}")
        contents = codec.changed_files(state, self._committed())
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
        if turn % PACK_EVERY == 0:
            self._packing.start(partial(_pack, self.folder / ".git", Ledger(self.private), turn))
        return self._grown(state)

    def commit_edit(self, state: State, message: str, turns: Iterable[Turn] = ()) -> str:
        """Keep a change made between two turns, and edited earlier turns. No commit if nothing changed."""
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
        """Give the save another title, and another id if it is a copy. Undoing turns does not undo it."""
        info = self.info
        info = info.model_copy(update={"title": title, "id": id or info.id})
        with self._writing():
            names = names_of(self.repository).model_copy(update={"title": title, "id": info.id})
            give_names(self.repository, names)
            # a spoken turn follows this very head; `save.yaml` can wait for it
            if self.unfinished.journalled() is None:
                self._timeline.add_edit({"save.yaml": dump(info)}, NAMED + title)
            self._show()

    # --- going back, forward and aside ---

    def undo(self, turns: int | None = 1) -> State:
        """Go back; `redo` leads forward again until a new turn is played. UsageError if there are not as many. None: to
        before the edit of a turn's text, if that came last, else one turn."""
        return self._move(self._timeline.undo, turns)

    def redo(self, turns: int | None = 1) -> State:
        """Go forward again. UsageError if fewer turns were undone. None: such an edit, if that comes next, else one turn."""
        return self._move(self._timeline.redo, turns)

    def redoable(self) -> int:
        """How many turns can be redone."""
        return self._timeline.redoable()

    def takes(self, turn: int | None = None) -> tuple[int, int]:
        """Which take of a turn (default: the last) is current, and how many there are, from 1."""
        return self._takes.count(turn)

    def base(self) -> str:
        """The id of the commit that the last turn was played from. SaveError if there was no turn yet."""
        base = self._timeline.history.base(self.head)
        if base is None:
            raise SaveError("There is no turn to retry yet.")
        return base

    def begin_take(self) -> State:
        """Keep the last turn as a take and go to what it was played from, to play it again.

        If nothing follows, `select_take` leads back, and so does the next opening of the save.
        """
        return self._move(self._takes.retake)

    def select_take(self, number: int | None) -> State:
        """Make a take of the last turn current, from 1; None is the one that was left. UsageError if there is none."""
        return self._move(self._takes.restore) if number is None else self._move(self._takes.take, number)

    def keep_take(self) -> None:
        """Keep the last turn as a take. The one played next from where it was played is a take too."""
        with self._writing():
            self._takes.keep()

    def branches(self) -> tuple[BranchInfo, ...]:
        """All branches, the current one first."""
        return self._branches.all()

    def deleted_branches(self) -> tuple[BranchInfo, ...]:
        return self._branches.deleted()

    def create_branch(self, name: str, turn: int | None = None, of: str | None = None) -> str:
        """Make a branch without switching to it; its plain name. It begins at a turn (default: the last one) of the
        branch or commit `of` (default: the current branch)."""
        with self._writing():
            return self._branches.create(name, self._commit_of(turn, of))

    def switch_branch(self, name: str) -> State:
        """Go on with another branch."""
        return self._move(self._branches.switch, name)

    def rename_branch(self, name: str, title: str) -> str:
        """Give a branch another name; its new plain name."""
        with self._writing():
            return self._branches.rename(name, title)

    def delete_branch(self, name: str) -> None:
        """Take away a branch that is not the current one; `restore_branch` brings it back."""
        with self._writing():
            self._branches.delete(name)

    def restore_branch(self, name: str) -> str:
        """Bring a deleted branch back; its name."""
        with self._writing():
            return self._branches.restore(name)

    # --- edits made outside ---

    @property
    def foreign_edits(self) -> tuple[str, ...]:
        """Visible files that had been changed by hand when the save was opened, or when `hand_edits` looked since.
        Looking at all of them takes some milliseconds per thousand turns, in the background; this waits for it."""
        return self._work_tree.edits()

    def hand_edits(self) -> HandEdits:
        """What was changed outside the program up to now: these files, and whether it can become part of the story."""
        files = self.files()
        if self.read_only:
            edited = self._work_tree.peek(files.repository, files.tree)
        else:
            self._work_tree.compare(files.tree)
            edited = self.foreign_edits
        return examined(self._work_tree, edited, files, self._codec, self.turn)

    def report_put_aside(self, report: Callable[[str], object]) -> None:
        """Call `report`, in another thread, with each edited file that a turn had to put aside."""
        self._work_tree.on_put_aside = report

    def adopt_edits(self) -> str:
        """Commit the files that were changed by hand. SaveError, and nothing done, if the game would not load."""
        if self.unfinished.journalled():
            raise SaveError("The last turn is not saved yet. Wait until it is finished.")
        edits = self.hand_edits()
        with self._writing():
            adopt(edits, self._timeline)
            self._show()
            return self.head

    def discard_edits(self, paths: Iterable[str] | None = None) -> None:
        """Put files (default: all that were changed) back as they were committed, and keep what was edited beside
        them."""
        chosen = set(self.foreign_edits if paths is None else paths)
        with self._writing():
            discard(chosen, self._work_tree, self._timeline)


def _pack(git: Path, ledger: Ledger, turn: int) -> None:
    """What is done every hundredth turn, in a thread: what is loose is packed, and calls are added up."""
    from theact_tui.saves.repository import pack

    pack(git)
    ledger.keep_totals(turn)
