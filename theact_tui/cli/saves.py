"""`saves`, `show` and `log`: what there is, as people or programs read it (S12)."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from theact_tui.cli.opening import opened
from theact_tui.cli.options import home_option, json_option, print_json
from theact_tui.cli.saying import say
from theact_tui.engine.remembered import memory_text
from theact_tui.engine.reports import game_json
from theact_tui.errors import UsageError
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn


@click.command()
@home_option
@json_option
def saves(home: Home, as_json: bool) -> None:
    """List the saved stories, the last played first."""
    found = Library(home.data).saves()
    if as_json:
        print_json([asdict(line) for line in found])
        return
    if not found:
        say("No stories are saved yet. 'theact-tui packs' lists what can be played.")
    for line in found:
        if line.broken:
            say(f"! {line.title}  {line.broken}")
        else:
            where = f"{line.chapter}, turn" if line.mode == "play" else "directed chapter, prompt"
            end = ", finished" if line.finished else ""
            place = f"{where} {line.turn}, {line.branch_title or line.branch}{end}"
            say(f"{line.title}  ·  {place}\n    {line.line}")


@click.command()
@click.argument("save")
@click.option("--turn", type=click.IntRange(min=0), help="As it was saved by this turn.")
@click.option("--branch", default="", help="On this branch instead of the current one.")
@home_option
@json_option
def show(save: str, turn: int | None, branch: str, home: Home, as_json: bool) -> None:
    """Show where SAVE stands: chapter, beats, memories, and the turn itself."""
    with opened(home, save) as store:
        on = branch or store.branch
        game = (
            store.load()
            if turn is None and on == store.branch
            else store.game_at(_wanted(turn, store, on), on)
        )
        number = game.state.turn
        told = next(iter(store.turns(number, number, on)), None) if number else None
        is_head = on == store.branch and number == store.load().state.turn
        takes = store.takes()[1] if is_head else 1
        spoken = store.journalled() if is_head else None
        edited = store.hand_edits().files if is_head else ()
        branch_title = store.title_of(on)
    document = game_json(game, on, told, takes)
    if spoken is not None:
        document["pending"].append(
            {"agent": "turn", "turn": spoken.turn.number, "character": None, "chapter": None}
        )
    if as_json:
        print_json(document)
    else:
        say(_shown(game, told, document, branch_title))
    if edited:
        names = ", ".join(edited[:3]) + (" and more" if len(edited) > 3 else "")
        say(f"Changed by hand outside: {names}. 'theact-tui edits {save}' shows how.", err=True)


def _wanted(turn: int | None, store: Any, branch: str) -> int:
    """The turn asked for, or the branch's newest."""
    if turn is not None:
        return turn
    found = next((line for line in store.branches() if line.name == branch), None)
    if found is None:
        raise UsageError(f"There is no branch '{branch}'. 'theact-tui branches SAVE' lists them.")
    return int(found.turn)


def _shown(game: Game, turn: Turn | None, document: dict[str, Any], branch: str) -> str:
    state = game.state
    lines = [
        f"{game.info.title} · {game.chapter.title} · turn {state.turn} · branch {branch}",
        *(f"  {'✓' if beat['hit'] else '·'} {beat['text']}" for beat in document["beats"]),
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
            f"{len(document['pending'])} piece(s) of work are pending and are done with the next turn.",
        ]
    return "\n".join(lines)


@click.command()
@click.argument("save")
@click.option("--branch", default="", help="On this branch instead of the current one.")
@click.option("-n", "limit", type=click.IntRange(min=1), help="Only the newest N lines.")
@home_option
@json_option
def log(save: str, branch: str, limit: int | None, home: Home, as_json: bool) -> None:
    """Show the history of SAVE, the newest first."""
    with opened(home, save) as store:
        lines = store.log(limit, branch or None)
    if as_json:
        print_json([asdict(line) for line in lines])
        return
    for line in lines:
        say(f"{line.commit[:7]}  {line.at}  {line.line}")
