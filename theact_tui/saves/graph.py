"""The tree of branches and takes, as a screen draws it (S10): the turns where something begins, parts or ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from theact_tui.errors import SaveError
from theact_tui.saves import files
from theact_tui.saves.branches import Branches
from theact_tui.saves.history import LogLine
from theact_tui.saves.takes import TAKES
from theact_tui.saves.timeline import UNDONE, Timeline


@dataclass(frozen=True, slots=True)
class Node:
    """A turn of the tree. Between it and a child lie only turns at which nothing parts."""

    commit: str
    turn: int
    line: str
    """The beginning of its narration."""
    said: str
    """What the player wrote."""
    at: str
    branches: tuple[str, ...] = ()
    """Branches that end here."""
    take: int = 0
    """Which take of its turn it is, from 1; 0 if it was never retried."""
    takes: int = 0
    is_here: bool = False
    is_undone: bool = False
    """Leads only to turns that were undone."""
    children: tuple[Node, ...] = ()


@dataclass(eq=False)
class _Point:
    """A node while the tree grows. `commit` is the one that made the turn."""

    commit: str
    turn: int
    children: list[_Point] = field(default_factory=list)


def tree_of(timeline: Timeline, branches: Branches) -> Node:
    """The tree, from turn 0."""
    return _Graph(timeline, branches).tree()


class _Graph:
    def __init__(self, timeline: Timeline, branches: Branches) -> None:
        self._timeline = timeline
        self._history = timeline.history
        self._ends: dict[str, list[str]] = {}
        """Names of branches by the commit that made their last turn."""
        for name in branches.names():
            self._ends.setdefault(self._made(branches.tip(name)), []).append(name)
        takes = timeline.repository.refs(TAKES)
        self._takes = [
            self._made(takes[name]) for name in sorted(takes, key=_order) if self._is_readable(takes[name])
        ]
        undone = timeline.repository.ref(UNDONE + timeline.branch)
        self._undone = self._made(undone) if undone and timeline.redoable() else None

    def tree(self) -> Node:
        root = _Point(self._made(self._history.at(self._timeline.head, 0)), 0)
        for commit in (*self._ends, *self._takes, *([self._undone] if self._undone else [])):
            self._insert(root, commit)
        return self._node(root)

    def _insert(self, point: _Point, commit: str) -> None:
        turn = self._history.turn(commit)
        while point.commit != commit:
            forks = [(self._history.fork(child.commit, commit), child) for child in point.children]
            fork, child = max(forks, key=lambda found: found[0], default=(-1, point))
            if fork <= point.turn:
                point.children.append(_Point(commit, turn))
                return
            if fork < child.turn:
                middle = _Point(self._made(self._history.at(commit, fork)), fork, [child])
                point.children[point.children.index(child)] = middle
                child = middle
            point = child

    def _node(self, point: _Point) -> Node:
        children = tuple(self._node(child) for child in sorted(point.children, key=self._order))
        ends = tuple(self._ends.get(point.commit, ()))
        line = next(self._history.log(point.commit))
        take, takes = self._take(point)
        is_tip_undone = point.commit == self._undone or bool(children)
        return Node(
            commit=point.commit,
            turn=point.turn,
            line=line.line,
            said=self._said(line),
            at=line.at,
            branches=ends,
            take=take,
            takes=takes,
            is_here=point.commit == self._made(self._timeline.head),
            is_undone=is_tip_undone and not ends and not take and all(child.is_undone for child in children),
            children=children,
        )

    def _order(self, point: _Point) -> tuple[int, int]:
        return point.turn, self._take(point)[0]

    def _take(self, point: _Point) -> tuple[int, int]:
        base = self._history.base(point.commit)
        same = [commit for commit in self._takes if self._history.base(commit) == base]
        return (same.index(point.commit) + 1, len(same)) if point.commit in same else (0, 0)

    def _said(self, line: LogLine) -> str:
        version = self._timeline.version_of(line.commit)
        if not line.turn or files.read_info(version, format := files.read_format(version)).mode != "play":
            return ""
        return files.read_turn(version, line.turn, format).player_text

    def _made(self, commit: str) -> str:
        return self._history.turn_commit(commit).id

    def _is_readable(self, commit: str) -> bool:
        try:
            return bool(self._made(commit))
        except SaveError:
            return False


def _order(name: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in name.split("/"))
