"""What must hold however a model, the player or the program itself behaves: one promise, one test."""

from __future__ import annotations

import asyncio

import pytest

from tests.engine.scripted import Stage, narration
from theact_tui.engine.after import After
from theact_tui.engine.events import (
    CharacterToken,
    Event,
    NarrationFinished,
    NarrationToken,
    Notice,
)
from theact_tui.errors import CallError
from theact_tui.story.game import Game
from theact_tui.story.memory import FactsMemory

EVIL = "The \x1b]0;owned\x07lamp\x9b31m goes \u202eout\u2066, \x00quietly."
FORBIDDEN = set("\x00\x07\x1b\x9b\u202e\u2066")


async def test_a_mistake_of_the_program_after_a_turn_does_not_cost_the_turn(
    play: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(after: After) -> Game:
        raise RuntimeError("a mistake")

    with monkeypatch.context() as mistake:
        mistake.setattr(After, "run", broken)
        await play.turn("I go down.")
    state = play.session.game.state
    assert state.turn == 1 and play.session.phase == "idle"
    assert [(item.agent, item.character) for item in state.pending] == [
        ("memory", "ann"),
        ("memory", "bob"),
        ("progress", None),
    ]
    assert [notice.level for notice in play.of(Notice) if isinstance(notice, Notice)] == ["error"]
    await play.turn("I go on.")
    assert play.session.game.state.pending == ()
    assert "I go down." in play.model.prompts("memory:bob")[0]


async def test_who_is_waited_for_is_not_put_off_again(play: Stage) -> None:
    """An input sent at once may put off what has not begun, but nobody who already misses the turn before."""
    play.model.answers["memory:ann"] = CallError("refused", "Nothing answers there.")
    await play.turn("I go down.")
    assert [item.turn for item in play.session.game.state.pending] == [1]
    play.model.answers.pop("memory:ann")
    play.model.max_parallel = 1
    play.model.gates["progress"] = asyncio.Event()
    await play.session.play("I go further.")
    following = asyncio.create_task(play.session.play("And further."))
    while "progress" not in play.model.called()[6:]:
        await asyncio.sleep(0)
    for _ in range(20):
        await asyncio.sleep(0)
    play.model.gates.pop("progress").set()
    await following
    lagging = {item.turn for item in play.session.game.state.pending if item.character == "ann"}
    assert lagging == set()
    await play.session.settle()


async def test_who_answers_is_on_stage(play: Stage) -> None:
    play.model.answers["narrator"] = narration("Wind.", "bob", present="ann")
    await play.turn("I shout.")
    told = [event for event in play.events if isinstance(event, NarrationFinished)]
    assert told[-1].present == ("ann", "bob") == play.session.game.state.present


async def test_nothing_a_model_writes_can_reach_the_terminal_as_a_command(play: Stage) -> None:
    play.model.answers |= {
        "narrator": narration(EVIL, "ann", present="ann, bob"),
        "character": f"I see. {EVIL}",
        "memory": f"summary: |\n  {EVIL}\nadd:\n  - |\n    {EVIL}\n",
    }
    await play.turn("I look.")
    turn = play.session.game.turns[1]
    memory = play.session.game.memories["ann"]
    assert isinstance(memory, FactsMemory)
    texts = [*(entry.text for entry in turn.entries), memory.summary, *(f.text for f in memory.key_facts)]
    assert len(texts) == 5
    live = [event.text for event in play.events if isinstance(event, NarrationToken | CharacterToken)]
    assert "lamp" in "".join(live)
    for text in [*texts, *live, *map(Event.to_json, play.events)]:
        assert not FORBIDDEN & set(text), text


async def test_what_was_changed_by_hand_waits_on_the_branch_where_it_was_changed(play: Stage) -> None:
    session = play.session
    await play.turn("I go down.")
    await session.branch_at("aside")
    await session.send_away("bob")
    await session.switch("aside")
    assert session.game.state.present == ("ann", "bob")
    await session.switch("main")
    assert list(session.game.state.present) == ["ann"]


async def test_a_change_that_went_into_a_turn_is_not_told_again_in_the_next_edit(play: Stage) -> None:
    session = play.session
    await session.send_away("bob")
    await play.turn("I go down.")
    await session.edit_entry(1, 0, "The lamp goes out.")
    newest = await session.run(session.save.log, 1)
    assert newest[0].kind == "edit" and "turn 1" in newest[0].line and "Bob" not in newest[0].line
