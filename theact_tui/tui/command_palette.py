from collections.abc import Callable, Iterator
from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.dom import DOMNode
from textual.screen import ModalScreen
from textual.widgets import Input, TextArea

from theact_tui.text import capital
from theact_tui.tui.widgets.base_screen import BaseScreen
from theact_tui.tui.widgets.footer import key_name

BY_HELP = 0.01
"""Score of matches in the help only, far below any name."""

TYPED = 0.02

QUESTION = "Action of the open dialog"
"""Help of actions without one."""

Offer = tuple[str, str, Callable[[], object], str]


def _shown(name: Content | str, key: str) -> Content:
    return Content.assemble(name, (f"   {key}", "dim") if key else "")


class ActionsProvider(Provider):
    def _offers(self) -> Iterator[Offer]:
        seen = {"command_palette"}
        bindings = self.screen.active_bindings.values()
        # keys that only stand before others to be heard before a text box hears them come last
        for active in sorted(bindings, key=lambda one: one.binding.priority and not one.binding.show):
            binding = active.binding
            writing = isinstance(active.node, TextArea | Input)
            action = binding.action.removeprefix("app.")
            answers = isinstance(self.screen, ModalScreen) and active.node is self.screen and binding.show
            offered = binding.description and (binding.id or answers) and active.enabled
            if not offered or writing or action in seen:
                continue
            seen.add(action)
            name = capital(binding.description)
            run = partial(self._run, binding.action, active.node)
            yield name, binding.tooltip or QUESTION, run, key_name(binding)

        if isinstance(self.screen, BaseScreen):
            for usage, does in self.screen.help_commands():
                yield usage, does, partial(self.screen.write_command, usage), ""

    async def _run(self, action: str, node: DOMNode) -> None:
        await self.app.run_action(action, default_namespace=node)

    async def discover(self) -> Hits:
        for name, does, run, key in self._offers():
            yield DiscoveryHit(_shown(name, key), run, text=name, help=does)

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        for name, does, run, key in self._offers():
            typed = name.startswith("/")
            score = matcher.match(name.split()[0] if typed else name) * (TYPED if typed else 1)
            score = score or (BY_HELP if query.casefold() in does.casefold() else 0)
            if score > 0:
                yield Hit(score, _shown(matcher.highlight(name), key), run, text=name, help=does)
