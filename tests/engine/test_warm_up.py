"""What is known of the next prompt is sent ahead while the player reads (docs/architecture.md)."""

import asyncio
from pathlib import Path

import pytest

from tests.engine.conftest import reopened, settled
from tests.support.fake_model import Scripted, Stage, small_pack, stage
from tests.support.waiting import passes, until
from theact_tui.engine.commands import run_command
from theact_tui.engine.events import Notice
from theact_tui.engine.suggestions import suggest_ideas
from theact_tui.errors import CallError
from theact_tui.models.ledger import Ledger
from theact_tui.story.edits import pin_line
from theact_tui.story.turn import Turn

ENOUGH = 50
"""Rounds of the event loop after which all that can go on by itself has."""


async def telling(told: Stage, line: str) -> asyncio.Task[Turn | None]:
    """A turn that is being told, as far as it goes on by itself."""
    playing = asyncio.create_task(told.session.play(line))
    await until(lambda: told.session.phase == "narrating")
    await passes(ENOUGH)
    return playing


async def reading(home: Path, model: Scripted | None = None, **game: object) -> Stage:
    """A story of one turn whose player reads, and what was sent ahead for it."""
    told = await stage(home, model or Scripted(warms=True), small_pack(**game) if game else None)
    told.session.read_ahead()
    await told.turn("I wait.")
    await passes(ENOUGH)
    return told


def begins(told: Stage, sent: int = 0) -> bool:
    """True if the newest prompt of the narrator begins with what was sent ahead last, or as number `sent`."""
    whole = [ask.prompt for ask in told.model.asked if ask.agent == "narrator"][-1].messages()
    ahead = told.model.warmed[sent - 1].messages()
    *above, last = ahead
    return whole[: len(above)] == above and whole[-1]["content"].startswith(last["content"] + "\n\n")


@pytest.mark.parametrize("keeper", ["off", "always", "risky"])
async def test_the_next_prompt_begins_with_what_was_sent_ahead(tmp_path: Path, keeper: str) -> None:
    told = await reading(tmp_path, keeper=keeper)
    (ahead,) = told.model.warmed
    for line in ("UNHEARDOF I look at the rope, and ask Bob for his lamp.", "→ Ann: I jump.", "x" * 1_900):
        sent = len(told.model.warmed)
        await told.turn(line)
        assert begins(told, sent)
        await passes(ENOUGH)
        assert len(told.model.warmed) == sent + 1
    first = next(
        ask.prompt for ask in told.model.asked if "UNHEARDOF" in ask.prompt.messages()[-1]["content"]
    )
    assert "UNHEARDOF" not in ahead.messages()[-1]["content"] and ahead.tokens > 0.6 * first.tokens
    recorded = next(call for call in Ledger(told.session.save.private).turn(1) if call.agent == "warm-up")
    assert (recorded.outcome, recorded.tokens) == ("ok", ahead.tokens)
    assert told.game.last_turn and "warm-up" not in told.game.last_turn.calls


async def test_nothing_is_sent_ahead_where_nobody_reads_or_nothing_was_told(tmp_path: Path) -> None:
    told = await stage(tmp_path, Scripted(warms=True))
    await told.turn("I wait.")
    await passes(ENOUGH)
    assert not told.model.warmed
    other = await stage(tmp_path / "other", Scripted(warms=True))
    other.session.read_ahead()
    await passes(ENOUGH)
    assert not other.model.warmed


async def test_a_line_waits_for_what_its_prompt_begins_with(tmp_path: Path) -> None:
    model = Scripted(warms=True)
    gate = model.gates["warm-up"] = asyncio.Event()
    told = await reading(tmp_path, model)
    playing = await telling(told, "I go down.")
    assert len(model.warmed) == 1 and model.called().count("narrator") == 1
    gate.set()
    await playing
    assert model.called().count("narrator") == 2 and begins(told)


async def test_neither_esc_nor_leaving_waits_for_it(tmp_path: Path) -> None:
    model = Scripted(warms=True)
    model.gates["warm-up"] = asyncio.Event()
    told = await reading(tmp_path, model)
    playing = await telling(told, "I go down.")
    await told.session.stop()
    assert await playing is None and told.game.state.turn == 1
    await asyncio.wait_for(told.session.close(), 60)
    await passes(ENOUGH)
    assert len(model.warmed) == 1


async def test_another_prompt_stops_it(tmp_path: Path) -> None:
    model = Scripted(warms=True, answers={"ideas": "I look.\nI ask.\nI leave."})
    model.gates["warm-up"] = asyncio.Event()
    told = await reading(tmp_path, model)
    assert await suggest_ideas(told.session)  # it would wait for ever
    await passes(ENOUGH)
    assert len(model.warmed) == 2


@pytest.mark.parametrize("move", ["undo", "edit", "branch", "retry", "note", "models"])
async def test_after_whatever_moves_the_story_the_new_prompt_is_sent_ahead(tmp_path: Path, move: str) -> None:
    told = await reading(tmp_path)
    await told.turn("I look around.")
    session, other = told.session, told.model
    match move:
        case "undo":
            await session.undo()
        case "edit":
            await session.edit(pin_line, "ann", 0, pinned=True)
        case "branch":
            await session.switch(await session.branch_at("aside", 1))
        case "retry":
            await settled(session, session.retry())
        case "note":
            await run_command(session, "/note Make it colder.")
        case "models":
            other = Scripted(warms=True, name="other")
            await session.use_models(lambda pack, seed: other)
    await passes(ENOUGH)
    told.model = other
    await told.session.play("I go on.")
    assert begins(told)
    assert move != "note" or "Make it colder." in other.warmed[-1].messages()[-1]["content"]
    await session.settle()
    await session.close()


async def test_a_server_that_keeps_nothing_is_sent_no_more(tmp_path: Path) -> None:
    told = await reading(tmp_path, Scripted(warms=True, cached=0))
    for cached in (0, 8_000, 0):
        told.model.cached = cached
        await told.turn("I go down.")
    assert told.model.warms, "one miss is forgiven"
    await told.turn("I go up.")
    await passes(ENOUGH)
    assert len(told.model.warmed) == 4 and not told.model.warms
    notices = [event.text for event in told.of(Notice)]
    assert "test does not keep prompts, so none are sent ahead any more." in notices


async def test_what_goes_wrong_with_it_is_told_to_nobody(tmp_path: Path) -> None:
    model = Scripted(warms=True, answers={"warm-up": CallError("server", "The server failed.")})
    told = await reading(tmp_path, model)
    await told.turn("I go down.")
    assert not told.of(Notice) and told.game.state.turn == 2


async def test_a_story_that_is_opened_is_read_ahead(tmp_path: Path) -> None:
    told = await reading(tmp_path)
    again = await reopened(told)
    again.session.read_ahead()
    await passes(ENOUGH)
    sent = len(told.model.warmed)
    await again.turn("I go down.")
    assert begins(again, sent) and sent == 2
