import asyncio
from dataclasses import asdict

import click

from theact_tui.cli.context import Answer, home_option, model_options, printed, program
from theact_tui.models.consent import find_targets, settings_in_use
from theact_tui.models.discovery import Seen, Server, running_servers, see
from theact_tui.models.environment import ModelOptions, environment
from theact_tui.models.profiles import Target
from theact_tui.models.settings import Settings
from theact_tui.paths import Home

FIRST = "the first model"
"""Shown for an unnamed model; the server decides."""


@click.command()
@home_option
@model_options
@printed
def models(home: Home, options: ModelOptions) -> Answer:
    """List the model in use, those connected and the servers found on this computer."""
    settings = settings_in_use(home, options)
    target = find_targets(settings, options, environment()).default
    seen, servers = asyncio.run(_survey(settings, target))
    lines = ["In use", *_in_use(target, seen)]
    if settings.profiles:
        lines += ["", "Connected models"]
        lines += [f"  {name}: {p.model or FIRST} at {p.base_url}" for name, p in settings.profiles.items()]
    lines += ["", "Running on this computer", *(line for server in servers for line in _running(server))]
    if not servers:
        lines.append(f"  no {'other ' if target else ''}model server found")
    return Answer(_document(settings, target, seen, servers), "\n".join(lines))


async def _survey(settings: Settings, target: Target | None) -> tuple[Seen | None, list[Server]]:
    """Ask the server in use, unless it is remote without consent."""
    if target is None or not (target.local or target.host in settings.allowed_hosts):
        return None, await running_servers()
    profile = target.profile
    return await asyncio.gather(see(profile.base_url, profile.model, target.key, 5.0), running_servers())


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
    name = target.profile.model or FIRST
    line = f"  {name} at {target.profile.base_url}"
    if seen is None:
        return [line, f"  {target.host} is on another network: consent once with --allow-remote"]
    if not seen.reached:
        return [line, "  no answer right now"]
    lines = [line, *(f"    {model}" for model in seen.models)]
    if not seen.models:
        lines.append(f"  it lists no models; run `{program()} doctor`")
    elif target.profile.model and target.profile.model not in seen.models:
        lines.append(f"  {target.profile.model} is not among its models")
    return [*lines, f"  window {seen.window:,} tokens"] if seen.window else lines


def _running(server: Server) -> list[str]:
    window = f", window {server.window:,} tokens" if server.window else ""
    return [f"  {server.name} at {server.base_url}{window}", *(f"    {model}" for model in server.models)]
