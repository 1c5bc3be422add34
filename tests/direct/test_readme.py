"""The table of promises names tests that exist, and no test of a promise is missing in it."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent


def test_the_table_of_promises_is_true() -> None:
    named = set(re.findall(r"`(test_\w+)`", (HERE / "README.md").read_text(encoding="utf-8")))
    files = [*HERE.glob("test_*.py"), *(HERE.parent / "tui").glob("test_direct*.py")]
    sources = "\n".join(path.read_text(encoding="utf-8") for path in files)
    there = set(re.findall(r"def (test_\w+)\(", sources))
    assert named - there == set()
    assert {name for name in there if re.match(r"test_d\d", name)} - named == {
        "test_d2_text_from_outside_is_cleaned_before_it_is_kept"
    }
