"""Lock that keeps two programs from writing one save."""

from pathlib import Path

from filelock import FileLock, Timeout

from theact_tui.errors import SaveInUse
from theact_tui.saves.atomic import Folder


class SaveLock:
    """Operating system's lock, which ends with its process, even a killed one."""

    def __init__(self, git: Path) -> None:
        self._git = git
        self._lock = FileLock(git / "theact" / "in-use", timeout=0, mode=0o600, thread_local=False)

    def take(self) -> None:
        """Raises SaveInUse if another process holds it, else SaveDamaged."""
        files = Folder(self._git)
        files.make("theact")
        files.is_file("theact/in-use")
        try:
            self._lock.acquire()
        except Timeout:
            raise SaveInUse(
                f"'{self._git.parent.name}' is open in another window. You can watch it; to play, close it "
                "there first."
            ) from None

    def is_free(self) -> bool:
        try:
            with self:
                return True
        except SaveInUse:
            return False

    def release(self) -> None:
        self._lock.release()

    def __enter__(self) -> None:
        self.take()

    def __exit__(self, *_: object) -> None:
        self.release()
