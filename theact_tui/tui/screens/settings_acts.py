"""What one can do in the settings."""

from __future__ import annotations

from theact_tui.tui.acts import Act

HELP = """\
Who tells the story, and how the app looks. Move with the arrows; the page on the right says what the thing under the \
cursor is. Everything you change is saved at once in config.toml, whose comments are kept.

A profile is one way to reach a model. Servers that run on this computer are found by themselves: enter makes a \
profile of one. t calls a model once and says how it went, and how large its window is.

Keys are never shown or written down here. A profile names the environment variable that holds one."""

KEYS_HELP = """\
Every act with its key. Enter asks for another key, x gives the usual one back. The keys on the last line of each \
screen, the help and the palette follow at once."""

SWITCHES = ("animations", "cursor_blink", "reasoning")
"""Settings of the screen that are on or off."""
DO, PROFILE, APP = "do", "profile", "app"

SETTINGS_ACTS = (
    Act("settings.use", "use", "use it", "Let this one tell the stories from now on", DO, key="enter", show=True),
    Act("settings.make", "make", "use it", "Make a profile of this server and use it", DO, key="enter", show=True),
    Act("settings.add_here", "add_here", "add", "Add a profile", DO, key="enter", show=True),
    Act("settings.switch", "switch", "change", "Turn it on or off", DO, key="enter,space", shown_key="enter", show=True),
    Act("settings.change", "change", "change", "Change it", DO, key="enter", show=True),
    Act("settings.edit", "edit", "edit", "Change this profile", PROFILE, key="e", show=True),
    Act("settings.test", "test", "test", "Call the model once, and look at its window", PROFILE, key="t", show=True),
    Act("settings.delete", "delete", "delete", "Take this out of the settings", PROFILE, key="x,delete",
        shown_key="x", show=True),
    Act("settings.add", "add", "add profile", "Add a profile", PROFILE, key="a", show=True),
    Act("settings.look", "look", "look again", "Look for servers on this computer again", APP, key="f5", show=True),
    Act("settings.stop", "stop", "stop", "Stop the call", APP, key="escape", show=True),
    Act("settings.close", "close", "back", "Back to where you came from", APP, key="escape", show=True),
)  # fmt: skip
"""In the order of footer, help and palette."""

KEYS_ACTS = (
    Act("keys.change", "change", "another key", "Press another key for it", DO, key="enter", show=True),
    Act("keys.reset", "reset", "usual key", "Give it its usual key again", DO, key="x,delete", shown_key="x", show=True),
    Act("keys.close", "close", "back", "Back to the settings", APP, key="escape", show=True),
)  # fmt: skip


def can(action: str, kind: str, *, is_used: bool, is_known: bool, is_calling: bool) -> bool:
    """True if an act can be done with a row of a kind (`profile`, `ui.theme`); `is_used`: it tells the story."""
    is_switch = kind.removeprefix("ui.") in SWITCHES
    match action:
        case "use":
            return kind in ("profile", "offline") and not is_used
        case "make":
            return kind == "server"
        case "add_here":
            return kind == "add"
        case "switch":
            return is_switch
        case "change":
            return (kind.startswith("ui.") and not is_switch) or kind in ("agent", "agents")
        case "edit" | "test":
            return kind == "profile"
        case "delete":
            return kind in ("profile", "agent", "host")
        case "add":
            return is_known
        case "stop":
            return is_calling
        case "close":
            return not is_calling
        case _:
            return True
