from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from theact_tui.cli.context import (
    Answer,
    answers,
    find_pack_folder,
    is_terminal,
    model_options,
    opened,
    program,
    say,
)
from theact_tui.errors import UsageError
from theact_tui.exports.book import Lines
from theact_tui.exports.cards import character_of, export_card
from theact_tui.exports.write_file import SAVE, export_save, format_for, is_plain_file, write_export
from theact_tui.importing.pack_file import pack_contents, write_pack
from theact_tui.importing.report import ImportQuestion, ImportReport
from theact_tui.models.environment import ModelOptions
from theact_tui.packs.library import pack_folder
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES, pack_files
from theact_tui.saves.library import Library
from theact_tui.text import counted, one_line
from theact_tui.trash import deleted_folders, move_to_trash, restore_folder

if TYPE_CHECKING:
    from theact_tui.importing.proposal import Proposal


@click.command()
@click.argument("save", metavar="SAVE|PACK")
@click.option(
    "--format",
    "format_",
    default="",
    help="md, html, txt, json, epub, jsonl (a chat), lore, card, theact (a pack) or save. Default: as --to ends, or md.",
)
@click.option(
    "--to",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Output file or folder. Default: your download folder, or exports/ in --home.",
)
@click.option("--branch", default="", help="A branch other than the current one.")
@click.option(
    "--lines",
    type=click.Choice(get_args(Lines)),
    default="you",
    help="In a book: your lines as said by “You” (default), or none.",
)
@click.option("--character", default="", metavar="ID", help="With card: which character.")
@click.option("--turn", type=click.IntRange(min=0), help="With card: the character as of this turn.")
@click.option("--with-secret", is_flag=True, help="With card: include the character's secret.")
@answers
def export(
    save: str,
    format_: str,
    to: Path | None,
    branch: str,
    lines: Lines,
    character: str,
    turn: int | None,
    with_secret: bool,
    home: Home,
) -> Answer:
    """Export SAVE as a book or a chat, or with '--format save' as a file for 'import' with all branches and takes.

    A PACK is exported as one file (theact), or one of its characters as a card (--character). The card of a character
    of a SAVE includes what it remembers at that turn.
    """
    replaces = bool(to and is_plain_file(to))
    if to and replaces and is_terminal(sys.stdin):
        click.confirm(f"{one_line(str(to), 200)} exists already. Replace it?", abort=True, err=True)
    has_save, folder = Library(home.data).has(save), find_pack_folder(home, save)
    is_named, format_ = bool(format_), format_for(to, format_)
    if format_ == SAVE and not (is_named or has_save):
        format_ = "theact"
    if format_ not in ("card", "theact"):
        if not has_save and folder:
            raise UsageError(
                f"'{one_line(save)}' is a pack. Export it with '--format theact' or '--format card'."
            )
        with opened(home, save) as store:
            file = export_save(store, format_, to, branch or None, lines=lines)
        return _exported(file, replaces=replaces)
    # where a save and a pack have one name, a pack is exported from the pack, a card from the save
    if not has_save or (format_ == "theact" and folder):
        folder = folder or pack_folder(home.packs, save)
        pack, game = load_pack(folder), None
    else:
        with opened(home, save) as store:
            game = store.of(GAMES).state_at(turn, branch or None)
        pack, folder = game.pack, find_pack_folder(home, game.info.pack)
    if format_ == "theact":
        files = {path.removeprefix("pack/"): data for path, data in pack_files(pack).items()}
        contents = write_pack(files if game or folder is None else pack_contents(folder))
        name, ending = pack.id, "theact"
    else:
        card = export_card(pack, character_of(pack, character), folder=folder, game=game, secret=with_secret)
        contents, name, ending = card.contents, card.name, card.ending
        if to and not to.is_dir() and to.suffix.lower() not in ("", f".{ending}"):
            raise UsageError(f"The card of {card.name} is written as .{ending}, not as {to.suffix}.")
    file = write_export(contents, to, home.data, name, ending)
    return _exported(file, replaces=replaces)


def _exported(file: Path, *, replaces: bool) -> Answer:
    told = {"replaced": True} if replaces else {}
    return Answer(
        {"file": str(file), **told},
        f"Exported to {file}" + (", in place of the one there" if replaces else ""),
    )


@click.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="PATH...")
@click.option(
    "--into", default="", metavar="PACK", help="Add to this pack: cards as characters, lorebooks as lore."
)
@click.option("--as", "id", default="", metavar="ID", help="The id of the new pack.")
@click.option("--player", default="", metavar="NAME", help="The name of the player's character.")
@click.option("--name", "title", default="", help="The name of the new save.")
@click.option("--fill", multiple=True, metavar="ANSWER", help="What a scenario asks for, in its order.")
@click.option("--dry-run", is_flag=True, help="Show what would be imported; write nothing.")
@click.option("--shorten", is_flag=True, help="With a model: shorten long cards; the rest becomes lore.")
@model_options
@answers
def import_file(
    paths: tuple[Path, ...], dry_run: bool, shorten: bool, options: ModelOptions, home: Home, **choices: Any
) -> Answer:
    """Import character cards, lorebooks, chats, packs or saves. Several cards become one pack, a folder of chats one
    save, SillyTavern's data folder a pack and a save for each character. The type of a file is detected from its content."""
    from theact_tui.importing.proposal import propose

    for path in paths:
        if not path.exists():
            raise UsageError(f"File not found: {path}")
    library = Library(home.data)
    try:
        proposal = propose(paths, library, home.packs, **choices)
    except ImportQuestion as question:
        asked = [
            f"{n}. {one_line(question_text, 200)}" for n, question_text in enumerate(question.questions, 1)
        ]
        if asked and dry_run:
            text = "\n".join(["Questions, each to be answered with `--fill ANSWER`:", *asked])
            return Answer({"questions": list(question.questions)}, text)
        if asked:
            missing = "; ".join(asked[len(choices["fill"]) :])
            raise UsageError(f"Answer each of these with `--fill ANSWER`: {missing}") from None
        option = {"into": "--into PACK", "id": "--as ID", "fill": "--fill ANSWER"}[question.asks]
        raise UsageError(f"{question.message} Say it with `{option}`.") from None
    planned = proposal.report
    if not dry_run and planned.taken and any(path.is_dir() for path in paths) and is_terminal(sys.stdin):
        say("\n".join(_report_lines(planned)), err=True)
        click.confirm("Import this?", default=True, abort=True, err=True)
    report = planned if dry_run else _accepted(proposal)
    if shorten and report.pack and report.long and not dry_run:
        from theact_tui.cli.packs import shortened

        report = replace(report.adding(changed=shortened(home, options, report.pack).changed), long=())
    return Answer(report.as_json(), _report_text(report, dry_run))


def _accepted(proposal: Proposal) -> ImportReport:
    if not is_terminal(sys.stderr):
        return proposal.accept()
    width = 0

    def show(step: str) -> None:
        nonlocal width
        step = one_line(step, 70)
        width = max(width, len(step))
        sys.stderr.write(f"\r{step:<{width}}")
        sys.stderr.flush()

    try:
        return proposal.accept(show)
    finally:
        sys.stderr.write(f"\r{'':<{width}}\r")
        sys.stderr.flush()


def _report_lines(report: ImportReport) -> list[str]:
    parts = (("Taken", report.taken), ("Changed", report.changed), ("Left out", report.left_out))
    lines = [
        f"{title}:\n" + "\n".join(f"  {line}" for line in lines_of_part)
        for title, lines_of_part in parts
        if lines_of_part
    ]
    return [f"{report.counts}.", *lines] if report.counts else lines


def _report_text(report: ImportReport, dry_run: bool) -> str:
    if report.kind == "story" and not dry_run:
        return f"Imported as {report.save}."
    lines = _report_lines(report)
    if dry_run:
        return "\n".join([*lines, "Nothing was written. Run it again without --dry-run to import."])
    if not report.taken:
        lines.append("Nothing was imported: all of it is here already.")
    elif report.parts:
        packs, saves = report.new_counts
        lines.append(f"Imported {counted(packs, 'pack')} and {counted(saves, 'save')}.")
    if report.parts or not (report.pack or report.save):
        return "\n".join(lines)
    target = f"the save {report.save}" if report.save else f"the pack {report.pack}"
    play = f"{program()} play {report.pack}" + (f" --save {report.save}" if report.save else "")
    if report.long:
        lines.append(f"With a model, `{program()} shorten {report.pack}` shortens them.")
    as_what = f"Imported as {target}." if report.taken else f"It is {target}."
    return "\n".join([*lines, as_what + (f" Play it: `{play}`." if report.pack else "")])


@click.command()
@click.argument("save")
@click.argument("name")
@answers
def copy(save: str, name: str, home: Home) -> Answer:
    """Copy SAVE and its history to a save called NAME."""
    return _saved_as("Copied to", Library(home.data).copy(save, name))


@click.command()
@click.argument("save")
@click.argument("name")
@answers
def rename(save: str, name: str, home: Home) -> Answer:
    """Rename SAVE to NAME."""
    return _saved_as("Renamed to", Library(home.data).rename(save, name))


@click.command()
@click.argument("save", required=False)
@click.option("--restore", metavar="NAME", default="", help="Restore a deleted save.")
@click.option("--pack", metavar="ID", default="", help="Move a pack of your own to the trash.")
@click.option("--empty", is_flag=True, help="Empty the trash permanently.")
@answers
def trash(save: str | None, restore: str, pack: str, empty: bool, home: Home) -> Answer:
    """Move SAVE to the trash, or list the trash."""
    library = Library(home.data)
    if restore:
        try:
            return _saved_as("Restored as", library.restore(restore))
        except UsageError:
            if not (back := restore_folder(home, restore)):
                raise
            return Answer(back._asdict(), f"Restored the {back.kind} {back.id}.")
    if empty:
        count = library.empty_trash()
        return Answer({"deleted": count}, f"Permanently deleted: {count}.")
    if save and pack:
        raise UsageError("Name a save or a pack, not both.")
    if save or pack:
        deleted = library.delete(save).name if save else _delete_pack(home, pack)
        return Answer({"trash": deleted}, f"Moved to the trash as {deleted}. Undo with --restore.")
    saves = library.trashed()
    lines = [f"{line.name}  {one_line(line.title)}, turn {line.turn}" for line in saves]
    others = deleted_folders(home)
    lines += [f"{folder.name}  {folder.kind} {folder.id}" for folder in others]
    document = {"trash": [asdict(line) for line in saves], "others": [folder._asdict() for folder in others]}
    return Answer(document, "\n".join(lines) or "The trash is empty.")


def _delete_pack(home: Home, pack: str) -> str:
    folder = pack_folder(home.packs, pack)
    if folder.parent != home.packs:
        raise UsageError(f"'{one_line(pack)}' is not one of your own packs. Only those can be deleted.")
    return move_to_trash(home, folder)


def _saved_as(verb: str, folder: Path) -> Answer:
    return Answer({"save": folder.name}, f"{verb} {folder.name}.")
