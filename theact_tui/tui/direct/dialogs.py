"""Questions of direct mode."""

from __future__ import annotations

from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, FormField

LOCK_QUESTION = "World, scene and agents cannot be edited afterwards. Only a reset unlocks them."
END_QUESTION = (
    "The remaining notes are taken, and no more prompts can be sent. Undo also undoes the last prompt."
)


def confirm_or_cancel(title: str, note: str) -> ConfirmDialog:
    """Asks with exactly these two answers."""
    return ConfirmDialog(title, note, yes="confirm", no="cancel")


def branch_question(prompts: int) -> FormDialog:
    """Asks for a branch's name and after which of `prompts` it begins."""
    fields = (FormField("Name"), FormField(f"After which prompt, 0 to {prompts}", str(prompts)))
    return FormDialog("New branch of this chapter", *fields, note="Both versions are kept.", yes="create")
