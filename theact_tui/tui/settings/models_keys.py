from theact_tui.tui.actions import Action

HELP = """\
The models of the servers on this computer, and what each server says of them: in memory or not, size on disk, window in \
tokens. "tried" is what y in the settings, or `theact-tui doctor --try`, measured.

enter uses a model for all stories; the first call loads it if it is not in memory. l loads it now, u unloads it, which \
frees its memory. f fetches a model by its name, with llama.cpp and Ollama; esc stops it. s starts llama-server, if it is \
installed and no server runs.

Servers elsewhere are shown in the settings: their models are changed there, since other people may be using them."""

DO, SERVER = "model", "server"

MODELS_ACTIONS = (
    Action("models.use", "act('use')", "use it", "Use this model for all stories", DO, key="enter", show=True),
    Action("models.take", "act('take')", "fetch it", "Fetch this model, after a question", DO, key="enter", show=True),
    Action("models.load", "act('load')", "load", "Load this model into memory now", DO, key="l", show=True),
    Action("models.unload", "act('unload')", "unload", "Unload this model, which frees its memory", DO, key="u", show=True),
    Action("models.fetch", "act('fetch')", "fetch", "Fetch a model by its name", SERVER, key="f", show=True),
    Action("models.start", "act('start')", "start a server", "Start llama-server on this computer", SERVER, key="s",
        show=True),
    Action("models.look", "look", "look again", "Ask the servers again", SERVER, key="f5", show=True),
    Action("models.stop", "stop", "stop", "Stop loading or fetching", SERVER, key="escape", show=True),
    Action("models.close", "dismiss", "back", "Back", SERVER, key="escape", show=True),
)  # fmt: skip
