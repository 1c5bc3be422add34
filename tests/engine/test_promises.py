"""What must hold however a model, the player or the program itself behaves: one promise, one test."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.fake_model import Scripted, Stage, Ticking, beat_form, learnt, narration, stage
from tests.support.waiting import passes, until
from theact_tui.engine.after_turn.post_turn import PostTurn
from theact_tui.engine.bus import Bus
from theact_tui.engine.commands import run_command
from theact_tui.engine.events import (
    CharacterToken,
    Event,
    NarrationToken,
    Notice,
    TurnSaved,
)
from theact_tui.engine.open_sessions import open_session
from theact_tui.errors import CallError, SaveError, UsageError
from theact_tui.models.model import Piece, Request
from theact_tui.saves.save import Save
from theact_tui.story.edits import hold, set_entry_text
from theact_tui.story.game import Game
from theact_tui.story.memory import FactsMemory

EVIL = "The \x1b]0;owned\x07lamp\x9b31m goes \u202eout\u2066, \x00quietly."
FORBIDDEN = set("\x00\x07\x1b\x9b\u202e\u2066")


async def test_a_mistake_of_the_program_after_a_turn_does_not_cost_the_turn(
    play: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(after: PostTurn) -> Game:
        raise RuntimeError("a mistake")

    with monkeypatch.context() as mistake:
        mistake.setattr(PostTurn, "run", broken)
        await play.turn("I go down.")
    state = play.game.state
    assert state.turn == 1 and play.session.phase == "idle"
    assert [(item.agent, item.character) for item in state.pending] == [
        ("memory", "ann"),
        ("memory", "bob"),
        ("progress", None),
    ]
    assert [notice.level for notice in play.of(Notice)] == ["error"]
    await play.turn("I go on.")
    assert play.game.state.pending == ()
    assert "I go down." in play.model.prompts("memory:bob")[0]


async def test_who_is_waited_for_is_not_put_off_again(play: Stage) -> None:
    """An input sent at once may put off what has not begun, but nobody who already misses the turn before."""
    play.model.answers["memory:ann"] = CallError("refused", "Nothing answers there.")
    await play.turn("I go down.")
    assert [item.turn for item in play.game.state.pending] == [1]
    play.model.answers.pop("memory:ann")
    play.model.max_parallel = 1
    play.model.gates["progress"] = asyncio.Event()
    await play.session.play("I go further.")
    following = asyncio.create_task(play.session.play("And further."))
    await until(lambda: "progress" in play.model.called()[6:])
    await passes(20)
    play.model.gates.pop("progress").set()
    await following
    lagging = {item.turn for item in play.game.state.pending if item.character == "ann"}
    assert lagging == set()
    await play.session.settle()


async def test_nothing_a_model_writes_can_reach_the_terminal_as_a_command(play: Stage) -> None:
    play.model.answers |= {
        "narrator": narration(EVIL, "ann", present="ann, bob"),
        "character": f"I see. {EVIL}",
        "memory": learnt(EVIL),
    }
    await play.turn("I look.")
    turn = play.game.turns[1]
    memory = play.game.memories["ann"]
    assert isinstance(memory, FactsMemory)
    texts = [*(entry.text for entry in turn.entries), *(fact.text for fact in memory.key_facts)]
    assert len(texts) == 4
    live = [event.text for event in play.events if isinstance(event, NarrationToken | CharacterToken)]
    assert "lamp" in "".join(live)
    for text in [*texts, *live, *map(Event.to_json, play.events)]:
        assert not FORBIDDEN & set(text), text


async def test_a_change_by_hand_waits_on_its_branch_and_is_told_in_one_turn_alone(play: Stage) -> None:
    session = play.session
    await session.branch_at("aside")
    await session.edit(hold, ["bob"], here=False)
    await session.switch("aside")
    assert session.game.state.present == ("ann", "bob")
    await session.switch("main")
    assert list(session.game.state.present) == ["ann"]
    await play.turn("I go down.")
    await session.edit_turn(1, set_entry_text, 0, "The lamp goes out.")
    newest = await session.run(session.save.log, 1)
    assert newest[0].kind == "edit" and "turn 1" in newest[0].line and "Bob" not in newest[0].line


async def test_undo_takes_back_an_edit_of_a_text_first_and_redo_makes_it_again(play: Stage) -> None:
    session = play.session

    async def narration() -> str:
        return (await session.turns(1, 1))[0].narration

    await play.turn("I go down.", "I look.")
    told, before = await narration(), session.game
    await session.edit(hold, ["bob"], here=False)
    for text in ("The lamp goes out.", "The lamp sings."):
        await session.edit_turn(1, set_entry_text, 0, text)
    said = await run_command(session, "/undo")
    assert "edit" in said.text
    assert (await narration(), session.game.state.turn) == ("The lamp goes out.", 2)
    await run_command(session, "/undo")
    assert await narration() == told and session.game.state.edited == before.state.edited
    assert "bob" not in session.game.state.present, "what was changed before stays"
    for text in ("The lamp goes out.", "The lamp sings."):
        await run_command(session, "/redo")
        assert await narration() == text
    with pytest.raises(UsageError, match="nothing to redo"):
        await run_command(session, "/redo")
    await run_command(session, "/undo 1")
    assert session.game.state.turn == 1, "a number counts turns"


async def test_a_story_that_is_open_elsewhere_can_be_read_and_nothing_else(play: Stage) -> None:
    await play.turn("I go down.")
    reader = await open_session(
        play.session.folder, lambda pack, seed: play.model, Bus(Ticking()), write=False
    )
    asked = len(play.model.asked)
    moves = (
        reader.play("Me, too."),
        reader.retry(),
        reader.undo(),
        reader.edit(hold, ["bob"], here=True),
        reader.switch("main"),
    )
    for move in moves:
        with pytest.raises(UsageError, match="another window"):
            await move
    assert len(await reader.turns(1, 1)) == 1
    await reader.close()
    assert len(play.model.asked) == asked and play.game.state.turn == 1


async def test_nothing_moves_before_it_is_known_what_was_changed_by_hand(
    play: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    await play.session.close()
    looked = threading.Event()
    monkeypatch.setattr(Save, "foreign_edits", property(lambda save: looked.wait(20) and ()))
    again = await play.reopened()
    turn = asyncio.create_task(again.session.play("I go on."))
    await passes(50)
    assert play.model.asked == []
    looked.set()
    assert await turn is not None


class Distant(Scripted):
    """A model whose server takes its time to be reached."""

    reached: asyncio.Event
    closed = False

    async def probe(self) -> tuple[str, ...]:
        await self.reached.wait()
        return ("It is far away.",)

    async def close(self) -> None:
        self.closed = True


async def test_a_turn_waits_until_the_models_are_reached_and_they_are_let_go_at_the_end(
    tmp_path: Path,
) -> None:
    model = Distant()
    model.reached = asyncio.Event()
    play = await stage(tmp_path, model)
    await play.session.edits_scanned()
    turn = asyncio.create_task(play.session.play("I go down."))
    await passes(50)
    assert model.asked == []
    model.reached.set()
    assert await turn is not None
    assert "It is far away." in [event.text for event in play.of(Notice)]
    await play.session.close()
    assert model.closed


async def test_a_turn_that_could_not_be_saved_is_saved_before_the_next_is_told(
    play: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(save: Save[Game], *args: object) -> str:
        raise SaveError("The disk is full.")

    with monkeypatch.context() as disk:
        disk.setattr(Save, "commit", full)
        await play.session.play("I go down.")
        await until(lambda: play.session.phase == "idle")
        with pytest.raises(SaveError, match="full"):
            await play.session.settle()
    assert "The disk is full." in play.of(Notice)[0].text
    await play.turn("I go on.")
    assert [turn.player_text for turn in await play.session.turns(1, 9)] == ["I go down.", "I go on."]


class Endless(Scripted):
    """Writes a memory without end; `written` counts its characters."""

    written = 0

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        if ask.agent != "memory":
            async for piece in super().stream(ask):
                yield piece
            return
        while self.written < 1_000_000:
            self.written += 1_000
            yield Piece(text=f"{self.written} is a number. " * 50)


async def test_a_reply_without_end_is_ended(tmp_path: Path) -> None:
    model = Endless()
    play = await stage(tmp_path, model)
    await play.turn("I go down.")
    assert model.written < 200_000 and play.game.state.turn == 1


async def test_a_recap_does_not_keep_the_player_waiting(play: Stage) -> None:
    play.model.answers["progress"] = beat_form(4, complete=True)
    await play.mark(1, 2)
    play.model.gates["progress"] = asyncio.Event()
    await play.session.play("I go down.")
    play.model.answers["recap"] = CallError("refused", "Nobody may be asked for a recap now.")
    following = asyncio.create_task(play.session.play("I go further."))
    await passes(50)
    play.model.gates.pop("progress").set()
    await until(lambda: play.of(TurnSaved))
    assert "recap" not in play.model.called()
    play.model.answers.pop("recap")
    play.model.answers.pop("progress")
    assert await following is not None
    await play.session.settle()
    assert [recap.chapter for recap in play.game.recaps] == ["one"]
