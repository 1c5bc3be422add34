"""Read and write `config.toml`, search servers, test connections. Keys are never shown or written."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import BaseModel

from theact_tui.engine.try_model import Audition, try_out
from theact_tui.errors import UsageError
from theact_tui.guest_permissions import CHANGE_MODELS, may_change_models, refuse_guest, shown_path
from theact_tui.models.addresses import host_of, is_local
from theact_tui.models.consent import Targets, find_targets
from theact_tui.models.discovery import PORTS, Server, list_models
from theact_tui.models.endpoint import ConnectionTest, Endpoint, try_connection
from theact_tui.models.environment import (
    ModelOptions,
    environment,
    keep_key,
    load_keys,
    use_key,
    variable_for,
)
from theact_tui.models.keep_models import ModelServer
from theact_tui.models.profiles import OFFLINE, Profile, Target, model_title, resolve
from theact_tui.models.server_capabilities import ServerState
from theact_tui.models.settings import Settings, SettingsFile
from theact_tui.models.start_llama import key_for, load_key, servers_here
from theact_tui.paths import Home
from theact_tui.saves.library import Library
from theact_tui.saves.personas import Personas
from theact_tui.text import one_line

DECIDING = ("LLM_BASE_URL", "OPENAI_BASE_URL", "LLM_MODEL")

AGENT_WORK = {
    "narrator": "tells the story",
    "stage": "says who is there, hears and answers",
    "character": "plays the characters",
    "memory": "updates a character's memories",
    "progress": "checks which beats were reached",
    "keeper": "says what is risky, finds moments",
    "summary": "summarises older turns",
    "ideas": "offers things you could do",
    "casting": "describes characters who join the story",
    "recap": "writes the recap of a finished chapter",
    "epilogue": "writes the epilogue",
    "actor": "plays a character in direct mode",
    "lock": "takes notes of world and scene in direct mode",
    "delta": "takes notes of prompts in direct mode",
    "chapter": "writes the chapter in direct mode",
    "author": "writes new packs with you",
}
"""Description of each agent that may have its own model."""

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Window:
    seen: int = 0
    """Tokens the server reported; 0 before it was asked."""
    warning: str = ""


@dataclass(frozen=True, slots=True)
class SettingsState:
    settings: Settings
    unknown: tuple[str, ...] = ()
    decided: str = ""
    """Variable or option that overrides the chosen model."""
    windows: Mapping[str, Window] = field(default_factory=dict)
    keyed: frozenset[str] = frozenset()
    personas: Mapping[str, str] = field(default_factory=dict)
    may_change_models: bool = True
    """If false, only appearance and keys can be changed."""

    @property
    def in_use(self) -> str:
        """Name of the current profile; `offline` for the storyteller."""
        profiles = self.settings.profiles
        only = next(iter(profiles)) if len(profiles) == 1 else OFFLINE
        return self.settings.profile or only

    def allows(self, profile: Profile) -> bool:
        return is_local(profile.base_url) or host_of(profile.base_url) in self.settings.allowed_hosts


@dataclass(frozen=True)
class SettingsService:
    home: Home
    options: ModelOptions
    ports: Iterable[int] = tuple(PORTS)
    """Searched for servers on this computer."""
    env: Callable[[], Mapping[str, str]] = environment

    @property
    def file(self) -> SettingsFile:
        return SettingsFile(self.home.config_file)

    @property
    def personas(self) -> Personas:
        return Library(self.home.data).personas

    @property
    def place(self) -> str:
        return shown_path(self.home, self.file.path)

    async def read(self) -> SettingsState:
        """Read the settings. Raises UsageError with line or field."""
        return await asyncio.to_thread(self._read)

    async def set(self, changes: Mapping[Path, Any]) -> SettingsState:
        """Set each path, or remove it for None. Raises UsageError; then nothing changed."""
        if any(path[0] != "ui" for path in changes):
            refuse_guest(self.home, CHANGE_MODELS)
        await asyncio.to_thread(self.file.set, changes)
        return await self.read()

    def _read(self) -> SettingsState:
        settings = self.file.read()
        if not may_change_models(self.home):
            return SettingsState(
                Settings(ui=settings.ui), personas=self.personas.all(), may_change_models=False
            )
        named = {profile.api_key_env for profile in settings.profiles.values()} - {""}
        load_key(self.home)
        load_keys(named)
        env = self.env()
        return SettingsState(
            settings,
            tuple(self.file.unknown()),
            self._decided(env),
            {name: self._window(profile) for name, profile in settings.profiles.items() if profile.base_url},
            frozenset(name for name in named if env.get(name)),
            self.personas.all(),
        )

    def _decided(self, env: Mapping[str, str]) -> str:
        options = self.options
        for name in ("offline", "base_url", "profile", "model"):
            if getattr(options, name):
                return f"--{name.replace('_', '-')}"
        return next((name for name in DECIDING if env.get(name)), "")

    def _window(self, profile: Profile) -> Window:
        knowledge = ServerState(profile.base_url, profile.model, self.home.cache)
        seen = knowledge.abilities.window
        return Window(seen, Endpoint(Target(profile), knowledge=knowledge).warning if seen else "")

    def targets(self, settings: Settings) -> Targets:
        """Return the models for these settings. Raises UsageError."""
        return find_targets(settings, self.options, self.env())

    # --- profiles -------------------------------------------------------------------------------------------------

    async def put(
        self, table: Literal["profiles", "agents"], name: str, value: BaseModel, *, use: bool = False
    ) -> SettingsState:
        values = value.model_dump(exclude_defaults=True)
        if not values:
            return await self.set({(table, name): None})
        changes: dict[Path, Any] = {
            (table, name, field): values.get(field) for field in type(value).model_fields
        }
        return await self.set({**changes, ("profile",): name} if use else changes)

    async def connect(self, profile: Profile, key: str, name: str = "") -> tuple[SettingsState, bool]:
        """Use a profile once its model has answered; return the settings and whether the key is stored. Raises UsageError."""
        trial = await self.try_profile(profile, key)
        if not trial.ok:
            raise UsageError(trial.sentence)
        profile, is_stored = profile.model_copy(update={"model": trial.model}), False
        name = name or free_profile_name(trial.model, (await self.read()).settings.profiles)
        if key:
            profile = profile.model_copy(update={"api_key_env": variable_for(name)})
            use_key(profile.api_key_env, key)
            is_stored = await asyncio.to_thread(keep_key, profile.api_key_env, key)
        return await self.put("profiles", name, profile, use=True), is_stored

    # --- servers --------------------------------------------------------------------------------------------------

    async def servers(self) -> list[Server]:
        """Takes up to some seconds."""
        if not may_change_models(self.home):
            return []
        return await servers_here(self.home, self.ports, await asyncio.to_thread(self._known))

    def _known(self) -> dict[str, str]:
        """Return the keys of the servers in use, by base URL."""
        try:
            targets = find_targets(self._read().settings, self.options, self.env())
        except UsageError:
            return {}
        every = [target for target in (targets.default, *targets.agents.values()) if target]
        return {target.profile.base_url: target.key for target in every}

    async def model_server(self, server: Server) -> ModelServer:
        """Return a server whose models may be changed. Raises UsageError for a guest and for a server elsewhere."""
        known = await asyncio.to_thread(self._known)
        key = known.get(server.base_url, "") or key_for(self.home, server.base_url)
        return ModelServer(self.home, server.base_url, server.kind, key)

    async def models_of(self, profile: Profile) -> tuple[str, ...]:
        """List a server's models; none if it does not answer. Needs the user's consent."""
        refuse_guest(self.home, CHANGE_MODELS)
        if names := (await list_models(profile.base_url, self._target(profile).key)).names:
            await self._allow(profile)
        return names

    async def try_profile(self, profile: Profile, key: str = "") -> ConnectionTest:
        """Needs the user's consent."""
        refuse_guest(self.home, CHANGE_MODELS)
        knowledge = ServerState(profile.base_url, profile.model, self.home.cache)
        target = self._target(profile)
        endpoint = Endpoint(replace(target, key=key or target.key), knowledge=knowledge)
        try:
            trial = await try_connection(endpoint)
        finally:
            await endpoint.close()
        if trial.ok:
            await self._allow(profile)
        return trial

    async def try_out(self, profile: Profile, on_step: Callable[[int, int], None]) -> Audition:
        """`on_step` gets finished and total calls. Needs the user's consent."""
        refuse_guest(self.home, CHANGE_MODELS)
        return await try_out(Targets(self._target(profile), {}), self.home.cache, on_step)

    async def _allow(self, profile: Profile) -> None:
        if not is_local(profile.base_url):
            await asyncio.to_thread(self.file.allow, host_of(profile.base_url))

    def _target(self, profile: Profile) -> Target:
        name = "this"
        target = resolve({name: profile}, name, None, ModelOptions(profile=name), self.env())
        if target is None:
            raise UsageError("This model has no address yet.")
        return target


def free_profile_name(model: str, taken: Iterable[str]) -> str:
    """Make a free one-word name from a model's title."""
    name, taken = one_line(model_title(model), 40).replace(" ", "-") or "model", {*taken, OFFLINE}
    names = [name, *(f"{name}-{n}" for n in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)


def checked_name(text: str, taken: Iterable[str]) -> str:
    name = one_line(text, 40)
    if not name:
        raise UsageError("The name is missing.")
    if name == OFFLINE:
        raise UsageError(f"The name {OFFLINE} is reserved. Choose another one.")
    if name in taken:
        raise UsageError(f"There is already a model called {name}. Choose another name.")
    return name


def check_address(text: str) -> None:
    if not text:
        raise UsageError("The address is missing, such as http://127.0.0.1:8080/v1.")
