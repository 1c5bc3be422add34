"""Footer: keys that work now, by group. Hints that do not fit are left out, last first."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, pairwise

from textual.binding import Binding
from textual.content import Content
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget
from textual.widgets import Static

BETWEEN = "   "
WITHIN = "  "


@dataclass(frozen=True, slots=True)
class KeyHint:
    key: str
    """As on the keyboard."""
    does: str
    group: str
    press: str

    @property
    def width(self) -> int:
        return len(self.key) + 1 + len(self.does)


_KEPT = ("leave", "app")
"""Groups never left out: the way back, help and more."""


def hints_in_width(hints: Sequence[KeyHint], width: int) -> list[KeyHint]:
    """Return the hints that fit in `width` cells; groups `_KEPT` come last and stay, except for the first hint's
    sake.
    """
    always = [hint for group in _KEPT for hint in hints if hint.group == group]
    first = [hint for hint in hints if hint.group not in _KEPT][:1]
    while (
        first and cells([*first, *always]) > width and (spare := [h for h in always[:-1] if h.group == "app"])
    ):
        always.remove(spare[0])
    room = width - cells(always) - (len(BETWEEN) if always else 0)
    shown: list[KeyHint] = []
    for hint in hints:
        if hint.group not in _KEPT:
            if cells([*shown, hint]) > room:
                break
            shown.append(hint)
    return [*shown, *always]


def cells(hints: Sequence[KeyHint]) -> int:
    gaps = (len(WITHIN) if one.group == next.group else len(BETWEEN) for one, next in pairwise(hints))
    return sum(hint.width for hint in hints) + sum(gaps)


class Footer(Widget):
    DEFAULT_CSS = "Footer { height: 1; dock: bottom; padding: 0 1; background: $background; }"

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    @property
    def hints(self) -> Iterator[KeyHint]:
        seen: set[str] = set()
        for active in self.screen.active_bindings.values():
            binding = active.binding
            if binding.show and active.enabled and binding.action not in seen:
                seen.add(binding.action)
                yield KeyHint(key_name(binding), binding.description, group_of(binding), binding.key)

    @property
    def shown(self) -> list[KeyHint]:
        groups: dict[str, list[KeyHint]] = {}
        for hint in self.hints:
            groups.setdefault(hint.group, []).append(hint)
        return hints_in_width([*chain(*groups.values())], self.content_size.width)

    def render(self) -> Visual:
        groups = groupby(self.shown, key=lambda hint: hint.group)
        return Content(BETWEEN).join(Content(WITHIN).join(map(_drawn, hints)) for _, hints in groups)


def _drawn(hint: KeyHint) -> Content:
    return pressing(Content.assemble((hint.key, ".accent"), (f" {hint.does}", ".quiet")), hint.press)


def pressing(content: Content, key: str) -> Content:
    """Make a click on `content` press a key; see `BaseScreen.on_click`."""
    return content.stylize(Style.from_meta({"key": key}))


def group_of(binding: Binding) -> str:
    return binding.group.description if binding.group else ""


WRITTEN = {
    "escape": "esc", "delete": "del", "pagedown": "pgdn", "pageup": "pgup", "question_mark": "?", "slash": "/",
    "left": "←", "right": "→", "up": "↑", "down": "↓",
}  # fmt: skip
"""Names of keys that differ from Textual's."""
KEYS_BY_NAME = {written: key for key, written in WRITTEN.items()}


def key_name(binding: Binding) -> str:
    """Name of the key: `^f`, `F2`, `esc`."""
    if binding.key_display:
        return binding.key_display
    *modifiers, key = binding.key.partition(",")[0].split("+")
    name = WRITTEN.get(key, key.upper() if key[:1] == "f" and key[1:].isdigit() else key)
    signs = {"ctrl": "^", "alt": "alt-", "shift": "shift-"}
    return "".join(signs.get(modifier, f"{modifier}-") for modifier in modifiers) + name


class DialogFooter(Static):
    """Keys and their meaning, such as `enter begin   esc cancel`."""

    def __init__(self, text: str = "") -> None:
        super().__init__(key_hints(text), classes="keys", markup=False)

    def update(self, content: object = "", *, layout: bool = True) -> None:
        super().update(key_hints(str(content)), layout=layout)


KEY = re.compile(r"(\^?[!-~←-↓]|enter|esc|tab|del|pgdn|pgup|F\d+)(?: [←-↓])*(?= )")
"""Key at the start of a hint; notes have none."""


def key_hints(text: str) -> Content:
    """Style hints like the footer, each with its key."""
    return Content(BETWEEN).join(map(_hint, text.split(BETWEEN)))


def _hint(text: str) -> Content:
    if not (key := KEY.match(text)):
        return Content(text)
    written = key[1].replace("^", "ctrl+").lower()
    return pressing(Content(text).stylize(".accent", 0, len(key[0])), KEYS_BY_NAME.get(written, written))
