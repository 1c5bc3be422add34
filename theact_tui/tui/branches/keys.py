from theact_tui.tui.actions import Action

HELP = """\
Your story as a tree. Each row is a branch, a take of a turn you retried, or turns you undid. Turns with the same \
number are aligned; long stretches without a fork are drawn as ┄.

◉ is your position; the path to it is drawn in the accent colour. ● is a turn, ○ a take, ◌ an undone turn, ◆ the \
turn you marked for comparison.

Below the tree you see the turn under the cursor and how the story differs there from your position: + is only \
there, − is only here.

Going to another turn loses nothing. Every branch, take and undone turn is kept, with everyone's memories."""

COMPARE_HELP = """\
Two versions of your story side by side. First the facts: chapter, beats, who is here, and what each character knows \
only on that side. Then the turns after the fork.

In a narrow window the two are shown one above the other, each with its own bar."""

MOVE, GO, BRANCH, APP = "move", "go", "branch", "app"

TREE_ACTIONS = (
    Action("branches.go", "act('go')", "go there", "Continue the story from here", GO, key="enter", show=True),
    Action("branches.name", "act('name')", "branch here", "Create a branch here and go there", BRANCH, key="n", show=True),
    Action("branches.rename", "act('rename')", "rename", "Rename this branch", BRANCH, key="r", show=True,
        refusal="Go to the last turn of a branch to rename it."),
    Action("branches.compare", "compare", "compare", "Compare with the marked turn, or with your position", GO,
        key="c", show=True),
    Action("branches.mark", "mark", "mark", "Mark this turn for comparison", GO, key="space", show=True),
    Action("branches.delete", "act('delete')", "delete", "Move this branch to the trash", BRANCH, key="x,delete",
        shown_key="x", show=True, refusal="Go to the last turn of another branch to delete it."),
    Action("branches.restore", "act('restore')", "trash", "Restore a deleted branch", BRANCH, key="t", show=True,
        refusal="The trash is empty."),
    Action("branches.export", "act('export')", "export", "Export this branch to a file", BRANCH, key="o",
        refusal="Go to the last turn of a branch to export it."),
    Action("branches.left", "step('left')", "previous", "The previous turn", MOVE, key="left,h"),
    Action("branches.right", "step('right')", "next", "The next turn", MOVE, key="right,l"),
    Action("branches.up", "step('up')", "row above", "The row above", MOVE, key="up,k"),
    Action("branches.down", "step('down')", "row below", "The row below", MOVE, key="down,j"),
    Action("branches.back", "step('back')", "last fork", "Back to the last fork", MOVE,
        key="left_square_bracket,ctrl+left", shown_key="["),
    Action("branches.on", "step('on')", "next fork", "Go to the next fork", MOVE,
        key="right_square_bracket,ctrl+right", shown_key="]"),
    Action("branches.first", "step('first')", "start", "The start of this row", MOVE, key="home"),
    Action("branches.last", "step('last')", "end", "The end of this row", MOVE, key="end"),
    Action("branches.here", "here", "where I am", "Back to your position in the story", MOVE, key="full_stop",
        shown_key="."),
    Action("branches.pageup", "page(-1)", "page up", "Scroll the turn up", MOVE, key="pageup"),
    Action("branches.pagedown", "page(1)", "page down", "Scroll the turn down", MOVE, key="pagedown"),
    Action("branches.refresh", "refresh", "refresh", "Reload the tree", APP, key="f5"),
    Action("branches.close", "dismiss", "back", "Back to the story", APP, key="escape,f3", shown_key="esc", show=True),
)  # fmt: skip

COMPARE_ACTIONS = (
    Action("compare.next", "turn(1)", "next", "The next turn or prompt", MOVE, key="right_square_bracket,n", shown_key="n",
        show=True),
    Action("compare.previous", "turn(-1)", "previous", "The previous turn or prompt", MOVE, key="left_square_bracket,p",
        shown_key="p", show=True),
    Action("compare.part", "part", "facts or prose", "Switch between facts and prose", MOVE, key="tab", show=True),
    Action("compare.swap", "swap", "swap", "Swap the sides", MOVE, key="x", show=True),
    Action("compare.close", "dismiss", "back", "Back", APP, key="escape,c", shown_key="esc", show=True),
)  # fmt: skip
