"""Packs that are far too large, or were made to keep the program busy, are refused with a sentence and at once."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from theact_tui.packs.library import create_pack
from theact_tui.packs.loader import check_pack

CPU_SECONDS = 5.0
"""Far more than it takes (half a second at most), far less than what has no limit."""


def _beats(pack: Path) -> None:
    lines = "".join(f"  - beat number {number}\n" for number in range(16_000))
    text = "id: 01-the-platform\ntitle: T\nsummary: S\ncompletion: C\ncharacters: []\nnext: null\nbeats:\n"
    (pack / "chapters/01-the-platform.yaml").write_text(text + lines, "utf-8")


def _unknown_fields(pack: Path) -> None:
    with (pack / "world.yaml").open("a", encoding="utf-8") as world:
        world.write("".join(f"settinq{number}: x\n" for number in range(20_000)))


def _files_not_listed(pack: Path) -> None:
    for number in range(1_500):
        (pack / f"chapters/c{number}.yaml").write_text("id: x\n", "utf-8")


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (_beats, "a chapter may have 60"),
        (_unknown_fields, "unknown field 'settinq0'"),
        (_files_not_listed, "more than 200 chapters"),
    ],
)
def test_a_pack_made_to_keep_the_program_busy_is_refused(
    spoil: Callable[[Path], None], says: str, tmp_path: Path
) -> None:
    pack = create_pack(tmp_path, "busy")
    spoil(pack)
    began = time.process_time()
    findings = check_pack(pack)
    assert time.process_time() - began < CPU_SECONDS
    assert any(says in finding.message for finding in findings)
    assert len(findings) <= 101
