"""What is not committed when the program is killed, kept in small files outside the versioned tree.

A line that was sent is kept until it is told, a spoken turn until it is committed: it is on the disk before it is
announced. A line that was not told waits for the player and is not sent again.
"""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Generic, TypeVar

from theact_tui.saves.atomic import Folder
from theact_tui.saves.codec import Codec
from theact_tui.saves.history import Timeline
from theact_tui.saves.old_turns import upgraded
from theact_tui.story.base import Value
from theact_tui.story.direct.models import Words
from theact_tui.story.game import Spoken, Unsent
from theact_tui.text import clean

V = TypeVar("V", bound=Value)
MARKER = "theact/doing"
"""The file that says what is going on."""


@dataclass(frozen=True, slots=True)
class Note(Generic[V]):
    """One private file of the save in `git` that holds a value, or is not there."""

    git: Path
    name: str
    kind: type[V]
    durable: bool = False
    upgrade: Callable[[Any], Any] = lambda data: data
    """Converts what an earlier version wrote."""

    def write(self, value: V) -> None:
        """Keep `value`; it survives a kill once this returns, and a power cut too if the note is `durable`."""
        data = json.dumps(value.model_dump(), ensure_ascii=False).encode(errors="replace")
        Folder(self.git).replace(self.name, data, sync="all" if self.durable else "no")

    def read(self) -> V | None:
        """What was kept; None if nothing was, or nothing readable."""
        try:
            return self.kind.model_validate(self.upgrade(json.loads(Folder(self.git).read(self.name))))
        except (FileNotFoundError, ValueError):
            return None

    def drop(self) -> None:
        """Forget it."""
        Folder(self.git).remove(self.name)

    def put_aside(self) -> str | None:
        """Keep it under a name that is not read any more; that name, or None if nothing was kept."""
        files, (stem, dot, suffix) = Folder(self.git), self.name.rpartition(".")
        if not files.is_file(self.name):
            return None
        names = (f"{stem}-{number}{dot}{suffix}" for number in count(1))
        name = next(name for name in names if not files.is_file(name))
        files.move(self.name, name)
        return name


def journal(git: Path) -> Note[Spoken]:
    """The journal of the spoken turn of the save in `git`."""
    return Note(git, "theact/spoken.json", Spoken, durable=True, upgrade=_upgraded_journal)


def _upgraded_journal(data: Any) -> Any:
    return {**data, "turn": upgraded(data.get("turn"))} if isinstance(data, dict) else data


def typed_words(git: Path) -> Note[Words]:
    """What is typed in a directed chapter and not given."""
    return Note(git, "theact/words.json", Words)


class Unfinished:
    """What is on its way into the story of an open save."""

    def __init__(
        self, timeline: Timeline, codec: Codec[Any], writing: Callable[[], AbstractContextManager[None]]
    ) -> None:
        """`writing` stands around whatever changes the save."""
        git = timeline.repository.git
        self._timeline, self._codec, self._writing = timeline, codec, writing
        self._journal, self._line = journal(git), Note(git, "theact/unsent.json", Unsent)
        self._files = Folder(git)

    def journal(self, spoken: Spoken) -> None:
        """Keep a turn whose prose is complete; it is on the disk when this returns. Its line is told then."""
        with self._writing():
            self._journal.write(spoken)
        with suppress(OSError):  # the line is void now, so it does no harm if the disk keeps it
            self._line.drop()

    def journalled(self) -> Spoken | None:
        """The spoken turn that follows the head and was not committed, if there is one."""
        spoken = self._journal.read()
        here = self._timeline.head, self._timeline.branch
        return spoken if spoken and (spoken.parent, spoken.branch) == here else None

    def drop_spoken(self) -> None:
        """Forget the turn that was spoken; it is committed."""
        self._journal.drop()

    def put_spoken_aside(self) -> str | None:
        """Keep the turn that was spoken under a name that is not read any more; that name."""
        with self._writing():
            return self._journal.put_aside()

    def keep_unsent(self, text: str, *, again: bool = False, draft: bool = False, then: str = "") -> Unsent:
        """Keep a line until it is told; `again` if it is to tell the last turn again, `draft` if it was not sent;
        `then` was being written behind it."""
        spoken = self.journalled()
        after = spoken.turn.number if spoken else self._timeline.turn
        line = Unsent(
            branch=self._timeline.branch, after=after, text=text, again=again, draft=draft, then=then
        )
        with self._writing():
            self._line.write(line)
        return line

    def unsent(self) -> Unsent | None:
        """The line that was sent after the last turn, spoken or saved, and not told."""
        line = self._line.read()
        if line is None:
            return None
        spoken = self.journalled()
        after = spoken.turn.number if spoken else self._timeline.turn
        said = spoken.turn.player_text if spoken else self._codec.said(self._timeline.version, after)
        is_told = line.again and after and said == line.text
        if (line.branch, line.after) != (self._timeline.branch, after) or is_told:
            return None
        return line.model_copy(update={"text": clean(line.text), "then": clean(line.then)})

    def drop_unsent(self) -> None:
        """Forget the line that was not told."""
        with self._writing():
            self._line.drop()

    def mark(self, activity: str | None) -> None:
        """Note what is going on until the next commit, so that a restart can tell; None forgets it."""
        if activity is None:
            self._files.remove(MARKER)
        else:
            self._files.replace(MARKER, f"{activity} {self._timeline.head}".encode())

    def marked(self) -> str | None:
        """What was going on when the program stopped, if it had not come to its commit."""
        try:
            activity, _, head = self._files.read(MARKER).decode("ascii").partition(" ")
        except (OSError, UnicodeDecodeError):
            return None
        return activity if head == self._timeline.head else None
