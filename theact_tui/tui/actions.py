"""What can be done on a screen, as data: footer, help, palette, the leader menu and the key map all read it.

An action has a key, a letter after the leader, or both. Keys can be changed in the settings by the action's id.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import Binding

LEADER = "ctrl+g"
LEADER_NAME = "^g"
READ_ONLY = "Read-only: this story is open in another window."


@dataclass(frozen=True, slots=True)
class Action:
    """Something that can be done: `id` for key maps, `action` as Textual calls it, words for people."""

    id: str
    action: str
    label: str
    help: str
    group: str
    key: str = ""
    letter: str = ""
    """Pressed after the leader."""
    show: bool = False
    """In the footer."""
    shown_key: str = ""
    """How the key is written, if not as usual."""
    priority: bool = False
    refusal: str = ""
    """What is said when its key is pressed where it cannot be done; `why` without one."""
    first: bool = False
    """On the first page of the leader's menu."""

    @property
    def why(self) -> str:
        """Why it cannot be done, where nothing better is known."""
        return self.refusal or f"“{self.label}” is not possible here."

    @property
    def binding(self) -> Binding:
        """The action as a binding; without a key of its own it sits behind the leader, and a keymap can give it one."""
        return Binding(
            self.key or f"leader+{self.letter}",
            self.action,
            self.label,
            show=self.show,
            tooltip=self.help,
            id=self.id,
            key_display=self.shown_key or (None if self.key else f"{LEADER_NAME} {self.letter}"),
            group=Binding.Group(self.group),
            priority=self.priority,
        )


APP_ACTIONS = (
    Action("app.help", "help", "help", "Help for this screen", "app", key="f1", show=True, priority=True),
    Action(
        "app.palette", "command_palette", "everything", "Find an action", "app", key="ctrl+p", priority=True
    ),
    Action("app.quit", "quit", "quit", "Save and quit", "app", key="ctrl+q", priority=True),
)
"""What can be done everywhere."""


def bindings(actions: Iterable[Action]) -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """The actions as a screen's `BINDINGS`; after them the same keys, heard where no action of theirs can be done.

    The last action of a key says why. Escape is left out: it always has one more meaning.
    """
    acts = list(actions)
    last = {act.key: act for act in acts if act.key not in ("", "escape") and not act.priority}
    refused = [(act, f"refuse({act.action!r}, {act.why!r})") for act in last.values()]
    more = [Binding(act.key, refuse, show=False, id=act.id) for act, refuse in refused]
    return [*(act.binding for act in acts), *more]
