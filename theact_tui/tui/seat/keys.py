from theact_tui.tui.actions import Action

HELP = """\
You play one character of a story that another person plays at the other window. You read what your character sees and \
hears, and nothing else: what happens where you are not, what is whispered to others and what comes later is not on this \
page.

Your box opens when it is your turn to answer, and the others wait for you. Write what your character says and does, and \
press enter. What you write stands in the story as you wrote it. If you take longer than the time that is shown, the model \
answers in your place; what you had begun stays in the box.

In the panel (F8 in a small window) are your character, its secret, what it wants and what it remembers.

^q gives the seat back, and the model plays your character."""

SEAT_ACTIONS = (
    Action("seat.page", "page(1)", "next page", "Show the next page; with text in the box, send it", "look", key="enter"),
    Action("seat.newest", "newest", "newest", "Back to the newest line and your box", "look", key="escape", show=True),
    Action("seat.panel", "panel", "you", "Show or hide your character, its secret and its memory", "look", key="f8",
        show=True),
)  # fmt: skip
