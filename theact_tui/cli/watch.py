"""`watch`: following a story that is being played elsewhere, read only (S20)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import sleep

import click

from theact_tui.cli.context import home_option, opened, say
from theact_tui.cli.play import ProsePrinter, print_event
from theact_tui.engine import events
from theact_tui.engine.live_events import POLL, LiveEvents, unfinished
from theact_tui.paths import Home
from theact_tui.saves.codec import GAMES
from theact_tui.saves.direct_codec import CHAPTERS
from theact_tui.saves.library import Library
from theact_tui.story.direct.transcript import transcript


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
    """Where the story is, and its last saved turn."""
    with opened(home, folder.name) as store:
        printer.word = "turn" if store.info.mode == "play" else "prompt"
        say(f"{store.info.title} · {printer.word} {store.turn}. You are watching; ctrl-c leaves.\n")
        if store.info.mode != "play":
            chapter = store.of(CHAPTERS).load()
            last = [event for event in chapter.events if event.prompt_index == store.turn]
            for passage in transcript(chapter.session, last).passages:
                say(printer.prose.wrapped(f"{passage.text}\n"))
            return
        name_of = store.of(GAMES).load().pack.name_of
        for entry in (entry for turn in store.turns(store.turn, store.turn) for entry in turn.told):
            name = f"{name_of(entry.character).upper()}\n" if entry.character else ""
            mark = "> " if entry.role == "player" else ""
            say(printer.prose.wrapped(f"{name}{mark}{entry.text}\n"))


class WatchPrinter:
    """Prints a story as it is told, with the player's lines."""

    def __init__(self) -> None:
        self.prose = ProsePrinter(live=True)
        self.word = "turn"
        """What a turn is called."""

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
