import asyncio
from collections.abc import Callable
from dataclasses import asdict

import click

from theact_tui.cli.context import Answer, home_option, model_options, printed, program, say
from theact_tui.errors import UsageError
from theact_tui.guest_permissions import CHANGE_MODELS, refuse_guest
from theact_tui.models.consent import find_targets, settings_in_use
from theact_tui.models.discovery import Seen, Server, see
from theact_tui.models.environment import ModelOptions, environment
from theact_tui.models.keep_models import LoadProgress, ModelServer
from theact_tui.models.profiles import Target
from theact_tui.models.served_models import ServedModel
from theact_tui.models.server_capabilities import tried_before
from theact_tui.models.settings import Settings
from theact_tui.models.start_llama import key_for, servers_here
from theact_tui.models.suggested_models import memory_of_this_computer, suggested
from theact_tui.paths import Home

_FIRST = "the first model"
"""Shown for an unnamed model; the server decides."""


@click.command()
@click.option(
    "--load", "load", metavar="MODEL", default="", help="Load a model of a server on this computer."
)
@click.option("--unload", "unload", metavar="MODEL", default="", help="Unload it, which frees its memory.")
@click.option(
    "--fetch", "fetch", metavar="MODEL", default="", help="Fetch a model by name (llama.cpp, Ollama)."
)
@home_option
@model_options
@printed
def models(load: str, unload: str, fetch: str, home: Home, options: ModelOptions) -> Answer:
    """List the model in use, those connected, and the servers of this computer with their models.

    With --load, --unload or --fetch: change the models of the server in use, or of the only one that runs.
    """
    settings = settings_in_use(home, options)
    target = find_targets(settings, options, environment()).default
    if load or unload or fetch:
        refuse_guest(home, CHANGE_MODELS)
        asyncio.run(_change(home, target, load, unload, fetch))
    seen, servers = asyncio.run(_survey(home, settings, target))
    lines = ["In use", *_in_use(target, seen)]
    if settings.profiles:
        lines += ["", "Connected models"]
        lines += [f"  {name}: {p.model or _FIRST} at {p.base_url}" for name, p in settings.profiles.items()]
    lines += ["", "Running on this computer"]
    lines += [line for server in servers for line in _running(server, home)]
    if not servers:
        lines.append(f"  no {'other ' if target else ''}model server found")
    if not (seen and seen.models) and not any(server.models for server in servers):
        lines += ["", "Models for a start (as their makers say; not checked, nothing is fetched unasked)"]
        lines += [
            f"  {one.title}: {one.gigabytes:g} GB, {one.licence}, {one.page}\n"
            f"    Ollama: {one.ollama}; llama.cpp: {one.llama}"
            for one in suggested(memory_of_this_computer())
        ]
    return Answer(_document(settings, target, seen, servers), "\n".join(lines))


async def _change(home: Home, target: Target | None, load: str, unload: str, fetch: str) -> None:
    if target is not None:
        base_url, key = target.profile.base_url, target.key
        seen = await see(base_url, "", key, 5.0)
        kind, served = seen.kind, seen.served
    else:
        servers = await servers_here(home)
        if len(servers) != 1:
            found = f"{len(servers)} are running" if servers else "none is running"
            raise UsageError(f"Which server? On this computer {found}. Name one with --base-url.")
        (server,) = servers
        base_url, kind, served = server.base_url, server.kind, server.served
        key = key_for(home, base_url)
    server_of_it = ModelServer(home, base_url, kind, key)
    if unload:
        await server_of_it.unload(_named(served, unload))
    if fetch:
        await server_of_it.fetch(fetch, _sayer(fetch))
    if load:
        await server_of_it.load(load if load == fetch else _named(served, load).name, _sayer(load))


def _named(served: tuple[ServedModel, ...], name: str) -> ServedModel:
    if model := next((one for one in served if one.name == name), None):
        return model
    raise UsageError(
        f"The server has no model {name!r}. It has: {', '.join(one.name for one in served) or 'none'}."
    )


def _sayer(model: str) -> Callable[[LoadProgress], None]:
    last = ""

    def tell(progress: LoadProgress) -> None:
        nonlocal last
        if (text := f"{model}: {progress}") != last:
            say(text, err=True)
            last = text

    return tell


async def _survey(home: Home, settings: Settings, target: Target | None) -> tuple[Seen | None, list[Server]]:
    """Ask the server in use, unless it is remote without consent."""
    if target is None or not (target.local or target.host in settings.allowed_hosts):
        return None, await servers_here(home)
    profile = target.profile
    return await asyncio.gather(see(profile.base_url, profile.model, target.key, 5.0), servers_here(home))


def _document(
    settings: Settings, target: Target | None, seen: Seen | None, servers: list[Server]
) -> dict[str, object]:
    in_use: dict[str, object] = {"offline": target is None}
    if target is not None:
        in_use |= {
            "base_url": target.profile.base_url,
            "model": target.profile.model,
            "local": target.local,
            "reached": bool(seen and seen.reached),
            "window": seen.window if seen else 0,
            "models": list(seen.models) if seen else [],
            "served": [asdict(model) for model in seen.served] if seen else [],
        }
    return {
        "in_use": in_use,
        "profiles": {name: profile.model_dump() for name, profile in settings.profiles.items()},
        "agents": {name: over.model_dump(exclude_defaults=True) for name, over in settings.agents.items()},
        "servers": [asdict(server) for server in servers],
    }


def _in_use(target: Target | None, seen: Seen | None) -> list[str]:
    if target is None:
        return [
            "  the offline storyteller; connect a model in the settings, or name its address with --base-url"
        ]
    name = target.profile.model or _FIRST
    line = f"  {name} at {target.profile.base_url}"
    if seen is None:
        return [line, f"  {target.host} is on another network: consent once with --allow-remote"]
    if not seen.reached:
        return [line, "  no answer right now"]
    lines = [line, *(f"    {described(model)}" for model in seen.served)]
    if not seen.models:
        lines.append(f"  it lists no models; run `{program()} doctor`")
    elif target.profile.model and target.profile.model not in seen.models:
        lines.append(f"  {target.profile.model} is not among its models")
    return [*lines, f"  window {seen.window:,} tokens"] if seen.window else lines


def _running(server: Server, home: Home) -> list[str]:
    window = f", window {server.window:,} tokens" if server.window else ""
    lines = [f"  {server.name} at {server.base_url}{window}"]
    for model in server.served:
        tried = tried_before(server.base_url, model.name, home.cache)
        lines.append(f"    {described(model)}" + (f" · tried: {tried}" if tried else ""))
    return lines


def described(model: ServedModel) -> str:
    return " · ".join(filter(None, (model.name, model.facts)))
