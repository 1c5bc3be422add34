"""`sit`: play one character of a story that is played in another window (S21)."""

import sys

import click

from theact_tui.cli.context import home_option, is_terminal
from theact_tui.engine.seat_files import find_seat
from theact_tui.errors import UsageError
from theact_tui.paths import Home
from theact_tui.text import one_line


@click.command()
@click.argument("save")
@click.argument("character")
@click.option("--name", required=True, metavar="NAME", help="Your name, shown beside the character's.")
@home_option
def sit(save: str, character: str, name: str, home: Home) -> None:
    """Play CHARACTER of SAVE while it is played in another window. There, /seat CHARACTER gives the seat first."""
    files, person = find_seat(home.seats, save, character), one_line(name, 40)
    if not person:
        raise UsageError("Say who you are: --name NAME.")
    if not all(map(is_terminal, (sys.stdin, sys.stdout, sys.stderr))):
        raise UsageError("A seat needs a terminal for input, output and errors.")
    from theact_tui.tui.seat_app import run_seat

    click.get_current_context().exit(run_seat(home, files, person))
