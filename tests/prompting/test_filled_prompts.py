"""What is sent to models, word for word: `python -m tests.support.filled_prompts` writes the files anew."""

from __future__ import annotations

from tests.support.filled_prompts import FOLDER, filled_prompts
from theact_tui.agents.prompts import TEMPLATES


def test_the_filled_prompts_are_those_in_the_repository() -> None:
    stored = {file.name: file.read_text("utf-8") for file in FOLDER.glob("*.txt")}
    assert filled_prompts() == stored, (
        "if the change of words is meant: python -m tests.support.filled_prompts"
    )
    parts = {"system", "clerk"}
    assert TEMPLATES.keys() - parts <= {name.removesuffix(".txt") for name in stored}
