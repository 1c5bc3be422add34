"""Event log, newest last; tokens of a reply share a row."""

import json
from collections import deque
from dataclasses import asdict

from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual

from theact_tui.engine import events as e
from theact_tui.story.memory import memory_changes
from theact_tui.text import flat, one_line
from theact_tui.tui.blocks import changes_in_short
from theact_tui.tui.inspector.calls import OUTCOMES
from theact_tui.tui.running_turn import read_memory
from theact_tui.tui.visuals import quiet

MOST = 2_000
_UNTOLD = frozenset("save branch turn seq at commit call".split())
NAMELESS = frozenset({"text", "character", "reason"})
"""Fields shown without their name."""
_TAIL = 60
TokenEvent = e.NarrationToken | e.CharacterToken | e.ActorToken | e.ChapterToken
_EMPTY = "No events since this story was opened. What happens next is listed here."


class EventRow:
    """Row of an event, or of a run of tokens."""

    def __init__(self, event: e.Event) -> None:
        self.event = event
        self.count = 1
        self.tail = event.text if isinstance(event, TokenEvent) else ""

    def absorbs(self, event: e.Event) -> bool:
        """Add a token of the same reply; False for other events."""
        if not isinstance(event, TokenEvent) or _reply(event) != _reply(self.event):
            return False
        self.count += 1
        self.tail = (event.text if event.replace else self.tail + event.text)[-400:]
        return True

    @property
    def line(self) -> Content:
        event = self.event
        return Content.assemble(
            (f"{event.at[11:19]} ", ".faint"),
            (f"{event.turn:>3} ", ".faint"),
            (event.type.replace("_", " "), _ink(event)),
            (f" ×{self.count}" if self.count > 1 else "", ".quiet"),
            (f"  {self.gist}", ".quiet"),
        )

    @property
    def gist(self) -> str:
        if isinstance(self.event, TokenEvent):
            return f"…{flat(self.tail)[-_TAIL:]}"
        return one_line(gist_of(self.event), 240)


def _reply(event: e.Event) -> tuple[object, ...]:
    names = ("character", "slot", "part")
    return event.type, event.turn, *(getattr(event, name, None) for name in names)


def gist_of(event: e.Event) -> str:
    match event:
        case e.CallStarted(agent=agent, prompt_tokens=tokens):
            return f"{agent} · {tokens:,} tokens"
        case e.CallRetried(agent=agent, attempt=attempt, reason=reason):
            return f"{agent} · try {attempt} · {reason}"
        case e.CallFinished(agent=agent, seconds=seconds, outcome=outcome):
            size = f"{event.prompt_tokens:,} in, {event.completion_tokens:,} out"
            return f"{agent} · {outcome} · {size}" + (f" · {seconds:.0f} s" if seconds >= 1 else "")
        case e.MemoryUpdated(character=who, before=before, after=after):
            return (
                f"{who} {changes_in_short(memory_changes(read_memory(before), read_memory(after)))}".rstrip()
            )
        case e.AfterStarted(agents=agents):
            return ", ".join(agents)
        case _:
            fields = ((name, value) for name, value in asdict(event).items() if name not in _UNTOLD and value)
            return " · ".join(
                ("" if name in NAMELESS else f"{name} ") + _short(value) for name, value in fields
            )


def _short(value: object) -> str:
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _ink(event: e.Event) -> str:
    match event:
        case e.TurnStarted() | e.TurnSaved():
            return ".accent"
        case e.TurnFailed() | e.MemoryFailed():
            return ".bad"
        case e.Notice(level=level):
            return ".quiet" if level == "info" else ".warn"
        case e.CallFinished(outcome=outcome):
            return OUTCOMES.get(outcome, "")
        case _:
            return ""


class EventLog(ScrollView, can_focus=True):
    """Follows the newest row until scrolled up; `end` follows again."""

    DEFAULT_CSS = "EventLog { background: $background; scrollbar-size-vertical: 1; overflow-x: hidden; }"
    BINDINGS = [Binding("end", "newest", "newest", show=False)]
    following: reactive[bool] = reactive(True)

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows: deque[EventRow] = deque(maxlen=MOST)
        self._due = False
        self.heard = 0
        """Number of events; the first may have no rows any more."""

    def add(self, event: e.Event) -> None:
        self.heard = max(self.heard + 1, event.seq)
        if not (self._rows and self._rows[-1].absorbs(event)):
            self._rows.append(EventRow(event))
        if not self._due:
            self._due = True
            self.call_later(self._draw_added)

    def _draw_added(self) -> None:
        self._due = False
        self.on_resize()
        self.refresh()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        self.following = round(new_value) >= self.max_scroll_y

    def on_resize(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, len(self._rows))
        if self.following and self.size.height:
            self.scroll_end(animate=False, immediate=True, x_axis=False)

    def action_newest(self) -> None:
        self.following = True
        self.on_resize()

    def render_line(self, y: int) -> Strip:
        at, width, base = self.scroll_offset.y + y, self.scrollable_content_region.width, self.visual_style
        if not self._rows and y == 0:
            return self._drawn(quiet(_EMPTY), width, base)
        if at >= len(self._rows):
            return Strip.blank(width, base.rich_style)
        return self._drawn(self._rows[at].line.truncate(width, ellipsis=True), width, base)

    def _drawn(self, content: Content, width: int, base: Style) -> Strip:
        return Visual.to_strips(self, content, width, 1, base)[0]
