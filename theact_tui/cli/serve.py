"""`serve`: the app in a browser, through textual-serve (an optional extra)."""

from __future__ import annotations

import shlex
import sys

import click

from theact_tui.cli.saying import say
from theact_tui.errors import UsageError


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", default=8765, show_default=True, type=click.IntRange(1, 65535), help="On which port.")
@click.option("--home", "home_folder", default="", metavar="DIR", help="Keep all data in this folder.")
def serve(host: str, port: int, home_folder: str) -> None:
    """Open the app in a browser. There is no password: whoever reaches the address plays."""
    try:
        from textual_serve.server import Server
    except ImportError as error:
        raise UsageError(
            "The browser version needs the extra 'serve': pip install 'theact-tui[serve]', or textual-serve by itself."
        ) from error
    command = [sys.executable, "-m", "theact_tui", *(["--home", home_folder] if home_folder else [])]
    say(f"Open http://{host}:{port} in a browser. Ctrl-C ends it.")
    Server(shlex.join(command), host=host, port=port, title="theact").serve()
