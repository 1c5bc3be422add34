"""What the player decided before or after a turn holds in every take of it, however often it is told again."""

from collections.abc import Awaitable, Callable

import pytest

from tests.engine.conftest import reopened, settled
from tests.support.fake_model import Answer, Scripted, Stage, beat_form, learnt, narration
from theact_tui.engine.session import StorySession
from theact_tui.story import edits
from theact_tui.story.cast import add_character, newcomer
from theact_tui.story.game import Game
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import lines_of, with_lines

ANSWERS: dict[str, Answer] = {
    "narrator": narration("The lamp gutters on the stair.\n\nA rope is wet.\n\nA bell.", "ann"),
    "memory": learnt("The lamp gutters."),
    "progress": beat_form(),
}
Retry = Callable[[StorySession], Awaitable[object]]
RETRIES: dict[str, Retry] = {
    "the same line": lambda session: session.retry(),
    "another line": lambda session: session.retry("I wait."),
    "a direction": lambda session: session.retry(direction="Slower."),
    "one reply": lambda session: session.retry_reply(),
    "another model": lambda session: session.retry(
        agents=session.agents.with_models(Scripted(answers=ANSWERS))
    ),
}


@pytest.fixture
async def play(play: Stage) -> Stage:
    play.model.answers |= ANSWERS
    await play.turn("I go down.")
    return play


def join(game: Game, name: str) -> edits.Edit:
    return add_character(game, newcomer(game, name))


async def decide(session: StorySession) -> None:
    await session.edit(edits.pin_line, "ann", 0, pinned=True)
    await session.edit(edits.set_gate, "ann", False)
    await session.edit(edits.mark_beat, 1, hit=True)
    await session.edit(edits.set_chapter, "keep")
    await session.edit(edits.hold, ["bob"], here=False)
    await session.edit(edits.steer, note="Slow.")
    await session.edit(join, "Mara")


def check(game: Game) -> None:
    assert lines_of(game.memories["ann"])[0].pinned and not game.state.gates["ann"]
    assert game.state.beats_hit == game.chapter.beats[:1] and game.state.chapter_set == "keep"
    assert game.state.held["bob"] is False and "bob" not in game.state.present
    assert game.state.steering.note == "Slow." and "mara" in game.state.present


@pytest.mark.parametrize("retry", RETRIES.values(), ids=RETRIES)
@pytest.mark.parametrize("leaves", [False, True], ids=["", "after leaving"])
@pytest.mark.parametrize("when", ["before the turn", "after the turn"])
async def test_what_waits_survives_every_retry(play: Stage, when: str, leaves: bool, retry: Retry) -> None:
    if when == "after the turn":
        await play.turn("I look.")
    await decide(play.session)
    if when == "before the turn":
        await play.turn("I look.")
    if leaves:
        play = await reopened(play)
    for take in (2, 3):
        await retry(play.session)
        await play.session.settle()
        check(play.game)
        assert play.session.takes == (take, take) and play.game.state.turn == 2
    play = await reopened(play)
    check(play.game)


async def test_a_line_of_the_turn_itself_stays_pinned_in_every_take_that_brings_it(play: Stage) -> None:
    await play.turn("I look.", memory=learnt("A wet rope hangs there."))
    await play.session.edit(edits.pin_line, "ann", 1, pinned=True)
    pinned = []
    for text in ("A wet rope hangs there.", "There hangs a wet rope.", "A bell rings twice."):
        play.model.answers |= {"memory": learnt(text)}
        await settled(play.session, play.session.retry())
        pinned.append(lines_of(play.game.memories["ann"])[1].pinned)
    assert pinned == [True, True, False]


async def test_the_end_of_a_chapter_decided_after_a_turn_ends_it_in_every_take(play: Stage) -> None:
    await play.session.edit(edits.set_chapter, "end")
    for _ in range(2):
        await settled(play.session, play.session.retry())
        assert play.game.turns[1].completed_chapter == "one"


async def test_what_was_decided_for_the_next_chapter_holds_in_it_after_a_retry(play: Stage) -> None:
    await play.session.edit(edits.set_chapter, "end")
    await play.turn("I look.")
    await settled(play.session, play.session.retry())
    assert play.game.turns[2].completed_chapter == "one", "decided before it, it ends it in every take"
    await play.session.edit(join, "Mara")
    await play.session.edit(edits.hold, ["bob"], here=False)
    await play.session.edit(edits.mark_beat, 1, hit=True)
    await play.session.edit(edits.set_chapter, "keep")
    for _ in range(2):
        await settled(play.session, play.session.retry())
        game = play.game
        assert game.state.chapter == "two" and game.state.present == ("ann", "mara")
        assert game.state.held == {"bob": False, "mara": True}
        assert game.state.beats_hit == game.chapter.beats[:1] and game.state.chapter_set == "keep"


async def test_a_memory_and_a_page_that_were_written_anew_stay_so_and_pins_of_what_is_learned_again(
    play: Stage,
) -> None:
    await play.turn("I look.", memory=learnt("A rope is wet."))
    memory = play.game.memories["ann"]
    first, second = lines_of(memory)
    rewritten = [
        first.model_copy(update={"text": "The lamp was out."}),
        second.model_copy(update={"pinned": True}),
    ]
    await play.session.edit(edits.set_memory, "ann", with_lines(memory, rewritten))
    await play.session.edit_turn(1, edits.set_entry_text, 0, "The lamp is out.")
    await settled(play.session, play.session.retry())
    assert [(line.text, line.turn, line.pinned) for line in lines_of(play.game.memories["ann"])] == [
        ("The lamp was out.", 1, False), ("A rope is wet.", 2, True),
    ]  # fmt: skip
    assert (await play.session.turns(1, 1))[0].narration == "The lamp is out."


async def test_lore_learned_from_an_edited_turn_is_known_when_a_later_one_is_told_again(play: Stage) -> None:
    told = "A silver spring rises under the oldest oak."
    await play.session.edit(
        edits.set_lore, LoreEntry(id="spring", title="S", text=told, known_by=("narrator",))
    )
    await play.turn("I look.", "I wait.")
    await play.session.edit_turn(1, edits.set_entry_text, 0, told)
    known = play.game.state.lore_known
    assert known["spring"]["ann"] == 1
    await play.session.retry()
    assert play.game.state.lore_known == known


async def test_an_undone_turn_is_a_take_of_the_one_told_after_a_decision(play: Stage) -> None:
    await play.turn("I look.")
    await play.session.undo()
    await play.session.edit(edits.set_gate, "ann", True)
    await play.turn("I wait.")
    assert play.session.takes == (2, 2)
    await play.session.select_take(1)
    assert play.game.turns[2].player_text == "I look."
