"""Notes of a directed chapter, and their panel."""

from textual.app import ComposeResult
from textual.content import Content
from textual.visual import Visual
from textual.widgets import Static

from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.blocks import told_notes
from theact_tui.story.direct.log import span_text
from theact_tui.story.direct.notes_due import CHUNK, next_chunk
from theact_tui.story.direct.records import MemoryBlock
from theact_tui.text import capital, clean
from theact_tui.tui.visuals import Stack, heading, inked, line, page, quiet
from theact_tui.tui.widgets.panel import GlowingPanel


def _note_rows(note: MemoryBlock, *, glows: bool = False) -> Stack:
    """Draw a note without its empty parts."""
    about = span_text(note.from_prompt_index, note.to_prompt_index).capitalize()
    title = "World and chapter" if note.type == "world_chapter_lock" else about
    return Stack(
        inked(title, ".glow" if glows else ".strong"),
        *map(_row, clean(told_notes(note.json_payload)).split("\n")),
    )


def _row(text: str) -> Visual:
    if text.startswith("- "):
        return line("·", ".faint", text[2:])
    label, _, said = text.partition(": ")
    if said:
        return Content.assemble((f"{capital(label)}: ", ".quiet"), said)
    return quiet(capital(text.removesuffix(":"))) if text.isupper() or text.endswith(":") else Content(text)


class NotesPanel(GlowingPanel, can_focus=True):
    """Panel of all notes, the newest first."""

    in_order = False
    """Beside the written chapter: the oldest first."""

    def __init__(self, session: DirectSession, *, id: str) -> None:
        super().__init__(id=id)
        self._session = session

    def compose(self) -> ComposeResult:
        yield Static(id="notes")

    def draw(self) -> None:
        session = self._session.session
        blocks = self._session.game.blocks
        notes = blocks if self.in_order else reversed(blocks)
        rows = [_note_rows(note, glows=note.block_id in self._glowing) for note in notes]
        reach = session.last_summarized_prompt_index
        head = heading("NOTES", f"to prompt {reach}" if reach else "")
        self.query_one("#notes", Static).update(page(head, self._what_comes(), *rows))

    def _what_comes(self) -> Content:
        """Say which notes are being taken, or when the next follow."""
        session = self._session.session
        if session.state == "SUMMARIZING":
            span = next_chunk(session.prompt_index, session.pending, ending=True)
            return inked(f"Taking notes of {span_text(*span)} …" if span else "", ".glow")
        if session.state != "ACTIVE":
            return quiet("")
        return quiet(f"The next notes follow prompt {session.last_summarized_prompt_index + CHUNK}.")
