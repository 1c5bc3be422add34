"""The tree of a save laid out in lines: no two cross, runs collapse, one can walk everywhere."""

from itertools import count

import pytest

from theact_tui.saves.graph import Node
from theact_tui.tui.branches.layout import GAP, BranchLayout, Cursor, Step

_numbers = count()


def node(turn: int, *children: Node, b: str = "", take: int = 0, undone: bool = False) -> Node:
    id = f"{next(_numbers):040x}"
    return Node(
        commit=id, turn=turn, tip=id, line="", said="", at="", branches=tuple(b.split()), take=take,
        takes=take and 9, is_undone=undone, children=children,
    )  # fmt: skip


def picture(layout: BranchLayout) -> list[tuple[int, int, int, str]]:
    return [(line.parent, line.first, line.last, line.branch) for line in layout.lines]


@pytest.fixture
def layout() -> BranchLayout:
    """main to 13 with a take of 12; `aside` leaves it at 5 and parts itself; `fresh` is named at 12."""
    aside = node(7, node(8, b="late"), node(9, b="aside"))
    twelve = node(12, node(13, b="main"), b="fresh", take=2)
    return BranchLayout(node(0, node(5, aside, node(11, node(12, take=1), twelve))))


def test_what_parts_late_lies_next_to_its_line(layout: BranchLayout) -> None:
    assert picture(layout) == [
        (-1, 0, 13, "main"),
        (0, 13, 12, "fresh"),
        (0, 12, 12, ""),
        (0, 6, 9, "aside"),
        (3, 8, 8, "late"),
    ]


def test_lines_hang_from_where_they_part(layout: BranchLayout) -> None:
    assert [layout.bars(row) for row in range(5)] == [
        {},
        {12: "╰", 11: "│", 5: "│"},
        {11: "╰", 5: "│"},
        {5: "╰"},
        {7: "╰"},
    ]


def test_the_first_branch_goes_straight_on_even_if_it_is_short() -> None:
    layout = BranchLayout(node(0, node(3, node(4, b="main"), node(90, b="other"))), "other")
    assert picture(layout) == [(-1, 0, 4, "main"), (0, 4, 90, "other")]
    assert layout.current_place == Cursor(1, 90)
    assert layout.way == {1: 90, 0: 3}


def test_what_was_undone_hangs_below_the_branch_it_followed() -> None:
    layout = BranchLayout(node(0, node(4, node(6, undone=True), b="main")))
    assert picture(layout) == [(-1, 0, 4, "main"), (0, 5, 6, "")]


def test_two_branches_at_the_same_turn_have_a_line_each() -> None:
    layout = BranchLayout(node(0, node(4, b="aside main")), "aside")
    assert picture(layout) == [(-1, 0, 4, "main"), (0, 5, 4, "aside")]
    assert layout.current_place == Cursor(1, 4)
    assert layout.way == {1: 4, 0: 4}


def test_turns_that_another_branch_has_are_no_branch_s_own(layout: BranchLayout) -> None:
    own = {branch: layout.count_own(branch) for branch in ("main", "fresh", "aside", "late")}
    assert own == {"main": 1, "fresh": 0, "aside": 2, "late": 1}
    assert BranchLayout(node(0, node(4, b="main"))).count_own("main") == 4


def test_everything_is_drawn_where_it_fits(layout: BranchLayout) -> None:
    assert layout.columns(Cursor(0, 13), 14) == list(range(14))


def test_plain_runs_collapse_but_not_around_the_cursor() -> None:
    layout = BranchLayout(node(0, node(4000, node(4003, take=1), node(5000, b="main"))))
    assert layout.columns(Cursor(0, 5000), 12) == [
        0, GAP, 4000, 4001, 4002, 4003, GAP, 4996, 4997, 4998, 4999, 5000,
    ]  # fmt: skip
    assert layout.columns(Cursor(0, 4500), 20)[6:] == [GAP, *range(4495, 4506), GAP, 5000]


def test_where_too_much_happens_the_cursor_still_has_neighbours() -> None:
    layout = BranchLayout(node(0, node(4000, node(4003, take=1), node(5000, b="main"))))
    assert layout.columns(Cursor(0, 4500), 4)[6:] == [GAP, *range(4497, 4504), GAP, 5000]


def test_a_single_missing_turn_is_drawn() -> None:
    layout = BranchLayout(node(0, node(20, node(21, take=1), node(23, b="main"))))
    assert GAP not in layout.columns(Cursor(0, 20), 5)[2:]


@pytest.mark.parametrize(
    ("place", "step", "goal", "result"),
    [
        (Cursor(0, 13), "left", 13, Cursor(0, 12)),
        (Cursor(0, 13), "right", 13, Cursor(0, 13)),
        (Cursor(0, 0), "left", 0, Cursor(0, 0)),
        (Cursor(3, 6), "left", 6, Cursor(0, 5)),
        (Cursor(1, 12), "left", 12, Cursor(0, 12)),
        (Cursor(0, 12), "down", 12, Cursor(1, 12)),
        (Cursor(1, 12), "down", 12, Cursor(2, 12)),
        (Cursor(2, 12), "down", 12, Cursor(3, 9)),
        (Cursor(3, 9), "up", 12, Cursor(2, 12)),
        (Cursor(0, 2), "up", 2, Cursor(0, 2)),
        (Cursor(4, 8), "down", 8, Cursor(4, 8)),
        (Cursor(0, 13), "back", 13, Cursor(0, 12)),
        (Cursor(0, 11), "back", 11, Cursor(0, 5)),
        (Cursor(0, 5), "back", 5, Cursor(0, 0)),
        (Cursor(4, 8), "back", 8, Cursor(3, 7)),
        (Cursor(0, 6), "on", 6, Cursor(0, 11)),
        (Cursor(3, 8), "first", 8, Cursor(3, 6)),
        (Cursor(3, 6), "last", 6, Cursor(3, 9)),
    ],
)
def test_one_can_walk_everywhere(
    layout: BranchLayout, place: Cursor, step: Step, goal: int, result: Cursor
) -> None:
    assert layout.moved(place, step, goal) == result


def test_a_turn_belongs_to_the_run_it_is_in(layout: BranchLayout) -> None:
    assert layout.node(Cursor(0, 8)).turn == 11
    assert layout.find(layout.node(Cursor(3, 8)).commit, 8) == Cursor(3, 8)
    assert layout.find("unknown", 8) is None


def test_a_story_may_part_at_thousands_of_turns_in_a_row() -> None:
    root = node(3000, b="main")
    for turn in range(2999, -1, -1):
        root = node(turn, node(turn + 1, take=1), root)
    layout = BranchLayout(root)
    assert len(layout.lines) == 3001
    assert layout.lines[0].branch == "main"
    assert layout.columns(Cursor(0, 5), 20) == list(range(3001))
