from theact_tui.tui.actions import Action

HELP = """\
What the program knew at any turn of this story, and every prompt it sent to a model. Four questions can be asked:

k: who knows what. A number is the turn since which someone remembers a line; a dot before it means they \
were there but have no line about it; a dash means they were not there and do not know.

s: since when each person knows the line under the cursor and what it replaced, from the history of the story. The \
closest match in that turn is a guess by common words.

y: why this person's reply begins so. The model is asked for its first sentence again, with and without parts of its \
prompt, and the part that it follows from is named: at most 48 calls.

i: what if. Up to three turns after the turn you look at are told again, without what is under the cursor and with it, on \
two new branches, and the first reply that differs is shown. F3 lists the branches.

← and → change the turn; tab changes the person, with the narrator last. The small bars above show how many tokens \
each turn took; the marked one is the turn you look at. Before a line + marks what is new in this \
turn, ~ what changed (the old text is shown below), - what was removed; ◆ is pinned and never dropped, ! was rated \
important by the model and is kept longer. The number is the turn a line comes from: enter shows that turn's text, g \
opens it in the story.

Lines replaced by newer memories are listed below; ↺ marks lines that this turn mentioned and that were used again.

x shows the exact prompt, with the tokens of each section and what was cut \
or left out. Press x again for the next prompt of this person in this turn.

l lists the lore of this story: what is true of its world and told when a scene speaks of it. Enter opens an entry to \
be read and changed.

The direction of a turn says who heard what of it, which secrets may come out, which beat comes next and why the \
chapter continues or ended; o: change this decision.

Memories are edited at the newest turn: p pins a line, e rewrites it (leave it empty to delete it), a adds one. The \
text of any turn is edited where it is shown: w, then e. While a turn is in progress this page is updated live."""

TIME, WHO, WHY, LINE, LOOK, OUT = "turn", "who", "why", "line", "look at", "leave"

INSPECTOR_ACTIONS = (
    Action("inspector.older", "turn(-1)", "turn", "Previous turn ←, next turn →", TIME, key="left", show=True,
        shown_key="←→", priority=True),
    Action("inspector.newer", "turn(1)", "next turn", "The next turn", TIME, key="right", priority=True),
    Action("inspector.back10", "turn(-10)", "ten back", "Ten turns back", TIME, "shift+left", priority=True),
    Action("inspector.on10", "turn(10)", "ten ahead", "Ten turns forward", TIME, "shift+right",
        priority=True),
    Action("inspector.first", "go_to(1)", "first turn", "The first turn", TIME, key="home", priority=True),
    Action("inspector.newest", "newest", "newest turn", "The newest turn; follows new turns", TIME,
        key="end", priority=True),
    Action("inspector.person", "person(1)", "person", "The next person; the narrator comes last", WHO, key="tab",
        show=True, priority=True),
    Action("inspector.person_back", "person(-1)", "person back", "The previous person", WHO, key="shift+tab",
        priority=True),
    Action("inspector.prompt", "prompt", "prompt", "The exact prompt; again: the person's next prompt",
        WHY, key="x", show=True),
    Action("inspector.why", "ask('why')", "why", "Ask which part of the prompt this reply follows from", WHY, "y",
        show=True),
    Action("inspector.pin", "change('pin')", "pin", "Pin or unpin this line or moment", LINE, "p", show=True,
        refusal="To pin a line, go to the newest turn (end) and open the memories (m)."),
    Action("inspector.edit", "change('edit')", "edit", "Edit this line, or a text of this turn", LINE, "e", show=True,
        refusal="To edit a line, go to the newest turn (end) and open the memories (m); texts are in w."),
    Action("inspector.where", "where", "source", "The text of the turn this came from", LINE, "enter", show=True),
    Action("inspector.there", "go", "in the story", "Go to this turn in the story", LINE, "enter", show=True),
    Action("inspector.go", "go", "go there", "Go to that turn in the story", LINE, "g"),
    Action("inspector.since", "ask('since')", "since when", "Since when each person knows this, and what it replaced", LINE,
        "s", refusal="Choose a line, beat, moment or lore in the memories (m) or in who knows what (k)."),
    Action("inspector.what_if", "ask('what_if')", "what if", "Tell the next turns again without this, on branches", LINE,
        "i", refusal="Choose a line or lore of an earlier turn in the memories (m) or in who knows what (k)."),
    Action("inspector.add", "change('add')", "add", "Add a line to this memory", LINE, "a",
        refusal="To add a line, go to the newest turn (end) and open a character's facts (m)."),
    Action("inspector.knows", "view('knows')", "knows", "Who knows what, and since when", LOOK, "k", show=True),
    Action("inspector.direction", "view('direction')", "direction", "What was decided in this turn, and why", LOOK, "d",
        show=True),
    Action("inspector.overrule", "change('overrule')", "overrule", "Change this decision; again: the next choice", LINE,
        "o", show=True, refusal="To change a decision, go to the newest turn (end) and open the direction (d)."),
    Action("inspector.calls", "view('calls')", "calls", "Calls, times and raw replies", LOOK, "c", show=True),
    Action("inspector.events", "view('events')", "live", "Live event log", LOOK, "v", show=True),
    Action("inspector.words", "view('words')", "text", "The text of this turn", LOOK, "w"),
    Action("inspector.lore", "lore", "lore", "Read, change and add lore of this story", LOOK, "l"),
    Action("inspector.memory", "view('memory')", "memory", "Back to this person's memories", LOOK, "m"),
    Action("inspector.back", "back", "back", "Back to the memories, then to the story", OUT, "escape", show=True),
    Action("inspector.leave", "dismiss", "story", "Back to the story", OUT, "f2"),
)  # fmt: skip
