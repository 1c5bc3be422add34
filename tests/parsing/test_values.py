"""What looks like an instruction and is none, and the other way round."""

import json

import pytest

from theact_tui.parsing import parse
from theact_tui.parsing.no_answer import is_instruction

REMEMBERED = (
    "Pip is one of the thieves.",
    "I never speak of the oil.",
    "Rolf will return the knife.",
    "Pip was the first person to see the boat.",
    "Do not use the north stair, and never write in the logbook.",
)


@pytest.mark.parametrize("text", REMEMBERED)
def test_what_somebody_remembers_is_no_instruction(text: str) -> None:
    assert not is_instruction(text)
    assert parse("cell", text).ok
    assert parse("reflection", json.dumps({"want": text})).ok


@pytest.mark.parametrize(
    "text",
    ["Write narration in second person, present tense.", "3 to 5 sentences", "Return only the yaml block."],
)
def test_an_instruction_is_no_answer(text: str) -> None:
    assert is_instruction(text)
    assert not parse("reflection", json.dumps({"want": text})).ok
