"""The second tab: the transcript, and under it the panel of the agent one prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from theact_tui.story.direct.records import Session
from theact_tui.story.direct.slots import slot
from theact_tui.story.direct.transcript import BREAK, Passage, Transcript
from theact_tui.text import one_line
from theact_tui.tui.widgets.direct_bars import Choices, panel
from theact_tui.tui.widgets.direct_cell import Cell, PromptCell
from theact_tui.tui.widgets.direct_script import script
from theact_tui.tui.widgets.follower import Follower

NOTHING = "Nothing has been played yet. Write below what happens; the agent whose panel is open answers here."
"""In place of an empty transcript."""


class ScenePane(Vertical):
    """Transcript and prompt. What is typed for one agent stays while another one's panel is open."""

    def __init__(self, session: Callable[[], Session], unsent: dict[int, str], *, id: str) -> None:
        """`unsent`: what was typed for whom, kept up to date by `note`."""
        super().__init__(id=id)
        self._session = session
        self.slot = 1
        """Whose panel is open."""
        self.unsent = unsent
        self.given = 0
        """Whose text is being answered; 0 while nothing that stands here is."""
        self.kept = ""
        """What was typed while the input was closed; it is there when the input opens again."""
        self._told: tuple[Passage, ...] | None = None

    def compose(self) -> ComposeResult:
        with Follower(id="transcript"):
            yield Static(id="told", markup=False)
            yield Static(id="live", markup=False)
        yield Static("0/60,000", id="length", markup=False)
        with Vertical(id="desk", classes="cell"):
            yield PromptCell(id="prompt", placeholder="What happens? Enter prompts this agent.")
            with Horizontal(id="desk-foot"):
                yield Choices(id="scene-panels")
                yield Button(Content("End Chapter"), id="end", classes="act", compact=True)

    def on_mount(self) -> None:
        self.query_one("#prompt", Cell).fill(self.unsent.get(self.slot, ""))
        self.panels()

    @property
    def text(self) -> str:
        """What is typed for the agent whose panel is open."""
        return self.query_one("#prompt", Cell).text

    # --- transcript -----------------------------------------------------------------------------------------------

    def tell(self, transcript: Transcript) -> None:
        """Show the transcript and its length."""
        if transcript.passages != self._told:
            self._told = transcript.passages
            told = script(transcript.passages) if transcript.passages else Content.styled(NOTHING, ".quiet")
            self.query_one("#told", Static).update(told)
        self.query_one("#length", Static).update(Content(transcript.counter))

    def stream(self, passages: Iterable[Passage], trouble: str = "") -> None:
        """Show what follows the transcript: a reply as it comes, or why there is none."""
        parts = [script(passages)] if passages else []
        parts += [Content.styled(f"! {one_line(trouble, 600)}", ".bad")] if trouble else []
        lead = Content(BREAK if self._told else "")
        live = self.query_one("#live", Static)
        live.update(Content.assemble(lead, Content(BREAK).join(parts)) if parts else Content(""))
        live.display = bool(parts)
        self.query_one("#told").display = bool(self._told) or not parts

    @on(PromptCell.Paged)
    def paged(self, event: PromptCell.Paged) -> None:
        scroll = self.query_one(Follower)
        scroll.scroll_relative(y=event.pages * (scroll.size.height - 1), animate=False)

    # --- panels -----------------------------------------------------------------------------------------------------

    def panels(self) -> None:
        """Show names, outline and colour of the open panel anew."""
        session = self._session()
        slots = session.selected_agent_slots
        if self.slot not in slots:
            self.slot = slots[0]
        bar = self.query_one("#scene-panels", Choices)
        bar.choices = tuple(panel(n, session.name_of(n)) for n in slots)
        bar.active = self.slot
        desk = self.query_one("#desk")
        desk.set_classes(f"cell -slot-{self.slot}")
        name = one_line(session.name_of(self.slot), 50)
        desk.border_title = Content(f"{self.slot} · {name} ({slot(self.slot).color})")
        self.count()

    def count(self) -> None:
        """Show how long the prompt is."""
        self.query_one("#desk").border_subtitle = Content(self.query_one("#prompt", Cell).counter)

    def open_panel(self, number: int) -> None:
        """Show another agent's panel with what was typed there."""
        if number not in self._session().selected_agent_slots:
            return
        self.note()
        cell = self.query_one("#prompt", Cell)
        self.slot = number
        cell.fill(self.unsent.get(number, ""))
        cell.move_cursor(cell.document.end)
        self.panels()

    def note(self) -> None:
        """Keep what is typed for the agent whose panel is open."""
        self.unsent[self.slot] = self.text

    def standing(self, slot: int) -> dict[int, str]:
        """All that is typed and not given; what was typed while the input was closed is for `slot`."""
        texts = {**self.unsent, self.slot: self.text}
        if self.kept:
            texts[slot] = _joined(texts.get(slot, ""), self.kept)
        return {number: text for number, text in texts.items() if text}

    def put_by(self, slot: int) -> bool:
        """Let what was typed while the input was closed wait in this panel; True if that is not the open one."""
        if slot == self.slot:
            self._type_kept()
        elif self.kept:
            self.unsent[slot] = _joined(self.unsent.get(slot, ""), self.kept)
            self.kept = ""
            return True
        return False

    def _type_kept(self) -> None:
        cell = self.query_one("#prompt", Cell)
        if self.kept:
            cell.move_cursor(cell.document.end)
            cell.insert(_joined(self.text, self.kept)[len(self.text) :])
            self.kept = ""

    def answered(self, focus: int) -> None:
        """A prompt is in the log: its text goes, and the panel of `focus` opens."""
        given, self.given = self.given, 0
        if given == self.slot:
            self.query_one("#prompt", Cell).fill("")
        self.unsent.pop(given, None)
        self.open_panel(focus)

    def bring_back(self, slot: int, text: str) -> None:
        """Let a prompt stand in its panel again, before what was typed there since."""
        self.open_panel(slot)
        cell = self.query_one("#prompt", Cell)
        lines = text.split("\n")
        cell.fill("\n".join([*lines, cell.text] if cell.text else lines))
        cell.move_cursor((len(lines) - 1, len(lines[-1])))

    def empty(self) -> None:
        """Forget all that was typed."""
        self.unsent.clear()
        self.kept = ""
        self.slot = 1
        self.query_one("#prompt", Cell).fill("")
        self.panels()

    def close(self, closed: bool) -> None:
        """Close the input, or open it, with what was typed meanwhile."""
        self.query_one("#prompt", Cell).read_only = closed
        self.query_one("#desk").set_class(closed, "-closed")
        if not closed:
            self._type_kept()

    def focus_first(self) -> None:
        """Give the keys to the prompt."""
        self.query_one("#prompt").focus()
        self.call_after_refresh(self.query_one(Follower).scroll_end, animate=False)


def _joined(text: str, more: str) -> str:
    """Words after others, a blank between them."""
    return text + (" " if text and not text[-1].isspace() else "") + more
