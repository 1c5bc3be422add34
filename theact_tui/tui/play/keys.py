from theact_tui.engine.session import NO_REPLY
from theact_tui.tui.actions import LEADER, Action

HELP = """\
Type what you do or say and press enter; the story answers. You can read, scroll and type while it does; your text \
is kept.

A new turn starts at the top of the page. If it is longer than the page, enter on an empty line shows the next page; \
pgup and pgdn scroll, esc jumps to the newest line. At the end of the page an empty line \
lets the story continue without you.

In stories with dice one is thrown when your line tries something that can fail, such as climbing or persuading.

In the margin › marks your input, ⚄ a dice roll, ✓ a beat of the chapter you reached, ✦ a moment worth remembering. \
A line between turns: what is above it the model knows only as a summary.

The panel shows what the program knows: the story so far, the beats reached in the chapter, who is here and what each \
character remembers. Changes are highlighted and stay marked until the next turn. Press tab to go there; enter shows \
all of a story so far that is cut, and a character's memories; space sends a character away or brings them back.

In the input box ^j or alt-enter inserts a line break, ↑ and ↓ recall earlier input, and / starts a command. ^z undoes \
what you typed; in an empty box it undoes the last turn. If a \
turn has several takes, ← and → on an empty line switch between them. You can write "I" or "you". What \
characters do is told as "I" in some stories and by their names in others.

F9 switches the box between what you say in the story and what you tell the narrator; the mark before the line says \
which. What you tell the narrator makes one turn and is never part of the story. /note keeps a note the narrator sees in \
every turn, /ask and /hush say who answers, /length how much is written.

Every turn is saved. You can undo, redo and retry turns; every take is kept."""

TURN, LOOK, STORY, APP = "turn", "look", "story", "app"
CHANGING = frozenset(
    "retry retry_edited retry_reply go_on take command edit heard cast renew ideas branch changed_pack".split()
)
"""Actions that wait for the running turn and need a writable save."""

ONE_TAKE = "The last turn has only one take. F4 retries it as a new one."

WRITING_ACTIONS = (
    Action("play.say", "say", "say", "Send your text; on an empty line, next page or continue", "say", key="enter",
        show=True, priority=True),
    Action("play.newline", "newline", "new line", "Insert a line break (also alt-enter)", "say",
        key="ctrl+j,alt+enter,shift+enter,ctrl+enter", shown_key="^j", priority=True),
    Action("play.complete", "complete", "complete", "Complete a command, or go to the panel", "say", key="tab",
        priority=True),
)  # fmt: skip

CAST_ACTIONS = (
    Action("cast.toggle", "presence", "away / here", "Mark this character as away, or as here again",
        "cast", key="space", show=True),
    Action("cast.unfold", "unfold", "show memories", "Show or hide this character's memories", "cast",
        key="enter", show=True),
)  # fmt: skip
"""With the cursor on a character in the panel."""

SUMMARY_ACTIONS = (
    Action("summary.unfold", "unfold_summary", "all / less", "Show more or less of the story so far", "cast",
        key="enter", show=True),
)  # fmt: skip

PLAY_ACTIONS = (
    Action("play.stop", "stop", "stop", "Stop the turn and discard the unfinished narration", "say",
        key="escape", show=True),
    Action("play.back", "back", "back", "Back to the newest line and the writing box", "say", key="escape",
        show=True),
    Action("play.retry", "retry", "retry", "Retry the last turn as a new take", TURN, key="f4", letter="t", first=True,
        show=True),
    Action("play.retry_edited", "retry_edited", "retry edited", "Edit your last input, then retry the turn", TURN,
        key="shift+f4", letter="y", refusal="The last turn has no line of yours to edit. F4 retries it."),
    Action("play.retry_reply", "retry_reply", "retry reply", "Retry one reply; the page and other replies stay", TURN,
        key="shift+f9", refusal=NO_REPLY),
    Action("play.direct", "direct", "tell the narrator", "Tell the narrator what happens, or say lines in the story", TURN,
        key="f9", letter="d"),
    Action("play.go_on", "go_on", "continue", "Continue without writing a line", TURN, letter="g"),
    Action("play.takes", "take(1)", "takes", "Show the next take of the last turn", TURN, key="f5", letter="k",
        show=True, refusal=ONE_TAKE),
    Action("play.take_before", "take(-1)", "previous take", "Show the previous take of the last turn", TURN,
        key="shift+f5", refusal=ONE_TAKE),
    Action("play.undo", "command('/undo')", "undo", "Undo the last turn or text edit", TURN, letter="u", first=True),
    Action("play.redo", "command('/redo')", "redo", "Redo what was undone last", TURN, letter="r", first=True),
    Action("play.edit", "edit", "edit", "Edit the text of the turn you read", TURN, letter="w", first=True),
    Action("play.heard", "heard", "who heard", "Decide who heard the last turn", TURN, letter="l",
        refusal="There is no turn yet."),
    Action("play.cast", "cast", "add to cast", "Add a character: in your words, from a card, or by the model",
        TURN, letter="q"),
    Action("play.editor", "editor", "open editor", "Write in your own editor ($EDITOR)", TURN, letter="x"),
    Action("play.renew", "renew", "write memories", "Write stale or missing memories", TURN, letter="v",
        refusal="No memories are stale or missing."),
    Action("play.memory", "open('inspector')", "memory", "What everyone remembers, at any turn", LOOK, key="f2",
        letter="m", show=True),
    Action("play.tree", "open('branches')", "tree", "Branches and takes of this story", LOOK, key="f3", letter="b",
        show=True),
    Action("play.panel", "panel", "panel", "Show or hide story, beats, cast and memory", LOOK, key="f8", letter="p",
        show=True),
    Action("play.beats", "beats", "beats to come", "Show or hide the beats still to come (spoilers)", LOOK,
        letter="c"),
    Action("play.thoughts", "thoughts", "thoughts", "Show or hide the model's reasoning", LOOK,
        letter="o"),
    Action("play.ideas", "ideas", "ideas", "Offer three lines you could send now", "say", key="ctrl+o", letter="i",
        show=True),
    Action("play.find", "find", "find", "Search the story", LOOK, key="ctrl+f", letter="f", show=True),
    Action("play.jump", "jump", "jump", "Go to a turn", LOOK, letter="j"),
    Action("play.branch", "branch", "branch", "Create a branch here", STORY, letter="n", first=True),
    Action("play.export", "export", "export", "Export the story to a file", STORY, letter="e", first=True),
    Action("play.pack", "open('write')", "make a pack", "Make a pack of this story, with its cast and world", STORY,
        letter="a"),
    Action("play.changed_pack", "changed_pack", "changed pack", "See what changed in the pack, and apply it", STORY,
        letter="z", refusal="The pack of this story has not changed."),
    Action("play.home", "home", "leave", "Save and return to the list of stories", STORY, letter="h", first=True),
    Action("play.leader", "leader", "more", "All other keys", APP, key=LEADER, show=True, priority=True),
    Action("play.settings", "open('settings')", "settings", "Models, theme, characters", APP, letter="s",
        first=True),
)  # fmt: skip
