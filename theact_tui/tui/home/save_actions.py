"""Actions on saves in the home screen. Each returns the current name of its save ("" for none) and a sentence."""

import asyncio
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from textual.app import App
from textual.content import Content
from textual.visual import Visual

from theact_tui.guest_permissions import UPLOADS
from theact_tui.long_works import run_long
from theact_tui.packs.listing import PackEntry
from theact_tui.saves.listing import SaveEntry
from theact_tui.text import one_line
from theact_tui.trash import deleted_folders, move_to_trash, restore_folder
from theact_tui.tui.home.pages import place_of, save_row
from theact_tui.tui.open_stories import AppServices, LibraryListing
from theact_tui.tui.visuals import Indented, SplitLine, Stack, quiet
from theact_tui.tui.widgets import dialogs
from theact_tui.tui.widgets.export_dialog import ask_format, exported

Done = tuple[str, str]
MORE, ALL = "upload", "all"
MAX_MATCHES = 100


async def rename_save(app: App[Any], services: AppServices, save: SaveEntry) -> Done:
    async def rename(texts: tuple[str, ...]) -> str:
        if texts[0] == save.title:
            return save.name
        return (await asyncio.to_thread(services.library.rename, save.name, texts[0])).name

    form = dialogs.FormDialog("Rename", dialogs.FormField("New name", save.title), yes="rename")
    return await dialogs.ask_until_valid(app, form, rename) or save.name, ""


async def copy_save(app: App[Any], services: AppServices, save: SaveEntry, listing: LibraryListing) -> Done:
    free = services.free_title(save.title, listing)

    async def copy(texts: tuple[str, ...]) -> str:
        return (await asyncio.to_thread(services.library.copy, save.name, texts[0] or free)).name

    form = dialogs.FormDialog("Copy", dialogs.FormField("Name of the copy", free), yes="copy")
    return await dialogs.ask_until_valid(app, form, copy) or save.name, ""


async def ask_save_export(app: App[Any], services: AppServices, save: SaveEntry) -> Done:
    chosen = await ask_format(app, save.branch_title or save.branch)
    if not chosen:
        return save.name, ""
    return save.name, exported(
        app, await run_long(asyncio.to_thread(services.export, save, chosen.format, chosen.lines))
    )


async def delete_save(app: App[Any], services: AppServices, save: SaveEntry) -> Done:
    label = f"{one_line(save.title)}, {place_of(save)},"
    return await _delete(app, "story", label, lambda: services.library.delete(save.name))


async def delete_pack(app: App[Any], services: AppServices, pack: PackEntry) -> Done:
    return await _delete(app, "pack", one_line(pack.title), lambda: move_to_trash(services.home, pack.folder))


async def _delete(app: App[Any], kind: str, label: str, delete: Callable[[], object]) -> Done:
    note = f"{label} will be moved to the trash; t restores it."
    if not await app.push_screen_wait(dialogs.ConfirmDialog(f"Delete this {kind}?", note, yes="delete")):
        return "", ""
    await asyncio.to_thread(delete)
    return "", "Moved to the trash. t restores it."


async def search_saves(app: App[Any], services: AppServices) -> SaveEntry | str:
    """Return the chosen story, or a sentence."""
    from theact_tui.saves.search import search_stories

    form = dialogs.FormDialog(
        "Search all stories and directed chapters", dialogs.FormField("Words"), yes="search"
    )
    words = one_line((await app.push_screen_wait(form) or ("",))[0], 200)
    if not words:
        return ""
    matches = await asyncio.to_thread(lambda: [*islice(search_stories(services.library, words), MAX_MATCHES)])
    if not matches:
        return f"No match for “{words}”."
    rows: dict[str, Visual] = {
        str(place): Stack(
            SplitLine(Content(one_line(match.save.title)), quiet(match.place)),
            Indented(Content("  "), quiet(match.text)),
        )
        for place, match in enumerate(matches)
    }
    note = f"The first {MAX_MATCHES} matches." if len(matches) == MAX_MATCHES else ""
    chosen = await app.push_screen_wait(dialogs.ListDialog(f"“{words}”", rows, note=note, yes="continue"))
    return matches[int(chosen)].save if chosen else ""


async def restore(app: App[Any], services: AppServices) -> Done:
    saves = await asyncio.to_thread(services.library.trashed)
    others = await asyncio.to_thread(deleted_folders, services.home)
    if not saves and not others:
        return "", "The trash is empty."
    now = services.clock()
    rows: dict[str, Visual] = {save.name: save_row(save, now, folder=False) for save in reversed(saves)}
    rows |= {folder.name: SplitLine(Content(folder.id), quiet(folder.kind)) for folder in others}
    name = await app.push_screen_wait(dialogs.ListDialog("Restore from the trash", rows, yes="restore"))
    if folder := next((folder for folder in others if folder.name == name), None):
        await asyncio.to_thread(restore_folder, services.home, name)
        where = {"draft": " w shows drafts.", "run": " l shows runs of the lab."}.get(folder.kind, "")
        return "", f"Restored the {folder.kind} {one_line(folder.id, 40)}.{where}"
    return (await asyncio.to_thread(services.library.restore, name)).name if name else "", ""


async def choose_uploads(app: App[Any], services: AppServices) -> list[Path]:
    """Choose uploaded files to import; none to ask the browser for another one."""
    folder = services.home.data / UPLOADS
    waiting = await asyncio.to_thread(lambda: sorted(folder.glob("[!.]*")))
    rows = {str(n): Content(file.name) for n, file in enumerate(waiting)}
    if len(waiting) > 1:
        rows[ALL] = Content("All of them together")
    rows[MORE] = Content("Upload a file")
    chosen = await app.push_screen_wait(dialogs.ListDialog("Import", rows, yes="choose"))
    if chosen == MORE:
        app.open_url("/upload")
    if chosen in ("", None, MORE):
        return []
    return waiting if chosen == ALL else [waiting[int(chosen)]]
