"""A turn as it is being told: tokens in, blocks of the transcript's last leaf out.

Tokens are gathered and set at most 20 times a second, whatever their rate; only the paragraph they end in is wrapped
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from theact_tui.story.pack import Pack
from theact_tui.story.turn import Moment, Turn
from theact_tui.tui.typeset import (
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
from theact_tui.tui.widgets.leaf import Leaf

BEAT_SECONDS = 0.05
"""How long tokens are gathered before they are set."""
CURSOR = "▌"
THOUGHT = 300
"""Characters of a model's reasoning in sight."""

Later = Callable[[float, Callable[[], None]], Any]
"""Calls a function once, after some seconds."""


class Paper(Protocol):
    """What is written on: the transcript, or a test's stand-in."""

    def add(self, leaf: Leaf) -> None: ...
    def drop(self, leaf: Leaf) -> None: ...
    def changed(self, leaf: Leaf) -> None: ...


class Telling:
    """Writes one turn at a time on paper."""

    def __init__(self, paper: Paper, pack: Pack, cast: Cast, later: Later, *, thoughts: bool = False) -> None:
        """With `thoughts` a model's reasoning is shown, faintly, until its words come."""
        self._paper = paper
        self.pack = pack
        self.cast = cast
        self._later = later
        self.leaf: Leaf | None = None
        """The turn being told, or told last; None before the first and after one was taken back."""
        self._kept: list[Block] = []
        self._notes: list[Block] = []
        self._said: list[str] = []
        self._voice: int | None = None
        self._text = ""
        self._fresh = ""
        self._thought = ""
        self._thoughts = thoughts
        self._waiting = False

    def begin(self, number: int, text: str, chapter: str) -> None:
        """Begin a turn with the player's words; turn 1 with the chapter's card."""
        self.leaf = Leaf(number, live=True)
        self._kept, self._notes, self._said = [], [], []
        opening = self.pack.chapters.get(chapter)
        if number == 1 and opening:
            self._kept.extend(chapter_blocks(number_of(self.pack, chapter), opening))
        self._kept.extend(player_blocks(text))
        self._open(None)
        self.leaf.blocks = list(self._kept)
        self._paper.add(self.leaf)

    def add(self, *blocks: Block) -> None:
        """Put something between the lines: dice, a beat, a moment."""
        self._close()
        self._kept.extend(beneath(self._kept[-1] if self._kept else None, blocks))
        self._set()

    def narrate(self, text: str, replace: bool = False) -> None:
        """Take tokens of the narration; with `replace` they stand for all of it so far."""
        self._write(text, replace)

    def think(self, text: str) -> None:
        """Take tokens of a model's reasoning. They are shown on request only, and never kept."""
        if text:
            self._thought = (self._thought + text)[-THOUGHT:]
            if self._thoughts:
                self._write("", False)

    def show_thoughts(self) -> bool:
        """Show a model's reasoning from now on, or hide it again; returns which."""
        self._thoughts = not self._thoughts
        self._set()
        return self._thoughts

    def narrated(self, text: str) -> None:
        """The narration is complete; `text` wins over what was streamed."""
        self._finish(text)

    def speak(self, character: str, name: str) -> None:
        """Somebody begins to answer."""
        self._close()
        self._open(self.cast.voice(character))
        self._kept.append(name_block(name or self.cast.name(character), self.cast.voice(character)))
        self._set()

    def say(self, text: str, replace: bool = False) -> None:
        """Take tokens of the answer being given."""
        self._write(text, replace)

    def said(self, text: str) -> None:
        """The answer is complete; an empty one takes the name away again."""
        self._finish(text)
        if not text and self._kept and self._voice is not None:
            self._kept.pop()
            self._set()
        self._open(None)

    def note(self, text: str) -> bool:
        """Keep a notice until the prose is complete; it stands below it. False when there is no turn to put it to."""
        if self.leaf is None:
            return False
        self._notes.append(note_block(unsaid(text, self._said)))
        self._said.append(text)
        if not self.leaf.live:
            self._set_notes()
        return True

    def end(self) -> None:
        """The prose is complete."""
        self._close()
        if self.leaf:
            self.leaf.live = False
        self._set_notes()

    def become(self, turn: Turn, moments: Iterable[Moment]) -> None:
        """Set the turn as it was saved, if it is the one on the page."""
        if self.leaf and self.leaf.number == turn.number:
            self._kept = turn_blocks(self.pack, self.cast, turn, moments)
            self._notes.clear()
            self._set()

    def _set_notes(self) -> None:
        self._kept.extend(beneath(self._kept[-1] if self._kept else None, self._notes))
        self._notes.clear()
        self._set()

    def take_back(self) -> None:
        """The turn did not happen: nothing of it stays on the page."""
        if self.leaf:
            self._paper.drop(self.leaf)
        self.leaf = None
        self._open(None)

    # --- the text that is growing ----------------------------------------------------------------------------------

    def _open(self, voice: int | None) -> None:
        self._voice = voice
        self._text = self._fresh = self._thought = ""

    def _write(self, text: str, replace: bool) -> None:
        if replace:
            self._text, self._fresh = "", text
        else:
            self._fresh += text
        if not self._waiting:
            self._waiting = True
            self._later(BEAT_SECONDS, self._flush)

    def _flush(self) -> None:
        self._waiting = False
        self._text, self._fresh = self._text + self._fresh, ""
        self._set()

    def _finish(self, text: str) -> None:
        self._text, self._fresh = text, ""
        self._close()
        self._set()

    def _close(self) -> None:
        """What is open becomes fixed, without the cursor."""
        self._kept.extend(self._tail(self._text + self._fresh))
        self._text = self._fresh = self._thought = ""

    def _tail(self, text: str) -> list[Block]:
        return prose_blocks(text) if self._voice is None else words_blocks(text, self._voice)

    def _set(self) -> None:
        if self.leaf is None:
            return
        tail: list[Block] = []
        if self.leaf.live and self._text:
            tail = self._tail(self._text + CURSOR)
        elif self.leaf.live and self._thoughts and self._thought:
            tail = [thought_block(self._thought)]
        self.leaf.blocks = [*self._kept, *tail]
        self._paper.changed(self.leaf)
