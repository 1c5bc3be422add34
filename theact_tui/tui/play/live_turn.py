"""A turn as it is being told: tokens in, blocks of the transcript's last turn out.

Tokens are gathered and set at most 20 times a second, whatever their rate; only the paragraph they end in is wrapped
again.
"""

from __future__ import annotations

from collections.abc import Iterable

from theact_tui.story.moments import Moment
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Turn
from theact_tui.tui.blocks import (
    Block,
    Cast,
    beneath,
    chapter_blocks,
    name_block,
    note_block,
    number_of,
    player_blocks,
    prose_blocks,
    thought_block,
    turn_blocks,
    unsaid,
    words_blocks,
)
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout

FLUSH_SECONDS = 0.05
"""How long tokens are gathered before they are set."""
CURSOR = "▌"
THOUGHT = 300
"""Characters of a model's reasoning in sight."""


class LiveTurn:
    """Writes one turn at a time."""

    def __init__(self, transcript: Transcript, pack: Pack) -> None:
        self._transcript = transcript
        self.pack = pack
        self.layout: TurnLayout | None = None
        """The turn being told, or told last; None before the first and after one was taken back."""
        self._kept: list[Block] = []
        self._notes: list[tuple[str, Block]] = []
        self._voice: int | None = None
        """Of the character that speaks; None while the narrator does."""
        self._text = self._fresh = self._thought = ""
        self.show_thoughts = False
        """A model's reasoning is shown, faintly, until its words come."""
        self._waiting = False

    def begin(self, number: int, text: str, chapter: str) -> None:
        """Begin a turn with the player's words; turn 1 with the chapter's card."""
        self.layout = TurnLayout(number, live=True)
        opening = self.pack.chapters.get(chapter) if number == 1 else None
        self._kept = chapter_blocks(number_of(self.pack, chapter), opening) if opening else []
        self._kept.extend(player_blocks(text))
        self._notes = []
        self._voice, self._text, self._fresh, self._thought = None, "", "", ""
        self.layout.blocks = list(self._kept)
        self._transcript.add(self.layout)

    def add(self, *blocks: Block) -> None:
        """Put something between the lines: dice, a beat, a moment."""
        self._fix_text()
        self._kept.extend(beneath(self._kept[-1] if self._kept else None, blocks))
        self._draw()

    def add_text(self, text: str, thought: str = "", replace: bool = False) -> None:
        """Take tokens of who speaks; with `replace` they stand for all of it so far. Thoughts are shown on request only,
        and never kept."""
        self._thought = (self._thought + thought)[-THOUGHT:]
        if replace:
            self._text, self._fresh = "", text
        else:
            self._fresh += text
        if not self._waiting:
            self._waiting = True
            self._transcript.set_timer(FLUSH_SECONDS, self._flush)

    def toggle_thoughts(self) -> bool:
        """Show a model's reasoning from now on, or hide it again; returns which."""
        self.show_thoughts = not self.show_thoughts
        self._draw()
        return self.show_thoughts

    def begin_reply(self, character: str, name: str) -> None:
        """A character begins to answer."""
        self._fix_text()
        cast = Cast.of(self.pack)
        self._voice = cast.voice(character)
        self._kept.append(name_block(name or cast.name(character), self._voice))
        self._draw()

    def end_text(self, text: str) -> None:
        """Narration or answer is complete; `text` wins over what was streamed. An empty answer takes its name away."""
        self._text, self._fresh = text, ""
        self._fix_text()
        if not text and self._kept and self._voice is not None:
            self._kept.pop()
        self._voice = None
        self._draw()

    def add_note(self, text: str) -> bool:
        """Show a notice below the prose once that is complete. False when there is no turn to put it to."""
        if self.layout is None:
            return False
        self._notes.append((text, note_block(unsaid(text, [said for said, _ in self._notes]))))
        self._draw()
        return True

    def end(self) -> None:
        """The prose is complete."""
        self._fix_text()
        if self.layout:
            self.layout.live = False
        self._draw()

    def show_saved(self, turn: Turn, moments: Iterable[Moment]) -> None:
        """Set the turn as it was saved, if it is the one on the page."""
        if self.layout and self.layout.number == turn.number:
            self._notes = [note for note in self._notes if note[0] not in turn.notices]
            self._kept = turn_blocks(self.pack, Cast.of(self.pack), turn, moments)
            self._draw()

    def discard(self) -> None:
        """The turn did not happen: nothing of it stays on the page."""
        if self.layout:
            self._transcript.drop(self.layout)
        self.layout = None

    # --- the text that is growing ----------------------------------------------------------------------------------

    def _flush(self) -> None:
        self._waiting = False
        self._text, self._fresh = self._text + self._fresh, ""
        self._draw()

    def _fix_text(self) -> None:
        self._kept.extend(self._tail(self._text + self._fresh))
        self._text = self._fresh = self._thought = ""

    def _tail(self, text: str) -> list[Block]:
        return prose_blocks(text) if self._voice is None else words_blocks(text, self._voice)

    def _draw(self) -> None:
        if self.layout is None:
            return
        tail: list[Block] = []
        if not self.layout.live:
            tail = beneath(self._kept[-1] if self._kept else None, (block for _, block in self._notes))
        elif self._text:
            tail = self._tail(self._text + CURSOR)
        elif self.show_thoughts and self._thought:
            tail = [thought_block(self._thought)]
        self.layout.blocks = [*self._kept, *tail]
        self._transcript.changed(self.layout)
