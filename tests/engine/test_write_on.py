"""The last page, or a reply to it, is cut where it went wrong, and the model goes on from there: a take like any other."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.engine.conftest import settled
from tests.support.fake_model import Cut, Scripted, Stage, narration, prose, sent, small_pack, stage
from theact_tui.engine.events import CharacterFinished, NarrationToken, Notice, PageTold
from theact_tui.errors import CallError, TurnError, UsageError
from theact_tui.models.model import Piece, Request
from theact_tui.storyteller import Storyteller

PAGE = "The lamp gutters. Somebody has left a wet rope on the stair, and XYLOPHONE music plays."
KEPT = "The lamp gutters. Somebody has left a dry rope"
REST = " on the stair, coiled twice."
OLD = "“Never,” I say, and ZITHER music plays."


async def told(play: Stage) -> None:
    """Play a turn in which Ann and Bob answer."""
    await play.turn(
        "I go down.",
        narrator=narration(PAGE, "ann, bob"),
        **{"character:ann": OLD, "character:bob": "“Mine stay,” I say."},
    )
    play.model.asked.clear()
    play.model.answers |= {"narrator": narration(REST, "bob"), "character:ann": " of my life,” I say."}
    play.model.answers["character:bob"] = "“Dry it is,” I say."
    play.events.clear()


def last(ask: Request) -> tuple[str, str]:
    message = ask.prompt.messages(ask.correction)[-1]
    return message["role"], message["content"]


def texts(play: Stage) -> list[str]:
    turn = play.session.last_turn
    return [entry.text for entry in turn.ordered_entries] if turn else []


def all_sent(play: Stage) -> str:
    return "\n".join(map(sent, play.model.asked))


async def test_a_page_that_grew_is_a_take_with_stage_and_replies_anew_and_the_same_dice(
    tmp_path: Path,
) -> None:
    play = await stage(tmp_path, Scripted(), small_pack(keeper="always"))
    await told(play)
    before = play.game
    await settled(play.session, play.session.write_on(KEPT))
    assert texts(play) == ["I go down.", KEPT + REST, "“Dry it is,” I say."]
    assert play.model.called()[:3] == ["narrator", "stage", "character:bob"]
    narrator, form = play.model.asked[:2]
    assert not form.prompt.so_far and KEPT + REST in "\n".join(part.text for part in form.prompt.sections)
    assert last(narrator) == ("assistant", KEPT) and narrator.prompt.so_far == KEPT
    assert play.session.takes == (2, 2)
    assert play.game.turns[1].ruling == before.turns[1].ruling is not None
    assert play.game.state.rolls == before.state.rolls == 1
    assert "XYLOPHONE" not in all_sent(play) and "ZITHER" not in all_sent(play)
    await play.session.select_take(1)
    assert play.game.turns == before.turns and play.game.memories == before.memories


async def test_a_reply_that_grew_leaves_page_stage_and_later_replies(play: Stage) -> None:
    await told(play)
    await settled(play.session, play.session.write_on("“Once", "ann"))
    assert texts(play) == ["I go down.", PAGE, "“Once of my life,” I say.", "“Mine stay,” I say."]
    assert play.model.called()[0] == "character:ann"
    assert not {"narrator", "stage", "character:bob"} & {*play.model.called()}
    assert last(play.model.asked[0]) == ("assistant", "“Once")
    assert "ZITHER" not in all_sent(play) and "Mine stay" not in play.model.prompts("character:ann")[0]
    shown = [event.text for event in play.of(CharacterFinished)]
    assert shown == ["“Once of my life,” I say.", "“Mine stay,” I say."]


async def test_a_server_that_begins_anew_is_asked_in_words_and_no_word_is_doubled(play: Stage) -> None:
    await told(play)
    play.model.continuing = False
    play.model.answers["narrator"] = narration("a dry rope on the stair, coiled twice.", "")
    await play.session.write_on(KEPT)
    messages = play.model.asked[0].prompt.messages()
    assert [message["role"] for message in messages[-2:]] == ["assistant", "user"]
    assert messages[-2]["content"] == KEPT and "next word" in messages[-1]["content"]
    assert texts(play)[1] == KEPT + REST


async def test_what_is_shown_begins_with_the_text_so_far(play: Stage) -> None:
    await told(play)
    await play.session.write_on(f"{KEPT} ")
    streamed = play.of(NarrationToken)
    assert streamed[0].text == f"{KEPT} " and not any(event.replace for event in streamed)
    assert "".join(event.text for event in streamed) == KEPT + REST
    assert [event.text for event in play.of(PageTold)] == [KEPT + REST]


async def test_nothing_added_is_an_answer_and_a_cut_rest_ends_with_a_sentence(play: Stage) -> None:
    await told(play)
    play.model.answers["narrator"] = ""
    await play.session.write_on(KEPT)
    assert texts(play)[1] == KEPT
    assert any("added nothing" in event.text for event in play.of(Notice))
    play.model.answers["narrator"] = Cut(" here. It has no")
    await play.session.write_on(KEPT)
    assert texts(play)[1] == f"{KEPT} here."
    play.model.answers["narrator"] = Cut(" that has no")
    await play.session.write_on(KEPT)
    assert texts(play)[1] == f"{KEPT} that has no…"


async def test_the_length_is_that_of_a_page_with_its_rest_and_a_full_one_says_so(play: Stage) -> None:
    await told(play)
    await play.session.write_on(KEPT)
    used = play.model.tokens.count(KEPT)
    assert play.model.asked[0].max_tokens == 475 - used
    for reply in ("", "bob"):
        with pytest.raises(UsageError, match="Cut more"):
            await play.session.write_on(prose(4_000), reply)
    assert play.session.takes == (2, 2)
    play.model.reply_tokens = 2_000
    await play.session.write_on(long := prose(4_000))
    asked = [ask for ask in play.model.asked if ask.agent == "narrator"][-1]
    assert asked.max_tokens == 2_000 - play.model.tokens.count(long.rstrip())


@pytest.mark.parametrize("reply", ["", "ann"])
async def test_a_stop_keeps_what_came(reply: str, play: Stage) -> None:
    await told(play)
    held = asyncio.Event()

    async def stream(ask: Request) -> AsyncGenerator[Piece, None]:
        yield Piece(text=" is coiled. And then ")
        yield Piece(text="it ")
        held.set()
        await asyncio.Event().wait()

    play.model.stream = stream  # type: ignore[method-assign]
    told_on = asyncio.create_task(play.session.write_on("A rope", reply))
    await held.wait()
    await asyncio.sleep(0)
    await play.session.stop()
    assert await told_on is not None
    del play.model.stream
    await play.session.settle()
    turn = play.game.turns[1]
    grown = turn.replies[0] if reply else turn.entries[0]
    assert grown.text == "A rope is coiled." and play.session.takes == (2, 2)
    if reply:
        assert grown.stopped and turn.replies[1].text == "“Mine stay,” I say."
    else:
        assert turn.is_pending and not turn.replies


@pytest.mark.parametrize("reply", ["", "ann"])
async def test_a_stop_before_anything_came_and_a_failure_change_nothing(reply: str, play: Stage) -> None:
    await told(play)
    key = f"character:{reply}" if reply else "narrator"
    before = play.game
    told_on = await play.held(key, play.session.write_on("The", reply))
    await play.session.stop()
    assert await told_on is None
    play.model.gates.pop(key).set()
    play.model.answers[key] = CallError("refused", "Nobody answers.")
    with pytest.raises(TurnError, match="Nobody answers"):
        await play.session.write_on("A rope", reply)
    assert play.game is before and play.session.takes == (1, 1)


@pytest.mark.parametrize("reply", ["", "ann"])
@pytest.mark.parametrize("late", [False, True])
async def test_after_a_kill_the_take_is_the_earlier_one_or_whole(reply: str, late: bool, play: Stage) -> None:
    await told(play)
    before = texts(play)
    key = "memory:bob" if late else f"character:{reply}" if reply else "narrator"
    again = await play.killed(await play.held(key, play.session.write_on("A rope", reply)))
    await again.session.settle()
    assert again.session.takes == ((2, 2) if late else (1, 1))
    assert (texts(again) == before) is not late
    await again.turn("I go on.")
    assert again.game.state.turn == 2


async def test_what_cannot_be_gone_on_from_is_refused(play: Stage, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no turn"):
        await play.session.write_on("A rope")
    await told(play)
    with pytest.raises(UsageError, match="Nothing is left"):
        await play.session.write_on(" \n")
    await play.session.write_on(KEPT)
    with pytest.raises(UsageError, match="Ann Lee said nothing"):
        await play.session.write_on("“No", "ann")
    offline = await stage(tmp_path / "offline", Scripted())
    await offline.turn("I go down.")
    offline.model.for_agent = lambda agent: Storyteller(None, 1)  # type: ignore[method-assign]
    with pytest.raises(UsageError, match="offline storyteller"):
        await offline.session.write_on("The lamp")


async def test_the_command_goes_on_from_its_text_or_from_the_end(play: Stage) -> None:
    await told(play)
    await play.said(f"/write-on {KEPT}")
    assert texts(play)[1] == KEPT + REST
    await play.said("/write-on --reply bob “Dry")
    assert "“Dry" in [ask.prompt.so_far for ask in play.model.asked]
    await play.said("/write-on")
    assert texts(play)[1] == KEPT + REST + REST
    with pytest.raises(UsageError, match="name is missing"):
        await play.said("/write-on --reply")
