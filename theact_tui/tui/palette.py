"""The command palette: every act of the current screen and of the app, each with its key, and the themes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Protocol, cast

from textual.app import App
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import Screen

from theact_tui.tui.themes import THEMES
from theact_tui.tui.widgets.keyline import key_name


class Themed(Protocol):
    """An app whose look can be changed for good."""

    def choose_theme(self, name: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Offer:
    """Something the palette offers."""

    name: str
    help: str
    run: Callable[[], object]
    key: str = ""

    @property
    def shown(self) -> Content:
        """Name and key."""
        return Content.assemble(self.name, (f"   {self.key}", "dim") if self.key else "")


class ActsProvider(Provider):
    """Offers what works now: the acts of the screen below, then those of the app."""

    def _offers(self) -> Iterator[Offer]:
        seen: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            of_a_widget = not isinstance(active.node, Screen | App)
            action = binding.action.removeprefix("app.")
            if not binding.id or not active.enabled or of_a_widget or action in seen:
                continue
            seen.add(action)
            name = binding.description.capitalize()
            run = partial(self._run, binding.action, active.node)
            yield Offer(name, binding.tooltip or name, run, key_name(binding))

    def _themes(self, names: Iterable[str]) -> Iterator[Offer]:
        app = cast(Themed, self.app)
        for name in names:
            yield Offer(f"Theme: {name}", "Change how the app looks", partial(app.choose_theme, name))

    async def _run(self, action: str, node: DOMNode) -> None:
        await self.app.run_action(action, default_namespace=node)

    async def discover(self) -> Hits:
        own = (theme.name for theme in THEMES)
        for offer in chain(self._offers(), self._themes(own)):
            yield DiscoveryHit(offer.shown, offer.run, text=offer.name, help=offer.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for offer in chain(self._offers(), self._themes(self.app.available_themes)):
            if (score := matcher.match(offer.name)) > 0:
                yield Hit(score, matcher.highlight(offer.name), offer.run, text=offer.name, help=offer.help)
