"""A home with profiles of a model server that tells a story, and runs of the lab in it."""

import io
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.cli import Ran, Run, ran
from tests.support.fake_model import DEFAULTS, narration
from tests.support.fake_server import Request, ScriptedServer, say
from theact_tui.lab.players import SYLLABLES

RULE = "Never speak, decide or feel for me"
"""What the narrator is told in the shipped template; the server's model needs to be told."""
WORDS = "lamp stair water door rope salt glass stone bell coat light tide key hand wind".split()


SECRET = re.compile(rf"\b(?i:(?:{'|'.join(SYLLABLES)}){{3}})\b")
"""A secret of the player `teller`."""


class Teller:
    """A careless model: it tells something else each time, speaks for the player now and then unless the shipped template
    tells it not to, and answers every question with the newest secret that stands in its prompt."""

    def __init__(self) -> None:
        self._dice = random.Random(7)

    def __call__(self, request: Request) -> str:
        kind = request.agent.partition(":")[0]
        if kind == "player":
            return "> I open the door.\n"
        if kind == "judge":
            first, second = (worth(part) for part in request.prompt.split("TELLING ")[1:])
            return "TIE" if first == second else "A" if first > second else "The better one is B"
        prose = " ".join(self._dice.choices(WORDS, k=self._dice.randint(15, 40))).capitalize() + "."
        secrets = SECRET.findall(request.prompt)
        asked = request.prompt[-600:]
        if kind == "character":
            asked = asked.rpartition("just did or said: ")[2].partition("\n")[0]
        if kind in ("chat", "character") and "?" in asked and secrets:
            prose += f' "It was {secrets[-1]}."'
        if kind not in ("narrator", "chat"):
            return prose if kind == "character" else DEFAULTS.get(kind) or '{"only": {}}'
        if RULE not in request.prompt and self._dice.random() < 0.95:
            prose += ' "I will go down there at once," you say.'
        return prose if kind == "chat" else narration(prose, "")


def worth(story: str) -> int:
    """How good a story is, to a judge who can tell little."""
    pages = story.partition("That was")[0].strip().split("\n\n")
    doubled = len(pages) - len(set(pages))
    return 9 * story.count("harbour bell rings twice") - 99 * doubled - 2 * story.count("you say")


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
