"""A line that was sent and is not told yet outlives the program, and is never sent by it (S3)."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.engine.conftest import reopened, settled
from tests.support.fake_model import Stage
from tests.support.saves import keep_sent
from tests.support.waiting import until
from theact_tui.engine.events import TurnStarted, UnsentFound
from theact_tui.errors import CallError, TurnError
from theact_tui.saves.note import Note
from theact_tui.saves.save import Save
from theact_tui.story.edits import hold
from theact_tui.story.typed import Typed, as_line, as_text


async def killed(play: Stage, telling: Coroutine[Any, Any, object], call: str) -> Stage:
    """The same save opened again after the program ended while `telling` waited for `call`."""
    return await play.killed(await play.held(call, telling))


def found(stage: Stage) -> list[str]:
    return [e.text for e in stage.of(UnsentFound)]


async def test_a_line_whose_telling_was_killed_is_found_until_it_is_forgotten_and_not_sent(
    play: Stage,
) -> None:
    await play.turn("I wait.")
    again = await killed(play, play.session.play("I go down."), "narrator")
    assert found(again) == ["I go down."]
    assert again.session.typed == Typed(sent="I go down.", branch="main", after=1)
    assert not again.of(TurnStarted) and again.game.state.turn == 1
    more = await reopened(again)
    assert found(more) == ["I go down."]
    more.session.keep_typed("")
    last = await reopened(more)
    assert found(last) == [] and last.session.typed == Typed()


async def test_a_line_that_waits_for_the_turn_before_is_found_after_it(play: Stage) -> None:
    play.model.gates["progress"] = asyncio.Event()
    await play.session.play("I wait.")
    task = asyncio.create_task(play.session.play("I go down."))
    await until(lambda: play.session.save.unfinished.typed().sent == "I go down.")
    again = await play.killed(task)
    assert found(again) == ["I go down."], "while the turn before is being finished"
    await again.session.settle()
    last = await reopened(again)
    assert last.game.state.turn == 1 and found(last) == ["I go down."]


async def test_other_words_for_the_last_turn_are_found_as_such(play: Stage) -> None:
    await play.turn("I wait.")
    again = await killed(play, play.session.retry("I run."), "narrator")
    assert found(again) == ["/retry I run."]
    await settled(again.session, again.session.retry("I run."))
    last = await reopened(again)
    assert found(last) == []


async def test_the_same_words_for_the_last_turn_need_not_be_kept(play: Stage) -> None:
    await play.turn("I wait.")
    again = await killed(play, play.session.retry(), "narrator")
    assert found(again) == []


async def test_a_line_whose_turn_failed_is_found_too_whatever_is_kept_by_hand_meanwhile(play: Stage) -> None:
    await play.turn("I wait.")
    await play.session.edit(hold, ["bob"], here=False)
    play.model.answers["narrator"] = CallError("refused", "Nobody answers.")
    with pytest.raises(TurnError):
        await play.session.play("I go down.")
    again = await reopened(play)
    assert found(again) == ["I go down."] and "bob" not in again.game.state.present


async def test_elsewhere_in_the_story_it_is_void(play: Stage) -> None:
    await play.turn("I wait.", "I go on.")
    again = await killed(play, play.session.play("I go down."), "narrator")
    await again.session.undo()
    last = await reopened(again)
    assert found(last) == []
    await last.session.redo()
    await last.session.close()
    with Save.open(last.session.folder) as save:
        assert save.unfinished.typed() == Typed(), "it was forgotten for good"


async def test_other_words_are_void_once_they_are_spoken(play: Stage) -> None:
    await play.turn("I wait.")
    play.model.gates["memory:ann"] = asyncio.Event()
    await play.session.retry("I run.")
    save = play.session.save
    await play.session.run(keep_sent, save, "/retry I run.")
    assert not save.unfinished.typed().sent, "as after a kill between the journal and the end of the line"
    play.model.gates.pop("memory:ann").set()


async def test_what_follows_another_turn_or_cannot_be_read_is_no_line(play: Stage) -> None:
    await play.session.close()
    with Save.open(play.session.folder) as save:
        line = keep_sent(save, "I go down.")
        assert save.unfinished.typed() == line
        note = Note(save.folder / ".git", "theact/typed.json", Typed)
        note.write(line.model_copy(update={"sent": "I \x1b[2Jgo."}))
        assert "\x1b" not in save.unfinished.typed().sent
        note.write(line.model_copy(update={"after": 7}))
        assert not save.unfinished.typed().sent
        note.write(line.model_copy(update={"branch": "other"}))
        assert not save.unfinished.typed().sent
        (save.private.root / "typed.json").write_text("{")
        assert not save.unfinished.typed().sent


@pytest.mark.parametrize("text", ["I go.", "/undo is what I whisper", "//two", "one\ntwo"])
def test_a_text_comes_back_as_the_line_that_gives_it(text: str) -> None:
    assert as_text(as_line(text)) == text
    assert as_line(text, again=True) == f"/retry {text}"
