"""Saves that 0.1.0 itself wrote open in every later version: one of each mode, as `export --format save` packs it."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.cli import ran

WRITTEN = Path(__file__).parent / "written_by_0_1_0"


def imported(name: str, home: Path, capsys: pytest.CaptureFixture[str]) -> str:
    made = ran(capsys, "import", str(WRITTEN / f"{name}.theact"), "--home", str(home), "--json")
    assert made.code == 0 and not made.json["left_out"], made.err
    return str(made.json["save"])


def test_a_played_story_opens_and_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = ("--home", str(tmp_path / "home"))
    save = imported("play", tmp_path / "home", capsys)
    shown: dict[str, Any] = ran(capsys, "show", save, *home, "--json").json
    assert shown["turn"] == 12 and shown["chapter"]["id"] == "01-the-crash"
    assert any(beat["hit"] for beat in shown["beats"])
    assert ran(capsys, "export", save, *home, "--to", str(tmp_path / "book.md")).code == 0
    assert "# The Lost Island" in (tmp_path / "book.md").read_text("utf-8")
    lines = tmp_path / "lines.txt"
    lines.write_text("I look at the sea.\n", "utf-8")
    played = ran(capsys, "play", "lost-island", "--save", save, "--offline", "--inputs", str(lines), *home)
    assert played.code == 0, played.err
    assert ran(capsys, "show", save, *home, "--json").json["turn"] == 13


def test_a_directed_chapter_opens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save = imported("directed", tmp_path, capsys)
    shown = ran(capsys, "direct", "show", save, "--home", str(tmp_path), "--json").json
    assert len(shown["drafts"]) == 1 and len(shown["events"]) >= 4
