"""The box the player writes in: several lines, history at its edges, and nothing that is typed is ever lost."""

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

from theact_tui.engine.commands import as_text, is_command, is_direction
from theact_tui.text import is_pronoun, one_line
from theact_tui.tui.actions import bindings
from theact_tui.tui.play.completion import CompletionMenu
from theact_tui.tui.play.keys import WRITING_ACTIONS
from theact_tui.tui.widgets.inputs import TextField
from theact_tui.tui.widgets.status_line import copied, say

LIMIT = 2_000
"""Characters of one input."""
SAY, DIRECT, COMMAND = "›", "narrator ›", "command ›"
"""The mark before a line that is said in the story, before one that is told to the narrator, and before a command."""
ROOM_SHOWN = 200
"""Characters before the limit from which on the count is shown."""


@dataclass(eq=False)
class InputHistory:
    """What was sent before, newest last, with the draft that was being written kept beside it."""

    lines: list[str] = field(default_factory=list)
    _at: int | None = None
    _draft: str = ""

    def add(self, line: str) -> None:
        """Remember a line; the same one twice running counts once."""
        if line.strip() and (not self.lines or self.lines[-1] != line):
            self.lines.append(line)
        self._at = None

    def move(self, step: int, current: str) -> str | None:
        """The line before (-1) the one shown, or after it (1); after the newest the draft. None where there is none."""
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
    """The text box itself."""

    BINDINGS = [
        *bindings(WRITING_ACTIONS),
        Binding("enter", "tell", "tell", group=Binding.Group("say"), priority=True, id="play.say"),
    ]
    directs: reactive[bool] = reactive(False, bindings=True)
    """What is written directs the narrator."""

    @dataclass
    class Submitted(Message):
        """The player pressed enter on this text."""

        text: str

    @dataclass
    class Cleared(Message):
        """The player cleared the box."""

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
        """Shows what a command that is being written can become."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.directs if action == "tell" else not self.directs if action == "say" else True

    def action_say(self) -> None:
        self.post_message(self.Submitted(self.text))

    action_tell = action_say

    def action_copy(self) -> None:
        """Copy what is selected here, else what is selected in the story; else clear the box, for ^z or ↑ to bring back."""
        if self.selected_text:
            super().action_copy()
            say(self.app, copied(self.selected_text))
        elif self.screen.get_selected_text():
            self.screen.action_copy_text()
        elif self.text:
            self.past.add(self.text)
            self.clear()  # so that ^z brings it back
            self.post_message(self.Cleared())
        else:
            raise SkipAction

    def edit(self, edit: Edit) -> EditResult:
        """What empties the box is a step of its own, for ^z."""
        if not edit.text and {edit.from_location, edit.to_location} == {(0, 0), self.document.end}:
            self.history.checkpoint()
        return super().edit(edit)

    def action_newline(self) -> None:
        self.insert("\n")

    def action_complete(self) -> None:
        """Take the marked completion, or go to the panel where there is none."""
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
    """The writing box with its mark; the mark is faint while a turn is told."""

    DEFAULT_CSS = """
    PromptInput {
        height: auto; max-height: 8; min-height: 1; background: $surface;
        & > #mark { width: auto; height: 1; padding: 0 1 0 0; color: $primary; text-style: bold; }
        &.-directing > #mark { color: $warning; }
        &.-waiting > #mark { color: $faint; text-style: none; }
        & > PromptTextArea {
            width: 1fr; height: auto; max-height: 8; padding: 0; background: $surface; border: none;
            scrollbar-size-vertical: 1;
        }
        &:ansi .text-area--placeholder { text-style: dim; }
        & > PromptTextArea:light .text-area--cursor { color: $background; background: $primary; }
        & > #count { width: auto; height: 1; color: $quiet; padding: 0 0 0 1; display: none; }
        &.-near > #count { display: block; }
        &.-over > #count { color: $error; text-style: bold; }
    }
    """
    waiting: reactive[bool] = reactive(False, toggle_class="-waiting")
    """A turn is being told; the text is kept until it is over."""
    directing: reactive[bool] = reactive(False, init=False)
    """What is written directs the narrator, instead of being said in the story."""
    writing = getters.query_one(PromptTextArea)
    AREA: ClassVar[type[PromptTextArea]] = PromptTextArea
    LIMIT: ClassVar[int] = LIMIT
    """Characters that can be sent at once."""
    _called = ""
    """The player's name after a comma."""

    def compose(self) -> ComposeResult:
        yield Static(SAY, id="mark", markup=False)
        yield self.AREA(id="writing")
        yield Static("", id="count", markup=False)

    @property
    def text(self) -> str:
        return self.writing.text

    def address(self, name: str) -> None:
        """Ask the player by name, while nothing is written."""
        self._called = "" if is_pronoun(name) else f", {one_line(name, 40)}"
        self.watch_directing()

    def watch_directing(self) -> None:
        """The mark and the empty box say where the next line goes."""
        self._mark(self.text)
        asks = "What should the narrator tell next?" if self.directing else f"What do you do{self._called}?"
        self.writing.placeholder = Content(asks)

    def switch(self) -> None:
        """Direct the narrator instead of saying the line, or the reverse: a `/tell` becomes the line it holds."""
        command, *rest = self.text.strip().split(maxsplit=1) or [""]
        directs, line = command.lower() == "/tell", "".join(rest)
        self.directing = not (self.directing or directs)
        if directs:
            with self.writing.prevent(TextArea.Changed):
                self.write(line)
            self.watch_directing()

    def mark_of(self, text: str) -> str | Content:
        """What stands before this text."""
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
        """Replace the text."""
        self.writing.write(text)

    def replace(self, text: str) -> None:
        """Replace the text; what stood there is kept for ↑."""
        self.writing.past.add(self.text)
        self.write(text)

    def offer(self, text: str, *, selected: bool = False) -> None:
        """Put a text back, unless the player has begun to write something else; typing replaces it if it is `selected`."""
        if not self.text.strip():
            self.write(text)
            if selected:
                self.writing.select_all()

    def direction(self, text: str) -> str:
        """The command that directs the narrator by this text, if the text is to do that; else nothing."""
        if is_command(text):
            return text if is_direction(text) else ""
        return f"/tell {as_text(text)}" if self.directing else ""

    def remember(self, lines: Iterable[str]) -> None:
        """Fill the history, oldest first."""
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
