"""What one can do on the Write screen."""

from __future__ import annotations

from theact_tui.tui.actions import Action

HELP = """\
Write a story pack, part by part: the story, its world, its characters, its chapters. The list shows the parts; enter \
goes into the fields of one, esc goes back. Every change is kept at once as a draft; w makes the pack of it when the \
check finds no errors.

Each field says what is asked, with an example. Only those marked with * are needed. Warnings say where a text is longer \
than small models take well.

With a model, b talks with it about the idea before anything is written. g lets it write the part under the cursor, f \
changes the part by a sentence of yours, and a accepts it and goes on to the next one. p shows the prompts that the pack \
makes, t plays it from the chapter under the cursor."""

PART, PACK, LEAVE = "part", "pack", "leave"

WRITE_ACTIONS = (
    Action("write.edit", "edit", "edit", "Edit the fields of this part", PART, key="enter", show=True),
    Action(
        "write.talk", "talk", "talk it over", "Talk with the model about the idea", PART, key="b", show=True
    ),
    Action("write.write", "write", "write it", "Let the model write this part", PART, key="g", show=True),
    Action(
        "write.redo", "redo", "write anew", "Let the model write this part again", PART, key="r", show=True
    ),
    Action(
        "write.feedback", "feedback", "change", "Say in a sentence what to change", PART, key="f", show=True
    ),
    Action(
        "write.accept", "accept", "next", "Accept this part and go on to the next", PART, key="a", show=True
    ),
    Action(
        "write.prompts", "prompts", "prompts", "Show the prompts this pack makes", PACK, key="p", show=True
    ),
    Action("write.lore", "lore", "lore", "Read, change and add lore of this pack", PACK, key="l", show=True),
    Action("write.play", "play", "try", "Play from the chapter under the cursor", PACK, key="t", show=True),
    Action("write.finish", "finish", "finish", "Check it and make the pack", PACK, key="w", show=True),
    Action("write.discard", "discard", "discard", "Move this draft to the trash", PACK, key="x"),
    Action(
        "write.back",
        "back",
        "back",
        "Back to the list, or leave; the draft is kept",
        LEAVE,
        key="escape",
        show=True,
    ),
)
