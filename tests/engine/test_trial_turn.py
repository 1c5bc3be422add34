"""A turn that is told to see whether a model is good enough."""

from __future__ import annotations

from typing import cast

import pytest

from tests.support.fake_model import Answer, Scripted
from tests.support.pilot import offline
from theact_tui.engine.session import ModelsFor
from theact_tui.engine.trial_turn import try_turn
from theact_tui.errors import CallError


async def test_who_plays_by_the_rules_has_no_faults() -> None:
    trial = await try_turn(cast(ModelsFor, offline))
    assert trial.faults == () and trial.told.startswith("a page of ")


@pytest.mark.parametrize(
    ("answers", "fault"),
    [
        ({"narrator": "Ready."}, "Its page has only 1 word."),
        ({"stage": "Ready."}, "It did not say who answers."),
        ({"narrator": CallError("refused", "Nothing answers there.")}, "Nothing answers there."),
    ],
)
async def test_what_is_not_good_enough_is_named(answers: dict[str, Answer], fault: str) -> None:
    trial = await try_turn(lambda pack, seed: Scripted(answers=answers))
    assert any(fault in told for told in trial.faults), trial
