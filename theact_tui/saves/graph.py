"""Tree of branches and takes: the turns where something begins, forks or ends."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from theact_tui.errors import SaveError
from theact_tui.saves.branches import Branches
from theact_tui.saves.codec import Codec
from theact_tui.saves.git_objects import KEPT_REFS, UNDONE
from theact_tui.saves.history import Timeline
from theact_tui.saves.takes import TAKES, order_of


@dataclass(frozen=True, slots=True)
class Node:
    """Turn of the tree. No forks lie between it and a child."""

    commit: str
    turn: int
    tip: str
    """Last commit of this turn, edits included."""
    line: str
    said: str
    at: str
    branches: tuple[str, ...] = ()
    take: int = 0
    """Number of the take, from 1; 0 if never retried."""
    takes: int = 0
    is_undone: bool = False
    """Leads only to undone turns."""
    is_redoable: bool = False
    """Last turn that can be redone here."""
    children: tuple[Node, ...] = ()


@dataclass(eq=False)
class _Point:
    commit: str
    turn: int
    children: list[_Point] = field(default_factory=list)


def tree_of(timeline: Timeline, branches: Branches, codec: Codec[Any]) -> Node:
    return _Graph(timeline, branches, codec).tree()


class _Graph:
    def __init__(self, timeline: Timeline, branches: Branches, codec: Codec[Any]) -> None:
        self._timeline = timeline
        self._codec = codec
        self._history = timeline.history
        tips = {name: branches.tip(name) for name in branches.names()}
        takes = timeline.repository.refs(TAKES)
        self._tips: dict[str, str] = {}
        for name in sorted(takes, key=lambda name: [*map(order_of, name.split("/"))]):
            with suppress(SaveError):
                self._tips[self._turn_commit(takes[name])] = takes[name]
        self._takes = list(self._tips)
        self._counts = self._counted()
        """Number of the take, and count of takes."""
        self._ends: dict[str, list[str]] = {}
        for name, tip in tips.items():
            with suppress(SaveError):
                turn_commit = self._turn_commit(tip)
                self._ends.setdefault(turn_commit, []).append(name)
                self._tips[turn_commit] = tip
        undone, archived_tips = timeline.repository.refs(UNDONE), timeline.repository.refs(KEPT_REFS)
        self._undone: dict[str, str] = {}
        """Last commits of undone turns by the commit of the turn."""
        for tip in (*archived_tips.values(), *undone.values()):
            with suppress(SaveError):
                turn_commit = self._turn_commit(tip)
                ends = (tip, self._undone.get(turn_commit, tip))
                self._undone[turn_commit] = max(ends, key=lambda end: self._history.before_renames(end).at)
        self._redoable = self._turn_commit(undone[timeline.branch]) if timeline.redoable() else None

    def tree(self) -> Node:
        root = _Point(self._turn_commit(self._history.at(self._timeline.head, 0)), 0)
        for commit in (*self._ends, *self._takes, *self._undone):
            self._insert(root, commit)
        nodes: dict[str, Node] = {}
        for point in reversed(all_below(root)):
            nodes[point.commit] = self._node(point, [nodes[child.commit] for child in point.children])
        return nodes[root.commit]

    def _insert(self, point: _Point, commit: str) -> None:
        while point.commit != commit:
            for child in point.children:
                way = _way(child)
                fork = self._history.fork(way[-1].commit, commit)
                if fork > point.turn:
                    point = self._point_at(fork, point, way)
                    break
            else:
                point.children.append(_Point(commit, self._history.turn(commit)))
                return

    def _point_at(self, turn: int, start: _Point, way: list[_Point]) -> _Point:
        """Return the point of `turn` on a path from `start`; insert it if missing."""
        after = next(n for n, point in enumerate(way) if point.turn >= turn)
        if way[after].turn == turn:
            return way[after]
        before = way[after - 1] if after else start
        middle = _Point(self._turn_commit(self._history.at(way[after].commit, turn)), turn, [way[after]])
        before.children[before.children.index(way[after])] = middle
        return middle

    def _node(self, point: _Point, following: list[Node]) -> Node:
        children = tuple(sorted(following, key=lambda node: (node.turn, node.take)))
        ends = tuple(self._ends.get(point.commit, ()))
        line = next(self._history.log(point.commit))
        take, takes = self._counts.get(point.commit, (0, 0))
        is_tip_undone = point.commit in self._undone or bool(children)
        end = self._undone.get(point.commit, point.commit)
        tip = self._history.at(children[0].commit, point.turn) if children else end
        return Node(
            commit=point.commit,
            turn=point.turn,
            tip=self._tips.get(point.commit, tip),
            line=line.line,
            said=self._codec.player_text(self._timeline.version_of(line.commit), line.turn),
            at=line.at,
            branches=ends,
            take=take,
            takes=takes,
            is_undone=is_tip_undone and not ends and not take and all(child.is_undone for child in children),
            is_redoable=point.commit == self._redoable,
            children=children,
        )

    def _counted(self) -> dict[str, tuple[int, int]]:
        same: dict[str | None, list[str]] = {}
        for take_commit in self._takes:
            same.setdefault(self._history.turn_before(take_commit), []).append(take_commit)
        return {
            take_commit: (n, len(takes)) for takes in same.values() for n, take_commit in enumerate(takes, 1)
        }

    def _turn_commit(self, commit: str) -> str:
        return self._history.turn_commit(commit).id


N = TypeVar("N", Node, _Point)


def all_below(root: N) -> list[N]:
    """Return `root` and everything below, parents first."""
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    return nodes


def _way(point: _Point) -> list[_Point]:
    way = [point]
    while way[-1].children:
        way.append(way[-1].children[0])
    return way
