"""The command line (S12): one file per family of commands, loaded when it is used."""

from __future__ import annotations

import importlib
import sys
from typing import cast

import click

from theact_tui import __version__
from theact_tui.cli.saying import say
from theact_tui.errors import TheActError

COMMANDS: dict[str, str] = {
    "play": "play:play",
    "packs": "packs:packs_command",
    "check": "packs:check_command",
    "new-pack": "packs:new_pack_command",
    "saves": "saves:saves",
    "show": "saves:show",
    "log": "saves:log",
    "edits": "edits:edits",
    "prompts": "calls:prompts",
    "calls": "calls:calls",
    "undo": "moves:undo",
    "redo": "moves:redo",
    "retry": "moves:retry",
    "branch": "moves:branch",
    "switch": "moves:switch",
    "branches": "branches:branches",
    "compare": "branches:compare",
    "copy": "library:copy",
    "rename": "library:rename",
    "trash": "library:trash",
    "export": "library:export",
    "import": "library:import_file",
    "push": "library:push",
    "clone": "library:clone",
    "recover": "recover:recover",
    "models": "models:models",
    "doctor": "models:doctor",
    "direct": "direct:direct",
    "serve": "serve:serve",
}
"""Command names and where they are, in the order of `--help`."""


class LazyGroup(click.Group):
    """A group that imports a command's module only when that command is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        module, _, name = place.partition(":")
        found = getattr(importlib.import_module(f"theact_tui.cli.{module}"), name)
        return cast("click.Command", found)


@click.group(
    cls=LazyGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.option(
    "--home", "home_folder", metavar="DIR", help="Keep all data in this folder (or set THEACT_HOME)."
)
@click.option("--base-url", default="", metavar="URL", help="Address of an OpenAI-compatible server.")
@click.option("--model", default="", metavar="NAME", help="Name of the model on that server.")
@click.option("--profile", default="", metavar="NAME", help="A profile of config.toml.")
@click.option("--allow-remote", is_flag=True, help="Agree to send the story to a server elsewhere.")
@click.option("--offline", is_flag=True, help="Use the offline storyteller, whatever is configured.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@click.version_option(__version__)
@click.pass_context
def theact(ctx: click.Context, /, home_folder: str | None, no_mouse: bool, **given: object) -> None:
    """Play, direct and inspect stories told by small language models.

    Without a command this opens the app. Exit codes: 0 done, 1 a turn or call failed, 2 wrong use or refused,
    3 nothing recovered, 4 save in use or damaged.
    """
    if ctx.invoked_subcommand is not None:
        return
    from theact_tui.cli.app import open_app

    ctx.exit(open_app(home_folder, mouse=not no_mouse, **given))


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code. Errors for users are one line on standard error."""
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
    return code if isinstance(code, int) else 0
