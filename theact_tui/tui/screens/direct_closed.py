"""What is typed where no cell takes it: it goes to the cell it is meant for, is kept for the next prompt while a call
runs, or else it is said why it cannot be."""

from __future__ import annotations

from textual import events

from theact_tui.story.direct.limits import Refused
from theact_tui.story.direct.moves import refuse_prompt, refuse_voice
from theact_tui.story.direct.setup import set_world
from theact_tui.text import clean
from theact_tui.tui.screens.direct_can import CHAPTER, DIRECT, NAMES
from theact_tui.tui.screens.direct_ways import WaysPage
from theact_tui.tui.widgets.direct_cell import Cell, PromptCell

SHOWN = 24
"""Characters of the kept words that are shown."""


class TypingPage(WaysPage):
    """A page on which no letter is lost without a word."""

    tab: int
    """The tab one sees, from 1."""

    def remember(self) -> None:
        """Let what is typed and not given outlive the program."""
        raise NotImplementedError

    def on_key(self, event: events.Key) -> None:
        """A key that the focused cell did not take."""
        self.show.status.warning = ""
        letter = event.character if event.is_printable and event.key not in self.active_bindings else ""
        if letter or (event.key == "backspace" and not self._is_open):
            event.stop()
            self._typed_beside(letter or "")

    def on_paste(self, event: events.Paste) -> None:
        """What the focused cell takes it has taken already."""
        if not self._is_open:
            self._typed_beside(clean(event.text))

    @property
    def _is_open(self) -> bool:
        """The focused cell takes what is typed."""
        return isinstance(self.focused, Cell) and not self.focused.read_only

    def _typed_beside(self, text: str) -> None:
        """`text`, or backspace where it is empty, came to no open cell; it is meant for the main one of its tab."""
        cells = {DIRECT: self.show.scene.query_one(PromptCell), CHAPTER: self.show.chapter.voice}
        cell = self.focused if isinstance(self.focused, Cell) else cells.get(self.tab)
        if self.session.phase == "locking" or (cell and cell.read_only):
            self.typed_aside(text, erase=not text)
        elif cell:
            if cell is not self.focused:
                cell.focus()
                cell.move_cursor(cell.document.end)
            cell.insert(text)

    def typed_aside(self, text: str = "", *, erase: bool = False, tab: int = 0) -> None:
        """Take in `text`, or take back its last letter, where the cells are closed; with neither, say how it stands."""
        show, scene, phase = self.show, self.show.scene, self.session.phase
        show.aside = phase != "idle"
        waiting = phase in ("replying", "summarizing") and self.tab == DIRECT
        if not waiting and phase != "locking":
            show.status.warning = self._why_closed(tab or self.tab)
            return
        scene.kept = scene.kept[:-1] if erase else scene.kept + text
        self.remember()
        tail = scene.kept if len(scene.kept) <= SHOWN else f"…{scene.kept[-SHOWN:]}"
        kept = f"kept for then: {tail}" if scene.kept else "what you type is kept till then"
        show.status.warning = f"{show.doing}; {kept}"

    def _why_closed(self, tab: int) -> str:
        """Why nothing can be typed on a tab now."""
        here = self.session.session
        if self.session.read_only:
            return "This save is open in another window, so it can only be read here."
        refused: object
        match NAMES[tab]:
            case "setup":
                refused = set_world(here, self.session.setup, "")
            case "direct":
                refused = refuse_prompt(here, here.selected_agent_slots[0], "")
            case _:
                refused = refuse_voice(here, "")
        return (
            refused.reason if isinstance(refused, Refused) else "One moment, a call is running; esc stops it."
        )
