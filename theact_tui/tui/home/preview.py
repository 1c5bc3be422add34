"""How saves and packs look on the home screen: a row in the list, a page in the preview. Values in, visuals out."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from textual.content import Content
from textual.visual import Visual

from theact_tui.packs.entry import OUTLINE
from theact_tui.text import counted, is_pronoun, one_line, paragraphs, slug
from theact_tui.tui.visuals import Indented, SplitLine, Stack, ago

if TYPE_CHECKING:
    from theact_tui.packs.entry import PackEntry
    from theact_tui.saves.folders import SaveLine

DIRECTING = """\
You are the game master. Write a world, a scene and up to seven characters, then prompt one of them at a time \
and see what they do.

Notes are taken as you go. At the end the chapter is written as prose, in the voice you choose.

Press e for a ready-made example."""

WRITING = """\
Write a story of your own: say in a sentence what it is about, then who you are, who is with you, where it is, and \
what should happen.

A model can write any part of it for you; without one you fill in the fields. You can play it at any time while you \
write.

To edit a pack of yours, move to it and press w. To start from a character card, a chat or a lorebook of another \
program, press i."""


def save_row(save: SaveLine, now: datetime, *, folder: bool = True) -> Visual:
    """A save in the list: name and place, then its last line and when. The `folder` tells those of one title apart."""
    title = one_line(save.title, 40)
    if save.broken:
        return Stack(
            SplitLine(
                Content.assemble(("! ", ".bad"), (title, "")), Content.styled("cannot be opened", ".quiet")
            ),
            SplitLine(Content.styled(f"  {one_line(save.broken, 120)}", ".quiet")),
        )
    is_directed = save.mode == "direct"
    who = f" · {one_line(save.player, 24)}" if save.player and not is_directed else ""
    alike = folder and slug(save.title, fallback=save.name) != save.name
    who += f" · {one_line(save.name, 40)}" if alike else ""
    branch = "" if _branch(save) == "main" else f" · {one_line(_branch(save), 16)}"
    where = f"{_place(save)}{branch}"
    return Stack(
        SplitLine(Content.assemble((title, ".strong"), (who, ".quiet")), Content.styled(where, "")),
        SplitLine(
            Content.styled(f"  {one_line(_last_line(save), 120)}", ".quiet"),
            Content.styled(_joined(_end(save), ago(save.at, now)), ".quiet"),
        ),
    )


def _place(save: SaveLine) -> str:
    """How far it has come."""
    if save.mode != "direct":
        return f"turn {save.turn}"
    return f"prompt {save.turn}" if save.turn else "not started"


def _last_line(save: SaveLine) -> str:
    """What was told last; nothing in a chapter without a prompt."""
    return save.line if save.turn or save.mode != "direct" else ""


def _branch(save: SaveLine) -> str:
    """What people call the branch."""
    return save.branch_title or save.branch


def _end(save: SaveLine) -> str:
    """That it has come to its end."""
    return "" if not save.finished else "ended" if save.mode == "direct" else "finished"


def _joined(*bits: str) -> str:
    return " · ".join(bit for bit in bits if bit)


def pack_row(pack: PackEntry) -> Visual:
    """A pack in the list; a broken one with the reason."""
    title = one_line(pack.title, 50)
    if pack.broken:
        return Stack(
            SplitLine(Content.assemble(("! ", ".bad"), (title, "")), Content.styled("broken", ".quiet")),
            SplitLine(Content.styled(f"  {one_line(pack.broken, 120)}", ".quiet")),
        )
    return SplitLine(Content(title), Content.styled(counted(len(pack.chapters), "chapter"), ".quiet"))


def save_page(save: SaveLine, pack: PackEntry | None, now: datetime) -> Visual:
    """What the preview says about a save."""
    rows: list[Visual] = [Content.styled(one_line(save.title, 80), ".accent")]
    if save.broken:
        reason = Content(" ".join(paragraphs(save.broken)))
        return Stack(
            *rows, Content(""), reason, Content(""), Content.styled("Nothing was deleted.", ".quiet")
        )
    branch = f"branch {one_line(_branch(save), 40)}"
    if save.mode == "direct":
        facts = [
            "directed chapter",
            _joined(_place(save), branch, _end(save)),
            f"{'last directed' if save.turn else 'created'} {ago(save.at, now)}",
        ]
    else:
        story = one_line(pack.title, 60) if pack else f"pack {one_line(save.pack, 40)}"
        facts = [
            f"{story}{f' · played as {one_line(save.player, 40)}' if save.player else ''}",
            _joined(one_line(save.chapter, 60), _place(save), branch, _end(save)),
            f"last played {ago(save.at, now)}",
        ]
    rows += [Content.styled(fact, ".quiet") for fact in facts]
    rows += [
        Content(""),
        Content.styled("LAST LINES", ".strong"),
        Content(one_line(_last_line(save), 400) or "None yet."),
    ]
    return Stack(*rows)


def pack_page(pack: PackEntry) -> Visual:
    """What the preview says about a pack."""
    rows: list[Visual] = [Content.styled(one_line(pack.title, 80), ".accent")]
    if pack.broken:
        rows += [Content(""), Content.styled("This pack cannot be played:", ""), Content("")]
        rows.append(Indented(Content.styled("! ", ".bad"), Content(" ".join(paragraphs(pack.broken)))))
        rows += [
            Content(""),
            Content.styled(f"theact-tui check {one_line(pack.id, 60)} lists all errors.", ".quiet"),
        ]
        return Stack(*rows)
    for part in paragraphs(pack.description):
        rows += [Content(""), Content(part)]
    if you := _you(*pack.player):
        rows += [Content(""), you]
    if not pack.plays_offline:
        rows += [Content(""), Content.styled(OUTLINE, ".quiet")]
    rows += [Content(""), Content.styled("WITH", ".strong")]
    rows += [
        Indented(
            Content("  "),
            Content.assemble(
                (one_line(name, 60), ".strong"), (f", {one_line(role, 200)}" if role else "", ".quiet")
            ),
        )
        for name, role in pack.cast
    ]
    traits = [
        counted(len(pack.chapters), "chapter"),
        "memory as a diary" if pack.memory == "cells" else "memory as facts",
    ]
    traits += ["dice"] if pack.keeper not in ("", "off") else []
    traits += ["plays offline"] if pack.plays_offline else []
    rows += [Content(""), Content.styled(" · ".join(traits), ".quiet")]
    return Stack(*rows)


def _you(name: str, description: str) -> Content | None:
    """Who the player is; None where the pack does not say."""
    named = bool(name) and not is_pronoun(name)
    who = " ".join(paragraphs(description)).rstrip(".")
    if not (named or who):
        return None
    parts = [(one_line(name, 60), ".strong")] if named else []
    about = f"{', ' if named else ''}{who}." if who else "."
    return Content.assemble("You are ", *parts, (about, ".quiet"))


def direct_page() -> Visual:
    """What the preview says about directing."""
    return _text_page("Direct a scene", DIRECTING)


def write_page() -> Visual:
    """What the preview says about writing a story of one's own."""
    return _text_page("Write your own", WRITING)


def _text_page(title: str, text: str) -> Visual:
    rows: list[Visual] = [Content.styled(title, ".accent")]
    for part in text.split("\n\n"):
        rows += [Content(""), Content(part)]
    return Stack(*rows)


def example_page() -> Visual:
    """What the preview says about the example: its scene, and who is in it."""
    from theact_tui.engine.direct.example import example

    shown = example()
    setup = shown.setup
    people = [setup.name_of(slot) for slot in range(1, setup.count + 1)]
    rows: list[Visual] = [Content.styled(shown.title, ".accent")]
    for part in paragraphs(setup.chapter)[:1]:
        rows += [Content(""), Content(part)]
    rows += [Content(""), Content.styled("TO DIRECT", ".strong")]
    rows += [Content.styled(f"  {one_line(name, 60)}", ".strong") for name in people]
    words = "Everything is filled in. Edit what you like, then press F9 to start."
    return Stack(*rows, Content(""), Content.styled(words, ".quiet"))


def first_steps(*, offline: bool, guest: bool) -> Visual:
    """Below the list, for somebody who has not played yet: what to press, and who will tell the story. A guest of
    `serve` cannot connect a model."""
    teller = "No model needed: the offline storyteller plays it. " if offline else ""
    connect = [] if guest else [("s", ".accent"), (" connects a model. ", ".quiet")]
    return Content.assemble(
        ("enter", ".accent"), (" starts a story. ", ".quiet"), (teller, ".quiet"),
        *connect, ("i", ".accent"), (" imports a card, a chat or a story. ", ".quiet"),
        ("F1", ".accent"), (" explains every screen.", ".quiet"),
    )  # fmt: skip
