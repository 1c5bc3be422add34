"""The list of heads: where every branch was put, only needed when a commit is lost one day (S9)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from theact_tui.saves.disk import replace_file
from theact_tui.saves.objects import is_id

LINES = 2_000
"""Lines that are kept."""


def note_head(git: Path, branch: str, commit: str) -> None:
    """Write down that the branch was put to `commit`. Only needed when that commit is lost one day."""
    with (git / "theact" / "heads").open("a", encoding="utf-8") as file:
        file.write(f"{commit} {branch}\n")


def noted_heads(git: Path, branch: str) -> Iterator[str]:
    """Where the branch was, newest first."""
    for line in reversed(_head_lines(git)):
        commit, _, name = line.partition(" ")
        if name == branch and is_id(commit):
            yield commit


def trim_heads(git: Path) -> None:
    """Keep the list of heads short."""
    lines = _head_lines(git)
    if len(lines) > LINES:
        replace_file(git / "theact" / "heads", "".join(f"{line}\n" for line in lines[-LINES // 2 :]).encode())


def _head_lines(git: Path) -> list[str]:
    try:
        return (git / "theact" / "heads").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
