"""`undo`, `redo`, `retry`, `branch` and `switch`: moving about in a story's history (S12)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import click

from theact_tui.cli.opening import at_rest, models_for
from theact_tui.cli.options import home_option, json_option, model_options, print_json
from theact_tui.cli.printing import ProsePrinter
from theact_tui.cli.saying import say
from theact_tui.engine.bus import Bus
from theact_tui.engine.opening import open_session
from theact_tui.errors import UsageError
from theact_tui.models.profiles import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.story.game import Game

if TYPE_CHECKING:
    from theact_tui.saves.store import Save


def _report(game: Game, store: Save, as_json: bool) -> None:
    turn, chapter = game.state.turn, game.chapter
    if as_json:
        print_json({"save": game.info.title, "branch": store.branch, "turn": turn, "chapter": chapter.id})
    else:
        say(f"Turn {turn} of {chapter.title}, branch {store.title_of()}.")


def _report_chapter(store: Save, as_json: bool) -> None:
    """Where a directed chapter stands now."""
    from theact_tui.engine.direct_store import load

    game = load(store)
    at, state = game.session.prompt_index, game.session.state
    if as_json:
        print_json({"save": game.info.title, "branch": store.branch, "turn": at, "state": state})
    else:
        say(f"Prompt {at} of {game.info.title}, {state}, branch {store.title_of()}.")


@click.command()
@click.argument("save")
@click.argument("turns", type=click.IntRange(min=1), default=1)
@home_option
@json_option
def undo(save: str, turns: int, home: Home, as_json: bool) -> None:
    """Go back one turn of SAVE, or as many as said."""
    with at_rest(home, save) as store:
        if store.info.mode == "direct":
            store.back(turns)
            _report_chapter(store, as_json)
        else:
            _report(store.undo(turns), store, as_json)


@click.command()
@click.argument("save")
@click.argument("turns", type=click.IntRange(min=1), default=1)
@home_option
@json_option
def redo(save: str, turns: int, home: Home, as_json: bool) -> None:
    """Go forward again one undone turn of SAVE, or as many as said."""
    with at_rest(home, save) as store:
        if store.info.mode == "direct":
            store.forward(turns)
            _report_chapter(store, as_json)
        else:
            _report(store.redo(turns), store, as_json)


@click.command()
@click.argument("save")
@click.argument("text", required=False)
@home_option
@json_option
@model_options
def retry(save: str, text: str | None, home: Home, as_json: bool, options: ModelOptions) -> None:
    """Tell the last turn of SAVE again, with other words of yours if you like. The earlier take stays."""
    asyncio.run(_retry(home, options, save, text, as_json))


async def _retry(home: Home, options: ModelOptions, name: str, text: str | None, as_json: bool) -> None:
    bus = Bus()
    if not as_json:
        bus.listen(ProsePrinter(live=False))
    session = await open_session(Library(home.data).path(name), models_for(home, options, pace=False), bus)
    try:
        if session.read_only:
            raise UsageError("This save can only be read.")
        await session.retry(text)
        await session.settle()
        current, count = await session.takes()
    finally:
        await session.close()
    if as_json:
        print_json(
            {
                "save": session.game.info.title,
                "turn": session.game.state.turn,
                "take": current,
                "takes": count,
            }
        )


@click.command()
@click.argument("save")
@click.argument("name")
@click.option("--turn", type=click.IntRange(min=0), help="Begin it at this turn instead of the last one.")
@home_option
@json_option
def branch(save: str, name: str, turn: int | None, home: Home, as_json: bool) -> None:
    """Create the branch NAME in SAVE. It does not switch to it."""
    with at_rest(home, save) as store:
        made = store.branch_at(name, turn)
    if as_json:
        print_json({"branch": made})
    else:
        say(f"Branch {made}. 'theact-tui switch {save} {made}' goes on with it.")


@click.command()
@click.argument("save")
@click.argument("name")
@home_option
@json_option
def switch(save: str, name: str, home: Home, as_json: bool) -> None:
    """Go on with another branch of SAVE."""
    with at_rest(home, save) as store:
        if store.info.mode == "direct":
            store.go_to(name)
            _report_chapter(store, as_json)
        else:
            _report(store.switch(name), store, as_json)
