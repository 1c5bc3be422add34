"""What one can do while directing a chapter."""

from __future__ import annotations

from theact_tui.story.direct.limits import AGENTS_MAX
from theact_tui.tui.acts import LEADER, Act

HELP = """\
You are the game master. Setup holds the world, the scene and who plays; Direct is where you prompt one agent at a \
time; Chapter turns what happened into prose.

Write Setup first, or press F5 while it is empty to load an example. Going to Direct the first time asks you, then \
notes down the world and locks Setup.

In Direct write what happens and press enter: the agent whose panel is open answers, in its own colour, and the next \
agent's panel opens. Any agent can be chosen at any time. After every seventh prompt the program notes down what \
happened; the line of dashes shows how far. When something fails your words stay where they are, and what you type \
while somebody answers is kept for your next prompt.

F5 gives the last prompt again, F9 steps through its replies; all are kept. Shift+F5 brings the prompt back, to be put \
in other words. ^g n begins a branch at any prompt; ^g g shows the tree of branches and takes, where two can be compared.

End Chapter notes down the rest. Then Build Narrative writes the chapter, as often as you like, each time as a new \
draft; the voice cell says how it is to be written. Download Chapter writes the draft you see to a text file.

Tab goes from cell to cell. All that is typed into Setup and the voice is saved as you go."""

TABS, CELL, CHAPTER, APP = "tabs", "panel", "chapter", "app"

COUNT_ACTS = (
    Act("direct.fewer", "step(-1)", "fewer", "One agent fewer", "agents", key="left,minus", show=True),
    Act("direct.more", "step(1)", "more", "One agent more", "agents", key="right,plus", show=True),
)
"""With the cursor on the number of agents."""

DIRECT_ACTS = (
    Act("direct.give", "give", "prompt", "Give this prompt to the agent", "say", key="enter", show=True),
    Act("direct.stop", "stop", "stop", "Give up the call that runs", "say", key="escape", show=True),
    Act("direct.example", "example", "example", "Fill the empty Setup with an example", CELL, key="f5", show=True),
    Act("direct.end", "end", "end", "Note down the rest and end", CHAPTER, key="f8", letter="e", show=True),
    Act("direct.build", "build", "build", "Write the chapter as a new draft", CHAPTER, key="f8", letter="b", show=True),
    Act("direct.download", "download", "download", "Write the draft to a file", CHAPTER, key="f9", letter="d", show=True),
    Act("direct.panel", "turn_panel(1)", "panel", "The next panel", CELL, "alt+right", "p", True, "alt-→"),
    Act("direct.panel_before", "turn_panel(-1)", "panel back", "The panel before", CELL, "alt+left", "o", False, "alt-←"),
    *(
        Act(f"direct.panel_{n}", f"panel({n})", f"panel {n}", f"Panel of agent {n}", CELL, f"alt+{n},ctrl+{n}", f"{n}")
        for n in range(1, AGENTS_MAX + 1)
    ),
    Act("direct.setup", "tab(1)", "setup", "World, scene and agents", TABS, key="f2", show=True),
    Act("direct.lock", "lock", "lock and direct", "Lock Setup and begin to direct", TABS, key="f3", show=True),
    Act("direct.direct", "tab(2)", "direct", "Prompt the agents", TABS, key="f3", show=True),
    Act("direct.chapter", "tab(3)", "chapter", "Memory, voice and the chapter", TABS, key="f4", show=True),
    Act("direct.tab_before", "turn_tab(-1)", "tab before", "The tab before", TABS, key="ctrl+pageup", priority=True),
    Act("direct.tab_after", "turn_tab(1)", "tab after", "The tab after", TABS, key="ctrl+pagedown", priority=True),
    Act("direct.reset", "reset", "reset", "Empty all three tabs, begin anew", CHAPTER, key="f12", letter="x", show=True),
    Act("direct.retry", "retry", "again", "Give the last prompt again; the reply stays as a take", CHAPTER, key="f5",
        letter="a", show=True),
    Act("direct.reword", "reword", "other words", "Bring the last prompt back, to give it in other words", CHAPTER,
        key="shift+f5", letter="w"),
    Act("direct.take", "next_take", "next take", "The next take of the last prompt", CHAPTER, key="f9", letter="t",
        show=True),
    Act("direct.undo", "undo", "undo prompt", "Go back to before the last prompt", CHAPTER, letter="u"),
    Act("direct.redo", "redo", "redo prompt", "Go forward again", CHAPTER, letter="r"),
    Act("direct.branch", "branch", "branch", "Part the chapter at a prompt, and go on from there", CHAPTER, letter="n"),
    Act("direct.branches", "branches", "branches", "The tree of branches and takes: go there, compare", CHAPTER,
        letter="g"),
    Act("direct.home", "home", "leave", "Save and go back to the list of stories", APP, letter="h"),
    Act("direct.leader", "leader", "more", "All other keys", APP, key=LEADER, show=True, priority=True),
)  # fmt: skip
"""In the order of footer, help and palette."""
