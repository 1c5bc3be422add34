from __future__ import annotations

import asyncio
import os
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from theact_tui import __version__
from theact_tui.cli.context import (
    home_option,
    is_terminal,
    json_option,
    model_options,
    print_json,
    program,
    say,
)
from theact_tui.errors import UsageError
from theact_tui.models.consent import find_targets, settings_in_use
from theact_tui.models.endpoint import Endpoint, ask_refused_again, try_connection
from theact_tui.models.environment import ModelOptions, environment
from theact_tui.models.model_for_agent import Endpoints
from theact_tui.models.settings import Settings, SettingsFile
from theact_tui.paths import Home
from theact_tui.prompting.tokens import tiktoken_state
from theact_tui.text import counted

if TYPE_CHECKING:
    from theact_tui.engine.try_model import Audition

_LEAST_SIZE = (80, 24)
_MIN_DISK_BYTES = 200_000_000


@dataclass(frozen=True, slots=True)
class Check:
    area: Literal["terminal", "settings", "storage", "model"]
    level: Literal["ok", "warning", "error"]
    text: str


@click.command()
@home_option
@model_options
@click.option(
    "--try", "try_it", is_flag=True, help="Test whether the model can handle a story; up to 5 minutes."
)
@json_option
def doctor(home: Home, options: ModelOptions, try_it: bool, as_json: bool) -> None:
    """Check terminal, settings, storage and model. Exits with 1 if something is wrong.

    --try asks the model about pages whose answers are known, and for a few pages more. It exits with 1 if the model is
    too small.
    """
    checks: list[Check] = []

    def note(check: Check) -> None:
        checks.append(check)
        if not as_json:
            say(_shown(check))

    for check in _checks(home, options):
        note(check)
    wrong = any(check.level == "error" for check in checks)
    tried = _try_out(home, options) if try_it and not wrong else None
    if try_it and tried is None:
        no_model = "no model is connected: press s in the app, or add --base-url"
        why = "something above is wrong" if wrong else no_model
        note(Check("model", "warning", f"Nothing was tried, because {why}."))
    if tried is not None:
        wrong = tried.verdict in ("too small", "not finished")
        if not as_json:
            say(_shown(Check("model", "error" if wrong else "ok", tried.sentence)))
    if as_json:
        version = {"theact_tui": __version__, "python": sys.version.split()[0]}
        document = {"ok": not wrong, **version, "checks": [asdict(check) for check in checks]}
        if tried is not None:
            more = {"turn_seconds": tried.turn_seconds, "sentence": tried.sentence}
            document["audition"] = asdict(tried) | more
        print_json(document)
    click.get_current_context().exit(int(wrong))


def _checks(home: Home, options: ModelOptions) -> Iterator[Check]:
    yield from check_terminal(environment())
    checks, settings = check_settings(SettingsFile(home.config_file))
    yield from checks
    if settings is not None:
        settings = settings_in_use(home, options)
        yield from asyncio.run(check_models(settings, options, environment(), home.cache))
    yield Check("model", "ok", tiktoken_state(os.environ))
    yield from check_storage(home)


def _try_out(home: Home, options: ModelOptions) -> Audition | None:
    from theact_tui.engine.try_model import try_out

    targets = find_targets(settings_in_use(home, options), options, environment())
    if targets.default is None:
        return None

    def step(done: int, whole: int) -> None:
        if is_terminal(sys.stderr):
            say(f"\r{done} of {whole} calls", nl=done == whole, err=True)

    return asyncio.run(try_out(targets, home.cache, step))


def _shown(check: Check) -> str:
    mark = {"ok": "ok     ", "warning": "warning", "error": "error  "}[check.level]
    return f"{mark}  {check.area:8}  {check.text}"


def check_terminal(env: Mapping[str, str]) -> Iterator[Check]:
    if not (is_terminal(sys.stdin) and is_terminal(sys.stdout)):
        text = "Not run in a terminal. The app needs one; `theact-tui play` works without."
        yield Check("terminal", "warning", text)
        return
    width, height = shutil.get_terminal_size()
    yield Check("terminal", "ok", f"{env.get('TERM', 'unknown')}, {width} by {height}, {_colours(env)}.")
    if width < _LEAST_SIZE[0] or height < _LEAST_SIZE[1]:
        yield Check("terminal", "warning", "Smaller than 80 by 24: some text will be cut off.")
    if env.get("TERM", "dumb") == "dumb":
        yield Check("terminal", "error", "TERM is not set, so the app cannot draw. Use `play`.")
    if (sys.stdout.encoding or "").lower().replace("-", "") != "utf8":
        text = f"Output is {sys.stdout.encoding}, not UTF-8: set LANG to a UTF-8 locale, such as C.UTF-8."
        yield Check("terminal", "warning", text)


def _colours(env: Mapping[str, str]) -> str:
    if env.get("NO_COLOR"):
        return "no colours (NO_COLOR)"
    return "all colours" if env.get("COLORTERM") in ("truecolor", "24bit") else "the terminal's own colours"


def check_settings(file: SettingsFile) -> tuple[list[Check], Settings | None]:
    from theact_tui.tui.keymap import checked_keys

    try:
        settings, unknown = file.read(), file.unknown()
    except UsageError as error:
        return [Check("settings", "error", error.message)], None
    state = f"{file.path}" if file.path.exists() else f"No {file.path} yet; all settings have their defaults."
    checks = [Check("settings", "ok", state)]
    if unknown:
        checks.append(Check("settings", "warning", f"Unknown settings: {', '.join(unknown)}."))
    for refused in checked_keys(settings.ui.keys).refused.values():
        checks.append(Check("settings", "warning", f"Invalid key binding: {refused}"))
    if settings.profile and settings.profile not in (*settings.profiles, "offline"):
        text = f"The model in use, {settings.profile!r}, is not connected. Choose another."
        checks.append(Check("settings", "error", text))
    return checks, settings


def check_storage(home: Home) -> Iterator[Check]:
    """Check that saves can be written, by this user alone."""
    number = sum(1 for entry in home.saves.iterdir() if entry.is_dir())
    if os.access(home.saves, os.W_OK):
        yield Check("storage", "ok", f"{home.saves}, {counted(number, 'save')}.")
    else:
        yield Check("storage", "error", f"{home.saves} cannot be written.")
    others = stat.S_IRWXG | stat.S_IRWXO
    open_to_others = [str(f) for f in dict.fromkeys((home.data, home.config)) if f.stat().st_mode & others]
    if os.name == "posix" and open_to_others:
        text = f"Other people who use this computer can read {', '.join(open_to_others)}. Private: chmod 700 and the folder."
        yield Check("storage", "warning", text)
    free = shutil.disk_usage(home.data).free
    if free < _MIN_DISK_BYTES:
        yield Check("storage", "warning", f"Only {free // 1_000_000} MB are free.")


async def check_models(
    settings: Settings, options: ModelOptions, env: Mapping[str, str], cache: Path
) -> list[Check]:
    """Check that the chosen models answer, by one tiny call each."""
    try:
        targets = find_targets(settings, options, env)
        targets.check_consent(settings, options)
    except UsageError as error:
        return [Check("model", "error", error.message)]
    if targets.default is None:
        text = f"No model: the offline storyteller is used. `{program()} models` lists models."
        return [Check("model", "ok", text)]
    endpoints = Endpoints(targets, cache)
    try:
        return list(dict.fromkeys([check for endpoint in endpoints.all for check in await _try(endpoint)]))
    finally:
        await endpoints.close()


async def _try(endpoint: Endpoint) -> list[Check]:
    refused = endpoint.knowledge.abilities.refusals
    trial = await try_connection(endpoint)
    if not trial.ok:
        return [Check("model", "error", trial.sentence)]
    text = f"{trial.sentence} ({endpoint.provider}, context {trial.window:,} tokens)."
    checks = [Check("model", "ok", text)]
    if endpoint.knowledge.abilities.warm_up == "off":
        text = (
            f"{endpoint.provider} keeps no prompts, so pages are not prepared while you read. This is fine."
        )
        checks.append(Check("model", "ok", text))
    if refused:
        now = ", ".join(await ask_refused_again(endpoint)) or "nothing"
        text = f"{endpoint.name} at {endpoint.provider} had refused {', '.join(refused)}. Asked again, it refuses {now}."
        checks.append(Check("model", "ok", text))
    return [*checks, Check("model", "warning", trial.warning)] if trial.warning else checks
