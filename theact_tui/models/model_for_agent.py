"""Choose each agent's model: its own endpoint, the default, or the offline storyteller."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Protocol

from theact_tui.errors import CallError
from theact_tui.models.concurrency_and_rate import ConcurrencyLimit, Rate
from theact_tui.models.consent import Targets
from theact_tui.models.endpoint import Endpoint
from theact_tui.models.model import PROMPT_LIMITS, Model, Models, PromptLimits
from theact_tui.models.profiles import Target
from theact_tui.models.server_capabilities import TOO_SMALL, ServerState
from theact_tui.story.pack import Pack


class Endpoints(Models):
    offline = False

    def __init__(
        self,
        targets: Targets,
        cache: Path | None = None,
        *,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        prompts: PromptLimits = PROMPT_LIMITS,
    ) -> None:
        """Needs `targets.default`. `cache` is the folder of learned facts."""
        assert targets.default is not None
        self.limits = prompts
        self._cache = cache
        self._pause = pause
        self._gates: dict[str, ConcurrencyLimit] = {}
        self._rates: dict[str, Rate] = {}
        self._knowledge: dict[tuple[str, str], ServerState] = {}
        self.all: list[Endpoint] = []
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
        """Return the model for an agent's key (`actor:2`), its kind (`actor`), or the default."""
        kind = agent.partition(":")[0]
        return self._agents.get(agent) or self._agents.get(kind) or self.default

    async def probe(self) -> tuple[str, ...]:
        warnings: list[str] = []
        for endpoint in self.all:
            try:
                await endpoint.prepare()
                await endpoint.probe()
            except CallError as error:
                warnings.append(error.message)
            warnings += [endpoint.warning] if endpoint.warning else []
            warnings += [f"{endpoint.name}: {TOO_SMALL}"] if endpoint.knowledge.abilities.too_small else []
        return tuple(dict.fromkeys(warnings))

    async def close(self) -> None:
        for endpoint in self.all:
            await endpoint.close()

    def _endpoint(self, target: Target) -> Endpoint:
        for endpoint in self.all:
            if endpoint.target == target:
                return endpoint
        url, model = target.profile.base_url, target.profile.model
        knowledge = self._knowledge.setdefault((url, model), ServerState(url, model, self._cache))
        endpoint = Endpoint(
            target, gate=self._gates[url], rate=self._rates[url], knowledge=knowledge, pause=self._pause
        )
        self.all.append(endpoint)
        return endpoint


class PackTeller(Model, Protocol):
    def for_pack(self, pack: Pack) -> PackTeller: ...


class Offline(Models):
    offline = True

    def __init__(self, storyteller: PackTeller, prompts: PromptLimits = PROMPT_LIMITS) -> None:
        self.default: Model = storyteller
        self.limits = prompts
        self._storyteller = storyteller

    def for_agent(self, agent: str) -> Model:
        return self.default

    def for_pack(self, pack: Pack) -> Offline:
        return Offline(self._storyteller.for_pack(pack), self.limits)
