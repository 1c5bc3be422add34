"""Running commands in an empty home."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.commands import Ran, Run, ran


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and a working folder without a `.env`."""
    for name in ("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("THEACT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def run(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command; `lines` are its standard input."""

    def run_command(*arguments: str, lines: str = "") -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        return ran(capsys, *arguments)

    return run_command


@pytest.fixture
def played(run: Run) -> Run:
    """A save `one` of three turns of the lost island."""
    done = run(
        "play",
        "lost-island",
        "--save",
        "one",
        "--seed",
        "7",
        "--player",
        "Alex",
        lines="I look.\nI wait.\nGo on.\n",
    )
    assert done.code == 0, done.err
    return run
