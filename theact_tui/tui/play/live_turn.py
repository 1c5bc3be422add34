"""A turn as it is being told: tokens in, blocks of the transcript's last turn out.

Tokens are gathered and set at most 20 times a second, whatever their rate; only the paragraph they end in is wrapped
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

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
from theact_tui.tui.play.transcript_window import TurnLayout

FLUSH_SECONDS = 0.05
"""How long tokens are gathered before they are set."""
CURSOR = "▌"
THOUGHT = 300
"""Characters of a model's reasoning in sight."""

SetTimer = Callable[[float, Callable[[], None]], Any]
"""Calls a function once, after some seconds."""


class TurnTarget(Protocol):
    """What a turn is written to: the transcript, or a test's stand-in."""

    def add(self, layout: TurnLayout) -> None: ...
    def drop(self, layout: TurnLayout) -> None: ...
    def changed(self, layout: TurnLayout) -> None: ...


class LiveTurn:
    """Writes one turn at a time."""

    def __init__(
        self, target: TurnTarget, pack: Pack, cast: Cast, set_timer: SetTimer, *, show_thoughts: bool = False
    ) -> None:
        """With `show_thoughts` a model's reasoning is shown, faintly, until its words come."""
        self._target = target
        self.pack = pack
        self.cast = cast
        self._set_timer = set_timer
        self.layout: TurnLayout | None = None
        """The turn being told, or told last; None before the first and after one was taken back."""
        self._kept: list[Block] = []
        self._notes: list[Block] = []
        self._said: list[str] = []
        self._voice: int | None = None
        self._text = ""
        self._fresh = ""
        self._thought = ""
        self._show_thoughts = show_thoughts
        self._waiting = False

    def begin(self, number: int, text: str, chapter: str) -> None:
        """Begin a turn with the player's words; turn 1 with the chapter's card."""
        self.layout = TurnLayout(number, live=True)
        self._kept, self._notes, self._said = [], [], []
        opening = self.pack.chapters.get(chapter)
        if number == 1 and opening:
            self._kept.extend(chapter_blocks(number_of(self.pack, chapter), opening))
        self._kept.extend(player_blocks(text))
        self._start_text(None)
        self.layout.blocks = list(self._kept)
        self._target.add(self.layout)

    def add(self, *blocks: Block) -> None:
        """Put something between the lines: dice, a beat, a moment."""
        self._fix_text()
        self._kept.extend(beneath(self._kept[-1] if self._kept else None, blocks))
        self._draw()

    def add_narration(self, text: str, replace: bool = False) -> None:
        """Take tokens of the narration; with `replace` they stand for all of it so far."""
        self._buffer(text, replace)

    def add_thought(self, text: str) -> None:
        """Take tokens of a model's reasoning. They are shown on request only, and never kept."""
        if text:
            self._thought = (self._thought + text)[-THOUGHT:]
            if self._show_thoughts:
                self._buffer("", False)

    def toggle_thoughts(self) -> bool:
        """Show a model's reasoning from now on, or hide it again; returns which."""
        self._show_thoughts = not self._show_thoughts
        self._draw()
        return self._show_thoughts

    def end_narration(self, text: str) -> None:
        """The narration is complete; `text` wins over what was streamed."""
        self._finish_text(text)

    def begin_reply(self, character: str, name: str) -> None:
        """A character begins to answer."""
        self._fix_text()
        self._start_text(self.cast.voice(character))
        self._kept.append(name_block(name or self.cast.name(character), self.cast.voice(character)))
        self._draw()

    def add_reply(self, text: str, replace: bool = False) -> None:
        """Take tokens of the answer being given."""
        self._buffer(text, replace)

    def end_reply(self, text: str) -> None:
        """The answer is complete; an empty one takes the name away again."""
        self._finish_text(text)
        if not text and self._kept and self._voice is not None:
            self._kept.pop()
            self._draw()
        self._start_text(None)

    def add_note(self, text: str) -> bool:
        """Show a notice below the prose once that is complete. False when there is no turn to put it to."""
        if self.layout is None:
            return False
        self._notes.append(note_block(unsaid(text, self._said)))
        self._said.append(text)
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
            said = list(zip(self._notes, self._said, strict=True))
            self._notes = [note for note, text in said if text not in turn.notices]
            self._said = [text for _, text in said if text not in turn.notices]
            self._kept = turn_blocks(self.pack, self.cast, turn, moments)
            self._draw()

    def discard(self) -> None:
        """The turn did not happen: nothing of it stays on the page."""
        if self.layout:
            self._target.drop(self.layout)
        self.layout = None
        self._start_text(None)

    # --- the text that is growing ----------------------------------------------------------------------------------

    def _start_text(self, voice: int | None) -> None:
        self._voice = voice
        self._text = self._fresh = self._thought = ""

    def _buffer(self, text: str, replace: bool) -> None:
        if replace:
            self._text, self._fresh = "", text
        else:
            self._fresh += text
        if not self._waiting:
            self._waiting = True
            self._set_timer(FLUSH_SECONDS, self._flush)

    def _flush(self) -> None:
        self._waiting = False
        self._text, self._fresh = self._text + self._fresh, ""
        self._draw()

    def _finish_text(self, text: str) -> None:
        self._text, self._fresh = text, ""
        self._fix_text()
        self._draw()

    def _fix_text(self) -> None:
        """What is open becomes fixed, without the cursor."""
        self._kept.extend(self._tail(self._text + self._fresh))
        self._text = self._fresh = self._thought = ""

    def _tail(self, text: str) -> list[Block]:
        return prose_blocks(text) if self._voice is None else words_blocks(text, self._voice)

    def _draw(self) -> None:
        if self.layout is None:
            return
        tail: list[Block] = []
        if not self.layout.live:
            tail = beneath(self._kept[-1] if self._kept else None, self._notes)
        elif self._text:
            tail = self._tail(self._text + CURSOR)
        elif self._show_thoughts and self._thought:
            tail = [thought_block(self._thought)]
        self.layout.blocks = [*self._kept, *tail]
        self._target.changed(self.layout)
