"""`--log FILE`: what happened, without keys and without prose."""

import logging
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from theact_tui import cli
from theact_tui.cli import main


@pytest.fixture(autouse=True)
def _own_handlers() -> Iterator[None]:
    logger = logging.getLogger("theact_tui")
    before, level = list(logger.handlers), logger.level
    yield
    for handler in set(logger.handlers) - set(before):
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(level)


@pytest.mark.posix("file modes")
def test_a_turn_is_logged_without_its_prose_and_without_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_API_KEY", "sk-very-secret-1234567890")
    log, inputs = tmp_path / "debug.log", tmp_path / "inputs.txt"
    inputs.write_text("I look at the zebrafish sk-very-secret-1234567890.\n", "utf-8")
    home = str(tmp_path / "home")
    assert (
        main(["--log", str(log), "play", "lost-island", "--offline", "--home", home, "--inputs", str(inputs)])
        == 0
    )
    logging.getLogger("theact_tui").error("refused sk-very-secret-1234567890")
    text = log.read_text("utf-8")
    assert "turn_saved" in text and "turn=1" in text and "refused [key]" in text
    assert "zebrafish" not in text and "very-secret" not in text
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_log_that_another_window_writes_too_grows_where_windows_renames_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(13, "in use")

    monkeypatch.setattr(cli, "MAX_LOG", 100)
    monkeypatch.setattr(os, "replace", refused)
    monkeypatch.setattr(os, "rename", refused)
    assert main(["--log", str(tmp_path / "log"), "packs", "--home", str(tmp_path)]) == 0
    for number in range(9):
        logging.getLogger("theact_tui").error("event %d of a long day", number)
    assert len((tmp_path / "log").read_text("utf-8").splitlines()) >= 9
    assert "Logging error" not in capsys.readouterr().err


def test_a_log_that_cannot_be_written_is_refused_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--log", str(tmp_path), "packs"]) == 2
    assert "cannot be written" in capsys.readouterr().err
