"""Choosing who answers a game's agents: endpoints as configured, or the offline storyteller."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from theact_tui.errors import CallError
from theact_tui.models.base import PROMPT_LIMITS, Model, Models, PromptLimits
from theact_tui.models.concurrency_and_rate import ConcurrencyLimit, Rate
from theact_tui.models.consent import Targets, find_targets, settings_in_use
from theact_tui.models.endpoint import Endpoint
from theact_tui.models.environment import ModelOptions, environment
from theact_tui.models.profiles import OFFLINE, Target
from theact_tui.models.server_state import TOO_SMALL, ServerState
from theact_tui.models.settings import Settings
from theact_tui.paths import Home
from theact_tui.story.folding import Folding
from theact_tui.story.pack import Pack


class Endpoints(Models):
    """The models of a game that come from servers."""

    offline = False

    def __init__(
        self,
        targets: Targets,
        cache: Path | None = None,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        prompts: PromptLimits = PROMPT_LIMITS,
    ) -> None:
        """`targets` must have a default. What is learned is kept in the folder `cache`. `pause` waits so many seconds
        between two attempts."""
        assert targets.default is not None
        self.limits = prompts
        self._cache = cache
        self._pause = pause
        self._gates: dict[str, ConcurrencyLimit] = {}
        self._rates: dict[str, Rate] = {}
        self._knowledge: dict[tuple[str, str], ServerState] = {}
        self.all: list[Endpoint] = []
        """Each endpoint once, the default first."""
        every = [targets.default, *targets.agents.values()]
        for url in {target.profile.base_url for target in every}:
            profiles = [target.profile for target in every if target.profile.base_url == url]
            widths = [profile.max_parallel for profile in profiles if profile.max_parallel]
            self._gates[url] = ConcurrencyLimit(min(widths, default=0))
            limits = [profile.per_minute for profile in profiles if profile.per_minute]
            self._rates[url] = Rate(min(limits, default=0), pause=pause)
        self.default = self._endpoint(targets.default)
        self._agents = {agent: self._endpoint(target) for agent, target in targets.agents.items()}

    def for_agent(self, agent: str) -> Model:
        """The model for an agent's key (`actor:2`), else for its kind (`actor`), else the default."""
        kind = agent.partition(":")[0]
        return self._agents.get(agent) or self._agents.get(kind) or self.default

    async def probe(self) -> tuple[str, ...]:
        """Reach every server before play: find names and windows. Returns what the user should know."""
        told: list[str] = []
        for endpoint in self.all:
            try:
                await endpoint.prepare()
                await endpoint.probe()
            except CallError as error:
                told.append(error.message)
            told += [endpoint.warning] if endpoint.warning else []
            told += [f"{endpoint.name}: {TOO_SMALL}"] if endpoint.knowledge.abilities.too_small else []
        return tuple(dict.fromkeys(told))

    async def close(self) -> None:
        for endpoint in self.all:
            await endpoint.close()

    def _endpoint(self, target: Target) -> Endpoint:
        for endpoint in self.all:
            if endpoint.target == target:
                return endpoint
        url, model = target.profile.base_url, target.profile.model
        knowledge = self._knowledge.setdefault((url, model), ServerState(url, model, self._cache))
        made = Endpoint(
            target, gate=self._gates[url], rate=self._rates[url], knowledge=knowledge, pause=self._pause
        )
        self.all.append(made)
        return made


class Offline(Models):
    """The models of a game played by the offline storyteller alone."""

    offline = True

    def __init__(self, storyteller: Model, prompts: PromptLimits = PROMPT_LIMITS) -> None:
        self.default = storyteller
        self.limits = prompts

    def for_agent(self, agent: str) -> Model:
        """The storyteller, whoever asks."""
        return self.default


@dataclass(frozen=True, slots=True)
class ModelsChooser:
    """How games get their models: by these settings, environment and options."""

    settings: Settings
    options: ModelOptions
    env: Mapping[str, str]
    cache: Path | None = None
    pace: float | None = None
    """Words a second that the offline storyteller speaks; None: as fast as it is read."""

    def __call__(self, pack: Pack | None, seed: int) -> Endpoints | Offline:
        """The models of a game of `pack` (None: direct mode).

        Raises ConsentNeeded for a remote host that is neither allowed in the settings nor by the options.
        """
        settings, targets = self.settings, find_targets(self.settings, self.options, self.env)
        prompts = PromptLimits(settings.lore_share, Folding(settings.summary_threshold, settings.fold_batch))
        if targets.default is None:
            from theact_tui.storyteller import Storyteller

            return Offline(Storyteller(pack, seed, self.pace), prompts)
        targets.check_consent(settings, self.options)
        return Endpoints(targets, self.cache, prompts=prompts)

    def by_profile(self, profile: str) -> ModelsChooser:
        """The same with another profile; `offline` is the storyteller."""
        remote = self.options.allow_remote
        if profile == OFFLINE:
            return replace(self, options=ModelOptions(offline=True, allow_remote=remote))
        return replace(self, options=ModelOptions(profile=profile, allow_remote=remote))


def models_chooser(home: Home, options: ModelOptions, *, pace: bool) -> ModelsChooser:
    """How games get their models: settings and environment as they are now, and `options`.

    `pace`: the storyteller speaks at the reading pace of the settings. Raises as `settings_in_use` does.
    """
    settings = settings_in_use(home, options)
    speed = settings.ui.pace if pace and settings.ui.pace else None
    return ModelsChooser(settings, options, environment(), home.cache, speed)
