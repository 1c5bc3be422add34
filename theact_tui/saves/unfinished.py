"""Typed text that is in no turn, and turns that are not committed yet. A sent line is kept until its turn is spoken, a
spoken turn until it is committed.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from theact_tui.saves.atomic import Folder
from theact_tui.saves.codec import Codec
from theact_tui.saves.history import Timeline
from theact_tui.saves.note import Note
from theact_tui.story.game import Spoken
from theact_tui.story.typed import Typed, as_line
from theact_tui.text import clean

_MARKER = "theact/doing"
"""Running action."""


def journal(git: Path) -> Note[Spoken]:
    return Note(git, "theact/spoken.json", Spoken, durable=True)


class Unfinished:
    def __init__(
        self, timeline: Timeline, codec: Codec[Any], writing: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """`writing` is entered around every change of the save."""
        git = timeline.repository.git
        self._timeline, self._codec, self._writing = timeline, codec, writing
        self._journal, self._typed = journal(git), Note(git, "theact/typed.json", Typed)
        self._files = Folder(git)

    def journal(self, spoken: Spoken) -> None:
        """Write a turn whose prose is complete; its line is void now."""
        with self._writing():
            self._journal.write(spoken)

    def journalled(self) -> Spoken | None:
        """Return the spoken turn that follows the head, if any."""
        spoken = self._journal.read()
        head = self._timeline.head, self._timeline.branch
        return spoken if spoken and (spoken.parent, spoken.branch) == head else None

    def drop_spoken(self) -> None:
        self._journal.drop()

    def put_spoken_aside(self) -> str | None:
        """Rename the spoken turn's file; see `Note.put_aside`."""
        with self._writing():
            return self._journal.put_aside()

    def keep_typed(self, typed: Typed) -> None:
        with self._writing():
            if typed.sent or typed.box.strip():
                self._typed.write(typed)
            else:
                self._typed.drop()

    def typed(self) -> Typed:
        """Return what was typed, without a line whose turn was spoken or that was sent elsewhere in the story."""
        typed = self._typed.read() or Typed()
        spoken = self.journalled()
        here = spoken.turn.number if spoken else self._timeline.turn
        is_void = (typed.branch, typed.after) != (self._timeline.branch, here)
        if typed.sent and here and not is_void:
            text = (
                spoken.turn.player_text if spoken else self._codec.player_text(self._timeline.version, here)
            )
            is_void = typed.sent == as_line(text, again=True)
        return typed.model_copy(
            update={"sent": "" if is_void else clean(typed.sent), "box": clean(typed.box)}
        )

    def mark(self, activity: str | None) -> None:
        """Note the running action until the next commit; None forgets it."""
        if activity is None:
            self._files.remove(_MARKER)
        else:
            self._files.replace(_MARKER, f"{activity} {self._timeline.head}".encode())

    def marked(self) -> str | None:
        """Return the action that was running when the program stopped, unless it was committed."""
        try:
            activity, _, head = self._files.read(_MARKER).decode("ascii").partition(" ")
        except (OSError, UnicodeDecodeError):
            return None
        return activity if head == self._timeline.head else None
