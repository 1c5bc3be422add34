"""Actions of a screen as data, read by footer, help, palette, leader menu and key map."""

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import Binding

LEADER = "ctrl+g"
LEADER_NAME = "^g"
READ_ONLY = "Read-only: this story is open in another window."


@dataclass(frozen=True, slots=True)
class Action:
    """`action` as Textual calls it."""

    id: str
    action: str
    label: str
    help: str
    group: str
    key: str = ""
    letter: str = ""
    """Pressed after the leader."""
    show: bool = False
    shown_key: str = ""
    """Display of the key, if unusual."""
    priority: bool = False
    refusal: str = ""
    """Shown when the action is impossible; default: `why`."""
    first: bool = False
    """On the first page of the leader menu."""

    @property
    def why(self) -> str:
        return self.refusal or f"“{self.label}” is not possible here."

    @property
    def binding(self) -> Binding:
        """Without a key it sits behind the leader."""
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


def bindings(actions: Iterable[Action]) -> list[Binding | tuple[str, str] | tuple[str, str, str]]:
    """Return `BINDINGS`, then the same keys for when their actions are impossible, with the reason; no escape."""
    acts = list(actions)
    last = {act.key: act for act in acts if act.key not in ("", "escape") and not act.priority}
    refused = [(act, f"refuse({act.action!r}, {act.why!r})") for act in last.values()]
    more = [Binding(act.key, refuse, show=False, id=act.id) for act, refuse in refused]
    return [*(act.binding for act in acts), *more]
