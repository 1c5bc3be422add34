"""A save as it goes back, forward and aside (S3, S9): every move is one step that happened or did not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from theact_tui.errors import SaveError
from theact_tui.saves import opening
from theact_tui.saves.reading import Reader
from theact_tui.saves.view import View
from theact_tui.story.game import Game

if TYPE_CHECKING:
    from theact_tui.saves.timeline import Timeline


class Mover(Reader):
    """Undo and redo, takes and branches; and what every change of a save goes through."""

    def __init__(self, folder: Path, timeline: Timeline, *, read_only: bool) -> None:
        super().__init__(folder, timeline)
        self.read_only = read_only
        self._view = View(folder)

    def _show(self) -> None:
        self._view.show(self._timeline.version.tree)

    def _check_writable(self) -> None:
        if self.read_only:
            raise SaveError("This save is open for reading only.")
        if not (self.folder / ".git" / "objects").is_dir():
            raise SaveError(f"The folder of '{self.folder.name}' is gone. Put it back where it was to go on.")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Around whatever changes the save. SaveError if it is open for reading only or the disk refuses."""
        self._check_writable()
        try:
            yield
        except OSError as error:
            opening.tidy(self.folder)
            failed = f"'{self.folder.name}' could not be written: {error.strerror or error}."
            raise SaveError(f"{failed} What was saved before is safe.") from error

    def undo(self, turns: int = 1) -> Game:
        """Go back; `redo` leads forward again until a new turn is played. UsageError if there are not as many."""
        with self._writing():
            self._timeline.undo(turns)
            return self._moved()

    def redo(self, turns: int = 1) -> Game:
        """Go forward again. UsageError if fewer turns were undone."""
        with self._writing():
            self._timeline.redo(turns)
            return self._moved()

    def back(self, turns: int = 1) -> None:
        """Go back as `undo` does, for a save that holds no game."""
        with self._writing():
            self._timeline.undo(turns)
            self._show()

    def forward(self, turns: int = 1) -> None:
        """Go forward as `redo` does, for a save that holds no game."""
        with self._writing():
            self._timeline.redo(turns)
            self._show()

    def retake(self) -> Game:
        """Keep the last turn as a take and go to what it was played from, to play it again.

        If nothing follows, `take` leads back, and so does the next opening of the save.
        """
        with self._writing():
            self._takes.retake()
            return self._moved()

    def take(self, number: int) -> Game:
        """Make a take of the last turn current, from 1. UsageError if there is none of that number."""
        with self._writing():
            self._takes.take(number)
            return self._moved()

    def leave_take(self) -> None:
        """Keep the last turn as a take and go to what it was played from, as `retake` does, for a save that holds no
        game."""
        with self._writing():
            self._takes.retake()
            self._show()

    def to_take(self, number: int | None) -> None:
        """Make a take current as `take` does, for a save that holds no game; None is the one that was left."""
        with self._writing():
            if number is None:
                self._takes.restore()
            else:
                self._takes.take(number)
            self._show()

    def keep_take(self) -> None:
        """Keep the last turn as a take. The one played next from where it was played is a take too."""
        with self._writing():
            self._takes.keep()

    def branch_at(self, name: str, turn: int | None = None, of: str | None = None) -> str:
        """Make a branch without switching to it; its plain name. It begins at a turn (default: the last one) of the
        branch or commit `of` (default: the current branch)."""
        with self._writing():
            tip = self._branches.tip(of)
            return self._branches.create(name, tip if turn is None else self._timeline.history.at(tip, turn))

    def go_to(self, name: str) -> None:
        """Go on with another branch as `switch` does, for a save that holds no game."""
        with self._writing():
            self._branches.switch(name)
            self._show()

    def switch(self, name: str) -> Game:
        """Go on with another branch."""
        with self._writing():
            self._branches.switch(name)
            return self._moved()

    def rename_branch(self, name: str, title: str) -> str:
        """Give a branch another name; its new plain name."""
        with self._writing():
            return self._branches.rename(name, title)

    def delete_branch(self, name: str) -> None:
        """Take away a branch that is not the current one; `restore_branch` brings it back."""
        with self._writing():
            self._branches.delete(name)

    def restore_branch(self, name: str) -> str:
        """Bring a deleted branch back; its name."""
        with self._writing():
            return self._branches.restore(name)

    def _moved(self) -> Game:
        self._show()
        return self.load()
