"""A save: one playthrough in one git repository (S9).

Everything here is synchronous, to be called in a worker thread, one call at a time. Direct mode keeps other files
than a game: it uses `start`, `read`, `names` and `commit_files`, and all the rest that does not speak of games.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from hashlib import sha1
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveError
from theact_tui.saves import files, opening
from theact_tui.saves.branches import Branches, BranchInfo
from theact_tui.saves.graph import Node, tree_of
from theact_tui.saves.history import LogLine, edit_message
from theact_tui.saves.journal import Journal
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.names import give_names, names_of
from theact_tui.saves.objects import Clock, now
from theact_tui.saves.packing import EVERY, Packer, pack
from theact_tui.saves.takes import Takes
from theact_tui.saves.trees import Changes, Overlay, Version
from theact_tui.saves.view import View
from theact_tui.story.game import Game, SaveInfo
from theact_tui.story.spoken import Spoken
from theact_tui.story.turn import Turn
from theact_tui.text import one_line

if TYPE_CHECKING:
    from theact_tui.saves.compare import Comparison
    from theact_tui.saves.repository import Repository
    from theact_tui.saves.timeline import Timeline


class Save:
    """One save, open. Close it when done."""

    recovered: str
    """A sentence about what was repaired on opening, or nothing."""

    def __init__(self, folder: Path, timeline: Timeline, lock: SaveLock | None, recovered: str = "") -> None:
        self.folder = folder
        self.recovered = recovered
        self.read_only = lock is None
        self._lock = lock
        self._timeline = timeline
        self._takes = Takes(timeline)
        self._branches = Branches(timeline)
        self._journal = Journal(folder / ".git" / "theact")
        self._view = View(folder)
        self._packer = Packer(folder / ".git")
        self._known: tuple[str, Game] | None = None

    # --- making, opening, closing ---

    @classmethod
    def create(cls, folder: Path, game: Game, *, clock: Clock = now) -> Save:
        """A new save of a game that was not played yet: turn 0. UsageError if the folder exists."""
        contents = files.changed_files(game, turns=game.turns.values())
        return cls.start(folder, contents, game.info.title, clock=clock)

    @classmethod
    def start(
        cls, folder: Path, contents: Changes, line: str, *, clock: Clock = now, word: str = "Turn"
    ) -> Save:
        """A new save of any files. `save.yaml` must be among them."""
        timeline, lock = opening.create(folder, contents, line, clock, word)
        save = cls(folder, timeline, lock)
        save._show()
        return save

    @classmethod
    def open(cls, folder: Path, *, write: bool = True, clock: Clock = now) -> Save:
        """Open a save, repairing what a crash left. SaveInUse, SaveDamaged or SaveError if that cannot be done."""
        opened = opening.open(folder, write, clock)
        save = cls(folder, opened.timeline, opened.lock, opened.recovered)
        save._known = (opened.head, opened.game) if opened.game else None
        version = opened.timeline.version
        if write and opened.recovered:
            save._view.reset(version.repository, version.tree, keep_known=False)
        elif write:
            save._view.compare(version.tree)
        return save

    def close(self) -> None:
        """Finish what is going on and let others open the save."""
        self._view.finish()
        self._packer.wait()
        self._timeline.repository.close()
        if self._lock:
            opening.mark_clean(self.folder)
            self._lock.release()
            self._lock = None

    def __enter__(self) -> Save:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- reading ---

    @property
    def foreign_edits(self) -> tuple[str, ...]:
        """Visible files that had been changed by hand when the save was opened. Looking at all of them goes on for
        a moment in the background (some milliseconds per thousand turns); this waits for it."""
        return self._view.edits()

    @property
    def head(self) -> str:
        """The id of the newest commit."""
        return self._timeline.head

    @property
    def branch(self) -> str:
        """The name of the current branch."""
        return self._timeline.branch

    @property
    def turn(self) -> int:
        """The number of the last turn."""
        return self._timeline.turn

    @property
    def info(self) -> SaveInfo:
        """`save.yaml`."""
        return self._named(files.read_info(self._timeline.version, files.read_format(self._timeline.version)))

    @property
    def ledger_folder(self) -> Path:
        """Where the calls of this save are recorded, outside the versioned files."""
        return self.folder / ".git" / "theact" / "calls"

    def read(self, path: str, commit: str | None = None) -> bytes | None:
        """A file as of a commit (default: the newest); None if there is none."""
        return self._timeline.version_of(commit or self.head).read(path)

    def names(self, folder: str, commit: str | None = None) -> tuple[str, ...]:
        """The names in a folder as of a commit (default: the newest), sorted."""
        return self._timeline.version_of(commit or self.head).names(folder)

    def load(self) -> Game:
        """The game as of now."""
        game = self._committed()
        return replace(game, info=self._named(game.info))

    def game_at(self, turn: int, branch: str | None = None) -> Game:
        """The game as the last commit of a turn left it. UsageError if there is no such turn."""
        commit = self._timeline.history.at(self._branches.tip(branch), turn)
        game = files.read_game(self._timeline.version_of(commit))
        return replace(game, info=self._named(game.info))

    def turns(self, first: int, last: int, branch: str | None = None) -> tuple[Turn, ...]:
        """The turns from `first` to `last`, those that there are, as they read now."""
        tip = self._branches.tip(branch)
        version = self._timeline.version_of(tip)
        newest = self._timeline.history.turn(tip)
        format = files.read_format(version)
        numbers = range(max(first, 0), min(last, newest) + 1)
        return tuple(
            files.read_turn(version, number, format) for number in numbers if number or _has_created(version)
        )

    def log(self, limit: int | None = None, branch: str | None = None) -> tuple[LogLine, ...]:
        """The commits, newest first."""
        return tuple(islice(self._timeline.history.log(self._branches.tip(branch)), limit))

    def _committed(self) -> Game:
        """The game as the newest commit has it."""
        if self._known is None or self._known[0] != self.head:
            self._known = self.head, files.read_game(self._timeline.version)
        return self._known[1]

    def _named(self, info: SaveInfo) -> SaveInfo:
        return names_of(self._timeline.repository).of(info)

    # --- growing ---

    def commit_turn(self, game: Game) -> str:
        """Keep the turn that `game` was just brought to, with all of its state, as one commit; return its id."""
        if game.state.turn != self.turn + 1:
            raise ValueError(f"turn {game.state.turn} cannot follow turn {self.turn}")
        turn = game.turns[game.state.turn]
        contents = files.changed_files(game, self._committed(), [turn])
        self._add_turn(contents, one_line(turn.narration) or turn.player_text, "Turn")
        return self._grown(game)

    def commit_edit(self, game: Game, what: str, turns: Iterable[Turn] = ()) -> str:
        """Keep a change made by hand between two turns, and edited earlier turns. No commit if nothing changed."""
        if game.state.turn != self.turn:
            raise ValueError("an edit belongs to the last turn")
        contents = files.changed_files(game, self._committed(), turns)
        with self._writing():
            self._timeline.add_edit(contents, edit_message(what))
            return self._grown(game)

    def commit_files(self, changes: Changes, line: str, *, word: str = "") -> str:
        """Commit any files. With a `word`, such as `Prompt`, the commit is the next turn, else an edit."""
        if word:
            self._add_turn(changes, line, word)
        else:
            with self._writing():
                self._timeline.add_edit(changes, edit_message(line))
        self._show()
        return self.head

    def _add_turn(self, changes: Changes, line: str, word: str) -> None:
        with self._writing():
            is_take = self._takes.is_next()
            self._timeline.add_turn(changes, line, word)
        # The turn is saved. What is left of the way to it is void now, so it does no harm if the disk keeps it.
        with suppress(OSError):
            self._takes.played(is_take=is_take)
            self._timeline.forget_undone()
            self._journal.drop()
        if self.turn % EVERY == 0:
            self._packer.start()

    def _grown(self, game: Game) -> str:
        self._known = self.head, game
        self._show()
        return self.head

    def _show(self) -> None:
        self._view.show(self._timeline.version.tree)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Around whatever changes the save. SaveError if it is open for reading only or the disk refuses."""
        if self.read_only:
            raise SaveError("This save is open for reading only.")
        try:
            yield
        except OSError as error:
            opening.tidy(self.folder)
            reason = error.strerror or error
            raise SaveError(
                f"'{self.folder.name}' could not be written: {reason}. What was saved before is safe."
            ) from error

    def pack(self) -> int:
        """Put single objects into one file; how many they were. It may run beside anything else, in its own thread.

        Every hundredth turn does so by itself, in the background.
        """
        if self.read_only:
            raise SaveError("This save is open for reading only.")
        return pack(self.folder / ".git")

    # --- the journal of a spoken turn ---

    def journal(self, spoken: Spoken) -> None:
        """Keep a turn whose prose is complete; it is on the disk when this returns (S3.5)."""
        with self._writing():
            self._journal.write(spoken)

    def journalled(self) -> Spoken | None:
        """The spoken turn that follows the head and was not committed, if there is one."""
        spoken = self._journal.read()
        follows = spoken and (spoken.parent, spoken.branch) == (self.head, self.branch)
        return spoken if follows else None

    def drop_journal(self) -> None:
        """Forget the spoken turn."""
        with self._writing():
            self._journal.drop()

    # --- going back, forward and aside ---

    def undo(self, turns: int = 1) -> Game:
        """Go back; `redo` leads forward again until a new turn is played. UsageError if there are not as many."""
        with self._writing():
            self._timeline.undo(turns)
            return self._moved()

    def redo(self, turns: int = 1) -> Game:
        """Go forward again. UsageError if fewer turns were undone."""
        with self._writing():
            self._timeline.redo(turns)
            return self._moved()

    def back(self, turns: int = 1) -> None:
        """Go back as `undo` does, for a save that holds no game."""
        with self._writing():
            self._timeline.undo(turns)
            self._show()

    def forward(self, turns: int = 1) -> None:
        """Go forward as `redo` does, for a save that holds no game."""
        with self._writing():
            self._timeline.redo(turns)
            self._show()

    def redoable(self) -> int:
        """How many turns can be redone."""
        return self._timeline.redoable()

    def retake(self) -> Game:
        """Keep the last turn as a take and go to what it was played from, to play it again.

        If nothing follows, `take` leads back, and so does the next opening of the save.
        """
        with self._writing():
            self._takes.retake()
            return self._moved()

    def takes(self, turn: int | None = None) -> tuple[int, int]:
        """Which take of a turn (default: the last) is current, and how many there are, from 1."""
        return self._takes.count(turn)

    def take(self, number: int) -> Game:
        """Make a take of the last turn current, from 1. UsageError if there is none of that number."""
        with self._writing():
            self._takes.take(number)
            return self._moved()

    def branches(self) -> tuple[BranchInfo, ...]:
        """All branches, the current one first."""
        return self._branches.all()

    def branch_at(self, name: str, turn: int | None = None, of: str | None = None) -> str:
        """Make a branch without switching to it; its plain name. It begins at a turn (default: the last one) of the
        branch or commit `of` (default: the current branch)."""
        with self._writing():
            tip = self._branches.tip(of)
            return self._branches.create(name, tip if turn is None else self._timeline.history.at(tip, turn))

    def go_to(self, name: str) -> None:
        """Go on with another branch as `switch` does, for a save that holds no game."""
        with self._writing():
            self._branches.switch(name)
            self._show()

    def switch(self, name: str) -> Game:
        """Go on with another branch."""
        with self._writing():
            self._branches.switch(name)
            return self._moved()

    def rename_branch(self, name: str, title: str) -> str:
        """Give a branch another name; its new plain name."""
        with self._writing():
            return self._branches.rename(name, title)

    def delete_branch(self, name: str) -> None:
        """Take away a branch that is not the current one; `restore_branch` brings it back."""
        with self._writing():
            self._branches.delete(name)

    def deleted_branches(self) -> list[str]:
        """The names of deleted branches."""
        return self._branches.deleted()

    def restore_branch(self, name: str) -> str:
        """Bring a deleted branch back; its name."""
        with self._writing():
            return self._branches.restore(name)

    def compare(self, a: str, b: str, *, limit: int | None = None) -> Comparison:
        """What parts two states of the story, with at most `limit` turns side by side (default: all).

        Each is a branch, a turn of this branch, `branch@turn`, `turn#take`, or a commit. UsageError if one of them does
        not exist.
        """
        from theact_tui.saves.compare import compare, find

        commits = [find(self._timeline, self._branches, self._takes, name) for name in (a, b)]
        return compare(self._timeline, (a, commits[0]), (b, commits[1]), limit)

    def tree(self) -> Node:
        """The tree of branches and takes, from turn 0."""
        return tree_of(self._timeline, self._branches)

    def _moved(self) -> Game:
        self._show()
        return self.load()

    # --- as a whole ---

    @property
    def repository(self) -> Repository:
        """The objects and refs of the save, for reading."""
        return self._timeline.repository

    def rename(self, title: str, *, new_id: bool = False) -> None:
        """Give the save another title, and another id if it is a copy. Undoing turns does not undo it."""
        info = self.info
        id = sha1(f"{info.id} {title}".encode()).hexdigest()[:12] if new_id else info.id
        info = info.model_copy(update={"title": title, "id": id})
        names = names_of(self.repository)
        with self._writing():
            give_names(self.repository, names.model_copy(update={"title": title, "id": id}))
            self._timeline.add_edit({"save.yaml": files.info_file(info)}, edit_message(f"named {title}"))
            self._show()

    # --- edits made outside ---

    def adopt_edits(self) -> str:
        """Commit the files that were changed by hand. SaveError, and nothing done, if the game would not load."""
        with self._writing():
            paths = self.foreign_edits
            edits = self._view.contents(paths)
            checked = Overlay(self._timeline.version, edits)
            if self.info.mode == "play" and files.read_game(checked).state.turn != self.turn:
                raise SaveError(f"state.yaml must stay at turn {self.turn}; use undo to go back.")
            self._timeline.add_edit(edits, edit_message("by hand in " + ", ".join(paths)))
            self._view.forget_edits()
            self._show()
            return self.head

    def discard_edits(self) -> None:
        """Put the files back as they were committed; what was edited is kept beside each as `<name>.edited.yaml`."""
        with self._writing():
            self._view.wait()
            version = self._timeline.version
            self._view.reset(version.repository, version.tree, keep_known=True)
            self._view.forget_edits()


def _has_created(version: Version) -> bool:
    return version.id(files.turn_path(0)) is not None
