"""The drawn tree names lines of which nothing is in sight, at the side on which they lie."""

from tests.support.pilot import Paper, until
from theact_tui.saves.graph import Node
from theact_tui.tui.branches.graph import StoryTree
from theact_tui.tui.branches.layout import BranchLayout, Cursor


def node(turn: int, *children: Node, branch: str = "") -> Node:
    name = f"{branch}{turn}"
    return Node(name, turn, name, "", "", "", branches=(branch,) * bool(branch), children=children)


def layout() -> BranchLayout:
    """A line of 60 turns that parts at every second one until turn 40, and early ways aside."""
    way = node(60, branch="main")
    for turn in range(40, 1, -2):
        way = node(turn, way, node(turn + 1, branch=f"way-{turn}"))
    return BranchLayout(node(0, way))


async def test_what_lies_beside_is_named_there() -> None:
    tree, shown = StoryTree(), layout()
    async with Paper(tree).run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        tree.show(shown, shown.current_place)
        await pilot.pause()

        def rows() -> list[str]:
            return [tree.render_line(y).text.rstrip() for y in range(30)]

        await until(pilot, lambda: " ◂ way-2" in rows(), "the end of the story")
        assert not any(row.endswith("▸") for row in rows())
        tree.go_to(Cursor(0, 0))
        await until(pilot, lambda: any(row.endswith("way-40 ▸") for row in rows()), "its beginning")
        assert not any(row.startswith(" ◂") for row in rows())
