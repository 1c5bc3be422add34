"""A save, open for writing: how it is made and grows (S9). How it goes back and branches is in `moving`, how it is
read in `reading`.

Everything here is synchronous, to be called in a worker thread, one call at a time. Direct mode keeps other files
than a game: it uses `start`, `read`, `names` and `commit_files`, and all the rest that does not speak of games.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveError
from theact_tui.saves import edits, files, opening
from theact_tui.saves.edits import HandEdits
from theact_tui.saves.history import edit_message, naming_message
from theact_tui.saves.lock import SaveLock
from theact_tui.saves.moving import Mover
from theact_tui.saves.names import give_names, names_of
from theact_tui.saves.objects import Clock, now
from theact_tui.saves.packing import EVERY, Packer
from theact_tui.saves.trees import Changes
from theact_tui.story.game import Game
from theact_tui.story.spoken import Spoken, Unsent
from theact_tui.story.turn import Turn
from theact_tui.text import one_line

if TYPE_CHECKING:
    from theact_tui.saves.timeline import Timeline


class Save(Mover):
    """One save, open. Close it when done."""

    recovered: str
    """A sentence about what was repaired on opening, or nothing."""

    def __init__(self, folder: Path, timeline: Timeline, lock: SaveLock | None, recovered: str = "") -> None:
        super().__init__(folder, timeline, read_only=lock is None)
        self.recovered = recovered
        self._lock = lock
        self._packer = Packer(folder / ".git")

    # --- making, opening, closing ---

    @classmethod
    def create(cls, folder: Path, game: Game, *, clock: Clock = now) -> Save:
        """A new save of a game that was not played yet: turn 0. UsageError if the folder exists."""
        contents = files.changed_files(game, turns=game.turns.values())
        return cls.start(folder, contents, game.info.title, clock=clock)

    @classmethod
    def start(
        cls, folder: Path, contents: Changes, line: str, *, clock: Clock = now, word: str = "Turn"
    ) -> Save:
        """A new save of any files. `save.yaml` must be among them."""
        timeline, lock = opening.create(folder, contents, line, clock, word)
        save = cls(folder, timeline, lock)
        save._show()
        return save

    @classmethod
    def open(cls, folder: Path, *, write: bool = True, clock: Clock = now) -> Save:
        """Open a save, repairing what a crash left. SaveInUse, SaveDamaged or SaveError if that cannot be done."""
        opened = opening.open(folder, write, clock)
        save = cls(folder, opened.timeline, opened.lock, opened.recovered)
        save._known = (opened.head, opened.game) if opened.game else None
        version = opened.timeline.version
        if write and opened.recovered:
            save._view.reset(version.repository, version.tree, keep_known=False)
        elif write:
            save._view.compare(version.tree)
        return save

    def close(self) -> None:
        """Finish what is going on and let others open the save."""
        self._view.finish()
        self._packer.wait()
        self._timeline.repository.close()
        if self._lock:
            with suppress(OSError):  # without the mark the next opening looks for leftovers
                opening.mark_clean(self.folder)
            self._lock.release()
            self._lock = None

    @property
    def problems(self) -> tuple[str, ...]:
        """What went wrong in the background, with the visible files or with packing; the commits are safe."""
        return tuple(problem for problem in (self._view.problem, self._packer.problem) if problem)

    def __enter__(self) -> Save:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- growing ---

    def commit_turn(self, game: Game) -> str:
        """Keep the turn that `game` was just brought to, with all of its state, as one commit; return its id."""
        if game.state.turn != self.turn + 1:
            raise ValueError(f"turn {game.state.turn} cannot follow turn {self.turn}")
        turn = game.turns[game.state.turn]
        contents = files.changed_files(game, self._committed(), [turn])
        self._add_turn(contents, one_line(turn.narration) or turn.player_text, "Turn")
        return self._grown(game)

    def commit_edit(self, game: Game, what: str, turns: Iterable[Turn] = ()) -> str:
        """Keep a change made by hand between two turns, and edited earlier turns. No commit if nothing changed."""
        if game.state.turn != self.turn:
            raise ValueError("an edit belongs to the last turn")
        contents = files.changed_files(game, self._committed(), turns)
        with self._writing():
            self._timeline.add_edit(contents, edit_message(what))
            return self._grown(game)

    def commit_files(self, changes: Changes, line: str, *, word: str = "") -> str:
        """Commit any files. With a `word`, such as `Prompt`, the commit is the next turn, else an edit."""
        if word:
            self._add_turn(changes, line, word)
        else:
            with self._writing():
                self._timeline.add_edit(changes, edit_message(line))
        self._show()
        return self.head

    def _add_turn(self, changes: Changes, line: str, word: str) -> None:
        with self._writing():
            is_take = self._takes.is_next()
            self._timeline.add_turn(changes, line, word)
        # The turn is saved. What is left of the way to it is void now, so it does no harm if the disk keeps it.
        with suppress(OSError):
            self._takes.played(is_take=is_take)
            self._timeline.forget_undone()
            self._journal.drop()
        if self.turn % EVERY == 0:
            self._packer.start()

    def _grown(self, game: Game) -> str:
        self._known = self.head, game
        self._show()
        return self.head

    def pack(self) -> int:
        """Put single objects into one file, beside anything else; how many. Every hundredth turn does it by itself."""
        self._check_writable()
        return self._packer.pack()

    # --- a turn on its way ---

    def journal(self, spoken: Spoken) -> None:
        """Keep a turn whose prose is complete; it is on the disk when this returns (S3.5). Its line is told then."""
        with self._writing():
            self._journal.write(spoken)
        with suppress(OSError):  # the line is void now, so it does no harm if the disk keeps it
            self._line.drop()

    def keep_unsent(self, text: str, *, again: bool = False) -> Unsent:
        """Keep a line until it is told; `again` if it is to tell the last turn again."""
        spoken = self.journalled()
        after = spoken.turn.number if spoken else self.turn
        line = Unsent(branch=self.branch, after=after, text=text, again=again)
        with self._writing():
            self._line.write(line)
        return line

    def drop_unsent(self) -> None:
        """Forget the line that was not told."""
        with self._writing():
            self._line.drop()

    # --- as a whole ---

    def rename(self, title: str, *, id: str = "") -> None:
        """Give the save another title, and another id if it is a copy. Undoing turns does not undo it."""
        info = self.info
        info = info.model_copy(update={"title": title, "id": id or info.id})
        with self._writing():
            names = names_of(self.repository).model_copy(update={"title": title, "id": info.id})
            give_names(self.repository, names)
            if self.journalled() is None:  # a spoken turn follows this very head; `save.yaml` can wait for it
                self._timeline.add_edit({"save.yaml": files.info_file(info)}, naming_message(title))
            self._show()

    # --- edits made outside ---

    @property
    def foreign_edits(self) -> tuple[str, ...]:
        """Visible files that had been changed by hand when the save was opened. Looking at all of them goes on for
        a moment in the background (some milliseconds per thousand turns); this waits for it."""
        return self._view.edits()

    def hand_edits(self) -> HandEdits:
        """What was changed by hand in these files, and whether it can become part of the story. A save open for
        reading looks at them now."""
        version = self._timeline.version
        peeked = self._view.peek(version.repository, version.tree) if self.read_only else self.foreign_edits
        return edits.examined(self._view, peeked, version, self.turn)

    def adopt_edits(self) -> str:
        """Commit the files that were changed by hand. SaveError, and nothing done, if the game would not load."""
        if self.journalled():
            raise SaveError("A turn that was told is not saved yet. Let it be finished first.")
        found = self.hand_edits()
        if found.broken:
            raise SaveError(next(iter(found.broken.values())))
        with self._writing():
            self._timeline.add_edit({**found.contents}, edit_message("by hand in " + ", ".join(found.files)))
            self._view.forget_edits(found.files)
            self._show()
            return self.head

    def discard_edits(self, paths: Iterable[str] | None = None) -> None:
        """Put files (default: all that were changed) back as they were committed; what was edited is kept beside
        each as `<name>.edited.yaml`."""
        chosen = set(self.foreign_edits if paths is None else paths)
        with self._writing():
            self._view.reset(self.repository, self._timeline.version.tree, keep_known=True, only=chosen)
            self._view.forget_edits(chosen)
