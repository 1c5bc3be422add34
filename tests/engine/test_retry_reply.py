"""One reply of the last turn is retried: the page and the other replies stay, and the earlier take is kept."""

import pytest

from tests.engine.conftest import reopened, settled
from tests.support.fake_model import DEFAULTS, Stage, learnt, narration
from theact_tui.engine.events import CharacterFinished, PageTold, TurnCancelled
from theact_tui.errors import CallError, TurnError, UsageError
from theact_tui.story.edits import hold, set_entry_text
from theact_tui.story.memory import lines_of

PAGE = "The lamp gutters. Somebody has left a wet rope on the stair."


def replies(play: Stage) -> list[tuple[str | None, str]]:
    turn = play.game.last_turn
    return [(entry.character, entry.text) for entry in turn.replies] if turn else []


async def two_replies(play: Stage, hearers: tuple[str, ...] = ()) -> None:
    """Play a turn in which Ann and Bob answer, then change what Ann would say."""
    await play.turn(
        "I go down.",
        narrator=narration(PAGE, "ann, bob", heard_by=[*hearers]),
        **{
            "character:ann": "“First words,” I say.",
            "character:bob": "“Mine stay,” I say.",
            "memory": learnt("Ann saw the first rope."),
        },
    )
    play.model.asked.clear()
    second = learnt("Ann saw the second lamp.")
    play.model.answers |= {"character:ann": "“Other words,” I say.", "memory": second}


async def test_only_that_reply_is_asked_for_and_the_work_after_the_turn_is_redone(play: Stage) -> None:
    await two_replies(play)
    before = play.game
    play.events.clear()
    await play.said("/retry --reply Ann")
    assert [event.text for event in play.of(PageTold)] == [PAGE]
    finished = play.of(CharacterFinished)
    shown = [(event.character, event.text) for event in finished]
    assert shown == [("ann", "“Other words,” I say."), ("bob", "“Mine stay,” I say.")], (
        "the whole turn is read"
    )
    await play.session.settle()
    asked = play.model.called()
    assert asked[0] == "character:ann" and not {"narrator", "stage", "character:bob"} & {*asked}
    assert replies(play) == [("ann", "“Other words,” I say."), ("bob", "“Mine stay,” I say.")]
    turn, old = play.game.turns[1], before.turns[1]
    assert (turn.narration, turn.player_text, turn.stage) == (PAGE, "I go down.", old.stage)
    assert turn.cuts.sizes[2] == len("“Other words,” I say.") and turn.cuts.page == old.cuts.page
    facts = [line.text for line in lines_of(play.game.memory_of("ann"))]
    assert facts == ["Ann saw the second lamp."]
    assert play.session.takes == (2, 2)
    await play.session.select_take(1)
    assert play.game.turns == before.turns and play.game.memories == before.memories
    await play.session.undo()
    assert play.game.state.turn == 0


async def test_the_prompt_has_the_replies_before_it_and_none_after(play: Stage) -> None:
    await two_replies(play)
    await play.session.retry_reply("ann")
    await settled(play.session, play.session.retry_reply())
    (first,), (last,) = play.model.prompts("character:ann"), play.model.prompts("character:bob")
    assert "Mine stay" not in first and "First words" not in first and PAGE in first
    assert "Other words" in last and "Mine stay" not in last
    assert play.session.takes == (3, 3)


async def test_the_page_that_was_edited_stays_as_edited_and_who_was_sent_away_stays_away(play: Stage) -> None:
    await two_replies(play)
    await play.session.edit_turn(1, set_entry_text, 0, "The lamp is out. The stair is dry.")
    await play.session.edit(hold, ["bob"], here=False)
    await settled(play.session, play.session.retry_reply("ann"))
    assert play.game.turns[1].narration == "The lamp is out. The stair is dry."
    assert play.game.state.present == ("ann",)
    assert "The stair is dry." in play.model.prompts("character:ann")[0]


async def test_who_missed_the_whisper_misses_it_still(play: Stage) -> None:
    await two_replies(play, ("ann",))
    before = play.game.turns[1]
    assert before.heard["bob"].missed
    await settled(play.session, play.session.retry_reply("ann"))
    after = play.game.turns[1]
    assert (after.heard, after.witnesses, after.unaware) == (before.heard, before.witnesses, before.unaware)
    shown = "".join(play.model.prompts("memory:bob"))
    assert "Other words" not in shown and "I go down" not in shown


async def test_a_stopped_or_failed_reply_changes_nothing(play: Stage) -> None:
    await two_replies(play)
    before = play.game
    retried = await play.held("character:ann", play.session.retry_reply("ann"))
    await play.session.stop()
    assert await retried is None and play.of(TurnCancelled)
    play.model.gates.pop("character:ann").set()
    play.model.answers["character:ann"] = CallError("refused", "Nobody answers.")
    with pytest.raises(TurnError, match="Nobody answers"):
        await play.session.retry_reply("ann")
    assert play.game is before and play.session.takes == (1, 1)
    del play.model.answers["character:ann"]
    await play.turn("I go on.")
    assert play.game.state.turn == 2


@pytest.mark.parametrize("gate", ["character:ann", "memory:ann"])
async def test_after_a_kill_the_take_is_the_earlier_one_or_whole(gate: str, play: Stage) -> None:
    await two_replies(play)
    again = await play.killed(await play.held(gate, play.session.retry_reply("ann")))
    await again.session.settle()
    is_told = gate == "memory:ann"
    assert replies(again)[0][1] == ("“Other words,” I say." if is_told else "“First words,” I say.")
    assert again.session.takes == ((2, 2) if is_told else (1, 1))
    await again.turn("I go on.")
    last = await reopened(again)
    assert last.game.state.turn == 2


async def test_without_a_reply_there_is_nothing_to_retry(play: Stage) -> None:
    with pytest.raises(UsageError, match="no turn"):
        await play.session.retry_reply()
    await play.turn("I wait.", narrator=narration(PAGE, "bob"))
    with pytest.raises(UsageError, match="Ann Lee said nothing"):
        await play.said("/retry --reply ann")
    await play.turn("I go on.", character=CallError("refused", "Nobody answers."))
    with pytest.raises(UsageError, match="Nobody answered"):
        await play.said("/retry --reply")
    play.model.answers["character"] = DEFAULTS["character"]
