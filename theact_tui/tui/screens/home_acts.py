"""What one can do on the home screen."""

from __future__ import annotations

from theact_tui.tui.acts import Act

HELP = """\
Above are the stories you have begun, below those you can begin. Move with the arrows and press enter.

A story is saved after every turn, so there is nothing to save by hand. Deleting one moves it to a trash folder, \
from where t brings it back. o writes a story to a file: a book, or the whole save, which i brings in on another \
computer.

Without a model the offline storyteller plays. To connect one, start a server on this computer or name one in the \
settings; theact-tui doctor says what it finds."""

PLAY, SHELF, DIRECT, APP = "play", "shelf", "direct", "app"

LIST_ACTS = (
    Act("home.play", "select", "play", "Go on with this story, or begin it", PLAY, key="enter", show=True),
)
HOME_ACTS = (
    Act("home.new", "new", "new", "Begin a new story of this kind", PLAY, key="n", show=True),
    Act("home.rename", "rename", "rename", "Give this story another name", SHELF, key="r", show=True),
    Act("home.copy", "copy", "copy", "Make a copy of this story", SHELF, key="c", show=True),
    Act(
        "home.delete",
        "delete",
        "delete",
        "Move this story to the trash",
        SHELF,
        key="x,delete",
        shown_key="x",
        show=True,
    ),
    Act("home.direct", "direct", "direct", "Direct a scene as game master", DIRECT, key="d", show=True),
    Act(
        "home.example",
        "example",
        "example",
        "Direct the example that comes along",
        DIRECT,
        key="e",
        show=True,
    ),
    Act("home.trash", "trash", "trash", "Bring back a story from the trash", SHELF, key="t"),
    Act("home.export", "export", "export", "Write this story to a file", SHELF, key="o", show=True),
    Act("home.import", "import", "import", "Bring in a story from a file", SHELF, key="i", show=True),
    Act("home.refresh", "refresh", "refresh", "Look at the disk again", SHELF, key="f5"),
    Act("home.settings", "open('settings')", "settings", "Models, theme and keys", APP, key="s", show=True),
    Act("home.quit", "app.quit", "quit", "Leave", APP, key="q", show=True),
)
"""In the order of footer, help and palette."""
