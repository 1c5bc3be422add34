from dataclasses import replace

from theact_tui.authoring.trouble import MAX_LETTERS, Trouble
from theact_tui.text import one_line
from theact_tui.tui.widgets.dialogs import FormDialog, FormField


class TroubleDialog(FormDialog):
    """Shows a proposal; the answer is the accepted part, or None."""

    DEFAULT_CSS = """
    TroubleDialog {
        & > Vertical { width: 76; }
        TextArea { height: auto; min-height: 1; max-height: 5; margin: 0 0 1 0; }
        &.-low TextArea, &.-tiny TextArea { margin: 0; max-height: 3; }
        &.-tiny .about { display: none; }
    }
    """
    HELP = (
        "A card says who somebody is, not what happens. Here is what the model proposes. Change it as you like, or empty "
        "what you do not want; ^s uses it, escape leaves the card as it came. Enter and tab move to the next field."
    )

    def __init__(self, proposal: Trouble) -> None:
        note = "The card has none of its own. This is proposed; the story is told by it if you use it."
        super().__init__(
            f"A conflict for {one_line(proposal.name, 40)}",
            *(
                FormField(one_line(label, 60), text, form="paragraph")
                for label, text in proposal.texts().items()
            ),
            note=note,
            yes="use it",
        )
        self._proposal = proposal

    hints = "^s use it   enter next field"

    def read(self, texts: tuple[str, ...]) -> Trouble | None:
        want, secret, trouble, *_ = [*(one_line(text, MAX_LETTERS) for text in texts), ""]
        used = replace(self._proposal, want=want, secret=secret, trouble=trouble)
        return used if used.texts() else None
