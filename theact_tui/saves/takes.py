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
_RETAKING = "refs/theact/retaking/"
"""By branch: the take left for a new one that is not committed yet."""


class Takes:
    """Versions of turns, each group told after one turn. One per turn is current."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._repository = timeline.repository
        self._history = timeline.history

    def of(self, commit: str) -> list[str]:
        """Return the takes of the turn of `commit`, oldest first."""
        return self._after(self._history.turn_before(commit), self._history.turn(commit))

    def _after(self, before: str | None, turn: int) -> list[str]:
        numbered = self._repository.refs(f"{TAKES}{turn}/")
        tips = [numbered[name] for name in sorted(numbered, key=order_of)]
        return [tip for tip in tips if self._is_after(tip, before)]

    def find(self, commit: str, number: int) -> str:
        takes = self.of(commit) or [commit]
        if not 1 <= number <= len(takes):
            raise UsageError(f"There is no take {number} of that turn.")
        return takes[number - 1]

    def count(self, turn: int | None = None) -> tuple[int, int]:
        """Return the current take of a turn (default: the last, after `retake` the next), from 1, and the number of
        takes.
        """
        if turn is None and self.left():
            takes = self._next_takes()
            return len(takes) + 1, len(takes) + 1
        head = self._timeline.head
        turn_commit = self._history.turn_commit(head if turn is None else self._history.at(head, turn)).id
        takes = [self._history.turn_commit(tip).id for tip in self.of(turn_commit)]
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
        number = same[0] if same else str(max(map(order_of, numbered), default=0) + 1)
        self._repository.put(f"{TAKES}{turn}/{number}", tip)

    def retake(self, base: str) -> None:
        """Go back to `base`, the commit of the turn before or an edit of it."""
        head = self._timeline.head
        self.keep()
        self._repository.put(_RETAKING + self._timeline.branch, head)
        self._timeline.go(base)

    def keep_undone(self) -> bool:
        """Before a commit, store undone turns that it makes impossible to redo, the first as a take unless a branch
        has it. Returns True if the new turn is a take.
        """
        turn, ahead = self._timeline.turn, self._timeline.redoable()
        tip = self._repository.ref(UNDONE + self._timeline.branch)
        if tip is None or self.left() or not ahead:
            self._timeline.keep_undone()
            return self.left() is not None
        first = self._history.at(tip, turn + 1)
        tips = self._repository.refs("refs/heads/").values()
        is_on_a_branch = any(_readable(self._history.leads_to, first, branch) for branch in tips)
        is_take = self._is_after(first, self._last_turn()) and not is_on_a_branch
        if is_take:
            self._keep(first, turn + 1)
        if not is_take or ahead > 1:
            self._timeline.keep_undone()
        return is_take

    def played(self, *, is_take: bool) -> None:
        """Record that a turn was committed; `is_take` is the result of `keep_undone`."""
        if is_take:
            self.keep()
        self._repository.drop(_RETAKING + self._timeline.branch)

    def take(self, number: int) -> None:
        """Make a take of the last turn current. Raises UsageError if there is none."""
        if left := self.left():
            takes = self._next_takes()
            current = count = len(takes)
        else:
            current, count = self.count()
            takes = self.of(self._timeline.head)
        if not 1 <= number <= count:
            available = "is only one take" if count == 1 else f"are {counted(count, 'take')}"
            raise UsageError(f"There {available} of this turn.")
        if not left and number == current:
            return
        if not left:
            self.keep()
        self._timeline.go(takes[number - 1])
        self._repository.drop(_RETAKING + self._timeline.branch)

    def restore(self) -> bool:
        """Return to the take left by `retake`, if any."""
        left = self.left()
        if left:
            self._timeline.go(left)
        self._repository.drop(_RETAKING + self._timeline.branch)
        return left is not None

    def left(self) -> str | None:
        left = self._repository.ref(_RETAKING + self._timeline.branch)
        return left if left and self._is_after(left, self._last_turn()) else None

    def _next_takes(self) -> list[str]:
        return self._after(self._last_turn(), self._timeline.turn + 1)

    def _last_turn(self) -> str:
        return self._history.turn_commit(self._timeline.head).id

    def _is_after(self, tip: str, before: str | None) -> bool:
        return before is not None and _readable(self._history.turn_before, tip) == before


def _readable(read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    with suppress(SaveDamaged):
        return read(*args, **kwargs)
    return None


def order_of(name: str) -> int:
    return int(name) if name.isdecimal() else 0
