"""Options that many commands share, as decorators, and how a command prints its answer (S12)."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import click

from theact_tui.cli.saying import say
from theact_tui.models.profiles import ModelOptions
from theact_tui.paths import Home
from theact_tui.text import escaped

P = ParamSpec("P")
R = TypeVar("R")

_HOME = "home_folder"


def home_option(command: Callable[..., R]) -> Callable[..., R]:
    """Add `--home DIR`; the command gets `home`, a Home whose folders exist.

    A `--home` given before the command's name counts too, then `THEACT_HOME`.
    """

    @click.option("--home", _HOME, metavar="DIR", help="Keep all data in this folder (or set THEACT_HOME).")
    @functools.wraps(command)
    def with_home(*args: Any, **given: Any) -> R:
        folder = given.pop(_HOME) or click.get_current_context().find_root().params.get(_HOME)
        return command(*args, home=Home.find(folder).create(), **given)

    return with_home


def model_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the common model options; the command gets them as `options`, a ModelOptions."""

    @click.option("--base-url", default="", metavar="URL", help="Address of an OpenAI-compatible server.")
    @click.option("--model", default="", metavar="NAME", help="Name of the model on that server.")
    @click.option("--profile", default="", metavar="NAME", help="A profile of config.toml.")
    @click.option("--allow-remote", is_flag=True, help="Agree to send the story to a server elsewhere.")
    @click.option("--offline", is_flag=True, help="Use the offline storyteller, whatever is configured.")
    @functools.wraps(command)
    def with_models(*args: Any, **given: Any) -> R:
        names = ("base_url", "model", "profile", "allow_remote", "offline")
        options = ModelOptions(**{name: given.pop(name) for name in names})
        return command(*args, options=options, **given)

    return with_models


def json_option(command: Callable[P, R]) -> Callable[P, R]:
    """Add `--json`; the command gets `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")(command)


def print_json(document: Any) -> None:
    """Print `document` as JSON on standard output."""
    say(escaped(json.dumps(document, ensure_ascii=False, indent=2, default=str)))
