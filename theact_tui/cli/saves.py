"""`saves`, `show`, `log` and `edits`: what there is, as people or programs read it."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from theact_tui.cli.context import (
    Answer,
    answers,
    answers_about,
    at_rest,
    common_options,
    opened,
    print_json,
    program,
    say,
)
from theact_tui.engine.pack_edits import changed_pack
from theact_tui.engine.reports import NO_CHANGE, NO_EDITS, beat_lines, game_json, memory_text, put_back_text
from theact_tui.errors import UsageError
from theact_tui.models.ledger import Ledger
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.saves.folders import SaveLine
from theact_tui.saves.hand_edits import HandEdits
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn


@click.command()
@answers
def saves(home: Home) -> Answer:
    """List the saved stories, newest first."""
    found = Library(home.data).saves()
    text = "\n".join(map(_listed, found))
    empty = f"No saved stories yet. '{program()} packs' lists the packs you can play."
    return Answer([asdict(line) for line in found], text or empty)


def _listed(line: SaveLine) -> str:
    if line.broken:
        return f"! {line.name}  {line.broken}"
    where = f"{line.chapter}, turn" if line.mode == "play" else "directed chapter, prompt"
    end = ", finished" if line.finished else ""
    place = f"{where} {line.turn}, {line.branch_title or line.branch}{end}"
    return f"{line.name}  ·  {line.title}  ·  {place}\n    {line.line}"


@click.command()
@click.argument("save")
@click.option("--turn", type=click.IntRange(min=0), help="The state after this turn.")
@click.option("--branch", default="", help="A branch other than the current one.")
@answers_about(opened)
def show(found: Save[Any], turn: int | None, branch: str) -> Answer:
    """Show the state of SAVE: chapter, beats reached, memories and the last turn. --json lists all beats."""
    store = found.of(GAMES)
    branches = store.branches() if branch else ()
    called = {line.title: line.name for line in branches} | {line.name: line.name for line in branches}
    on = called.get(branch, branch) or store.branch
    if branch and turn is None and branch not in called:
        raise UsageError(f"There is no branch '{branch}'. See '{program()} branches SAVE'.")
    game = store.state_at(turn, on)
    number = game.state.turn
    told = next(iter(store.turns(number, number, on)), None) if number else None
    is_head = on == store.branch and number == store.turn
    document = game_json(game, on, told, max(1, len(store.versions(number, on))))
    ledger, newest = Ledger(store.private), max(number, store.turn)
    usage, first_words = ledger.usage(newest), ledger.first_words(newest)
    document["usage"] = [
        {**asdict(one), "fresh": one.fresh, "first_word": words and asdict(words)}
        for one in usage
        for words in [first_words.get(one.key)]
    ]
    if is_head and (spoken := store.unfinished.journalled()):
        document["pending"].append(
            {"agent": "turn", "turn": spoken.turn.number, "character": None, "chapter": None}
        )
    edited = store.hand_edits().files if is_head else ()
    names = ", ".join(edited[:3]) + (" and more" if len(edited) > 3 else "")
    save = click.get_current_context().params["save"]
    note = f"Files edited outside: {names}. See '{program()} edits {save}'." if edited else ""
    return Answer(document, _shown(game, told, document, store.title_of(on)), note)


def _shown(game: Game, turn: Turn | None, document: dict[str, Any], branch: str) -> str:
    state = game.state
    lines = [
        f"{game.info.title} · {game.chapter.title} · turn {state.turn} · branch {branch}",
        *beat_lines(game),
    ]
    if state.rolling_summary:
        lines += ["", state.rolling_summary]
    for entry in turn.told if turn else ():
        name = game.pack.name_of(entry.character).upper() + "\n" if entry.character else ""
        mark = "> " if entry.role == "player" else ""
        lines += ["", f"{name}{mark}{entry.text}"]
    for character in game.chapter.characters:
        lines += ["", memory_text(game, character)]
    if document["pending"]:
        lines += [
            "",
            f"Model calls left for the next turn: {len(document['pending'])}.",
        ]
    if usage := document["usage"]:
        lines += ["", "Model use of this save, tokens in (reused), out:"]
        lines += [
            f"  {one['key']:<20} {one['calls']:>4} calls  {one['prompt']:>9,} ({one['reused']:,})  "
            f"{one['completion']:>8,}  {one['seconds']:>7.1f} s"
            for one in usage
        ]
    return "\n".join(lines)


@click.command()
@click.argument("save")
@click.option("--branch", default="", help="A branch other than the current one.")
@click.option("-n", "limit", type=click.IntRange(min=1), help="Only the newest N lines.")
@answers_about(opened)
def log(store: Save[Any], branch: str, limit: int | None) -> Answer:
    """Show the history of SAVE, newest first."""
    found = store.log(limit, branch or None)
    lines = [f"{line.commit[:7]}  {line.turn:>4}  {_local(line.at)}  {line.line}" for line in found]
    return Answer([asdict(line) for line in found], "\n".join(lines))


def _local(at: str) -> str:
    """A time of the history on the clock of this computer."""
    return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"


@click.command()
@click.argument("save")
@click.option("--adopt", is_flag=True, help="Apply the changes to the story.")
@click.option("--restore", is_flag=True, help="Restore the files; your versions are kept beside them.")
@click.option(
    "--only", metavar="FILE", multiple=True, help="With --restore: only this file. Can be repeated."
)
@click.option("--pack", is_flag=True, help="Changes of your pack since SAVE began; --adopt applies them.")
@common_options
def edits(
    save: str, adopt: bool, restore: bool, only: tuple[str, ...], pack: bool, home: Home, as_json: bool
) -> None:
    """Show edits made to the files of SAVE outside the program, or with --pack to the pack it began with."""
    if adopt and restore:
        raise UsageError("Use either --adopt or --restore, not both.")
    if pack and restore:
        raise UsageError("--pack only goes with --adopt.")
    if only and not restore and not pack:
        raise UsageError("--only needs --restore.")
    with at_rest(home, save) if adopt or restore else opened(home, save) as store:
        if pack:
            found = _pack_edits(store.of(GAMES), home.packs, adopt=adopt)
        elif adopt and store.info.mode == "direct":
            raise UsageError("A directed chapter cannot adopt edits. Undo them with --restore.")
        else:
            found = store.hand_edits()
        chosen = tuple(file for file in found.files if not only or file in only or pack)
        if adopt and chosen and not pack:
            store.adopt_edits()
        elif restore and chosen:
            store.discard_edits(chosen)
    if as_json:
        document = {"files": chosen, "broken": found.broken, "difference": found.difference}
        print_json({**document, "adopted": adopt and bool(chosen), "restored": restore and bool(chosen)})
    elif not chosen:
        say(NO_CHANGE if pack else NO_EDITS)
    elif adopt:
        say(f"Applied: {', '.join(chosen)}.")
    elif restore:
        say(put_back_text(chosen))
    elif pack:
        say(found.difference or "\n".join(found.broken.values()))
        if not found.broken:
            say(f"Apply it with '{program()} edits {save} --pack --adopt'.", err=True)
    else:
        say(found.difference)
        say(_advice(save, found), err=True)


def _pack_edits(save: Save[Game], packs: Path, *, adopt: bool) -> HandEdits:
    """What the pack among the user's own has that the story has not, taken over with `adopt`."""
    changed = changed_pack(save, save.load(), packs)
    if changed and adopt:
        made = changed.taken_over(save.load())
        save.commit_edit(made.game, made.what)
    return changed.edits if changed else HandEdits()


def _advice(save: str, found: HandEdits) -> str:
    """What can be done about changed files."""
    command = f"{program()} edits {save}"
    if not found.broken:
        return f"Keep it with '{command} --adopt', undo it with --restore."
    only = " ".join(f"--only {file}" for file in found.broken)
    advice = f"This cannot be adopted. Fix it, or undo it with '{command} --restore {only}'."
    return "\n".join([*dict.fromkeys(found.broken.values()), advice])
