"""Saves, packs and reports that importing files makes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.importing.chats import jsonl, one_file, reply, user
from theact_tui.importing.chat_files import read_chats
from theact_tui.importing.proposal import Proposal, propose
from theact_tui.importing.report import ImportReport
from theact_tui.importing.save_chats import plan_chats, write_chats
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.pack import Pack


def imported(library: Library, *paths: Path, **options: Any) -> Save[Game]:
    """The save that importing these paths makes, open."""
    chats, _ = read_chats(paths)
    report = write_chats(plan_chats(chats, **options), library)
    assert report.save is not None
    return Save.open(library.path(report.save))


def chat_save(folder: Path, chat: Any, **options: Any) -> Save[Game]:
    """The save that the only file of a folder makes, open."""
    return imported(Library(folder / "home"), one_file(folder / "in", chat, "a.jsonl"), **options)


def proposed(folder: Path, *paths: Path, **options: Any) -> Proposal:
    """What importing these paths into saves and packs below `folder` would do."""
    return propose(paths, Library(folder / "home"), folder / "packs", **options)


def accepted(folder: Path, *paths: Path, **options: Any) -> ImportReport:
    """The report of importing these paths into saves and packs below `folder`."""
    return proposed(folder, *paths, **options).accept()


def made_pack(folder: Path, *paths: Path, **options: Any) -> tuple[Pack, ImportReport]:
    """The pack that importing these paths makes below `folder`, and its report."""
    report = accepted(folder, *paths, **options)
    return load_pack(folder / "packs" / str(report.pack)), report


def told(save: Save[Game], branch: str | None = None) -> list[tuple[str, str]]:
    """Who says what on a branch, in the order in which it is told."""
    game = save.state_at(branch=branch)
    turns = save.turns(1, game.state.turn, branch)
    return [
        (game.pack.name_of(entry.character) if entry.character else entry.role, entry.text)
        for turn in turns
        for entry in turn.ordered_entries
    ]


def takes(save: Save[Game], turn: int, branch: str | None = None) -> Sequence[str]:
    """The last words of each take of a turn."""
    return [version.ordered_entries[-1].text for version in save.versions(turn, branch)]


def long_chat(home: Path, folder: Path, turns: int) -> Path:
    """The save of a chat with one character, in which the player turns a key in every turn."""
    lines = [
        line for n in range(1, turns + 1) for line in (user(f"I turn key {n}."), reply(f"The key {n} turns."))
    ]
    with imported(Library(home), one_file(folder, jsonl(*lines), "a.jsonl")) as save:
        return save.folder
