from theact_tui.tui.actions import Action

HELP = """\
The lab plays many games by itself and measures them: can a story be finished, where do players get stuck, is one model, \
prompt or pack better than another?

Runs are listed on the left. n starts a new one; it continues when you leave this screen or the app. Enter goes to the \
games of a run, and opens the game under the cursor to read; c copies that game to your stories and plays it on.

Above the games of each pack and player stand their means: turns, the share of all beats that was reached, and the \
longest stall, which is the most turns in a row without a new beat. Wider windows show more. What was compared is \
answered above them, once all games are played. r writes a report and opens it in your browser. \
x moves a run to the trash; t in your stories restores it."""

RUN, GAME, LEAVE = "run", "game", "leave"

LAB_ACTIONS = (
    Action("lab.open", "act('open')", "open", "Go to the games, or read the one under the cursor", GAME, "enter",
        show=True),
    Action("lab.copy", "act('copy')", "copy and play", "Copy this game to your stories and continue it", GAME, "c",
        show=True),
    Action("lab.new", "act('new')", "new run", "Choose packs, players and models, and start", RUN, key="n", show=True),
    Action("lab.go_on", "act('go_on')", "continue", "Play the remaining games of this run", RUN, key="g", show=True),
    Action("lab.stop", "act('stop')", "stop", "Stop this run; finished games are kept", RUN, key="s", show=True),
    Action("lab.delete", "act('delete')", "delete", "Move this run to the trash", RUN, key="x,delete", shown_key="x",
        refusal="A run that is being played cannot be deleted. s stops it."),
    Action("lab.report", "act('report')", "report", "Write the report and open it in a browser", RUN, key="r", show=True),
    Action("lab.back", "back", "back", "Back to the runs, or leave", LEAVE, key="escape", show=True),
)  # fmt: skip
