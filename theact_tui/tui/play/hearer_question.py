"""One line below a turn of which it is not known who heard it; its keys decide that."""

from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

Choice = Literal["all", "these", "nobody", "later"]
_KEYS: dict[Choice, tuple[str, str]] = {
    "all": ("a", "everybody here"),
    "these": ("t", "these"),
    "nobody": ("n", "nobody"),
    "later": ("escape", "later"),
}


class HearerQuestion(Static, can_focus=True):
    DEFAULT_CSS = """
    HearerQuestion { display: none; height: auto; padding: 0 2 0 3; }
    """
    BINDINGS = [
        Binding(key, f"choose('{choice}')", does, group=Binding.Group("hearers"))
        for choice, (key, does) in _KEYS.items()
    ]

    @dataclass
    class Chosen(Message):
        choice: Choice

    def on_mount(self) -> None:
        keys = (f"   {key.replace('escape', 'esc')} {does}" for key, does in _KEYS.values())
        self.update(Content.assemble("Who heard that?", *keys))

    def action_choose(self, choice: Choice) -> None:
        self.post_message(self.Chosen(choice))
