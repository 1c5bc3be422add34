"""The player's writing box, which loses no typed text."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from textual import events, getters
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widgets import Static, TextArea
from textual.widgets.text_area import Edit, EditResult

from theact_tui.engine.commands import is_direction
from theact_tui.story.typed import LINE_LIMIT, as_text, is_command
from theact_tui.text import is_pronoun, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.play.completion import CompletionMenu
from theact_tui.tui.play.keys import WRITING_ACTIONS
from theact_tui.tui.widgets.inputs import TextField
from theact_tui.tui.widgets.status_line import copied, show_message

SAY, DIRECT, COMMAND = "›", "narrator ›", "command ›"
ROOM_SHOWN = 200
"""Remaining characters from which the count is shown."""


@dataclass(eq=False)
class InputHistory:
    """Sent lines, newest last, with the current draft."""

    lines: list[str] = field(default_factory=list)
    _at: int | None = None
    _draft: str = ""

    def add(self, line: str) -> None:
        if line.strip() and (not self.lines or self.lines[-1] != line):
            self.lines.append(line)
        self._at = None

    def move(self, step: int, current: str) -> str | None:
        """Return the line before (-1) or after (1); the draft after the newest; None at the end."""
        if self._at is None:
            if step > 0:
                return None
            self._draft, self._at = current, len(self.lines)
        at = self._at + step
        if at < 0:
            return None
        self._at = at if at < len(self.lines) else None
        return self._draft if self._at is None else self.lines[at]


class PromptTextArea(TextField):
    BINDINGS = [
        *bindings(WRITING_ACTIONS),
        Binding("enter", "tell", "tell", group=Binding.Group("say"), priority=True, id="play.say"),
    ]
    directs: reactive[bool] = reactive(False, bindings=True)

    @dataclass
    class Submitted(Message):
        text: str

    @dataclass
    class Cleared(Message):
        pass

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(
            id=id,
            soft_wrap=True,
            compact=True,
            highlight_cursor_line=False,
            placeholder=Content("What do you do?"),
        )
        self.past = InputHistory()
        self.menu: CompletionMenu | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.directs if action == "tell" else not self.directs if action == "say" else True

    def action_say(self) -> None:
        self.post_message(self.Submitted(self.text))

    action_tell = action_say

    def action_copy(self) -> None:
        """Copy the selection here or in the story; else clear the box, for ^z or ↑ to restore."""
        if self.selected_text:
            super().action_copy()
            show_message(self.app, copied(self.selected_text))
        elif self.screen.get_selected_text():
            self.screen.action_copy_text()
        elif self.text:
            self.past.add(self.text)
            self.clear()  # so that ^z brings it back
            self.post_message(self.Cleared())
        else:
            raise SkipAction

    def edit(self, edit: Edit) -> EditResult:
        """Make emptying the box a step of its own for ^z."""
        if not edit.text and {edit.from_location, edit.to_location} == {(0, 0), self.document.end}:
            self.history.checkpoint()
        return super().edit(edit)

    def action_newline(self) -> None:
        self.insert("\n")

    def action_complete(self) -> None:
        """Accept the marked completion, or go to the panel."""
        if self.menu and self.menu.chosen:
            self.write(self.menu.chosen.text)
        elif not self.text.startswith("/"):
            self.screen.focus_next()

    async def _on_key(self, event: events.Key) -> None:
        cursor, step = self.cursor_location, 1 if event.key in ("down", "pagedown", "right") else -1
        is_edge = self.navigator.is_last_wrapped_line if step > 0 else self.navigator.is_first_wrapped_line
        match event.key:
            case "up" | "down" if self.menu and self.menu.step(step):
                pass
            case "escape" if self.menu and self.menu.entries:
                self.menu.entries = ()
            case "up" | "down" if not self.selected_text and is_edge(cursor):
                if (line := self.past.move(step, self.text)) is None:
                    return
                self.write(line)
            case "pageup" | "pagedown":
                await self.run_action(f"screen.page({step})")
            case "ctrl+z" if not self.text and not self.history.undo_stack:
                await self.run_action("screen.command('/undo')")
            case "left" | "right" if not self.text:
                await self.run_action(f"screen.take({step})")
            case _:
                return
        event.stop()
        event.prevent_default()


class PromptInput(Horizontal):
    """The mark is faint while a turn runs."""

    DEFAULT_CSS = """
    PromptInput {
        height: auto; max-height: 8; min-height: 1; background: $surface;
        & > #mark { width: auto; height: 1; padding: 0 1 0 0; color: $primary; text-style: bold; }
        &.-directing > #mark { color: $warning; }
        &.-waiting > #mark { color: $faint; text-style: none; }
        & > PromptTextArea {
            height: auto; max-height: 8; padding: 0; background: $surface; scrollbar-size-vertical: 1;
        }
        &:ansi .text-area--placeholder { text-style: dim; }
        & > PromptTextArea:light .text-area--cursor { color: $background; background: $primary; }
        & > #count { width: auto; height: 1; color: $quiet; padding: 0 0 0 1; display: none; }
        &.-near > #count { display: block; }
        &.-over > #count { color: $error; text-style: bold; }
    }
    """
    waiting: reactive[bool] = reactive(False, toggle_class="-waiting")
    """A turn runs; the text waits."""
    directing: reactive[bool] = reactive(False, init=False)
    """The text directs the narrator."""
    writing = getters.query_one(PromptTextArea)
    AREA: ClassVar[type[PromptTextArea]] = PromptTextArea
    LIMIT: ClassVar[int] = LINE_LIMIT
    _called = _selected = ""

    def compose(self) -> ComposeResult:
        yield Static(SAY, id="mark", markup=False)
        yield self.AREA(id="writing")
        yield Static("", id="count", markup=False)

    @property
    def text(self) -> str:
        return self.writing.text

    def address(self, name: str) -> None:
        """Address the player by name while the box is empty."""
        self._called = "" if is_pronoun(name) else f", {one_line(name, 40)}"
        self.watch_directing()

    def watch_directing(self) -> None:
        self._mark(self.text)
        asks = "What should the narrator tell next?" if self.directing else f"What do you do{self._called}?"
        self.writing.placeholder = Content(asks)

    def switch(self) -> None:
        """Switch between line and direction; `/tell` becomes its line."""
        command, *rest = self.text.strip().split(maxsplit=1) or [""]
        directs, line = command.lower() == "/tell", "".join(rest)
        self.directing = not (self.directing or directs)
        if directs:
            with self.writing.prevent(TextArea.Changed):
                self.write(line)
            self.watch_directing()

    def mark_of(self, text: str) -> str | Content:
        mark = DIRECT if self.directing else SAY
        if is_command(text := text.strip()):
            mark = DIRECT if text.split()[0].lower() == "/tell" else COMMAND
        return mark

    def _mark(self, text: str) -> None:
        mark = self.mark_of(text)
        self.query_one("#mark", Static).update(mark)
        self.set_class(mark == DIRECT, "-directing")
        self.writing.directs = mark == DIRECT

    def write(self, text: str) -> None:
        self.writing.write(text)

    def take_out(self, text: str) -> None:
        """Remove a sent text; later typing stays."""
        if text and self.text.startswith(text):
            self.write(self.text[len(text) :].lstrip("\n"))

    def replace(self, text: str) -> None:
        self.writing.past.add(self.text)
        self.write(text)

    def offer(self, text: str, *, selected: bool = False) -> None:
        """Put a text back unless another was begun; `selected` text is replaced by typing or the next such text."""
        if self.text.strip() in ("", self._selected.strip() if selected else ""):
            self.write(text)
            self._selected = text if selected else ""
            if selected:
                self.writing.select_all()

    def direction(self, text: str) -> str:
        """Return the command that directs the narrator by this text, or ""."""
        if is_command(text):
            return text if is_direction(text) else ""
        return f"/tell {as_text(text)}" if self.directing else ""

    def remember(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.writing.past.add(line)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        self._mark(event.text_area.text)
        length = len(event.text_area.text)
        is_near = length > self.LIMIT - ROOM_SHOWN
        self.set_class(is_near, "-near")
        self.set_class(length > self.LIMIT, "-over")
        if is_near:
            self.query_one("#count", Static).update(f"{length:,} of {self.LIMIT:,}")
