"""Saves, packs and models for the app. Disk access runs in a thread."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, cast

from theact_tui import guest_permissions
from theact_tui.errors import UsageError
from theact_tui.long_works import run_long
from theact_tui.models.environment import ModelOptions, environment
from theact_tui.paths import Home
from theact_tui.text import one_line, slug
from theact_tui.tui.listing_cache import ListingCache

if TYPE_CHECKING:
    from theact_tui.engine.bus import Bus
    from theact_tui.engine.direct.session import DirectSession
    from theact_tui.engine.session import ModelsFor, StorySession
    from theact_tui.exports.book import Lines
    from theact_tui.importing.proposal import Proposal
    from theact_tui.importing.report import ImportReport
    from theact_tui.models.discovery import Server
    from theact_tui.models.model import Models
    from theact_tui.models.profiles import Target
    from theact_tui.packs.listing import PackEntry
    from theact_tui.saves.library import Library
    from theact_tui.saves.listing import SaveEntry
    from theact_tui.story.pack import Pack

_STORYTELLER = "offline storyteller"


@dataclass(frozen=True, slots=True)
class LibraryListing:
    saves: tuple[SaveEntry, ...] = ()
    packs: tuple[PackEntry, ...] = ()
    teller: str = ""
    offline: bool = True


@dataclass(frozen=True)
class AppServices:
    home: Home
    options: ModelOptions = field(default_factory=ModelOptions)
    choose: Callable[[], ModelsFor] | None = None
    """Default: options, environment and settings."""
    seed: Callable[[], int] = lambda: secrets.randbelow(2**31)
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    look: Callable[[], Awaitable[list[Server]]] | None = None
    """Default: usual ports."""

    @property
    def library(self) -> Library:
        from theact_tui.saves.library import Library

        return Library(self.home.data)

    def models(self) -> ModelsFor:
        if self.choose:
            return self.choose()
        from theact_tui.engine.choose_models import models_chooser

        return models_chooser(self.home, self.options, pace=True)

    def offline(self) -> AppServices:
        return replace(self, options=replace(self.options, offline=True))

    def _bus(self) -> Bus:
        from theact_tui.engine.bus import Bus

        return Bus(self.clock)

    async def listing(self) -> LibraryListing:
        return await asyncio.to_thread(self._listing)

    def _listing(self) -> LibraryListing:
        listed, teller = ListingCache(self.home), self._teller()
        return LibraryListing(
            tuple(listed.saves()), tuple(listed.packs()), teller or _STORYTELLER, not teller
        )

    def _target(self) -> Target | None:
        """Return the model in use, or None. Raises UsageError."""
        env, options = environment(), self.options
        named = options != ModelOptions() or env.get("LLM_BASE_URL") or env.get("OPENAI_BASE_URL")
        if self.choose or not (named or self.home.config_file.exists()):
            return None  # without the cost of importing what reads settings
        from theact_tui.models.consent import find_targets
        from theact_tui.models.settings import SettingsFile

        return find_targets(SettingsFile(self.home.config_file).read(), options, env).default

    def _teller(self) -> str:
        """Name the configured model, or ""."""
        try:
            target = self._target()
        except UsageError:
            return "settings need attention"
        from theact_tui.models.profiles import model_title

        return (model_title(target.profile.model) or f"the first model at {target.host}") if target else ""

    async def server(self) -> str:
        """Name a local model server; "" if none answers or is wanted."""
        if self.look:
            servers = await self.look()
        elif self.choose or not guest_permissions.may_change_models(self.home) or self.options.offline:
            return ""
        else:
            start_llama = await asyncio.to_thread(import_module, "theact_tui.models.start_llama")
            servers = await start_llama.servers_here(self.home)
        return servers[0].name if servers else ""

    async def models_to_choose(self) -> tuple[str, ...]:
        """Return the models of the server in use, if the user must choose one before the first call."""
        if self.choose or self.options.offline or not guest_permissions.may_change_models(self.home):
            return ()
        target = await asyncio.to_thread(self._target)
        if target is None or target.profile.model or not target.local:
            return ()
        from theact_tui.models import discovery, served_models

        served = (await discovery.see(target.profile.base_url, "", target.key)).served
        able = served_models.for_text(served)
        return () if served_models.unasked(served) else tuple(model.name for model in able)

    async def allow(self, hosts: Iterable[str]) -> None:
        """Store consent. Raises UsageError for a guest."""
        guest_permissions.refuse_guest(self.home, guest_permissions.AGREE_TO_SEND)
        from theact_tui.models.settings import SettingsFile

        file = SettingsFile(self.home.config_file)
        for host in hosts:
            await asyncio.to_thread(file.allow, host)

    def free_title(self, wanted: str, listing: LibraryListing) -> str:
        taken = {save.name for save in listing.saves}
        numbered = (f"{one_line(wanted, 40)} {n}" for n in range(2, len(taken) + 3))
        return next((name for name in chain([wanted], numbered) if slug(name) not in taken), wanted)

    async def begin(self, pack: PackEntry, title: str, player: str) -> StorySession:
        """Raises UsageError for a taken name, PackError for a broken pack."""
        from theact_tui.packs.loader import load_pack

        return await self._created(await asyncio.to_thread(load_pack, pack.folder), title, player)

    async def begin_trial(self, pack: Pack) -> StorySession:
        title = self.free_title(f"{one_line(pack.game.title, 30)} trial", await self.listing())
        session = await self._created(pack, title, "")
        session.is_trial = True
        return session

    async def _created(self, pack: Pack, title: str, player: str) -> StorySession:
        from theact_tui.engine.open_sessions import create_session

        models = await asyncio.to_thread(self.models)
        return await create_session(self.library, pack, title, player, self.seed(), models, self._bus())

    def export(self, save: SaveEntry, format: str, lines: Lines) -> Path:
        """Export a save in a thread. Raises SaveDamaged."""
        from theact_tui.exports.write_file import export_save
        from theact_tui.saves.save import Save

        with Save.open(self.library.path(save.name), write=False) as store:
            return export_save(store, format, lines=lines)

    async def propose(
        self, paths: list[Path], *, into: str = "", id: str = "", fill: Sequence[str] = ()
    ) -> Proposal:
        """`fill`: answers to an earlier ImportQuestion. Raises UsageError, also for a guest's file not uploaded."""
        for path in paths:
            guest_permissions.refuse_file(self.home, path)
        from theact_tui.importing.proposal import propose

        look = partial(propose, paths, self.library, self.home.packs, into=into, id=id, fill=fill)
        return await run_long(asyncio.to_thread(look))

    async def shorten(self, pack: str, on_step: Callable[[str], None]) -> ImportReport:
        from theact_tui.authoring.shorten import shorten_characters

        models = await asyncio.to_thread(self.author_models)
        return await shorten_characters(self.home.packs, pack, models, on_step=on_step)

    def author_models(self) -> Models:
        """Models for writing a pack or directing. Raises ConsentNeeded."""
        choose = cast("Callable[[Pack | None, int], Models]", self.models())
        return choose(None, 0)

    async def begin_direct(self, title: str) -> DirectSession:
        """Raises UsageError for a taken name."""
        from theact_tui.engine.open_sessions import create_direct

        models = await asyncio.to_thread(self.author_models)
        return await create_direct(self.library, title, models, self._bus())

    async def resume_direct(self, save: SaveEntry, *, write: bool = True) -> DirectSession:
        """Raises SaveInUse."""
        from theact_tui.engine.open_sessions import open_direct

        folder = await asyncio.to_thread(self.library.path, save.name)
        models = await asyncio.to_thread(self.author_models)
        return await open_direct(folder, models, self._bus(), write=write)

    async def resume(self, save: SaveEntry, *, write: bool = True) -> StorySession:
        """Raises SaveInUse."""
        from theact_tui.engine.open_sessions import open_session

        folder = await asyncio.to_thread(self.library.path, save.name)
        models = await asyncio.to_thread(self.models)
        return await open_session(folder, models, self._bus(), write=write, packs=self.home.packs)
