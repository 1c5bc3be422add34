"""Takes: versions of one turn. Take k of turn n is at `refs/theact/takes/<n>/<k>`."""

from collections.abc import Callable
from contextlib import suppress
from typing import ParamSpec, TypeVar

from theact_tui.errors import SaveDamaged, UsageError
from theact_tui.saves.git_objects import UNDONE
from theact_tui.saves.history import Timeline
from theact_tui.text import counted

P = ParamSpec("P")
T = TypeVar("T")
TAKES = "refs/theact/takes/"
RETAKING = "refs/theact/retaking/"
"""By branch: the take left for a new one that is not committed yet."""


class Takes:
    """Versions of turns, each group played from one commit. One per turn is current."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._repository = timeline.repository
        self._history = timeline.history

    def of(self, turn: int, base: str | None) -> list[str]:
        """Return the takes of a turn played from `base`, oldest first."""
        numbered = self._repository.refs(f"{TAKES}{turn}/")
        tips = [numbered[name] for name in sorted(numbered, key=_order)]
        return [tip for tip in tips if self._is_from(tip, base)]

    def find(self, commit: str, number: int) -> str:
        takes = self.of(self._history.turn(commit), self._history.base(commit)) or [commit]
        if not 1 <= number <= len(takes):
            raise UsageError(f"There is no take {number} of that turn.")
        return takes[number - 1]

    def count(self, turn: int | None = None) -> tuple[int, int]:
        """Return the current take of a turn (default: the last, after `retake` the next), from 1, and the number of
        takes.
        """
        if turn is None and self.left():
            takes = self.of(self._timeline.turn + 1, self._timeline.head)
            return len(takes) + 1, len(takes) + 1
        head = self._timeline.head
        turn_commit = self._history.turn_commit(head if turn is None else self._history.at(head, turn)).id
        tips = self.of(self._history.turn(turn_commit), self._history.base(turn_commit))
        takes = [self._history.turn_commit(tip).id for tip in tips]
        return (takes.index(turn_commit) + 1, len(takes)) if turn_commit in takes else (1, 1)

    def keep(self) -> None:
        self._keep(self._timeline.head, self._timeline.turn)

    def _keep(self, tip: str, turn: int) -> None:
        turn_commit = self._history.turn_commit(tip).id
        numbered = self._repository.refs(f"{TAKES}{turn}/")
        turn_commits = {
            name: _readable(self._history.turn_commit, commit) for name, commit in numbered.items()
        }
        same = [name for name, link in turn_commits.items() if link and link.id == turn_commit]
        number = same[0] if same else str(max((_order(name) for name in numbered), default=0) + 1)
        self._repository.put(f"{TAKES}{turn}/{number}", tip)

    def retake(self) -> None:
        head = self._timeline.head
        base = self._history.base(head)
        if base is None or self._timeline.turn == 0:
            raise UsageError("There is no turn to retry yet.")
        self.keep()
        self._repository.put(RETAKING + self._timeline.branch, head)
        self._timeline.go(base)

    def keep_undone(self) -> bool:
        """Before a commit, store undone turns that it makes impossible to redo, the first as a take unless a branch
        has it. Returns True if the new turn is a take.
        """
        head, turn, ahead = self._timeline.head, self._timeline.turn, self._timeline.redoable()
        tip = self._repository.ref(UNDONE + self._timeline.branch)
        if tip is None or self.left() or not ahead:
            self._timeline.keep_undone()
            return self.left() is not None
        first = self._history.at(tip, turn + 1)
        is_take = self._history.base(first) == head and not self._is_on_a_branch(first)
        if is_take:
            self._keep(first, turn + 1)
        if not is_take or ahead > 1:
            self._timeline.keep_undone()
        return is_take

    def _is_on_a_branch(self, commit: str) -> bool:
        tips = self._repository.refs("refs/heads/").values()
        return any(_readable(self._history.leads_to, commit, tip) for tip in tips)

    def played(self, *, is_take: bool) -> None:
        """Record that a turn was committed; `is_take` is the result of `keep_undone`."""
        if is_take:
            self.keep()
        self._repository.drop(RETAKING + self._timeline.branch)

    def take(self, number: int) -> None:
        """Make a take of the last turn current. Raises UsageError if there is none."""
        if left := self.left():
            takes = self.of(self._timeline.turn + 1, self._timeline.head)
            current = count = len(takes)
        else:
            current, count = self.count()
            takes = self.of(self._timeline.turn, self._history.base(self._timeline.head))
        if not 1 <= number <= count:
            available = "is only one take" if count == 1 else f"are {counted(count, 'take')}"
            raise UsageError(f"There {available} of this turn.")
        if not left and number == current:
            return
        if not left:
            self.keep()
        self._timeline.go(takes[number - 1])
        self._repository.drop(RETAKING + self._timeline.branch)

    def restore(self) -> bool:
        """Return to the take left by `retake`, if any."""
        left = self.left()
        if left:
            self._timeline.go(left)
        self._repository.drop(RETAKING + self._timeline.branch)
        return left is not None

    def left(self) -> str | None:
        left = self._repository.ref(RETAKING + self._timeline.branch)
        return left if left and self._is_from(left, self._timeline.head) else None

    def _is_from(self, tip: str, base: str | None) -> bool:
        return base is not None and _readable(self._history.base, tip) == base


def _readable(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    with suppress(SaveDamaged):
        return read(*args, **kwargs)
    return None


def _order(name: str) -> int:
    return int(name) if name.isdecimal() else 0
