"""`serve`, the app in browsers, and `watch`, following a story read only (S20)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

import click

from theact_tui.cli.context import home_option, model_options, opened, say
from theact_tui.cli.play import ProsePrinter, print_event
from theact_tui.engine import events
from theact_tui.engine.live_events import POLL, LiveEvents, unfinished
from theact_tui.errors import UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home
from theact_tui.saves.library import Library

if TYPE_CHECKING:
    from theact_tui.serve.access import Access

_TOKEN = "THEACT_SERVE_TOKEN"
ANY = ("0.0.0.0", "::")
"""Hosts that mean all addresses of this computer."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    default=8765,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 takes a free one.",
)
@click.option(
    "--allow-network",
    is_flag=True,
    help="Accept other computers: anyone with the link uses your models, and over plain HTTP others on the "
    "network can read along.",
)
@click.option(
    "--public-url", default="", metavar="URL", help="Address of the reverse proxy that visitors open."
)
@click.option(
    "--token",
    default="",
    envvar=_TOKEN,
    metavar="TEXT",
    help=f"Token of the link (or set {_TOKEN}); by default a new one each time.",
)
@click.option(
    "--shared-home", is_flag=True, help="Let visitors play your own stories instead of stories of their own."
)
@click.option(
    "--visitors",
    default=8,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Maximum number of visitors at the same time.",
)
@home_option
@model_options
def serve(
    host: str,
    port: int,
    allow_network: bool,
    public_url: str,
    token: str,
    shared_home: bool,
    visitors: int,
    home: Home,
    options: ModelOptions,
) -> None:
    """Serve the app to browsers that open the printed link. Each visitor has private stories and no access to your
    files, keys and settings."""
    try:
        from theact_tui.serve.access import Access, checked_public_url, checked_token, is_loopback
        from theact_tui.serve.server import listening, serve_until_stopped
        from theact_tui.serve.visitors import Visitors
    except ImportError as error:
        raise UsageError(
            "The browser version needs textual-serve. Install it with '.venv/bin/pip install \".[serve]\"'."
        ) from error
    os.environ.pop(_TOKEN, None)
    if not is_loopback(host) and not allow_network:
        raise UsageError(
            f"{host} is open to other computers. Add --allow-network if anyone with the link may use your "
            "models, and others on the network may read along."
        )
    public = checked_public_url(public_url)
    checked = checked_token(token)
    sock = listening(host, port)
    access = Access(checked, host, sock.getsockname()[1], public)
    guests = Visitors(home, _app_options(options), shared=shared_home, most=visitors)
    with suppress(KeyboardInterrupt):
        asyncio.run(serve_until_stopped(access, guests, sock, lambda: _say_where(access, shared_home)))


def _say_where(access: Access, shared_home: bool) -> None:
    say(f"Open {access.link} in a browser.")
    if access.host in ANY and not access.public_url:
        say("On other computers, replace its first part with the address of this one.")
    say("Visitors play your own stories." if shared_home else "Each visitor has stories of their own.")
    say("Press ctrl-c to stop the server.")


def _app_options(options: ModelOptions) -> list[str]:
    values = [("--base-url", options.base_url), ("--model", options.model), ("--profile", options.profile)]
    flags = [("--offline", options.offline), ("--allow-remote", options.allow_remote)]
    named = [part for name, value in values if value for part in (name, value)]
    return [*named, *(name for name, wanted in flags if wanted)]


# --- watch -----------------------------------------------------------------------------------------------------------


@click.command()
@click.argument("save")
@click.option(
    "--events", "as_events", is_flag=True, help="Print all events since SAVE was opened, as JSON lines."
)
@home_option
def watch(save: str, as_events: bool, home: Home) -> None:
    """Watch SAVE while it is played in another window. This only reads; ctrl-c leaves."""
    folder = Library(home.data).path(save)
    with suppress(KeyboardInterrupt), LiveEvents(folder) as live:
        past = live.read()
        printer: Callable[[events.Event], None] = print_event
        if not as_events:
            printer = WatchPrinter()
            _say_so_far(home, folder, printer)
            past = unfinished(past)
        while True:
            for event in past:
                printer(event)
            sleep(POLL)
            past = live.read()


def _say_so_far(home: Home, folder: Path, printer: WatchPrinter) -> None:
    with opened(home, folder.name) as store:
        printer.word = store.turn_word
        say(f"{store.info.title} · {printer.word} {store.turn}. You are watching; ctrl-c leaves.\n")
        name_of = store.story_at().pack.name_of
        for entry in [
            entry for turn in store.turns(store.turn, store.turn) for entry in turn.ordered_entries
        ]:
            name = f"{name_of(entry.character).upper()}\n" if entry.character else ""
            mark = "> " if entry.role == "player" else ""
            say(printer.prose.wrapped(f"{name}{mark}{entry.text}\n"))


class WatchPrinter:
    """Prints a story as it is told, with the player's lines."""

    def __init__(self) -> None:
        self.prose = ProsePrinter(live=True)
        self.word = "turn"
        """`turn` or `prompt`."""

    def __call__(self, event: events.Event) -> None:
        match event:
            case events.TurnStarted(text=text) if text:
                say(f"> {text}\n")
            case events.PromptStarted(name=name, text=text):
                say(f"> {name}: {text}\n")
            case events.ReplyFinished(name=name, text=text):
                say(f"{name.upper()}\n{text}\n")
            case events.TurnCancelled():
                say("\n[The player stopped this turn.]\n")
            case events.Undone() | events.Redone() | events.BranchSwitched():
                say(f"[The player went to {self.word} {event.turn}.]\n")
            case events.SaveOpened():
                say("[The player opened the story.]\n")
            case events.SaveClosed():
                say("[The player left the story.]\n")
            case _:
                self.prose(event)
