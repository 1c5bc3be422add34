"""Opening the app from the command line."""

from __future__ import annotations

import ipaddress
import os
import shlex
import sys
from typing import Any

import click

from theact_tui.cli.context import is_terminal, say
from theact_tui.errors import UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home


def open_app(home_folder: str | None, *, mouse: bool, **options: Any) -> int:
    """Open the app and return its exit code. Raises `UsageError` where there is no terminal to draw on.

    `TEXTUAL_DRIVER` names something else to draw on, such as the browser of `serve`.
    """
    drawable = is_terminal(sys.stdin) and is_terminal(sys.stdout)
    if not drawable and not os.environ.get("TEXTUAL_DRIVER"):
        raise UsageError("The app needs a terminal. Use 'theact-tui play PACK' to play without one.")
    from theact_tui.tui.app import run

    return run(Home.find(home_folder).create(), ModelOptions(**options), mouse=mouse)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8765, show_default=True, type=click.IntRange(1, 65535), help="Port to listen on."
)
@click.option("--home", "home_folder", default="", metavar="DIR", help="Store all data in this folder.")
def serve(host: str, port: int, home_folder: str) -> None:
    """Serve the app to a browser on this computer. There is no password, so other computers cannot connect."""
    if not _is_loopback(host):
        raise UsageError(f"{host} is open to other computers, and there is no password. Use 127.0.0.1.")
    try:
        from textual_serve.server import Server
    except ImportError as error:
        raise UsageError(
            "The browser version needs textual-serve. Install it with '.venv/bin/pip install \".[serve]\"'."
        ) from error
    command = [sys.executable, "-P", "-m", "theact_tui", *(["--home", home_folder] if home_folder else [])]
    say(f"Open http://{host}:{port} in a browser. Press ctrl-c to stop the server.")
    Server(shlex.join(command), host=host, port=port, title="theact").serve()


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
