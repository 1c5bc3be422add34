"""Which pack is to be written: a new one, a draft that was left, or a change of one that exists."""

from __future__ import annotations

import asyncio
from typing import Any

from textual.app import App
from textual.content import Content

from theact_tui.authoring.draft import Draft, drafts_of
from theact_tui.errors import UsageError
from theact_tui.packs.entry import PackEntry
from theact_tui.packs.schema import GAME
from theact_tui.paths import Home
from theact_tui.text import one_line
from theact_tui.tui.services import LibraryListing
from theact_tui.tui.visuals import SplitLine
from theact_tui.tui.widgets.dialogs import FormDialog, FormField, ListDialog, ListEntry, ask_until_valid

USUAL = "3"
TITLE = 40
"""Characters of an idea that can be the title for now."""
NEW, DRAFT, PACK = "new", "draft:", "pack:"


async def choose_draft(
    app: App[Any], home: Home, listing: LibraryListing, marked: PackEntry | None
) -> Draft | None:
    """Ask for a draft; None when the user gave up. The cursor begins on the pack `marked`, if it is an own one."""
    drafts = {draft.id: draft for draft in await asyncio.to_thread(drafts_of, home)}
    by_id = {pack.id: pack for pack in listing.packs if pack.id not in drafts}
    entries = [ListEntry(NEW, _row("A new story", "from one sentence"))]
    entries += [ListEntry(f"{DRAFT}{id}", _row(draft.title, "draft")) for id, draft in drafts.items()]
    entries += [ListEntry(f"{PACK}{id}", _row(pack.title, _kind(pack))) for id, pack in by_id.items()]
    at = f"{PACK}{marked.id}" if marked and marked.id in by_id and not marked.shipped else NEW
    dialog = ListDialog(
        "Write a story pack", entries, note="Start a new one, or edit an existing one.", at=at
    )
    chosen = await app.push_screen_wait(dialog)
    kind, _, id = chosen.partition(":")
    if kind == "draft":
        return drafts[id]
    if kind == "pack":
        return await asyncio.to_thread(Draft.of_pack, home, by_id[id].folder, id)
    return await _new(app, home, listing.offline) if chosen == NEW else None


async def _new(app: App[Any], home: Home, offline: bool) -> Draft | None:
    """Ask what a new story is about, and a model's author how many people and chapters to plan."""
    numbers = (
        FormField("How many characters, 1 to 7", placeholder=USUAL),
        FormField("How many chapters", placeholder=USUAL),
    )
    premise = FormField(
        "What is it about? One sentence", placeholder="A lighthouse, dark for thirty years, is lit."
    )
    form = FormDialog("A new story", premise, *(() if offline else numbers), yes="begin")

    async def begin(texts: tuple[str, ...]) -> Draft:
        premise, *numbers = texts
        if not premise:
            raise UsageError("Say in a sentence what the story is about.")
        if not all(number.isdecimal() for number in numbers if number):
            raise UsageError("Enter the number of characters and chapters as numbers, such as 3.")
        people, chapters = (int(number or USUAL) for number in numbers or ("", ""))
        draft = await asyncio.to_thread(Draft.begin, home, premise, characters=people, chapters=chapters)
        if offline and len(premise) <= TITLE:
            await asyncio.to_thread(draft.write, GAME, {"title": premise.rstrip(".")})
        return draft

    return await ask_until_valid(app, form, begin)


def _row(name: str, note: str) -> SplitLine:
    return SplitLine(Content(one_line(name, 44)), Content.styled(note, ".quiet"))


def _kind(pack: PackEntry) -> str:
    return "edit a copy" if pack.shipped else "broken, edit" if pack.broken else "edit"
