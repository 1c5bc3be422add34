"""The one place where the command line prints. Whatever it says, no sign in it steers the terminal (S12, S13)."""

from __future__ import annotations

import click

from theact_tui.text import clean


def say(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print text for people, with a line feed unless `nl` is false; `err` prints on standard error."""
    click.echo(clean(text), nl=nl, err=err)
