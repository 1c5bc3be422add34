"""A valid pack to break in every way."""

from collections.abc import Callable
from pathlib import Path

import pytest

from theact_tui.packs.library import create_pack

Edit = Callable[[str, str, str], None]


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """The folder of a pack without a fault; its id is `halfway`."""
    return create_pack(tmp_path / "packs", "halfway")


@pytest.fixture
def edit(pack: Path) -> Edit:
    """Replaces a text that occurs in a file of the pack."""

    def replace(file: str, old: str, new: str) -> None:
        text = (pack / file).read_text("utf-8")
        assert old in text
        (pack / file).write_text(text.replace(old, new, 1), "utf-8")

    return replace
