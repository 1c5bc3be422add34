"""One process writes a save at a time: a lock of the operating system, which ends with its process, even a killed one."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from theact_tui.errors import SaveInUse


class SaveLock:
    """Holds a save from `take` to `release`."""

    def __init__(self, git: Path) -> None:
        self._name = git.parent.name
        self._lock = FileLock(git / "theact" / "in-use", timeout=0, mode=0o600, thread_local=False)

    def take(self) -> None:
        """SaveInUse if somebody else holds the save."""
        try:
            self._lock.acquire()
        except Timeout:
            raise SaveInUse(
                f"'{self._name}' is open in another window or program. Close it there to go on with it; "
                "it can be read meanwhile."
            ) from None

    def release(self) -> None:
        self._lock.release()
