"""A talk with a model about the idea of a story, before anything is written."""

from __future__ import annotations

from collections.abc import Awaitable

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from theact_tui.authoring.author import Author
from theact_tui.errors import TheActError
from theact_tui.tui.widgets.dialogs import BoxDialog
from theact_tui.tui.widgets.inputs import LineField

WAITING = "The model is thinking ..."


class TalkDialog(BoxDialog[bool]):
    """What was said, and a line to say more. The answer is true where it became the premise; all of it is kept."""

    DEFAULT_CSS = """
    TalkDialog > Vertical { width: 84; }
    TalkDialog VerticalScroll { height: auto; max-height: 50vh; margin: 0 0 1 0; scrollbar-size-vertical: 1; }
    """
    BINDINGS = [
        Binding("ctrl+s", "premise", "use as premise", priority=True),
        Binding("escape", "dismiss(False)", "back"),
        Binding("pageup", "scroll(-1)", "up", priority=True),
        Binding("pagedown", "scroll(1)", "down", priority=True),
    ]
    HELP = (
        "Say something about the idea and press enter; the model answers. ^s turns the talk into the premise, from which "
        "the story is written. Escape goes back; the talk is saved with the draft."
    )

    def __init__(self, author: Author) -> None:
        super().__init__("Talk about the idea", keys="enter say   ^s use as premise   esc back")
        self._author = author

    def compose_body(self) -> ComposeResult:
        with VerticalScroll(can_focus=False):
            yield Static()
        yield LineField(placeholder="What if the keeper never left?")
        yield Static("", classes="problem", markup=False)

    def on_mount(self) -> None:
        talk = self._author.draft.info.talk
        if len(talk) % 2:
            self.query_one(LineField).value = talk[-1]
        self._draw()

    def _draw(self) -> None:
        info = self._author.draft.info
        lines = [Content.styled(info.premise, ".quiet")]
        lines += [
            Content.assemble(("" if n % 2 else "› ", ".accent"), text) for n, text in enumerate(info.talk)
        ]
        self.query_one("VerticalScroll > Static", Static).update(Content("\n\n").join(lines))
        self.call_after_refresh(self.query_one(VerticalScroll).scroll_end, animate=False)

    @on(Input.Submitted)
    def said(self, event: Input.Submitted) -> None:
        if event.value.strip():
            self._do(self._author.talk(event.value))

    def action_premise(self) -> None:
        if len(self._author.draft.info.talk) > 1:
            self._do(self._author.sum_up(), end=True)

    @work(group="talking", exclusive=True)
    async def _do(self, act: Awaitable[str], *, end: bool = False) -> None:
        """Wait for the model, which is told meanwhile; what goes wrong is said below the line."""
        line, problem = self.query_one(LineField), self.query_one(".problem", Static)
        line.disabled = True
        problem.update(WAITING)
        try:
            await act
        except TheActError as error:
            problem.update(error.message)
        else:
            problem.update("")
            line.value = ""
            if end:
                self.dismiss(True)
                return
        line.disabled = False
        line.focus()
        self._draw()

    def action_scroll(self, way: int) -> None:
        view = self.query_one(VerticalScroll)
        view.scroll_page_down(animate=False) if way > 0 else view.scroll_page_up(animate=False)
