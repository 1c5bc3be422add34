"""What one can do in the inspector."""

from __future__ import annotations

from theact_tui.tui.acts import Act

HELP = """\
Everything the program knew at any turn of this story, and everything it asked a model for.

Left and right go through the turns, tab goes from one person to the next and to the narrator. In front of a line \
+ marks what came in this turn, ~ what changed (the old words stand below), - what went; ◆ is pinned and never \
forgotten, ! was called important by the model and goes later than others. The number is the turn a line came from: \
enter shows that turn's words, g goes to it in the story.

What gives way to newer memories is set aside below; ↺ marks what this turn spoke of and so brought back.

Why did somebody say that? Press x: the prompt, word for word as it was sent, with the tokens each part took and \
what was cut or left out. Pressed again it shows the next prompt of this person in this turn.

In the table of who knows what a plain number is the turn from which somebody remembers a line; a dot before it \
means they were there, but hold no line about it; a dash means they were not, and nothing told them.

Only the newest memory can be changed: p pins a line, e rewrites it (leave it empty to remove it), a adds one. \
While a turn is told this page changes with it."""

TIME, WHO, WHY, LINE, LOOK, OUT = "turn", "who", "why", "line", "look at", "leave"

INSPECTOR_ACTS = (
    Act(
        "inspector.older",
        "turn(-1)",
        "turn",
        "The turn before, with ←",
        TIME,
        key="left",
        show=True,
        shown_key="←→",
        priority=True,
    ),
    Act(
        "inspector.newer",
        "turn(1)",
        "turn after",
        "The turn after",
        TIME,
        key="right",
        shown_key="→",
        priority=True,
    ),
    Act(
        "inspector.back10",
        "turn(-10)",
        "ten back",
        "Ten back",
        TIME,
        "shift+left",
        shown_key="shift-←",
        priority=True,
    ),
    Act(
        "inspector.on10",
        "turn(10)",
        "ten on",
        "Ten on",
        TIME,
        "shift+right",
        shown_key="shift-→",
        priority=True,
    ),
    Act("inspector.first", "first", "first turn", "The first turn", TIME, key="home", priority=True),
    Act(
        "inspector.newest",
        "newest",
        "newest turn",
        "The newest turn, which is followed from then on",
        TIME,
        key="end",
        priority=True,
    ),
    Act(
        "inspector.person",
        "person(1)",
        "person",
        "The next person; the narrator comes last",
        WHO,
        key="tab",
        show=True,
        priority=True,
    ),
    Act(
        "inspector.person_back",
        "person(-1)",
        "person before",
        "The person before",
        WHO,
        key="shift+tab",
        priority=True,
    ),
    Act(
        "inspector.prompt",
        "prompt",
        "prompt",
        "The prompt as it was sent; again: the next one of this person",
        WHY,
        key="x",
        show=True,
    ),
    Act("inspector.pin", "pin", "pin", "Pin this line or moment, or unpin it", LINE, "p", show=True),
    Act("inspector.edit", "edit", "edit", "Rewrite this line by hand", LINE, "e", show=True),
    Act(
        "inspector.where", "where", "source", "The words of the turn this came from", LINE, "enter", show=True
    ),
    Act("inspector.there", "go", "in the story", "Go to this turn in the story", LINE, "enter", show=True),
    Act("inspector.go", "go", "go there", "Go to that turn in the story", LINE, "g"),
    Act("inspector.add", "add", "add", "Write a new line into this memory", LINE, "a"),
    Act("inspector.knows", "view('knows')", "knows", "Who knows what, and since when", LOOK, "k", show=True),
    Act("inspector.calls", "view('calls')", "calls", "Calls, times and raw replies", LOOK, "c", show=True),
    Act("inspector.events", "view('events')", "live", "What the engine tells, live", LOOK, "v", show=True),
    Act("inspector.words", "view('words')", "words", "The words of this turn", LOOK, "w"),
    Act("inspector.memory", "view('memory')", "memory", "Back to what this person remembers", LOOK, "m"),
    Act("inspector.back", "back", "back", "To the memory, then to the story", OUT, "escape", show=True),
    Act("inspector.leave", "leave_now", "story", "Back to the story at once", OUT, "f2"),
)
"""In the order of footer, help and palette."""
