"""S12: closed streams, a full disk, an early ctrl-c: a command ends in one sentence and with its own exit code."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import Ran, Run

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
TALL = 2_000
"""Bytes that a file may have where the disk is as good as full."""


def shell(home: Path, command: str, *, full: bool = False) -> Ran:
    """A command line of a real shell, `$T` being the program; `full`: files cannot grow beyond `TALL` bytes."""
    limit = f"import resource as r; r.setrlimit(r.RLIMIT_FSIZE, ({TALL}, {TALL}))" if full else "pass"
    program = f'{sys.executable} -c "{limit}; from theact_tui.__main__ import main; main()"'
    done = subprocess.run(
        ["sh", "-c", command.replace("$T", program)],
        env={**os.environ, "THEACT_HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def told_home(told: Path, tmp_path: Path) -> Path:
    """A home with the save `one`."""
    return Path(shutil.copytree(told, tmp_path / "home", symlinks=True))


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("echo 'I wait.' | $T play lost-island --save one --offline >&-", 0),
        ("$T recover narrator <&-", 3),
        ("$T show nothing 2>&-", 2),
        ("$T show one --json <&- >&- 2>&-", 0),
    ],
)
def test_a_closed_stream_changes_no_exit_code(told_home: Path, command: str, code: int) -> None:
    done = shell(told_home, command)
    assert (done.code, "Traceback" in done.err) == (code, False), done.err


def test_what_is_left_in_memory_is_not_searched_at_the_end(tmp_path: Path) -> None:
    program = """
from theact_tui.__main__ import main
class Left:
    def __del__(self): print("searched")
left = Left()
left.itself = left
main()
"""
    command = [sys.executable, "-c", program, "--home", str(tmp_path), "packs"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "lost-island" in done.stdout and "searched" not in done.stdout


@pytest.mark.parametrize(("command", "code"), [("copy one two", 4), ("new-pack mine", 1), ("export one", 2)])
def test_a_full_disk_is_told_in_a_sentence_and_leaves_nothing_half_made(
    played: Run, home: Path, command: str, code: int
) -> None:
    done = shell(home, f"$T {command}", full=True)
    assert done.code == code and len(done.err.splitlines()) == 1 and len(done.err) < 250, done.err
    assert "[Errno" not in done.err and ("File too large" in done.err or "disk may be full" in done.err)
    assert [save["name"] for save in played("saves", "--json").json] == ["one"]
    assert "mine" not in played("packs").out
    assert played(*command.split()).code == 0, "with room again"


def test_a_pipe_is_utf_8_in_and_out_whatever_the_code_page(played: Run, home: Path) -> None:
    snow, play = "I see ☃ é.", "PYTHONIOENCODING=cp1252 $T play lost-island --save one --offline"
    told = shell(home, f"printf '\\357\\273\\277{snow}\\n' | {play}")
    assert told.code == 0 and "☃" in told.out
    assert played("show", "one", "--json").json["entries"][1]["text"] == snow


def test_a_line_in_another_encoding_is_refused_and_spoils_no_story(
    played: Run, home: Path, tmp_path: Path
) -> None:
    told = shell(home, "printf 'I see \\351.\\n' | $T play lost-island --save one --offline")
    assert told.code == 2 and "not UTF-8 text" in told.err
    for words, said in (
        (b"I see \xe9.\n", "not UTF-8 text"),
        (b"I look.\n\x7fELF\0\0", "it is not a text file."),
    ):
        (tmp_path / "lines").write_bytes(words)
        refused = played("play", "lost-island", "--save", "one", "--inputs", "lines")
        assert refused.code == 2 and refused.err.startswith("Cannot read lines: ") and said in refused.err
    assert played("show", "one", "--json").json["turn"] == 3


@pytest.mark.skipif(not hasattr(signal, "SIGINT"), reason="needs signals")
def test_ctrl_c_before_a_command_has_begun_leaves_quietly() -> None:
    interrupted = "type('', (), {'__getattr__': lambda *_: signal.raise_signal(2)})()"
    code = "import signal, sys; signal.signal(2, signal.default_int_handler)"  # a job in the background ignores it
    code += f"; sys.modules['theact_tui.cli'] = {interrupted}"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}; from theact_tui.__main__ import main; main()"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "")


def test_commands_that_are_suggested_name_the_home_that_was_given(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("THEACT_HOME")
    home = tmp_path / "my home"
    begun = f"theact-tui --home '{home}'"
    assert f"`{begun} packs`" in run("play", "nothing", "--home", str(home)).err
    assert f"`{begun} models`" in run("--home", str(home), "doctor", "--offline").out
    assert f"{begun} create " in run("create", "--home", str(home)).err
    assert run("direct", "new", "scene", "--home", str(home)).code == 0
    assert f"'{begun} direct lock'" in run("direct", "prompt", "scene", "1", "Go.", "--home", str(home)).err
    assert "--home" not in run("play", "nothing").err


def test_options_given_before_the_command_count(run: Run) -> None:
    nobody = ("--base-url", "http://127.0.0.1:9/v1", "--model", "m")
    assert run(*nobody, "play", "lost-island", "--save", "a", lines="I look.\n").code == 1
    assert run("--offline", "play", "lost-island", *nobody, "--save", "b", lines="I look.\n").code == 0
    assert run("--profile", "nobody", "models").code == 2


def test_what_counts_too_far_or_leads_in_a_circle_is_told(played: Run, tmp_path: Path) -> None:
    assert len(played("log", "one", "-n", str(10**30), "--json").json) == 4
    (tmp_path / "round").symlink_to("round")
    lost = played("lab", "run", "./round")
    assert lost.code == 2 and "no pack" in lost.err


def test_an_error_breaks_no_word_at_the_edge_of_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    said = run("show", "a-story-that-was-never-told").err
    monkeypatch.setattr("theact_tui.cli.context.is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "50")
    lines = run("show", "a-story-that-was-never-told").err.splitlines()
    assert len(lines) > 1 and max(map(len, lines)) <= 50 and " ".join(lines) == said.strip()


def test_doctor_says_each_finding_when_it_has_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object) -> object:
        raise OSError("the disk is gone")

    monkeypatch.setattr("theact_tui.cli.doctor.check_storage", late)
    done = run("doctor", "--offline")
    assert done.code == 1 and done.out.count("\n") >= 3 and "model" in done.out
