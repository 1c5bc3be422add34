from theact_tui.tui.actions import Action

HELP = """\
Write a story pack, part by part: the story, its world, its characters, its chapters. The list shows the parts; enter \
goes into the fields of one, esc goes back. Every change is kept at once as a draft; w turns it into a pack when the \
check finds no errors.

Each field has a question and an example. Only those marked with * are required. Warnings show texts that are too \
long for small models.

With a model, b talks with it about the idea before anything is written. g lets it write the part under the cursor, f \
changes the part as you say in a sentence, and a accepts it and moves to the next one. p shows the prompts of the \
pack, l lists its lore, t plays it from the chapter under the cursor."""

PART, PACK, LEAVE = "part", "pack", "leave"

WRITE_ACTIONS = (
    Action("write.edit", "edit", "edit", "Edit the fields of this part", PART, key="enter", show=True),
    Action("write.talk", "act('talk')", "discuss", "Talk with the model about the idea", PART, key="b", show=True),
    Action("write.write", "act('write')", "write it", "Let the model write this part", PART, key="g", show=True),
    Action("write.redo", "act('redo')", "rewrite", "Let the model write this part again", PART, key="r", show=True),
    Action("write.feedback", "act('feedback')", "change", "Say in a sentence what to change", PART, key="f", show=True),
    Action("write.accept", "act('accept')", "next", "Accept this part and move to the next", PART, key="a", show=True,
        refusal="Fill in what is marked * first: enter goes to the fields."),
    Action("write.prompts", "act('prompts')", "prompts", "Show the prompts of this pack", PACK, key="p", show=True),
    Action("write.lore", "act('lore')", "lore", "Read, change and add lore of this pack", PACK, key="l", show=True),
    Action("write.play", "act('play')", "try", "Play from the chapter under the cursor", PACK, key="t", show=True),
    Action("write.finish", "act('finish')", "finish", "Check it and make the pack", PACK, key="w", show=True),
    Action("write.discard", "act('discard')", "discard", "Move this draft to the trash", PACK, key="x"),
    Action("write.back", "back", "back", "Back to the list, or leave; the draft is kept", LEAVE, key="escape", show=True),
)  # fmt: skip
