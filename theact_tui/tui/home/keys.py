from theact_tui.tui.actions import Action

HELP = """\
Your stories come first, then the ones you can start. Move with the arrow keys and press enter.

A story is saved after every turn; you never need to save it yourself. Deleted stories, packs and drafts go to the \
trash; t restores them. o exports a story as a book, a chat or a whole save; i imports cards, chats, packs and whole \
stories from files. w writes a story of your own; l opens the lab, which plays a pack many times and measures it.

Without a model the offline storyteller plays. To use one, press s and connect a model; theact-tui doctor checks the \
connection.

With a screen reader, play on the command line: theact-tui play PACK --plain reads as plain lines, each with its speaker."""

PLAY, SHELF, DIRECT_GROUP, APP = "play", "shelf", "direct", "app"

LIST_ACTIONS = (
    Action("home.play", "select", "play", "Continue or start this story", PLAY, key="enter", show=True),
)
HOME_ACTIONS = (
    Action("home.write", "act('write')", "write", "Write a story of your own, or edit one", PLAY, key="w", show=True),
    Action("home.import", "act('import')", "import", "Import a chat, a card, a pack or a story", PLAY, key="i", show=True),
    Action("home.lab", "act('lab')", "lab", "Test stories with simulated players", PLAY, key="l", show=True),
    Action("home.export", "act('export')", "export", "Export this story to a file", SHELF, key="o", show=True,
        refusal="Choose one of your own stories (under CONTINUE) to export it."),
    Action("home.delete", "act('delete')", "delete", "Move this story or pack to the trash", SHELF, key="x,delete",
        shown_key="x", show=True, refusal="Only your stories and your own packs can be deleted."),
    Action("home.rename", "act('rename')", "rename", "Rename this story", SHELF, key="r", show=True,
        refusal="Choose one of your own stories (under CONTINUE) to rename it."),
    Action("home.copy", "act('copy')", "copy", "Copy this story", SHELF, key="c", show=True,
        refusal="Choose one of your own stories (under CONTINUE) to copy it."),
    Action("home.new", "act('new')", "new", "Start a new story from this pack", SHELF, key="n", show=True,
        refusal="Choose a story below NEW STORY to start it."),
    Action("home.search", "act('search')", "search", "Search all stories and directed chapters", SHELF, key="ctrl+f"),
    Action("home.trash", "act('trash')", "trash", "Restore from the trash", SHELF, key="t"),
    Action("home.refresh", "refresh", "refresh", "Reload the list", SHELF, key="f5"),
    Action("home.direct", "act('direct')", "direct", "Direct a scene as game master", DIRECT_GROUP, key="d", show=True),
    Action("home.example", "act('example')", "example", "Direct the built-in example", DIRECT_GROUP, key="e", show=True),
    Action("home.models", "app.models", "models", "Models of this computer: load, fetch, start a server", APP, key="m"),
    Action("home.settings", "app.settings", "settings", "Models, theme and keys", APP, key="s", show=True),
    Action("home.quit", "app.quit", "quit", "Quit", APP, key="q", show=True),
)  # fmt: skip
