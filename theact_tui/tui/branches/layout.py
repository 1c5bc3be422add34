"""Layout of a save's tree. A row is a line of turns from its fork to its end; runs of turns without forks are one
gap.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

from theact_tui.saves.branches import BranchInfo
from theact_tui.saves.graph import Node, all_below

TRUNK = "main"
AROUND = 3
"""Turns drawn on either side of the cursor if space is short."""
GAP = -1
"""Column for turns that are not drawn."""

Step = Literal["left", "right", "up", "down", "first", "last", "back", "on"]


@dataclass(frozen=True, eq=False)
class StoryLine:
    """Row of the tree, from row `parent` after turn `fork`, -1 for the first row. Without own turns `first` >
    `last`.
    """

    row: int
    parent: int
    fork: int
    nodes: tuple[Node, ...]
    """Ends of its runs of turns, in order."""
    branch: str = ""

    @property
    def first(self) -> int:
        return self.fork + 1

    @property
    def last(self) -> int:
        """Last own turn; `fork` without own turns."""
        return self.nodes[-1].turn

    @cached_property
    def _ends(self) -> list[int]:
        return [node.turn for node in self.nodes]

    def node(self, turn: int) -> Node:
        """Return the end of the run with `turn`."""
        return self.nodes[min(bisect_left(self._ends, turn), len(self.nodes) - 1)]

    def drawn(self) -> Iterable[int]:
        """Turns always drawn: beginning, forks, end."""
        return {self.fork, min(self.first, self.last), *self._ends} - {-1}


@dataclass(frozen=True, slots=True)
class Cursor:
    row: int
    turn: int


class BranchLayout:
    def __init__(
        self,
        root: Node,
        branch: str = TRUNK,
        titles: Mapping[str, str] | None = None,
        deleted: Sequence[BranchInfo] = (),
    ) -> None:
        """`titles` are names for people, `deleted` is the trash."""
        self.lines = _lines(root)
        self.current = branch
        self.deleted = deleted
        self._titles = titles or {}
        self._parents = {child.commit: node for node in all_below(root) for child in node.children}
        self._hung: dict[tuple[int, int], int] = {}
        """By row and fork: the last row that starts there."""
        for line in self.lines:
            self._hung[line.parent, line.fork] = line.row

    @cached_property
    def newest(self) -> int:
        return max(line.last for line in self.lines)

    @cached_property
    def current_place(self) -> Cursor:
        return self.branch(self.current) or Cursor(0, self.lines[0].last)

    @cached_property
    def way(self) -> Mapping[int, int]:
        return self._way_to(self.current_place)

    def _way_to(self, place: Cursor) -> dict[int, int]:
        """By row: last turn on the path there."""
        turns, row, turn = dict[int, int](), place.row, place.turn
        while row >= 0:
            turns[row] = turn
            line = self.lines[row]
            row, turn = line.parent, line.fork
        return turns

    def node(self, place: Cursor) -> Node:
        """Return the node of a position: its own, or the end of its run."""
        return self.lines[place.row].node(place.turn)

    def find(self, commit: str, turn: int) -> Cursor | None:
        for line in self.lines:
            for node in line.nodes:
                if node.commit == commit:
                    return Cursor(line.row, turn if line.first <= turn <= node.turn else node.turn)
        return None

    def branch(self, name: str) -> Cursor | None:
        return next((Cursor(line.row, line.last) for line in self.lines if line.branch == name), None)

    def count_own(self, branch: str) -> int:
        place = self.branch(branch) or self.current_place
        others = [Cursor(line.row, line.last) for line in self.lines if line.branch not in ("", branch)]
        shared = (self._way_to(other).get(place.row, 0) for other in others)
        return place.turn - max(0, self.lines[place.row].fork, *shared)

    def title(self, branch: str) -> str:
        return self._titles.get(branch, branch)

    def branch_at(self, place: Cursor) -> str:
        line = self.lines[place.row]
        return line.branch if place.turn == line.last else ""

    def is_take_of_last(self, node: Node) -> bool:
        current = self.node(self.current_place)
        before = self._parents.get(node.commit)
        return bool(node.take) and current.turn == node.turn and before is self._parents.get(current.commit)

    # --- moving ---

    def moved(self, place: Cursor, step: Step, goal: int) -> Cursor:
        """Return the next position. `goal` is the turn to keep when changing rows."""
        line = self.lines[place.row]
        match step:
            case "left" if place.turn > line.first:
                return Cursor(place.row, place.turn - 1)
            case "left" | "back" if place.turn <= line.first:
                return Cursor(line.parent, line.fork) if line.parent >= 0 else place
            case "right":
                return Cursor(place.row, min(place.turn + 1, line.last))
            case "up" | "down":
                row = max(0, min(place.row + (1 if step == "down" else -1), len(self.lines) - 1))
                other = self.lines[row]
                return Cursor(row, max(min(goal, other.last), min(other.first, other.last)))
            case "first":
                return Cursor(place.row, min(line.first, line.last))
            case "last":
                return Cursor(place.row, line.last)
            case "back":
                return Cursor(
                    place.row, max(turn for turn in {line.first, *line.drawn()} if turn < place.turn)
                )
            case "on":
                return Cursor(
                    place.row, min((turn for turn in line.drawn() if turn > place.turn), default=line.last)
                )
            case _:
                return place

    # --- drawing ---

    def columns(self, place: Cursor, room: int) -> list[int]:
        """Return the turns to draw in `room` columns, with `GAP` for omitted ones."""
        if self.newest < room:
            return list(range(self.newest + 1))
        last, widest = self.lines[place.row].last, room // 2 if len(self._always) < room else 0
        columns: list[int] = []
        for around in range(max(widest, AROUND), AROUND - 1, -1):
            near = range(max(0, place.turn - around), min(last, place.turn + around) + 1)
            columns = _with_gaps(sorted(self._always.union(near)))
            if len(columns) <= room:
                break
        return columns

    @cached_property
    def _always(self) -> frozenset[int]:
        return frozenset({0, *(turn for line in self.lines for turn in line.drawn())})

    def bars(self, row: int) -> dict[int, str]:
        """Return the joints, by turn, of lines from a row above, in `row`."""
        line = self.lines[row]
        joints = {fork: "│" for (parent, fork), last in self._hung.items() if parent < row < last}
        if line.parent >= 0:
            joints[line.fork] = "├" if self._hung[line.parent, line.fork] > row else "╰"
        return joints


def _with_gaps(turns: Sequence[int]) -> list[int]:
    """A single missing turn is drawn instead of a gap."""
    columns = list(turns[:1])
    for before, turn in pairwise(turns):
        columns += [GAP] if turn > before + 2 else range(before + 1, turn)
        columns.append(turn)
    return columns


def _lines(root: Node) -> list[StoryLine]:
    """Arrange rows so that no lines cross: late forks near their parent, early ones further away."""
    rank = _ranks(root)
    lines: list[StoryLine] = []
    waiting: list[tuple[int, int, Node, str]] = [(-1, -1, root, "")]
    while waiting:
        parent, fork, start, name = waiting.pop()
        row = len(lines)
        if name:
            lines.append(StoryLine(row, parent, fork, (start,), name))
            continue
        way = [start]
        while (straight_on := _straight_on(way[-1], rank)) is not None:
            way.append(straight_on)
        straight = {node.commit for node in way}
        names = sorted(way[-1].branches, key=lambda branch: branch != TRUNK)
        lines.append(StoryLine(row, parent, fork, tuple(way), names[0] if names else ""))
        for node in way:
            chosen = names[1:] if node is way[-1] else node.branches
            others = [child for child in node.children if child.commit not in straight]
            waiting += [(row, node.turn, child, "") for child in reversed(others)]
            waiting += [(row, node.turn, node, branch) for branch in reversed(chosen)]
    return lines


Rank = tuple[int, ...]


def _straight_on(node: Node, rank: Mapping[str, Rank]) -> Node | None:
    """Return the child that stays in the row, if any."""
    best = max(node.children, key=lambda child: rank[child.commit], default=None)
    if best is None or TRUNK in node.branches or (node.branches and not rank[best.commit][1]):
        return None
    return best


def _ranks(root: Node) -> dict[str, Rank]:
    """Rank each path for staying in its row: the first branch, then others, then the longest that is not undone."""
    ranks: dict[str, Rank] = {}
    for node in reversed(all_below(root)):
        own = (TRUNK in node.branches, bool(node.branches), not node.is_undone, node.turn)
        below = [ranks[child.commit] for child in node.children]
        ranks[node.commit] = tuple(map(max, zip(own, *below, strict=True)))
    return ranks


NO_BRANCHES = BranchLayout(Node("", 0, "", "", "", ""))
