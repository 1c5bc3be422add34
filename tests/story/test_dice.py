"""S5.4: which lines of the player are attempts that dice decide."""

from __future__ import annotations

import pytest

from theact_tui.story.dice import is_risky
from theact_tui.story.pack import GameInfo

GAME = GameInfo(
    id="a",
    title="A",
    description="",
    characters=("x",),
    chapters=("y",),
    risky_words=("barter", "save", "ring", "race"),
)


@pytest.mark.parametrize(
    "text",
    [
        "I climb the wall",
        "Can I climb the wall?",
        "Where is the rope? I climb down.",
        'I try to persuade Odo: "Let us go."',
        "Carefully, climb the ladder",
        "Then, climb the ladder",
        "I ask him to wait. I jump!",
        "I ask him to wait, then climb the wall",
        "bartering with the old man",
        "I won't wait. I jump!",
        "When the guard looks away I climb over the wall",
        "Where the white turns grey I try to race across",
        "I walk across the narrow ledge",
        "I lie to the guard",
        "I am lying to him",
        "I calm the mule",
        "I ring the bell",
        "I ask him where the key is, and climb the wall",
        "I steal the key: nobody is looking",
        "I ask him where the key is and climb the wall",
        "I tell them who I am and attack",
        "I do this: climb the wall",
        "I take a breath and do it: jump!",
    ],
)
def test_an_attempt_is_a_matter_for_dice(text: str) -> None:
    assert is_risky(text, GAME)


@pytest.mark.parametrize(
    "text",
    [
        "Why do you hide your face?",
        "why do you hide your face",
        "Imke, did you steal it?",
        "Should we hide?",
        "How about I grab it",
        'I say "don\'t climb"',
        "Imke, throw me the rope!",
        "I don't attack",
        "I ask him to ring the bell and to climb the wall",
        "I tell Maya to jump",
        "I look around",
        "I lie down on the sand and sleep",
        "I look at the climbing rope",
        "I save my questions for later",
        "We should not attack anyone",
        "I calm down and breathe",
        "My ring finger hurts",
        "when will we climb the wall",
        "I can't climb that",
        "I ask Imke what her father was called, and whether she forgives me for hiding the sand",
        "I tell them aloud: a sword could ring her",
        "I tell Maya that I have stolen the key",
        "I ask Maya whether we should run and hide",
        "I ask what she saw and how to climb down",
        "I shout: jump!",
        "I turn to Old Maya: hide the key",
        "To Maya, under my breath: hide the key",
    ],
)
def test_what_is_asked_said_or_refused_is_not(text: str) -> None:
    assert not is_risky(text, GAME)
