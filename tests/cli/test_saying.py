"""S13: whatever a save made elsewhere holds, the command line prints it as text."""

import json
import re
import shutil
import unicodedata
from pathlib import Path

import pytest

import theact_tui
from tests.support.cli import Run
from theact_tui.cli import main

pytestmark = pytest.mark.xdist_group("saying")  # what its tests share is made once
STEERING = "A\x1b]0;owned\x07 \x1b[2Jb \u202ec \x9bd\x00"
QUOTED = json.dumps(STEERING)
TURNING = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")


def is_tame(text: str) -> bool:
    """No sign in `text` acts in a terminal, but for the end of a line."""
    return not TURNING & set(text) and all(
        sign == "\n" or unicodedata.category(sign) not in ("Cc", "Cs") for sign in text
    )


def _hostile(found: re.Match[str]) -> str:
    return f"{found[1]} {QUOTED}\n"


@pytest.fixture(scope="module")
def steering(told: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a story whose every name and some of whose words steer a terminal, as one from elsewhere may."""
    home = tmp_path_factory.mktemp("steering") / "home"
    shutil.copytree(told, home, symlinks=True)
    save = home / "saves" / "one"
    for file, key in (
        ("save.yaml", "title"),
        ("save.yaml", "  name"),
        ("pack/game.yaml", "title"),
        ("pack/characters/maya.yaml", "name"),
        ("pack/chapters/01-the-crash.yaml", "title"),
        ("turns/0000/03.yaml", "    text"),
        ("memory/maya.yaml", "summary"),
    ):
        text = re.sub(
            rf"(?m)^({key}:) ?(?:\|-?\n(?: +.*\n|\n)*|.*\n)", _hostile, (save / file).read_text(), count=1
        )
        assert QUOTED in text
        (save / file).write_text(text)
    assert main(["edits", "one", "--adopt", "--home", str(home)]) == 0
    return home


@pytest.fixture
def hostile(steering: Path, run: Run, home: Path) -> Run:
    """A copy of that home."""
    shutil.copytree(steering, home, symlinks=True)
    return run


@pytest.mark.parametrize(
    "command",
    ["saves", "show one", "log one", "branches one", "compare one main main@1", "prompts one --turn 3", "calls one",
     "undo one", "export one", "edits one", "switch one nowhere", "check \x1b[2J", "import \x1b[2J.theact"],
)  # fmt: skip
def test_commands_print_no_sign_that_steers(hostile: Run, command: str) -> None:
    for form in ((), ("--json",)):
        done = hostile(*command.split(" "), *form)
        assert is_tame(done.out) and is_tame(done.err) and (done.out or done.err)


def test_json_says_exactly_what_is_there(hostile: Run) -> None:
    shown = hostile("show", "one", "--json").json
    assert shown["chapter"]["title"] == STEERING
    assert STEERING in [entry["text"] for entry in shown["entries"]]


def test_playing_on_prints_no_sign_that_steers(hostile: Run) -> None:
    lines = "I call out to Maya.\n/status\n/memory\n/history\n"
    for more in ((), ("--events",)):
        done = hostile("play", "lost-island", "--save", "one", *more, lines=lines)
        assert done.code == 0 and is_tame(done.out) and is_tame(done.err)


def test_nothing_else_prints() -> None:
    folder = Path(theact_tui.__file__).parent / "cli"
    others = [file for file in folder.glob("*.py") if file.name != "context.py"]
    assert others and not [file.name for file in others if "click.echo" in file.read_text()]
