"""The dialog that shows what a model proposes for an imported character, to be changed, used or refused."""

from __future__ import annotations

from dataclasses import replace

from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Static

from theact_tui.authoring.trouble import MOST, Trouble
from theact_tui.text import clean, one_line
from theact_tui.tui.widgets.dialogs import BoxDialog
from theact_tui.tui.widgets.inputs import TextField


class TroubleDialog(BoxDialog[Trouble | None]):
    """Shows a proposal; the answer is what of it is to be used, or None."""

    DEFAULT_CSS = """
    TroubleDialog {
        & > Vertical { width: 76; }
        TextArea { height: auto; min-height: 1; max-height: 5; margin: 0 0 1 0; }
        .about { margin: 0 0 1 0; }
        .keys { padding: 0; }
        &.-low TextArea, &.-tiny TextArea { margin: 0; max-height: 3; }
        &.-tiny .about { display: none; }
    }
    """
    BINDINGS = [
        Binding("ctrl+s", "use", "use it", priority=True),
        Binding("enter", "next", "next field", priority=True),
        Binding("escape", "dismiss(None)", "refuse", priority=True),
    ]
    HELP = (
        "A card says who somebody is, not what happens. Here is what the model proposes. Change it as you like, or empty "
        "what you do not want; ^s uses it, escape leaves the card as it came. Enter and tab move to the next field."
    )

    def __init__(self, proposal: Trouble) -> None:
        super().__init__(
            f"A trouble for {one_line(proposal.name, 40)}",
            "The card has none of its own. This is proposed; the story is told by it if you use it.",
            keys="^s use it   enter next field   esc refuse",
        )
        self._proposal = proposal

    def compose_body(self) -> ComposeResult:
        for label, text in self._proposal.texts().items():
            yield Static(one_line(label, 60), classes="label", markup=False)
            yield TextField(clean(text), compact=True, soft_wrap=True, highlight_cursor_line=False)

    def action_next(self) -> None:
        self.focus_next()

    def action_use(self) -> None:
        texts = [one_line(field.text, MOST) for field in self.query(TextField)]
        want, secret, trouble, *_ = [*texts, ""]
        used = replace(self._proposal, want=want, secret=secret, trouble=trouble)
        self.dismiss(used if used.texts() else None)
