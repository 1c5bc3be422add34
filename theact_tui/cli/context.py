"""Shared by commands: options, opening saves, printing."""

from __future__ import annotations

import functools
import json
import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO, TypeVar

import click

from theact_tui.errors import TheActError, UsageError
from theact_tui.models.environment import ModelOptions
from theact_tui.paths import Home, quoted_argument
from theact_tui.text import clean, escaped

if TYPE_CHECKING:
    from theact_tui.saves.save import Save


def find_pack_folder(home: Home, name: str) -> Path | None:
    from theact_tui.packs.library import pack_folder

    try:
        return pack_folder(home.packs, name)
    except UsageError:
        return None


@contextmanager
def opened(home: Home, name: str, *, write: bool = False) -> Iterator[Save[Any]]:
    """Raises UsageError for an unknown save, SaveInUse, SaveDamaged."""
    from theact_tui.saves.library import Library
    from theact_tui.saves.save import Save

    with Save.open(Library(home.data).path(name), write=write) as save:
        if save.recovered:
            say(save.recovered, err=True)
        if not write and save.info.mode == "play" and (spoken := save.unfinished.journalled()):
            text = "was told and is not saved yet. It is kept, and saved when the story is opened to play."
            say(f"Turn {spoken.turn.number} {text}", err=True)
        yield save


@contextmanager
def at_rest(home: Home, name: str) -> Iterator[Save[Any]]:
    """Open a save for writing. Raises UsageError if its last turn is unfinished."""
    with opened(home, name, write=True) as store:
        spoken = store.unfinished.journalled() if store.info.mode == "play" else None
        if spoken is not None:
            raise UsageError(
                f"Turn {spoken.turn.number} is not saved yet. To finish it, open the story in the app "
                f"or run '{program()} play {store.info.pack} --save {store.folder.name}'."
            )
        yield store


R = TypeVar("R")

_HOME = "home_folder"


def home_option(command: Callable[..., R]) -> Callable[..., R]:
    """Add `--home DIR`; the command gets `home`. A `--home` before the command's name counts too, then `THEACT_HOME`."""

    @click.option("--home", _HOME, metavar="DIR", help="Store all data in this folder (or set THEACT_HOME).")
    @functools.wraps(command)
    def with_home(*args: Any, **options: Any) -> R:
        context = click.get_current_context()
        folder = context.meta[_HOME] = options.pop(_HOME) or context.find_root().params.get(_HOME)
        try:
            return command(*args, home=Home.find(folder).create(), **options)
        except TheActError as error:
            error.message = _commands_with_home(error.message)
            raise

    return with_home


def piped_line() -> str:
    """Read a line from standard input; empty at its end. Raises UsageError for what is not UTF-8."""
    try:
        return sys.stdin.readline()
    except UnicodeDecodeError as error:
        raise UsageError(
            "The input is not UTF-8 text, so nothing of it was used. In PowerShell, first: "
            "$OutputEncoding = [Text.UTF8Encoding]::new(). In a Windows command prompt: chcp 65001."
        ) from error


def text_of(file: str) -> str:
    """Return the text of a file, or of standard input for `-`, without a final line end."""
    try:
        with click.open_file(file, encoding="utf-8", errors="replace") as source:
            text = str(source.read())
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}.") from error
    return text.removesuffix("\n")


def program() -> str:
    """Return the start of suggested commands, with `--home` if it was given."""
    context = click.get_current_context(silent=True)
    folder = context.meta.get(_HOME) if context else None
    return f"theact-tui --home {quoted_argument(folder)}" if folder else "theact-tui"


def _commands_with_home(text: str) -> str:
    """Insert `program()` into the commands quoted in a text."""
    return re.sub(r"(?<=['`])theact-tui (?!--home)", lambda _: f"{program()} ", text)


def model_options(command: Callable[..., R]) -> Callable[..., R]:
    """Add the model options, also accepted before the command's name; the command gets `options`."""

    @click.option("--base-url", default="", metavar="URL", help="Address of an OpenAI-compatible server.")
    @click.option("--model", default="", metavar="NAME", help="Name of the model on that server.")
    @click.option(
        "--profile", default="", metavar="NAME", help="A connected model, by its name in the settings."
    )
    @click.option(
        "--allow-remote", is_flag=True, help="Consent to sending the story to a server on another network."
    )
    @click.option("--offline", is_flag=True, help="Use the offline storyteller and ignore configured models.")
    @functools.wraps(command)
    def with_models(*args: Any, **arguments: Any) -> R:
        names = ("base_url", "model", "profile", "allow_remote", "offline")
        before = click.get_current_context().find_root().params
        options = ModelOptions(**{name: arguments.pop(name) or before[name] for name in names})
        return command(*args, options=options, **arguments)

    return with_models


json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def common_options(command: Callable[..., R]) -> Callable[..., R]:
    return home_option(json_option(command))


class Answer(NamedTuple):
    """Result of a command: `document` for programs, `text` for people, `note` on standard error for both."""

    document: Any
    text: str
    note: str = ""
    exit_code: int = 0


def answers(command: Callable[..., Answer]) -> Callable[..., None]:
    return home_option(printed(command))


def printed(command: Callable[..., Answer]) -> Callable[..., None]:
    """Add `--json`; print the command's answer."""

    @json_option
    @functools.wraps(command)
    def with_answer(*args: Any, as_json: bool, **options: Any) -> None:
        answer = command(*args, **options)
        if as_json:
            print_json(answer.document)
        else:
            say(answer.text)
        if answer.note:
            say(answer.note, err=True)
        if answer.exit_code:
            click.get_current_context().exit(answer.exit_code)

    return with_answer


def answers_about(
    opening: Callable[[Home, str], AbstractContextManager[Save[Any]]],
) -> Callable[[Callable[..., Answer]], Callable[..., None]]:
    """Like `answers`, for a command about SAVE; it gets the open save instead of `home`."""

    def add(command: Callable[..., Answer]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_save(*args: Any, home: Home, save: str, **options: Any) -> Answer:
            with opening(home, save) as store:
                return command(*args, store, **options)

        return answers(with_save)

    return add


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and not stream.closed and stream.isatty()


def print_json(document: Any, indent: int | None = 2) -> None:
    say_json(json.dumps(document, ensure_ascii=False, indent=indent, default=str))


def say_json(text: str) -> None:
    """Print JSON in UTF-8, whatever the terminal's encoding, and flush."""
    click.echo(escaped(text).encode())


def say(text: str = "", *, nl: bool = True, err: bool = False) -> None:
    """Print text for people, wrapped on a terminal."""
    text = clean(_commands_with_home(text) if err else text)
    if is_terminal(sys.stderr if err else sys.stdout):
        text = "\n".join(map(_wrapped, text.split("\n")))
    click.echo(text, nl=nl, err=err)


def _wrapped(line: str) -> str:
    width, indent = shutil.get_terminal_size().columns, line[: len(line) - len(line.lstrip())]
    wrapped = textwrap.wrap(
        line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(wrapped) if len(line) > width else line
