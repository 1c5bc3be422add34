"""What one can do on the screens of branches: the tree, and the comparison of two places in it."""

from __future__ import annotations

from theact_tui.tui.acts import Act

HELP = """\
Your story as a tree. Each row is a way it went: a branch with a name, a take of a turn that was told again, turns you \
took back. Turns of the same number stand below one another; long stretches in which nothing parts are drawn as ┄.

◉ is where you are, and what led there is drawn in the accent. ● is a turn, ○ a take that is kept, ◌ a turn that was \
undone, ◆ the one you marked to compare with.

Below stands the turn under the cursor, and beside it how the story there differs from the one you play: what only it \
has after a +, what only yours has after a −.

Nothing is lost by going somewhere else. Every branch and every take stays as it is, with all that everyone remembers."""

COMPARE_HELP = """\
Two places of your story side by side. First what they mean: chapter, beats, who is here, what each character knows \
that the other side does not. Then the turns after the point where they part.

In a narrow window the two stand below one another, each with its own bar."""

MOVE, GO, BRANCH, APP = "move", "go", "branch", "app"

TREE_ACTS = (
    Act("branches.go", "go", "go there", "Go on with the story from here", GO, key="enter", show=True),
    Act("branches.name", "name", "name", "Name a branch that begins here", BRANCH, key="n", show=True),
    Act("branches.rename", "rename", "rename", "Give this branch another name", BRANCH, key="r", show=True),
    Act("branches.compare", "compare", "compare", "Compare with the marked turn, or with where you are", GO,
        key="c", show=True),
    Act("branches.mark", "mark", "mark", "Mark this turn, to compare another one with it", GO, key="space", show=True),
    Act("branches.delete", "delete", "delete", "Move this branch to the trash", BRANCH, key="x,delete",
        shown_key="x", show=True),
    Act("branches.restore", "restore", "trash", "Bring a deleted branch back", BRANCH, key="t", show=True),
    Act("branches.export", "export", "export", "Write this branch to a file", BRANCH, key="o"),
    Act("branches.left", "step('left')", "before", "The turn before", MOVE, key="left,h", shown_key="←"),
    Act("branches.right", "step('right')", "after", "The turn after", MOVE, key="right,l", shown_key="→"),
    Act("branches.up", "step('up')", "line above", "The line above", MOVE, key="up,k", shown_key="↑"),
    Act("branches.down", "step('down')", "line below", "The line below", MOVE, key="down,j", shown_key="↓"),
    Act("branches.back", "step('back')", "parting before", "Back to where something parts", MOVE,
        key="left_square_bracket,ctrl+left", shown_key="["),
    Act("branches.on", "step('on')", "next parting", "On to where something parts", MOVE,
        key="right_square_bracket,ctrl+right", shown_key="]"),
    Act("branches.first", "step('first')", "begin", "Where this line begins", MOVE, key="home"),
    Act("branches.last", "step('last')", "end", "The end of this line", MOVE, key="end"),
    Act("branches.here", "here", "where I am", "Back to where you are in the story", MOVE, key="full_stop",
        shown_key="."),
    Act("branches.pageup", "page(-1)", "read up", "Scroll the turn up", MOVE, key="pageup"),
    Act("branches.pagedown", "page(1)", "read down", "Scroll the turn down", MOVE, key="pagedown"),
    Act("branches.refresh", "refresh", "refresh", "Read the tree again", APP, key="f5"),
    Act("branches.close", "close", "back", "Back to the story", APP, key="escape,f3", shown_key="esc", show=True),
)  # fmt: skip
"""In the order of footer, help and palette."""

COMPARE_ACTS = (
    Act("compare.next", "turn(1)", "next", "The next turn or prompt", MOVE, key="right_square_bracket,n", shown_key="n",
        show=True),
    Act("compare.previous", "turn(-1)", "previous", "The turn or prompt before", MOVE, key="left_square_bracket,p",
        shown_key="p", show=True),
    Act("compare.part", "part", "meaning or prose", "To the prose, or back to what it means", MOVE, key="tab", show=True),
    Act("compare.swap", "swap", "swap", "Change the sides", MOVE, key="x", show=True),
    Act("compare.close", "close", "back", "Back to the tree", APP, key="escape,c", shown_key="esc", show=True),
)  # fmt: skip
