"""Rows of the home screen's list: a save, a pack, and what is broken."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content
from textual.visual import Visual

from theact_tui.text import counted, one_line, slug
from theact_tui.tui.visuals import SplitLine, Stack, ago

if TYPE_CHECKING:
    from theact_tui.packs.listing import PackEntry
    from theact_tui.saves.folders import SaveLine


def _broken_row(title: str, note: str, reason: str) -> Visual:
    head = SplitLine(Content.assemble(("! ", ".bad"), title), Content.styled(note, ".quiet"))
    return Stack(head, SplitLine(Content.styled(f"  {one_line(reason, 120)}", ".quiet")))


def save_row(save: SaveLine, now: datetime, *, folder: bool = True, brief: bool = False) -> Visual:
    """A save in the list: name and place, then its last line and when; a `brief` one is a single row. The `folder` tells
    those of one title apart."""
    title = one_line(save.title, 40)
    if save.broken:
        return _broken_row(title, "cannot be opened", save.broken)
    who = f" · {one_line(save.player, 24)}" if save.player and save.mode != "direct" else ""
    if folder and slug(save.title, fallback=save.name) != save.name:
        who += f" · {one_line(save.name, 40)}"
    branch = save.branch_title or save.branch
    where = joined(place_of(save), one_line(branch, 16) if branch != "main" else "")
    when = joined(end_of(save), ago(save.at, now))
    name = Content.assemble((title, ".strong"), (who, ".quiet"))
    if brief:
        return SplitLine(name, Content.styled(joined(place_of(save), when), ".quiet"))
    return Stack(
        SplitLine(name, Content(where)),
        SplitLine(
            Content.styled(f"  {one_line(last_line_of(save), 120)}", ".quiet"), Content.styled(when, ".quiet")
        ),
    )


def place_of(save: SaveLine) -> str:
    if save.mode != "direct":
        return f"turn {save.turn}"
    return f"prompt {save.turn}" if save.turn else "not started"


def has_begun(save: SaveLine) -> bool:
    """There is something to continue: not in a chapter without a prompt, nor in a save that cannot be opened."""
    return not save.broken and (save.mode != "direct" or save.turn > 0)


def last_line_of(save: SaveLine) -> str:
    """What was told last; nothing before the first turn."""
    return save.line if save.turn else ""


def end_of(save: SaveLine) -> str:
    """That it has come to its end."""
    return "" if not save.finished else "ended" if save.mode == "direct" else "finished"


def joined(*bits: str) -> str:
    return " · ".join(bit for bit in bits if bit)


def pack_row(pack: PackEntry) -> Visual:
    title = one_line(pack.title, 50)
    if pack.broken:
        return _broken_row(title, "broken", pack.broken)
    chapters = counted(len(pack.chapters), "chapter")
    facts = joined("your own" if pack.replaces_shipped else "", chapters)
    return SplitLine(Content(title), Content.styled(facts, ".quiet"))
