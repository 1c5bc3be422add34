"""Transcript, memory and drafts of a directed chapter as they are set: values in, text out. Knows no widget."""

from __future__ import annotations

from collections.abc import Iterable

from textual.content import Content

from theact_tui.agents.direct.notes import notes_text
from theact_tui.story.direct.log import span_text
from theact_tui.story.direct.records import Block
from theact_tui.story.direct.transcript import BREAK, Passage
from theact_tui.text import clean


def script(passages: Iterable[Passage]) -> Content:
    """Passages two newlines apart: prompts white, replies in their slot's colour. Copied, it is the plain transcript."""
    return Content(BREAK).join(_passage(passage) for passage in passages)


def _passage(passage: Passage) -> Content:
    text = clean(passage.text).replace("\t", "    ")
    if passage.slot is not None:
        return Content.styled(text, f".slot-{passage.slot}")
    return Content.styled(text, ".typed" if passage.kind == "prompt" else ".quiet")


def memory(blocks: Iterable[Block]) -> Content:
    """All blocks in order, the lock first; what is empty in them is left out."""
    return Content(BREAK).join(_block(number, block) for number, block in enumerate(blocks, 1))


def _block(number: int, block: Block) -> Content:
    is_lock = block.type == "world_chapter_lock"
    about = "world and chapter" if is_lock else span_text(block.from_prompt_index, block.to_prompt_index)
    text = clean(notes_text(block.json_payload)).replace("\t", "    ")
    return Content.assemble((f"Block {number} · {about}\n", ".strong"), (text, ".typed"))


def prose(text: str) -> Content:
    """A chapter, word for word."""
    return Content.styled(clean(text).replace("\t", "    "), ".typed")
