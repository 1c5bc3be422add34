"""Servers that a game is sent to, and the user's consent to remote ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from theact_tui.errors import UsageError
from theact_tui.models.environment import ModelOptions, environment, load_keys
from theact_tui.models.profiles import Target, resolve
from theact_tui.models.settings import Settings, SettingsFile
from theact_tui.models.start_llama import KEY_VARIABLE, load_key
from theact_tui.paths import Home


class ConsentNeeded(UsageError):
    def __init__(self, hosts: tuple[str, ...]) -> None:
        names = " and ".join(hosts)
        super().__init__(
            f"The story would be sent to {names}, outside your network. Consent with --allow-remote or "
            "in the settings, or play with --offline."
        )
        self.hosts = hosts


@dataclass(frozen=True, slots=True)
class Targets:
    """Targets by agent. Without `default` the offline storyteller plays."""

    default: Target | None
    agents: Mapping[str, Target]

    def with_seed(self, seed: int) -> Targets:
        def seeded(target: Target) -> Target:
            return replace(target, sampling=target.sampling.model_copy(update={"seed": seed}))

        agents = {agent: seeded(target) for agent, target in self.agents.items()}
        return Targets(self.default and seeded(self.default), agents)

    @property
    def remote_hosts(self) -> tuple[str, ...]:
        every = [t for t in (self.default, *self.agents.values()) if t is not None]
        return tuple(dict.fromkeys(t.host for t in every if not t.local))

    def check_consent(self, settings: Settings, options: ModelOptions) -> None:
        """Raise ConsentNeeded for remote hosts without consent."""
        asked = tuple(host for host in self.remote_hosts if host not in settings.allowed_hosts)
        if asked and not options.allow_remote:
            raise ConsentNeeded(asked)


def find_targets(settings: Settings, options: ModelOptions, env: Mapping[str, str]) -> Targets:
    """Resolve targets. Raises UsageError."""
    chosen = settings.profiles, settings.profile
    default = None if options.offline else resolve(*chosen, None, options, env)
    if default is None:
        return Targets(None, {})
    agents = {agent: resolve(*chosen, override, options, env) for agent, override in settings.agents.items()}
    return Targets(default, {agent: target for agent, target in agents.items() if target is not None})


def settings_in_use(home: Home, options: ModelOptions) -> Settings:
    """Read the settings, load their keys and save the consent of `--allow-remote`. Raises UsageError."""
    file = SettingsFile(home.config_file)
    settings = file.read()
    if any(profile.api_key_env == KEY_VARIABLE for profile in settings.profiles.values()):
        load_key(home)
    load_keys(profile.api_key_env for profile in settings.profiles.values())
    if options.allow_remote:
        for host in find_targets(settings, options, environment()).remote_hosts:
            settings = file.allow(host)
    return settings
