"""Turns of earlier versions are shown to nobody more than before."""

from __future__ import annotations

from typing import Any

import pytest

from theact_tui.saves.old_turns import upgraded, upgraded_state
from theact_tui.story.turn import TURN_FORMAT, Ruling, Turn
from theact_tui.story.viewpoints import witnessed

LINE = 'I nod. "Maya, the key (I hope nobody hears) is under the mat." Then I leave.'
PAGE = '"Hush," says Maya. She turns.\n\nBen looks up. "What?"'


def shown(line: str, heard: dict[str, Any], **more: Any) -> list[str]:
    """What a witness called Ben is shown of a turn that an earlier version stored."""
    entries = [
        {"role": "narrator", "text": PAGE},
        {"role": "player", "text": line},
        {"role": "character", "character": "maya", "text": 'Maya nods. "Yes," she says.'},
    ]
    data = {"number": 1, "chapter": "one", "entries": entries, "witnesses": ["maya", "ben"], **more}
    turn = Turn.model_validate(upgraded({**data, "heard": {"ben": heard}}))
    return [entry.text for entry in witnessed(turn, "ben").entries]


@pytest.mark.parametrize(
    ("heard", "expected"),
    [
        ({"page": [{"at": 1}]}, ['Ben looks up. "What?"', 'Maya nods. "Yes," she says.']),
        ({"page": [{"at": 0, "speech": [0, 0]}], "replies": False}, ["says Maya. She turns."]),
        ({"page": [], "acts_of": ["maya"]}, ["Maya nods. … she says."]),
        ({"page": [], "deaf": [0]}, []),
        ({"start": 2}, ['Ben looks up. "What?"', 'Maya nods. "Yes," she says.']),
        ({"end": 1}, ['"Hush," says Maya.']),
    ],
)
def test_parts_of_page_and_replies_stay_what_they_were(heard: dict[str, Any], expected: list[str]) -> None:
    _, *rest = shown("Hm.", heard)
    assert [" ".join(text.split()) for text in rest] == expected


@pytest.mark.parametrize("heard", [{"said": []}, {"line": False}, {"said": [0]}])
@pytest.mark.parametrize("line", [LINE, "→ Maya: the key (I hope nobody hears) is under the mat."])
def test_an_aside_inside_a_sentence_shows_nobody_the_line(line: str, heard: dict[str, Any]) -> None:
    if heard == {"said": [0]} and line != LINE:
        return
    assert "mat" not in " ".join(shown(line, heard))


def test_a_turn_of_today_is_left_as_it_is() -> None:
    data = {"format": 2, "number": 1, "heard": {"ben": {"missed": ["1"]}}}
    assert upgraded(data) is data


@pytest.mark.parametrize("stored", [{"format": 1}, {"format": TURN_FORMAT}])
def test_a_moment_of_the_dice_and_a_failed_form_are_todays(stored: dict[str, Any]) -> None:
    ruling = {"resolution": "You fall.", "roll": 3, "moment": {"turn": 1, "summary": "a fall"}}
    stage = {"here": ["ben"], "by": "fallback" if stored["format"] == 1 else "form"}
    data = {"number": 1, "chapter": "one", "ruling": ruling, "stage": stage, **stored}
    turn = Turn.model_validate(upgraded(data))
    assert turn.ruling == Ruling(resolution="You fall.", roll=3)
    assert turn.stage and (turn.stage.by, turn.stage.here) == ("form", ("ben",))


def test_beats_told_early_are_a_field_no_more() -> None:
    assert upgraded_state({"chapter": "one", "told_early": ["The lamp is lit"]}) == {"chapter": "one"}
