"""The command palette: every act of the current screen and of the app, each with its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.footer import key_name

BY_HELP = 0.01
"""Score of what is found by its explanation alone; far below any name."""

TYPED = 0.02
"""What the score of a command that is typed counts, against that of what a key does."""

QUESTION = "Action of the open dialog"
"""Explains what has no words of its own."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something the palette offers."""

    name: str
    help: str
    run: Callable[[], object]
    key: str = ""

    def shown_as(self, name: Content | str) -> Content:
        return Content.assemble(name, (f"   {self.key}", "dim") if self.key else "")


class ActionsProvider(Provider):
    """Offers what works now: the acts of the screen below, then those of the app; over a question, its answers."""

    def _offers(self) -> Iterator[Offer]:
        seen = {"command_palette"}
        found = self.screen.active_bindings.values()
        # keys that only stand before others to be heard before a text box hears them come last
        for active in sorted(found, key=lambda one: one.binding.priority and not one.binding.show):
            binding = active.binding
            writing = isinstance(active.node, TextArea | Input)
            action = binding.action.removeprefix("app.")
            answers = isinstance(self.screen, ModalScreen) and active.node is self.screen and binding.show
            offered = binding.description and (binding.id or answers) and active.enabled
            if not offered or writing or action in seen:
                continue
            seen.add(action)
            name = binding.description[:1].upper() + binding.description[1:]
            run = partial(self._run, binding.action, active.node)
            yield Offer(name, binding.tooltip or QUESTION, run, key_name(binding))

        if isinstance(self.screen, BaseScreen):
            for usage, does in self.screen.help_commands():
                yield Offer(usage, does, partial(self.screen.write_command, usage))

    async def _run(self, action: str, node: DOMNode) -> None:
        await self.app.run_action(action, default_namespace=node)

    async def discover(self) -> Hits:
        for offer in self._offers():
            yield DiscoveryHit(offer.shown_as(offer.name), offer.run, text=offer.name, help=offer.help)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for offer in self._offers():
            typed = offer.name.startswith("/")
            score = matcher.match(offer.name.split()[0] if typed else offer.name) * (TYPED if typed else 1)
            score = score or (BY_HELP if query.casefold() in offer.help.casefold() else 0)
            if score > 0:
                shown = offer.shown_as(matcher.highlight(offer.name))
                yield Hit(score, shown, offer.run, text=offer.name, help=offer.help)
