"""History of commits: the turn of a commit, the commit of a turn, forks, undo and redo.

Each turn's commit names an earlier turn's commit in a trailer, as in a skip list: any turn takes about 2 log2(n)
reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from theact_tui.errors import SaveDamaged, SaveError, UsageError
from theact_tui.saves.codec import turn_path
from theact_tui.saves.git_objects import KEPT_REFS, MAIN, UNDONE, Clock, Link, append_reflog, head_ref, now
from theact_tui.saves.trees import Changes, Version, write
from theact_tui.story.edits import TEXT_OF
from theact_tui.text import counted, one_line

if TYPE_CHECKING:
    from theact_tui.saves.repository import Repository

_SUBJECT = re.compile(r"[A-Z][a-z]+ (\d{1,9}): ?(.*)")
_EDIT = "Edit: "
RENAMING = "named "
"""Prefix of edits that only rename the save."""
_SKIP = re.compile(r"^Skip: ([0-9a-f]{40})$", re.MULTILINE)


def message_of(word: str, number: int, line: str, skip: str | None) -> str:
    subject = f"{word} {number}: {one_line(line, len(line) + 1)[:60].rstrip()}"
    return f"{subject}\n\nSkip: {skip}\n" if skip else f"{subject}\n"


def number_in(link: Link) -> int | None:
    match = _SUBJECT.match(link.message)
    return int(match[1]) if match else None


@dataclass(frozen=True, slots=True)
class LogLine:
    commit: str
    turn: int
    """Turn it made, or the last turn when it edited."""
    kind: Literal["turn", "edit"]
    line: str
    at: str


class CommitChain:
    """Reads the chain of commits by id. An edit belongs to the turn before it."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._amended: dict[str, Link] = {}

    def turn_commit(self, commit: str) -> Link:
        """Return the commit that made the turn of `commit`. Raises SaveDamaged."""
        link = self._link(commit)
        while number_in(link) is None:
            if link.parent is None:
                raise SaveDamaged(f"No turn of this story belongs to commit {commit[:10]}.")
            link = self._link(link.parent)
        return link

    def _link(self, commit: str) -> Link:
        link = self._repository.link(commit)
        if link.parent is None or _SUBJECT.match(link.message) or link.message.startswith(_EDIT):
            return link
        if commit not in self._amended:
            self._amended[commit] = self._named_by_its_state(link, link.parent)
        return self._amended[commit]

    def _named_by_its_state(self, link: Link, parent: str) -> Link:
        """Give a commit whose message another program replaced the number of the turn in its files, if they have one."""
        with suppress(SaveError):
            turn, files = self.turn(parent) + 1, Version(self._repository, link.tree)
            if files.id(turn_path(turn)):
                return replace(link, message=f"Turn {turn}: {link.message}")
        return link

    def turn(self, commit: str) -> int:
        return _number(self.turn_commit(commit))

    def base(self, commit: str) -> str | None:
        """Return the commit before the turn of `commit`; None for turn 0."""
        return self.turn_commit(commit).parent

    def turn_before(self, commit: str) -> str | None:
        """Return the commit that made the turn before that of `commit`; None for turn 0. Edits between make no
        difference.
        """
        base = self.base(commit)
        return self.turn_commit(base).id if base else None

    def at(self, commit: str, turn: int) -> str:
        """Return the last commit of `turn` before `commit`, edits included. Raises UsageError."""
        link = self.turn_commit(commit)
        number = _number(link)
        while number > turn:
            commit = self._lower(link, number, turn)
            link = self.turn_commit(commit)
            if _number(link) >= number:
                raise SaveDamaged("The turns of this save are out of order.")
            number = _number(link)
        if number != turn or turn < 0:
            raise UsageError(f"There is no turn {turn} on this branch.")
        return commit

    def before_renames(self, commit: str) -> Link:
        """Return the last commit that does more than rename the save."""
        link = self._link(commit)
        while link.parent and link.message.startswith(f"{_EDIT}{RENAMING}"):
            link = self._link(link.parent)
        return link

    def leads_to(self, old: str, new: str) -> bool:
        """True if `new` descends from `old`."""
        turn = self.turn(old)
        if turn > self.turn(new):
            return False
        commit: str | None = self.at(new, turn)
        while commit and commit != old and number_in(self._link(commit)) is None:
            commit = self._link(commit).parent
        return commit == old

    def skip(self, parent: str, turn: int) -> str | None:
        """Return the target of the trailer for `turn`, played from `parent`; None for the first turns."""
        target = _skip_to(turn)
        return self.at(parent, target) if turn > 2 and self.turn(parent) == turn - 1 else None

    def fork(self, a: str, b: str) -> int:
        """Return the last common turn; -1 if there is none."""
        one, two = self.turn_commit(a), self.turn_commit(b)
        while one.id != two.id:
            low = min(_number(one), _number(two))
            if _number(one) != _number(two):
                one, two = self.turn_commit(self.at(one.id, low)), self.turn_commit(self.at(two.id, low))
                continue
            left, right = self._skipped(one, low), self._skipped(two, low)
            if left is None or right is None or self.turn_commit(left).id == self.turn_commit(right).id:
                left, right = one.parent, two.parent
            if left is None or right is None:
                return -1
            one, two = self.turn_commit(left), self.turn_commit(right)
        return _number(one)

    def log(self, commit: str) -> Iterator[LogLine]:
        edits: list[Link] = []
        following: str | None = commit
        while following:
            link = self._link(following)
            following = link.parent
            number = number_in(link)
            if number is None and following:
                edits.append(link)
                continue
            turn = number or 0
            yield from (_line(edit, turn, "edit") for edit in edits)
            yield _line(link, turn, "turn")
            edits = []

    def _lower(self, link: Link, number: int, turn: int) -> str:
        """Return the next commit on the way down to `turn`, by the trailer if it does not overshoot."""
        far, after = _skip_to(number), _skip_to(number - 1)
        is_best = far == turn or (far > turn and not (after < far - 2 and after >= turn))
        skipped = self._skipped(link, number) if is_best else None
        if skipped:
            return skipped
        if link.parent is None:
            raise UsageError(f"There is no turn {turn} on this branch.")
        return link.parent

    def _skipped(self, link: Link, number: int) -> str | None:
        match = _SKIP.search(link.message)
        if not match:
            return None
        try:
            return match[1] if self.turn(match[1]) == _skip_to(number) else None
        except SaveDamaged:
            return None


def _number(link: Link) -> int:
    number = number_in(link)
    assert number is not None
    return number


def _line(link: Link, turn: int, kind: Literal["turn", "edit"]) -> LogLine:
    subject = link.message.split("\n", 1)[0]
    match = _SUBJECT.match(subject)
    text = match[2] if match else subject.removeprefix(_EDIT)
    at = datetime.fromtimestamp(link.at, UTC).isoformat()
    return LogLine(link.id, turn, kind, one_line(text, 200), at)


def _skip_to(number: int) -> int:
    if number < 2:
        return 0
    if number % 2:
        return _clear_lowest(_clear_lowest(number - 1)) + 1
    return _clear_lowest(number)


def _clear_lowest(number: int) -> int:
    return number & (number - 1)


class Timeline:
    """Current branch. Its ref moves in single steps that happen or do not."""

    def __init__(self, repository: Repository, branch: str, head: str, clock: Clock) -> None:
        self.repository = repository
        self.history = CommitChain(repository)
        self.branch = branch
        self.head = head
        self.clock = clock

    @classmethod
    def current(cls, repository: Repository) -> Timeline:
        """Open the current branch, to read."""
        branch = repository.head() or MAIN
        return cls(repository, branch, repository.ref(head_ref(branch)) or "", now)

    @property
    def turn(self) -> int:
        return self.history.turn(self.head)

    @property
    def version(self) -> Version:
        return self.version_of(self.head)

    def version_of(self, commit: str) -> Version:
        return Version(self.repository, self.repository.link(commit).tree)

    # --- growing ---

    def add_turn(self, changes: Changes, line: str, word: str) -> None:
        number = self.turn + 1
        message = message_of(word, number, line, self.history.skip(self.head, number))
        tree = write(self.repository, self.repository.link(self.head).tree, changes)
        self.go(self._commit(tree, message, self.head))

    def add_edit(self, changes: Changes, message: str) -> None:
        """Commit changes between turns, if there are any."""
        self.go(self.edit_of(self.head, changes, message))

    def edit_of(self, parent: str, changes: Changes, message: str) -> str:
        """Store an edit of `parent` without moving the branch; return its commit, or `parent` if nothing changed."""
        before = self.repository.link(parent).tree
        tree = write(self.repository, before, changes)
        return parent if tree == before else self._commit(tree, f"{_EDIT}{one_line(message, 200)}\n", parent)

    def _commit(self, tree: str, message: str, parent: str) -> str:
        # a clock that was set back must not make a commit older than its parent
        at = max(self.clock(), datetime.fromtimestamp(self.repository.link(parent).at, UTC))
        return self.repository.add_commit(tree, parent, message, at)

    def go(self, commit: str) -> None:
        """Move the branch to `commit`. Raises SaveError if another program moved it meanwhile."""
        if commit == self.head:
            return
        ref = head_ref(self.branch)
        try:
            is_moved = self.repository.move(ref, commit, self.head)
        except OSError:
            is_moved = self.repository.ref(ref) == commit  # what failed then failed after the move
            if not is_moved:
                raise
        if not is_moved:
            raise SaveError("Another program changed this save. Reopen it to continue.")
        self.head = commit
        with suppress(OSError):  # the branch has moved; the line is only needed if the commit is lost one day
            append_reflog(self.repository.git, self.branch, commit)

    # --- undo and redo ---

    def undo(self, turns: int | None) -> None:
        """Undo turns; None undoes a newer edit of a text, else one turn. Raises UsageError."""
        turn, link = self.turn, self.history.before_renames(self.head)
        is_edit = turns is None and link.message.startswith(f"{_EDIT}{TEXT_OF}")
        turns = 1 if turns is None else turns
        if turns < 1 or (turn == 0 and not is_edit):
            raise UsageError("There is nothing to undo.")
        if turns > turn and not is_edit:
            raise UsageError(f"Cannot undo {counted(turns, 'turn')}: only {turn} can be undone.")
        target = link.parent if is_edit and link.parent else self.history.at(self.head, turn - turns)
        if not self.redoable() and not self._undone_edit():
            self.keep_undone()
            self.repository.put(UNDONE + self.branch, self.head)
        self._keep(self.head, self._undone)
        self.go(target)

    @property
    def _undone(self) -> str | None:
        tip = self.repository.ref(UNDONE + self.branch)
        return tip if tip and self.repository.has(tip) else None

    def _undone_edit(self) -> str | None:
        tip, turn = self._undone, self.turn
        if tip is None or self.history.turn(tip) < turn:
            return None
        link = self.repository.link(self.history.at(tip, turn))
        while link.parent != self.head and number_in(link) is None and link.parent:
            link = self.repository.link(link.parent)
        return link.id if number_in(link) is None else None

    def keep_undone(self) -> None:
        """Keep undone commits reachable once they cannot be redone."""
        self._keep(self._undone, self.head)

    def _keep(self, old: str | None, new: str | None) -> None:
        with suppress(SaveDamaged):
            if old and new and not self.history.leads_to(old, new):
                self.repository.put(KEPT_REFS + old, old)

    def redoable(self) -> int:
        tip, turn = self._undone, self.turn
        if tip is None or self.history.fork(self.head, tip) != turn:
            return 0
        return max(0, self.history.turn(tip) - turn)

    def redo(self, turns: int | None) -> None:
        """Redo turns; None redoes an undone edit if it is next, else one turn. Raises UsageError."""
        tip, possible, edit = self._undone, self.redoable(), self._undone_edit()
        if turns is None and edit:
            self.go(edit)
            return
        turns = 1 if turns is None else turns
        if turns < 1 or not possible or tip is None:
            raise UsageError("There is nothing to redo.")
        if turns > possible:
            raise UsageError(f"Cannot redo {counted(turns, 'turn')}: only {possible} can be redone.")
        self._keep(self.head, tip)
        self.go(self.history.at(tip, self.turn + turns))
