"""Command line; the file of a command is loaded when it is used."""

import importlib
import logging
import os
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from types import FrameType
from typing import cast

import click

from theact_tui import __version__
from theact_tui.cli.context import is_terminal, model_options, say
from theact_tui.errors import TheActError, UsageError
from theact_tui.models.environment import ModelOptions, without_keys
from theact_tui.paths import Home
from theact_tui.text import one_line

COMMANDS_BY_MODULE = {
    "play": "play",
    "packs": "packs check new-pack shorten",
    "create": "create",
    "saves": "saves show log edits recover",
    "calls": "prompts calls lore",
    "ask": "since whatif retell why",
    "search": "search",
    "history": "undo redo retry write-on branch switch branches compare",
    "library": "copy rename trash export import",
    "models": "models",
    "doctor": "doctor",
    "direct": "direct",
    "serve": "serve watch",
    "sit": "sit",
    "lab": "lab",
}
HELP = {
    "Play": {
        "play": "Play PACK without the app",
        "sit": "Play CHARACTER of SAVE while it is played in another window",
        "watch": "Watch SAVE while it is played in another window",
        "saves": "List the saved stories, newest first",
        "search": "Search all stories and directed chapters for WORDS, on their current branches",
        "packs": "List all packs; invalid ones are shown with the reason",
    },
    "Look": {
        "show": "Show the state of SAVE: chapter, beats reached, memories and the last turn",
        "log": "Show the history of SAVE, newest first",
        "prompts": "Show the exact prompts of a turn",
        "calls": "Show the model calls of a turn with raw replies",
        "lore": "Show which lore a turn of SAVE used, which keys matched, and what was left out and why",
        "since": "Show since when each person in SAVE knows WORDS, a line or beat",
        "why": "Ask for a reply of SAVE again without parts of its prompt",
        "compare": "Show how A and B of SAVE differ",
        "branches": "List the branches of SAVE, the current one first",
        "edits": "Show edits made to the files of SAVE outside the program, or with --pack to the pack it began with",
    },
    "Undo and branch": {
        "undo": "Undo the last turn of SAVE, or the last TURNS",
        "redo": "Redo what was undone last in SAVE, or as many turns as TURNS",
        "whatif": "Tell turns of SAVE again on two branches, with a change of memory and without",
        "retell": "Tell turns of SAVE again with another model",
        "retry": "Retry the last turn of SAVE, optionally with another TEXT",
        "write-on": "Let the model go on from where the last page of SAVE, or a reply, was cut",
        "branch": "Create the branch NAME in SAVE",
        "switch": "Switch SAVE to another branch",
    },
    "Keep": {
        "copy": "Copy SAVE and its history to a save called NAME",
        "rename": "Rename SAVE to NAME",
        "trash": "Move SAVE to the trash, or list the trash",
        "export": "Export SAVE as a book or a chat, or with '--format save' as a file for 'import' "
        "with all branches and takes",
        "import": "Import character cards, lorebooks, chats, packs or saves",
    },
    "Direct": {
        "direct": "Direct a chapter: one to seven characters answer your prompts, then a writer turns it into prose"
    },
    "Write": {
        "create": "Write a story pack from PREMISE, one sentence",
        "new-pack": "Create a starter pack called ID",
        "check": "Check PACK (an id or a folder) for errors",
        "shorten": "Shorten long characters of PACK with a model",
    },
    "Measure": {"lab": "Measure packs, models and prompts"},
    "Models and help": {
        "models": "List the model in use, those connected, and the servers of this computer with their models",
        "doctor": "Check terminal, settings, storage and model",
        "recover": "Recover the fields of a raw reply of AGENT from standard input, and print them as JSON",
        "serve": "Serve the app to browsers that open the printed link",
    },
}
"""First sentence of each command's help, so that `--help` imports no command."""
MODULES = {command: module for module, commands in COMMANDS_BY_MODULE.items() for command in commands.split()}


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(MODULES)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in MODULES and not args[0].startswith("-"):
            near = get_close_matches(args[0].lower(), MODULES, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            ctx.fail(f"Unknown command '{one_line(args[0], 40)}'.{hint} See 'theact-tui --help'.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, lines in HELP.items():
            with formatter.section(heading):
                formatter.write_dl([*lines.items()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in MODULES:
            return None
        module = importlib.import_module(f"theact_tui.cli.{MODULES[cmd_name]}")
        name = "import_file" if cmd_name == "import" else cmd_name.replace("-", "_")
        return cast("click.Command", getattr(module, name))


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='Shell completion: eval "$(_THEACT_TUI_COMPLETE=bash_source theact-tui)"; also zsh_source, fish_source.',
)
@click.option("-c", "--continue", "go_on", is_flag=True, help="Open the app in the newest story.")
@click.option(
    "--home", "home_folder", metavar="DIR", help="Store all data in this folder (or set THEACT_HOME)."
)
@model_options
@click.option(
    "--log", "log_file", metavar="FILE", help="Append a debug log to FILE (without keys or story text)."
)
@click.option("--no-mouse", is_flag=True, help="Do not capture the mouse.")
@click.option("--plain", is_flag=True, hidden=True, help="Belongs to `play`.")
@click.option("--guest", is_flag=True, hidden=True, help="Keep the player from everything outside the home.")
@click.version_option(__version__)
@click.pass_context
def theact(
    ctx: click.Context,
    /,
    home_folder: str | None,
    log_file: str | None,
    no_mouse: bool,
    plain: bool,
    guest: bool,
    go_on: bool,
    options: ModelOptions,
) -> None:
    """Play, direct and inspect stories told by small language models.

    Without a command this opens the app. Exit codes: 0 done, 1 a turn or call failed, 2 wrong use or refused,
    3 nothing recovered, 4 save in use or damaged.
    """
    if log_file:
        _start_debug_log(Path(log_file))
    if plain:
        raise UsageError("For screen readers: theact-tui play PACK --plain. `theact-tui packs` lists them.")
    if ctx.invoked_subcommand is not None:
        return
    # TEXTUAL_DRIVER names something else than a terminal to draw on, such as the browser of `serve`
    drawable = all(map(is_terminal, (sys.stdin, sys.stdout, sys.stderr)))  # Textual draws on the last one
    if not drawable and not os.environ.get("TEXTUAL_DRIVER"):
        raise UsageError(
            "The app needs a terminal for input, output and errors. "
            "Use 'theact-tui play PACK' to play without one."
        )
    from theact_tui.tui.app import run_app

    home = replace(Home.find(home_folder), guest=guest).create()
    ctx.exit(run_app(home, options, mouse=not no_mouse, go_on=go_on))


logging.getLogger("theact_tui").addHandler(logging.NullHandler())  # else a trace is written over the screen
MAX_LOG = 2_000_000
"""Bytes at which the debug log is set aside as FILE.1; three such files are kept."""


class _WithoutKeys(logging.Formatter):
    """Formats a record without the values of variables that hold keys."""

    def format(self, record: logging.LogRecord) -> str:
        return without_keys(super().format(record), os.environ)


def _rotate(file: str, older: str) -> None:
    """On Windows a log that another window writes too cannot be renamed: it grows on."""
    with suppress(OSError):
        Path(file).replace(older)


def _start_debug_log(file: Path) -> None:
    from logging.handlers import RotatingFileHandler

    try:
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        handler = RotatingFileHandler(file, maxBytes=MAX_LOG, backupCount=3, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"The log {file} cannot be written: {error.strerror}.") from error
    handler.rotator = _rotate
    handler.setFormatter(_WithoutKeys("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logger = logging.getLogger("theact_tui")
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)


def _end_as_by_ctrl_c() -> None:
    """Let the signals to end stop a command as ctrl+c does: it cleans up, and ends with 130."""
    for name in ("SIGTERM", "SIGHUP", "SIGBREAK"):  # the last one when a window of Windows closes
        asked = getattr(signal, name, None)
        if asked and signal.getsignal(asked) is signal.SIG_DFL:  # `nohup` ignores SIGHUP
            signal.signal(asked, _ctrl_c)


def _ctrl_c(number: int, frame: FrameType | None) -> None:
    """Do what ctrl+c does now. A running event loop has a handler of its own; an exception raised there could be lost."""
    handler = signal.getsignal(signal.SIGINT)  # a shell ignores ctrl+c for what it starts in the background
    (handler if callable(handler) else signal.default_int_handler)(number, frame)


def main(arguments: list[str] | None = None) -> int:
    _end_as_by_ctrl_c()
    try:
        code = theact.main(args=arguments, prog_name="theact-tui", standalone_mode=False)
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        error.show(file=sys.stderr)
        return 2
    except TheActError as error:
        say(error.message, err=True)
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        say(f"System error: {file}{error.strerror or error}.", err=True)
        return 1
    return code if isinstance(code, int) else 0
