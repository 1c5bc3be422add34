"""What one can do while playing."""

from __future__ import annotations

from theact_tui.tui.acts import LEADER, Act

HELP = """\
Write what you do or say and press enter; the story answers. While it answers you may read, scroll and type on: \
what you type is kept.

A turn begins at the top of the page and stays there while you read. Where it is longer than the page, enter on an \
empty line turns to the next one; pgup and pgdn move freely, escape goes to the newest line.

In the margin › marks your own words, ⚄ a throw of the dice, ✓ a beat of the chapter you reached, ✦ a moment worth \
remembering. A line between two turns shows from where on the model still reads every word; what is above it, it \
knows in summary.

The panel shows what the program knows: the story so far, the beats of the chapter, who is here and what each of \
them remembers. What changed glows, and keeps its mark until the next turn. Tab takes you there; space sends \
somebody away or brings them back, enter unfolds what they remember.

In the writing box ^j or alt+enter begins a new line, ↑ and ↓ bring back what you sent before, and / begins a \
command. Where a turn was told more than once, ← and → on an empty line step through its takes.

Every turn is saved. You can go back, forward, tell a turn again and keep every version of it."""

TURN, LOOK, STORY, APP = "turn", "look", "story", "app"

WRITING_ACTS = (
    Act(
        "play.say",
        "say",
        "say",
        "Send what you wrote; on an empty line, turn the page",
        "say",
        key="enter",
        show=True,
        priority=True,
    ),
    Act(
        "play.newline",
        "newline",
        "new line",
        "Begin a new line; alt+enter does too",
        "say",
        key="ctrl+j,alt+enter,shift+enter,ctrl+enter",
        shown_key="^j",
        priority=True,
    ),
    Act(
        "play.complete",
        "complete",
        "complete",
        "Complete a command, else go on to the panel",
        "say",
        key="tab",
        priority=True,
    ),
)
"""In the writing box."""

CAST_ACTS = (
    Act(
        "cast.toggle",
        "presence",
        "in or out",
        "Send this one away, or bring them back",
        "cast",
        key="space",
        show=True,
    ),
    Act(
        "cast.unfold",
        "unfold",
        "what they know",
        "Show all that this one remembers, or less",
        "cast",
        key="enter",
        show=True,
    ),
)
"""With the cursor on somebody in the panel."""

PLAY_ACTS = (
    Act(
        "play.stop",
        "stop",
        "stop",
        "Stop the turn: the narration is taken back, replies end",
        "say",
        key="escape",
        show=True,
    ),
    Act(
        "play.back",
        "back",
        "back",
        "Back to the newest line and the writing box",
        "say",
        key="escape",
        show=True,
    ),
    Act(
        "play.retry",
        "retry",
        "retry",
        "Tell the last turn again, as a new take",
        TURN,
        key="f4",
        letter="t",
        show=True,
    ),
    Act(
        "play.retry_edited",
        "retry_edited",
        "retry edited",
        "Change your last words, then tell it again",
        TURN,
        key="shift+f4",
        letter="y",
    ),
    Act(
        "play.takes",
        "next_take",
        "takes",
        "Step through the takes of the last turn",
        TURN,
        key="f5",
        letter="k",
        show=True,
    ),
    Act(
        "play.take_before",
        "take_before",
        "take before",
        "Step back through the takes of the last turn",
        TURN,
        key="shift+f5",
    ),
    Act("play.undo", "undo", "undo", "Go back one turn", TURN, letter="u"),
    Act("play.redo", "redo", "redo", "Go forward again", TURN, letter="r"),
    Act("play.edit", "edit", "edit", "Change the words of a turn by hand", TURN, letter="w"),
    Act(
        "play.memory",
        "open('inspector')",
        "memory",
        "What everyone remembers, at any turn",
        LOOK,
        key="f2",
        letter="m",
        show=True,
    ),
    Act(
        "play.tree",
        "open('branches')",
        "tree",
        "Branches and takes of this story",
        LOOK,
        key="f3",
        letter="b",
        show=True,
    ),
    Act(
        "play.panel",
        "panel",
        "panel",
        "Show or hide story, beats, cast and memory",
        LOOK,
        key="f8",
        letter="p",
        show=True,
    ),
    Act(
        "play.thoughts",
        "thoughts",
        "thoughts",
        "Show or hide what a model thinks before it answers",
        LOOK,
        letter="o",
    ),
    Act("play.find", "find", "find", "Search the story", LOOK, key="ctrl+f", letter="f", show=True),
    Act("play.jump", "jump", "jump", "Go to a turn", LOOK, letter="j"),
    Act("play.branch", "branch", "branch", "Name a branch that begins here", STORY, letter="n"),
    Act("play.export", "export", "export", "Write the story to a file", STORY, letter="e"),
    Act("play.home", "home", "leave", "Save and go back to the list of stories", STORY, letter="h"),
    Act("play.leader", "leader", "more", "All other keys", APP, key=LEADER, show=True, priority=True),
    Act("play.settings", "open('settings')", "settings", "Models, theme and keys", APP, letter="s"),
)
"""In the order of footer, help and palette."""
