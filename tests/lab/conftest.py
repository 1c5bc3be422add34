"""A home with profiles of a model server that tells a story, and runs of the lab in it."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.cli import Ran, Run, ran
from tests.support.fake_model import DEFAULTS, narration
from tests.support.fake_server import Request, ScriptedServer, say

RULE = "Never speak, choose or feel for"
"""What the narrator is told in the shipped template; the server's model needs to be told."""
WORDS = "lamp stair water door rope salt glass stone bell coat light tide key hand wind".split()


class Teller:
    """A model that tells something else each time, and speaks for the player now and then unless it is told not to."""

    def __init__(self) -> None:
        self._dice = random.Random(7)

    def __call__(self, request: Request) -> str:
        kind = request.agent.partition(":")[0]
        if kind == "player":
            return "> I open the door.\n"
        if kind == "judge":
            spoken = [part.count("you say") for part in request.prompt.split("TELLING ")[1:]]
            return (
                "TIE" if spoken[0] == spoken[1] else "A" if spoken[0] < spoken[1] else "The better one is B"
            )
        if kind != "narrator":
            return DEFAULTS[kind]
        prose = " ".join(self._dice.choices(WORDS, k=self._dice.randint(15, 40))).capitalize() + "."
        if RULE not in request.prompt and self._dice.random() < 0.7:
            prose += ' "I will go down there at once," you say.'
        return narration(prose, "")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(say(Teller())) as server:
        yield server


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command of the lab in a home of its own, `tmp_path / "home"`."""
    monkeypatch.setenv("THEACT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Ran:
        monkeypatch.setattr("sys.stdin", io.StringIO(""))
        return ran(capsys, "lab", *arguments)

    return run


@pytest.fixture
def profile(tmp_path: Path, server: ScriptedServer) -> str:
    """The name of a profile of that server."""
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text(
        f'[profiles.local]\nbase_url = "{server.url}"\nmodel = "scripted"\nmax_parallel = 4\n'
    )
    return "local"


@pytest.fixture
def templates(tmp_path: Path) -> Callable[[str, str], Path]:
    """Make a folder of prompts with a template of the narrator."""

    def make(name: str, narrator: str) -> Path:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "narrator.txt").write_text(narrator)
        return folder

    return make
