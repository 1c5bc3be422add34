"""Dialogs of the direct screen."""

from functools import partial
from pathlib import Path
from typing import Any

from textual.app import App

from theact_tui.engine.direct.session import DirectSession
from theact_tui.errors import UsageError
from theact_tui.exports.write_file import export_save
from theact_tui.story.direct.records import roster
from theact_tui.story.direct.state import RESET_WARNING
from theact_tui.tui.widgets.dialogs import ConfirmDialog, FormDialog, FormField, ask_until_valid
from theact_tui.tui.widgets.export_dialog import ask_format

LOCK_QUESTION = (
    "World, scene and characters cannot be edited afterwards. Until the first prompt, undo unlocks them."
)


Question = tuple[str, str]
"""Title and note."""
END_QUESTION: Question = (
    "End this chapter?",
    "The chapter closes: no more prompts. Undo reopens it and takes the last prompt back.",
)
LEAVE: Question = (
    "Leave while the chapter is being written?",
    "Leaving stops the writing, and this draft is lost.",
)
RESET_QUESTION: Question = ("Reset Chapter", RESET_WARNING)


async def confirm(app: App[Any], question: Question) -> bool:
    return await app.push_screen_wait(ConfirmDialog(*question, yes="confirm", no="cancel"))


def lock_question(session: DirectSession) -> Question:
    """Ask whether to lock Setup, naming its empty fields."""
    setup = session.setup
    fields = [("the world", setup.world), ("the scene", setup.chapter)]
    fields += [(setup.name_of(slot), setup.agents[slot - 1].identity) for slot in roster(setup.count)]
    empty = ", ".join(name for name, text in fields if not text.strip())
    note = f"{LOCK_QUESTION} Nothing is written for: {empty}." if empty else LOCK_QUESTION
    return "Lock Setup and start directing?", note


async def ask_prompt_branch(app: App[Any], session: DirectSession) -> None:
    """Create a branch at a prompt and switch to it."""
    last = session.session.prompt_index

    async def begin(texts: tuple[str, ...]) -> None:
        name, prompt = texts
        if not prompt.isdecimal():
            raise UsageError("Enter the number of a prompt.")
        await session.switch(await session.branch_at(name, int(prompt)))

    fields = (FormField("Name"), FormField(f"After which prompt, 0 to {last}", str(last)))
    form = FormDialog("New branch of this chapter", *fields, note="Both versions are kept.", yes="create")
    await ask_until_valid(app, form, begin)


async def ask_export(app: App[Any], session: DirectSession, draft: int) -> Path | None:
    """Export a draft or the whole save in a chosen format; None if cancelled."""
    chosen = await ask_format(app, session.branch_title, without=("jsonl",), draft=draft)
    if not chosen:
        return None
    if chosen.format == "txt":
        return await session.download(None, draft or None)
    await session.settle()
    return await session.run(
        partial(export_save, session.save, chosen.format, draft=draft, lines=chosen.lines)
    )
