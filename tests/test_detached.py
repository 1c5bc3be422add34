import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from theact_tui import detached
from theact_tui.detached import start_detached


def test_what_a_detached_program_prints_goes_to_its_file(tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as out:
        began = start_detached(
            [sys.executable, "-c", "import sys; print('é', end='', flush=True); sys.exit('gone')"], out
        )
    assert began.wait(30) == 1 and (tmp_path / "log").read_bytes().strip().endswith(b"gone")


def test_on_windows_it_has_a_console_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}
    monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", 0x0800_0000, raising=False)
    monkeypatch.setattr(detached, "Popen", lambda command, **options: given.update(options))
    with (tmp_path / "log").open("wb") as out:
        start_detached(["llama-server"], out)
    assert given["creationflags"] == 0x0800_0000
