from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.content import Content
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.paths import Remembered
from theact_tui.text import one_line
from theact_tui.tui.textual_patches import ReportingApp
from theact_tui.tui.widgets.dialogs import ListDialog

if TYPE_CHECKING:
    from theact_tui.exports.book import Lines

FORMAT_CHOICES = {
    "epub": "a book for e-readers and phones",
    "html": "a page for any browser",
    "md": "Markdown, easy to edit",
    "txt": "plain text",
    "json": "all text and facts, for programs",
    "jsonl": "a chat for SillyTavern and similar, with all takes",
    "save": "the whole save, for import",
}


LINES: dict[Lines, str] = {"you": "A book has your lines.", "none": "A book leaves your lines out."}


@dataclass(frozen=True, slots=True)
class Chosen:
    format: str
    lines: Lines = "you"


class ExportDialog(ListDialog):
    DEFAULT_CSS = "ExportDialog #lines { margin: 1 0 0 0; }"
    HELP = "Move with the arrows, choose with enter, have or leave out your lines with l, cancel with escape."
    BINDINGS = [Binding("l", "lines", "your lines")]

    def __init__(self, title: str, rows: Mapping[str, Visual], *, note: str, at: Chosen) -> None:
        super().__init__(title, rows, note=note, at=at.format, yes="export   l your lines")
        self.lines = at.lines

    def compose_body(self) -> ComposeResult:
        yield from super().compose_body()
        yield Static(LINES[self.lines], classes="label", id="lines")

    def action_lines(self) -> None:
        self.lines = "none" if self.lines == "you" else "you"
        self.query_one("#lines", Static).update(LINES[self.lines])


def exported(app: App[Any], file: Path) -> str:
    if not app.is_web:
        return f"Exported to {file}"
    app.deliver_binary(file)
    return f"Exported. Your browser downloads {file.name}."


async def ask_format(
    app: App[Any], branch: str, without: Collection[str] = (), *, draft: int = 0
) -> Chosen | None:
    """Return None if cancelled. `draft`: number of a draft to export."""
    remembered = Remembered(cast(ReportingApp, app).home.cache / "exports.json")
    last = await asyncio.to_thread(remembered.get, "last")
    at = Chosen(str(last.get("format", "")), "none" if last.get("lines") == "none" else "you")
    rows = {
        name: Content.assemble((f"{name:<6}", ".strong"), (description, ".quiet"))
        for name, description in FORMAT_CHOICES.items()
        if name not in without
    }
    note = f"Branch “{one_line(branch, 40)}” up to the current turn."
    title, note = (
        (f"Export draft {draft}", "The chapter as written.") if draft else ("Export the story", note)
    )
    dialog = ExportDialog(title, rows, note=note, at=at)
    if not (format := await app.push_screen_wait(dialog)):
        return None
    chosen = Chosen(format, dialog.lines)
    await asyncio.to_thread(remembered.put, "last", asdict(chosen))
    return chosen
