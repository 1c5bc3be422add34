"""Questions of direct mode."""

from __future__ import annotations

from theact_tui.story.direct.models import Setup
from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, FormField

LOCK_QUESTION = "World, scene and agents cannot be edited afterwards. Only a reset unlocks them."
END_QUESTION = (
    "What is not in the notes yet is added, and you cannot send more prompts. Undo takes back the end "
    "and the last prompt."
)


def confirm_or_cancel(title: str, note: str) -> ConfirmDialog:
    """Asks with exactly these two answers."""
    return ConfirmDialog(title, note, yes="confirm", no="cancel")


def lock_question(setup: Setup) -> ConfirmDialog:
    """Asks before Setup is locked, and says what was left empty."""
    cells = (("the world", setup.world), ("the scene", setup.chapter))
    agents = ((setup.name_of(slot), setup.agents[slot - 1].identity) for slot in range(1, setup.count + 1))
    empty = ", ".join(name for name, text in (*cells, *agents) if not text.strip())
    note = f"{LOCK_QUESTION} Nothing is written for: {empty}." if empty else LOCK_QUESTION
    return confirm_or_cancel("Lock Setup and start directing?", note)


def branch_question(prompts: int) -> FormDialog:
    """Asks for a branch's name and after which of `prompts` it begins."""
    fields = (FormField("Name"), FormField(f"After which prompt, 0 to {prompts}", str(prompts)))
    return FormDialog("New branch of this chapter", *fields, note="Both versions are kept.", yes="create")
