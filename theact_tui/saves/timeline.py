"""One branch of a save as it grows: commits, undo and redo. It knows commits and files, and nothing of games (S9)."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from theact_tui.errors import SaveError, UsageError
from theact_tui.saves.heads import note_head
from theact_tui.saves.history import History, message_of
from theact_tui.saves.objects import KEPT, UNDONE, Clock, head_ref
from theact_tui.saves.trees import Changes, Version, write

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository


class Timeline:
    """The current branch. Every move of its ref is a single step that either happened or did not."""

    def __init__(self, repository: Repository, branch: str, head: str, clock: Clock) -> None:
        self.repository = repository
        self.history = History(repository)
        self.branch = branch
        self.head = head
        self.clock = clock

    @property
    def turn(self) -> int:
        """The number of the last turn."""
        return self.history.turn(self.head)

    @property
    def version(self) -> Version:
        """The files as of now."""
        return self.version_of(self.head)

    def version_of(self, commit: str) -> Version:
        """The files as of a commit."""
        return Version(self.repository, self.repository.link(commit).tree)

    # --- growing ---

    def add_turn(self, changes: Changes, line: str, word: str = "Turn") -> str:
        """Commit the next turn."""
        number = self.turn + 1
        message = message_of(word, number, line, self.history.skip(self.head, number))
        self.go(self._commit(changes, message))
        return self.head

    def forget_undone(self) -> None:
        """What was undone cannot be redone any more."""
        self.repository.drop(UNDONE + self.branch)

    def add_edit(self, changes: Changes, message: str) -> str:
        """Commit changes that make no turn. Nothing is committed if nothing changed."""
        new = self._commit(changes, message)
        if self.repository.link(new).tree != self.version.tree:
            self.go(new)
        return self.head

    def _commit(self, changes: Changes, message: str) -> str:
        before = self.repository.link(self.head)
        tree = write(self.repository, before.tree, changes)
        # a clock that was set back must not make a commit older than its parent
        at = max(self.clock(), datetime.fromtimestamp(before.at, UTC))
        return self.repository.add_commit(tree, self.head, message, at)

    def go(self, commit: str) -> None:
        """Make `commit` the head of the branch. SaveError if another program moved it meanwhile."""
        if commit == self.head:
            return
        if not self.repository.move(head_ref(self.branch), commit, self.head):
            raise SaveError("Another program has changed this save. Open it again to go on from there.")
        self.head = commit
        with suppress(
            OSError
        ):  # the branch has moved; this line is only needed if the commit is lost one day
            note_head(self.repository.git, self.branch, commit)

    # --- undo and redo ---

    def undo(self, turns: int) -> None:
        """Go back. UsageError if there are not as many turns."""
        here = self.turn
        if turns < 1 or here == 0:
            raise UsageError("There is nothing to undo.")
        if turns > here:
            raise UsageError(f"Only {here} turns were played, so {turns} cannot be undone.")
        target = self.history.at(self.head, here - turns)
        if not self.redoable():
            self.repository.put(UNDONE + self.branch, self.head)
        self.go(target)

    def redoable(self) -> int:
        """How many turns can be redone."""
        tip = self.repository.ref(UNDONE + self.branch)
        if tip is None or not self.repository.has(tip):
            return 0
        turn = self.turn
        ahead = self.history.turn(tip) - turn
        return max(0, ahead) if self.history.fork(self.head, tip) == turn else 0

    def redo(self, turns: int) -> None:
        """Go forward again. UsageError if fewer turns were undone."""
        possible = self.redoable()
        tip = self.repository.ref(UNDONE + self.branch)
        if turns < 1 or not possible or tip is None:
            raise UsageError("There is nothing to redo.")
        if turns > possible:
            raise UsageError(f"Only {possible} turns were undone, so {turns} cannot be redone.")
        here = self.turn
        if self.head != self.history.at(tip, here):
            self.repository.put(
                KEPT + self.head, self.head
            )  # an edit made after the undo; it stays reachable
        self.go(self.history.at(tip, here + turns))


def begin(
    repository: Repository, branch: str, changes: Changes, line: str, clock: Clock, word: str = "Turn"
) -> Timeline:
    """The first commit of a save."""
    tree = write(repository, None, changes)
    commit = repository.add_commit(tree, None, message_of(word, 0, line, None), clock())
    repository.move(head_ref(branch), commit, None)
    note_head(repository.git, branch, commit)
    return Timeline(repository, branch, commit, clock)
