"""Files of one seat, in a private folder of its own: the only way between the hero's program and the person's.

view.json    what the person is shown, written by the hero's program
answer.json  what the person answers, written by theirs
given        locked while the hero's program runs and gives the seat
taken        locked while the person's program runs: one person sits on a seat
"""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from theact_tui.errors import SaveError, UsageError
from theact_tui.paths import private_folder
from theact_tui.saves.atomic import Folder
from theact_tui.saves.note import Note
from theact_tui.story.seat import SeatAnswer, SeatView
from theact_tui.story.value import Value

V = TypeVar("V", bound=Value)
GIVEN, TAKEN = "given", "taken"
MAX_VIEW_BYTES, MAX_ANSWER_BYTES = 50_000_000, 1_000_000
LOCK_SECONDS = 1.0
"""To wait for a lock: the other side takes it for a moment, to see whether somebody holds it."""


class SeatFiles:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files = Folder(folder)
        self._view = Note(folder, "view.json", SeatView, limit=MAX_VIEW_BYTES)
        self._answer = Note(folder, "answer.json", SeatAnswer, limit=MAX_ANSWER_BYTES)
        self._held = ""
        self._stamp: tuple[int, int] | None = None

    # --- locks ----------------------------------------------------------------------------------------------------

    def hold(self, name: str) -> bool:
        """Lock `given` or `taken` until `release`; False if another program holds it. The lock ends with its process."""
        from filelock import FileLock, Timeout

        private_folder(self.folder)
        self._files.is_file(name)  # raises for a link or a pipe, which the lock would open
        lock = FileLock(self.folder / name, timeout=LOCK_SECONDS, mode=0o600, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return False
        self._lock, self._held = lock, name
        return True

    def sit_down(self, person: str) -> None:
        """Take the seat until `release`. Raises `UsageError` if somebody sits there."""
        if not self.hold(TAKEN):
            raise UsageError("Somebody sits on this seat already.")
        self.send(SeatAnswer(name=person))

    def is_held(self, name: str) -> bool:
        from filelock import FileLock, Timeout

        try:
            if self._files.is_file(name):
                with FileLock(self.folder / name, timeout=0, mode=0o600, thread_local=False):
                    return False
        except Timeout:
            return True
        except (OSError, SaveError):
            pass
        return False

    def release(self) -> None:
        """Unlock, and remove what this side wrote."""
        if self._held:
            (self._view if self._held == GIVEN else self._answer).drop()
            self._lock.release()
        self._held = ""

    # --- what passes between them ---------------------------------------------------------------------------------

    def show(self, view: SeatView) -> None:
        self._view.write(view)

    def send(self, answer: SeatAnswer) -> None:
        self._answer.write(answer)

    def view(self) -> SeatView | None:
        return _read(self._view)

    def new_view(self) -> SeatView | None:
        """Return the view if it was written since the last call."""
        status = self._files.stat(self._view.name) if self.folder.is_dir() else None
        stamp = (status.st_ino, status.st_mtime_ns) if status else None
        if stamp == self._stamp:
            return None
        view = self.view()
        if view or not stamp:  # one that cannot be read just now is read at the next look
            self._stamp = stamp
        return view

    def answer(self) -> SeatAnswer | None:
        return _read(self._answer)


def _read(note: Note[V]) -> V | None:
    """Return what another program wrote, whatever that is; None if it cannot be read."""
    try:
        return note.read()
    except (OSError, SaveError, RecursionError):
        return None


def find_seat(seats: Path, save: str, character: str) -> SeatFiles:
    """Return a given seat by the names of save and character. Raises UsageError."""
    given = [files for folder in seats.glob("*/*") if (files := SeatFiles(folder)).is_held(GIVEN)]
    views = [(files, files.view()) for files in given]
    wanted = save.strip().casefold(), character.strip().casefold()
    for files, view in views:
        stories = {files.folder.parent.name, view.story.casefold() if view else ""}
        people = {files.folder.name.casefold(), view.name.casefold() if view else ""}
        if wanted[0] in stories and wanted[1] in people:
            return files
    free = ", ".join(f"{files.folder.parent.name} {files.folder.name}" for files in given)
    offers = f"Given now: {free}." if free else "In the hero's window, /seat and a name gives one."
    raise UsageError(f"There is no such seat. {offers}")
