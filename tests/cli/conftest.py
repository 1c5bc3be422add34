"""Running commands in an empty home, or in one with a story."""

import io
import shutil
from pathlib import Path

import pytest

from tests.support.cli import Ran, Run, ran
from theact_tui.cli import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and a working folder without a `.env`."""
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


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a save `one` of three turns of the lost island, told once; its tests have copies."""
    home = tmp_path_factory.mktemp("told")
    story = ["lost-island", "--save", "one", "--seed", "7", "--player", "Alex", "--offline"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", io.StringIO("I look.\nI wait.\nGo on.\n"))
        assert main(["play", *story, "--home", str(home)]) == 0
    return home


@pytest.fixture
def played(run: Run, told: Path, home: Path) -> Run:
    """A home with that save."""
    shutil.copytree(told, home, symlinks=True)
    return run
