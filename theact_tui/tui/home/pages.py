from datetime import datetime

from textual.content import Content
from textual.visual import Visual

from theact_tui.packs.listing import OUTLINE, PackEntry
from theact_tui.saves.listing import SaveEntry
from theact_tui.sentences import curly_quotes
from theact_tui.text import counted, is_pronoun, one_line, slug, unstressed, unwrapped_paragraphs
from theact_tui.tui.visuals import Indented, SplitLine, Stack, accent, ago, line, page, quiet, strong

HOW_TO_DIRECT = """\
You are the game master. Write a world, a scene and up to seven characters, then prompt one of them at a time \
and see what they do.

Notes are taken of what happens. At the end the chapter is written as prose, in the voice you choose.

Press e for a ready-made example."""

HOW_TO_WRITE = """\
Write a story of your own: say in a sentence what it is about, then who you are, who is with you, where it is, and \
what should happen.

A model can write any part of it for you; without one you fill in the fields. You can play it at any time while you \
write.

To edit a pack of yours, move to it and press w. To start from a character card, a chat or a lorebook of another \
program, press i."""


def _broken_row(title: str, note: str, reason: str) -> Visual:
    head = SplitLine(Content.assemble(("! ", ".bad"), title), quiet(note))
    return Stack(head, SplitLine(quiet(f"  {one_line(reason, 120)}")))


def save_row(save: SaveEntry, now: datetime, *, folder: bool = True, brief: bool = False) -> Visual:
    """`folder` tells saves of one title apart; `brief`: one line."""
    title = one_line(save.title, 40)
    if save.broken:
        return _broken_row(title, "cannot be opened", save.broken)
    player = f" · {one_line(save.player, 24)}" if save.player and save.mode != "direct" else ""
    if folder and slug(save.title, fallback=save.name) != save.name:
        player += f" · {one_line(save.name, 40)}"
    branch = save.branch_title or save.branch
    where = joined(place_of(save), one_line(branch, 16) if branch != "main" else "")
    when = joined(end_of(save), ago(save.at, now))
    name = Content.assemble((title, ".strong"), (player, ".quiet"))
    if brief:
        return SplitLine(name, quiet(joined(place_of(save), when)))
    last = quiet(f"  {one_line(last_line_of(save), 120)}")
    return Stack(SplitLine(name, Content(where)), SplitLine(last, quiet(when)))


def place_of(save: SaveEntry) -> str:
    if save.mode != "direct":
        return f"turn {save.turn}"
    return f"prompt {save.turn}" if save.turn else "not started"


def has_begun(save: SaveEntry) -> bool:
    """True if there is something to continue."""
    return not save.broken and (save.mode != "direct" or save.turn > 0)


def last_line_of(save: SaveEntry) -> str:
    return unstressed(curly_quotes(save.line)) if save.turn else ""


def end_of(save: SaveEntry) -> str:
    return "" if not save.finished else "ended" if save.mode == "direct" else "finished"


def joined(*bits: str) -> str:
    return " · ".join(bit for bit in bits if bit)


def pack_row(pack: PackEntry) -> Visual:
    title = one_line(pack.title, 50)
    if pack.broken:
        return _broken_row(title, "broken", pack.broken)
    chapters = counted(len(pack.chapters), "chapter")
    facts = joined("your own" if pack.replaces_shipped else "", chapters)
    return SplitLine(Content(title), quiet(facts))


def save_page(save: SaveEntry, pack: PackEntry | None, now: datetime) -> Visual:
    title = accent(one_line(save.title, 80))
    if save.broken:
        reason = Content(" ".join(unwrapped_paragraphs(save.broken)))
        return page(title, reason, quiet("Nothing was deleted."))
    branch = f"branch {one_line(save.branch_title or save.branch, 40)}"
    where = joined(place_of(save), branch, end_of(save))
    if save.mode == "direct":
        kind, since = "directed chapter", "last directed" if save.turn else "created"
    else:
        story = one_line(pack.title, 60) if pack else f"pack {one_line(save.pack, 40)}"
        kind = joined(story, f"played as {one_line(save.player, 40)}" if save.player else "")
        where, since = joined(one_line(save.chapter, 60), where), "last played"
    facts = (kind, where, f"{since} {ago(save.at, now)}")
    last = Content(one_line(last_line_of(save), 400) or "None yet.")
    about = Stack(title, *(quiet(fact) for fact in facts))
    return page(about, Stack(strong("LAST LINES"), last))


def pack_page(pack: PackEntry) -> Visual:
    title = accent(one_line(pack.title, 80))
    if pack.broken:
        return page(
            title,
            Content("This pack cannot be played:"),
            line("!", ".bad", " ".join(unwrapped_paragraphs(pack.broken))),
            quiet(f"theact-tui check {one_line(pack.id, 60)} lists all errors."),
        )
    cast = ((one_line(name, 60), f", {one_line(role, 200)}" if role else "") for name, role in pack.cast)
    people = (Content.assemble((name, ".strong"), (role, ".quiet")) for name, role in cast)
    traits = joined(
        counted(len(pack.chapters), "chapter"),
        "memory as a diary" if pack.memory == "cells" else "memory as facts",
        "dice" if pack.keeper not in ("", "off") else "",
        "plays offline" if pack.plays_offline else "",
    )
    return page(
        title,
        *map(Content, unwrapped_paragraphs(pack.description)),
        _you(*pack.player),
        None if pack.plays_offline else quiet(OUTLINE),
        Stack(strong("WITH"), *(Indented(Content("  "), person) for person in people)),
        quiet(traits),
    )


def _you(name: str, description: str) -> Content | None:
    """Describe the player's character; None if the pack does not."""
    named = one_line(name, 60) if not is_pronoun(name) else ""
    about = " ".join(unwrapped_paragraphs(description)).rstrip(".")
    if not (named or about):
        return None
    about = f"{', ' if named and about else ''}{about}."
    return Content.assemble("You are ", (named, ".strong"), (about, ".quiet"))


def example_page() -> Visual:
    from theact_tui.engine.direct.example import example

    shown = example()
    setup = shown.setup
    people = (one_line(setup.name_of(slot), 60) for slot in range(1, setup.count + 1))
    words = "Everything is filled in. Edit what you like, then press F9 to start."
    return page(
        accent(shown.title),
        *map(Content, unwrapped_paragraphs(setup.chapter)[:1]),
        Stack(strong("TO DIRECT"), *(strong(f"  {name}") for name in people)),
        quiet(words),
    )


def first_steps(*, offline: bool, may_connect: bool) -> Visual:
    teller = "No model needed: the offline storyteller plays it. " if offline else ""
    connect = [("s", ".accent"), (" connects a model. ", ".quiet")] if may_connect else []
    return Content.assemble(
        ("enter", ".accent"), (" starts a story. ", ".quiet"), (teller, ".quiet"),
        *connect, ("i", ".accent"), (" imports a card, a chat or a story. ", ".quiet"),
        ("F1", ".accent"), (" explains every screen.", ".quiet"),
    )  # fmt: skip
