"""The command palette: every act of the current screen and of the app, each with its key, and the themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from textual.actions import parse
from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from theact_tui.tui.widgets.keyline import key_name


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
            if not binding.id or not active.enabled or binding.action in seen:
                continue
            seen.add(binding.action)
            name = binding.description.capitalize()
            run = partial(self._run, binding.action, active.node)
            yield Offer(name, binding.tooltip or name, run, key_name(binding))
        for theme in self.app.available_themes:
            yield Offer(
                f"Theme: {theme}", "Change how the app looks", partial(setattr, self.app, "theme", theme)
            )

    async def _run(self, action: str, node: object) -> None:
        namespace = node if parse(action)[0] == "" else None
        await self.app.run_action(action, default_namespace=namespace)  # type: ignore[arg-type]

    async def discover(self) -> Hits:
        for offer in self._offers():
            yield DiscoveryHit(offer.shown, offer.run, text=offer.name, help=offer.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for offer in self._offers():
            if (score := matcher.match(offer.name)) > 0:
                yield Hit(score, matcher.highlight(offer.name), offer.run, text=offer.name, help=offer.help)
