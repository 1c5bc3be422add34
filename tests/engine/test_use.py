"""Other models can take over while a story is open."""

import asyncio
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, stage
from tests.support.waiting import until
from theact_tui.engine.events import ModelsChanged
from theact_tui.errors import UsageError
from theact_tui.models.model import Models
from theact_tui.story.pack import Pack


async def test_the_next_turn_is_told_by_the_new_models_unless_they_cannot_be_had(tmp_path: Path) -> None:
    told = await stage(tmp_path, Scripted())

    def refused(pack: Pack, seed: int) -> Models:
        raise UsageError("No such profile.")

    with pytest.raises(UsageError, match="No such profile"):
        await told.session.use_models(refused)
    await told.turn("I wait.")
    assert told.session.model_name == "scripted"
    other = Scripted(name="org/other")
    asked = len(told.model.asked)
    await told.session.use_models(lambda pack, seed: other)
    await told.turn("I go on.")
    assert "narrator" in other.called() and len(told.model.asked) == asked
    assert told.session.model_name == "other"
    assert [event.model for event in told.of(ModelsChanged)] == ["org/other"]


@pytest.mark.posix("file modes")
async def test_models_do_not_change_in_the_middle_of_a_turn(tmp_path: Path) -> None:
    model = Scripted()
    told = await stage(tmp_path, model)
    gate = model.gates["narrator"] = asyncio.Event()
    turn = asyncio.create_task(told.session.play("I wait."))
    await until(lambda: told.session.phase == "narrating")
    with pytest.raises(UsageError, match="A turn is in progress"):
        await told.session.use_models(lambda pack, seed: Scripted(name="other"))
    gate.set()
    await turn
