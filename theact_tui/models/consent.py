"""Which servers a game would be sent to, and whether the user agreed to those outside their network."""

from collections.abc import Mapping
from dataclasses import dataclass

from theact_tui.errors import UsageError
from theact_tui.models.environment import ModelOptions, environment, load_keys
from theact_tui.models.profiles import Target, resolve
from theact_tui.models.settings import Settings, SettingsFile
from theact_tui.paths import Home


class ConsentNeeded(UsageError):
    """A story would be sent to remote `hosts` the user has not agreed to yet."""

    def __init__(self, hosts: tuple[str, ...]) -> None:
        names = " and ".join(hosts)
        super().__init__(
            f"The story would be sent to {names}, outside your network. Consent with --allow-remote or "
            "in the settings, or play with --offline."
        )
        self.hosts = hosts


@dataclass(frozen=True, slots=True)
class Targets:
    """Who is to answer: `default`, and `agents` that differ from it. No default: the offline storyteller."""

    default: Target | None
    agents: Mapping[str, Target]

    @property
    def remote_hosts(self) -> tuple[str, ...]:
        """Hosts elsewhere, each once."""
        every = [t for t in (self.default, *self.agents.values()) if t is not None]
        return tuple(dict.fromkeys(t.host for t in every if not t.local))

    def check_consent(self, settings: Settings, options: ModelOptions) -> None:
        """Raises ConsentNeeded for remote hosts that neither the settings nor the options allow."""
        asked = tuple(host for host in self.remote_hosts if host not in settings.allowed_hosts)
        if asked and not options.allow_remote:
            raise ConsentNeeded(asked)


def find_targets(settings: Settings, options: ModelOptions, env: Mapping[str, str]) -> Targets:
    """What settings, environment and options say. Raises UsageError for what cannot be used."""
    chosen = settings.profiles, settings.profile
    default = None if options.offline else resolve(*chosen, None, options, env)
    if default is None:
        return Targets(None, {})
    agents = {agent: resolve(*chosen, override, options, env) for agent, override in settings.agents.items()}
    return Targets(default, {agent: target for agent, target in agents.items() if target is not None})


def settings_in_use(home: Home, options: ModelOptions) -> Settings:
    """The settings, their keys loaded, with the consent that `--allow-remote` gives remembered. Raises UsageError for
    settings that cannot be used."""
    file = SettingsFile(home.config_file)
    settings = file.read()
    load_keys(profile.api_key_env for profile in settings.profiles.values())
    if options.allow_remote:
        for host in find_targets(settings, options, environment()).remote_hosts:
            settings = file.allow(host)
    return settings
