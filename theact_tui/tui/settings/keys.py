from theact_tui.tui.actions import Action

HELP = """\
Models and appearance. Move with the arrow keys; the page on the right explains the item under the cursor. Every \
change is saved at once in config.toml; comments in the file are kept.

a connects a model: it needs an address, and sometimes an API key. Servers running on this computer are found \
automatically; press enter to connect one. m shows their models, loads and fetches them. t tests a model and shows its \
context window, e shows all its settings.

API keys are never shown, and never written to a file: a key you type goes to the system keyring, or is kept until you \
quit."""

DO, MODEL, APP = "do", "model", "app"

SETTINGS_ACTIONS = (
    Action("settings.use", "act('use')", "use it", "Use this model for all stories", DO, key="enter", show=True),
    Action("settings.make", "act('make')", "use it", "Connect a model of this server and use it", DO, key="enter", show=True),
    Action("settings.add_here", "act('add_here')", "connect", "Connect a model by its address", DO, key="enter", show=True),
    Action("settings.switch", "act('switch')", "change", "Turn on or off", DO, key="enter,space",
        shown_key="enter", show=True),
    Action("settings.change", "act('change')", "change", "Change it", DO, key="enter", show=True,
        refusal="Nothing to change here."),
    Action("settings.edit", "act('edit')", "edit", "All settings of this model", MODEL, key="e", show=True),
    Action("settings.test", "test", "test", "Test the model and show its context window", MODEL, key="t", show=True),
    Action("settings.audition", "audition", "try out", "Test whether the model can handle a story (up to 5 minutes)",
        MODEL, key="y"),
    Action("settings.delete", "act('delete')", "delete", "Delete this from the settings", MODEL, key="x,delete",
        shown_key="x", show=True),
    Action("settings.add", "act('add')", "connect", "Connect a model", MODEL, key="a", show=True),
    Action("settings.models", "models", "models", "Models of this computer: load, unload, fetch", APP, key="m", show=True),
    Action("settings.look", "look", "search again", "Search for servers on this computer again", APP, key="f5", show=True),
    Action("settings.stop", "stop", "stop", "Stop the call", APP, key="escape", show=True),
    Action("settings.close", "dismiss", "back", "Back", APP, key="escape", show=True),
)  # fmt: skip
