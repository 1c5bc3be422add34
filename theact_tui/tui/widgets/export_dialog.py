import asyncio
from collections.abc import Collection
from pathlib import Path
from typing import Any, cast

from textual.app import App
from textual.content import Content

from theact_tui.paths import Remembered
from theact_tui.text import one_line
from theact_tui.tui.textual_patches import ReportingApp
from theact_tui.tui.widgets.dialogs import ListDialog

FORMATS = {
    "epub": "a book for e-readers and phones",
    "html": "a page for any browser",
    "md": "Markdown, easy to edit",
    "txt": "plain text",
    "json": "all text and facts, for programs",
    "jsonl": "a chat for SillyTavern and similar, with all takes",
    "save": "the whole save, for import",
}


def exported(app: App[Any], file: Path) -> str:
    if not app.is_web:
        return f"Exported to {file}"
    app.deliver_binary(file)
    return f"Exported. Your browser downloads {file.name}."


async def ask_format(app: App[Any], branch: str, without: Collection[str] = (), *, draft: int = 0) -> str:
    """Return "" if cancelled. `draft`: number of a draft to export."""
    remembered = Remembered(cast(ReportingApp, app).home.cache / "exports.json")
    last = str((await asyncio.to_thread(remembered.get, "last")).get("format", ""))
    rows = {
        name: Content.assemble((f"{name:<6}", ".strong"), (description, ".quiet"))
        for name, description in FORMATS.items()
        if name not in without
    }
    note = f"Branch “{one_line(branch, 40)}” up to the current turn."
    title, note = (
        (f"Export draft {draft}", "The chapter as written.") if draft else ("Export the story", note)
    )
    dialog = ListDialog(title, rows, note=note, at=last, yes="export")
    if chosen := await app.push_screen_wait(dialog):
        await asyncio.to_thread(remembered.put, "last", {"format": chosen})
    return chosen
