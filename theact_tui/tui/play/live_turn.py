"""Draw the running turn as blocks of the transcript's last turn."""

from collections.abc import Callable, Sequence

from theact_tui.story.moments import Moment
from theact_tui.story.turn import Turn
from theact_tui.tui.blocks import Block, below_prose, note_block, thought_block, without_repeated_end
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.running_turn import RunningTurn

FLUSH_SECONDS = 0.05
CURSOR = "▌"


class LiveTurn:
    def __init__(
        self,
        transcript: Transcript,
        running: RunningTurn,
        blocks_of: Callable[[Turn, Sequence[Moment]], list[Block]],
        *,
        numbered: bool = True,
    ) -> None:
        """`blocks_of` sets a turn and its moments; `numbered` shows its number."""
        self._transcript = transcript
        self._running = running
        self._blocks_of = blocks_of
        self._numbered = numbered
        self.layout: TurnLayout | None = None
        """The running or last turn; None before the first and after a discarded one."""
        self.show_thoughts = False
        """Show reasoning faintly until the first words."""
        self._chapter = ""
        self._saved: tuple[Turn, Sequence[Moment]] | None = None
        self._notes: list[str] = []
        self._waiting = False

    def begin(self, chapter: str) -> None:
        self.layout = TurnLayout(self._running.turn, live=True, numbered=self._numbered)
        self._chapter, self._saved, self._notes = chapter, None, []
        self.draw()
        self._transcript.add(self.layout)

    def add_told(self, turn: Turn, moments: Sequence[Moment]) -> None:
        """Add a turn that was told before the story was opened, and is not saved yet."""
        self.layout = TurnLayout(turn.number, numbered=self._numbered)
        self._saved, self._notes = (turn, moments), []
        self.draw()
        self._transcript.add(self.layout)

    def draw_soon(self) -> None:
        if not self._waiting:
            self._waiting = True
            self._transcript.set_timer(FLUSH_SECONDS, self._flush)

    def _flush(self) -> None:
        self._waiting = False
        self.draw()

    def toggle_thoughts(self) -> bool:
        self.show_thoughts = not self.show_thoughts
        self.draw()
        return self.show_thoughts

    def add_note(self, text: str) -> bool:
        """Show a notice below the prose once complete. False without a turn."""
        self._notes.append(text)
        self.draw()
        return self.layout is not None

    def end(self) -> None:
        if self.layout:
            self.layout.live = False
        self.draw()

    def reopen(self, number: int) -> None:
        """Go on with the last turn, which is answered after it was told."""
        if self.layout and self.layout.number == number and not self.layout.live:
            self.layout.live, self._saved = True, None

    def show_saved(self, turn: Turn, moments: Sequence[Moment]) -> None:
        if self.layout and self.layout.number == turn.number:
            self._saved, self.layout.live = (turn, moments), False
            self.draw()

    def discard(self) -> None:
        if self.layout:
            self._transcript.drop(self.layout)
        self.layout = None

    def draw(self) -> None:
        layout, running = self.layout, self._running
        if layout is None:
            return
        cursor = CURSOR if layout.live else ""
        turn, moments = self._saved or (running.as_turn(self._chapter, cursor), running.moments)
        blocks = self._blocks_of(turn, moments)
        if not layout.live:
            notes = enumerate(self._notes)
            new = (
                note_block(without_repeated_end(text, self._notes[:n]))
                for n, text in notes
                if text not in turn.notices
            )
            blocks += below_prose(blocks[-1] if blocks else None, new)
        elif self.show_thoughts and running.thought and not running.coming:
            blocks.append(thought_block(running.thought))
        layout.blocks = blocks
        self._transcript.changed(layout)
