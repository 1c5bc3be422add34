"""Choose a game's models: servers from settings and options, or the offline storyteller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from theact_tui.models.consent import find_targets, settings_in_use
from theact_tui.models.environment import ModelOptions, environment
from theact_tui.models.model import PromptLimits
from theact_tui.models.model_for_agent import Endpoints, Offline
from theact_tui.models.profiles import OFFLINE
from theact_tui.models.settings import Settings
from theact_tui.paths import Home
from theact_tui.story.pack import Pack


@dataclass(frozen=True, slots=True)
class ModelsChooser:
    settings: Settings
    options: ModelOptions
    env: Mapping[str, str]
    cache: Path | None = None
    pace: float | None = None
    """Words per second of the offline storyteller; None: no delay."""
    seed: int | None = None

    def __call__(self, pack: Pack | None, seed: int) -> Endpoints | Offline:
        """Return the models for `pack` (None: direct mode). Raises ConsentNeeded for a remote host."""
        settings, targets = self.settings, find_targets(self.settings, self.options, self.env)
        prompts = PromptLimits(settings.lore_share, settings.summary_threshold, settings.fold_batch)
        if targets.default is None:
            from theact_tui.storyteller import Storyteller

            return Offline(Storyteller(pack, seed, self.pace), prompts)
        targets.check_consent(settings, self.options)
        if self.seed is not None:
            targets = targets.with_seed(self.seed)
        return Endpoints(targets, self.cache, prompts=prompts)

    def by_profile(self, profile: str) -> ModelsChooser:
        """Return a chooser for another profile; `offline` is the storyteller."""
        remote = self.options.allow_remote
        if profile == OFFLINE:
            return replace(self, options=ModelOptions(offline=True, allow_remote=remote))
        return replace(self, options=ModelOptions(profile=profile, allow_remote=remote))


def models_chooser(home: Home, options: ModelOptions, *, pace: bool) -> ModelsChooser:
    """Build the chooser from settings, environment and `options`. `pace`: the storyteller keeps the reading pace.

    Raises as `settings_in_use`.
    """
    settings = settings_in_use(home, options)
    speed = settings.ui.pace if pace and settings.ui.pace else None
    return ModelsChooser(settings, options, environment(), home.cache, speed)
