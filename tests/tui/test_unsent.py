"""A line that was sent and not told before the program ended stands in the box again."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.widgets import TextArea

from tests.support.fake_model import Scripted, narration
from tests.support.pilot import Player, at_home, make_app, new_session, running, still, until
from tests.support.saves import keep_sent
from theact_tui.engine.bus import Bus
from theact_tui.engine.open_sessions import open_session
from theact_tui.saves.save import Save
from theact_tui.story.game import Spoken
from theact_tui.story.typed import Typed
from theact_tui.tui.play.presenter import UNTOLD
from theact_tui.tui.play.screen import PlayScreen

LINE = "//undo is what I whisper"


@pytest.fixture
async def returned(tmp_path: Path, model: Scripted) -> AsyncIterator[Player]:
    """Somebody whose program ended while `LINE` was told, and who opens the story again."""
    app = make_app(tmp_path)
    async with running(app, (80, 24)) as pilot:
        player, session = Player(pilot), await new_session(app, model)
        await session.open_story()
        await session.close()
        with Save.open(session.folder) as save:
            keep_sent(save, LINE)
        await player.open(await open_session(session.folder, lambda pack, seed: model, Bus(still)))
        await until(pilot, lambda: bool(player.prompt.text), "the line")
        yield player
        if player.playing:
            await player.session.close()


async def test_the_line_is_back_and_not_sent_before_f4(returned: Player, model: Scripted) -> None:
    assert returned.prompt.text == LINE and returned.status.hint == UNTOLD
    assert returned.session.game.state.turn == 1
    await returned.press("f4")
    await returned.turn(2)
    assert returned.session.game.turns[2].player_text == LINE[1:]
    assert returned.prompt.text == "" and returned.status.hint != UNTOLD
    assert returned.session.save.unfinished.typed() == Typed()
    gate = await returned.begin("I run.", model)
    await returned.press("escape")
    await until(returned.pilot, lambda: returned.prompt.text == "I run.", "the words to be back")
    gate.set()
    await returned.press("f4")
    await returned.turn(3)
    assert returned.session.game.turns[3].player_text == "I run."
    assert returned.session.takes == (1, 1)


async def test_a_line_that_is_changed_is_a_draft_and_a_box_that_was_emptied_leaves_none(
    returned: Player,
) -> None:
    await returned.press("backspace")
    draft, unfinished = LINE[:-1], returned.session.save.unfinished
    await until(returned.pilot, lambda: unfinished.typed().box == draft, "the draft")
    assert returned.prompt.text == draft and returned.status.hint == ""
    with returned.prompt.writing.prevent(TextArea.Changed):  # not heard of before the screen closes
        returned.prompt.write("")
    await returned.press("ctrl+g", "h")
    await until(returned.pilot, lambda: not returned.playing)
    assert unfinished.typed() == Typed()


async def test_who_leaves_while_a_story_opens_can_leave_and_keeps_a_draft(
    tmp_path: Path, model: Scripted
) -> None:
    app = make_app(tmp_path)
    async with running(app, (80, 24)) as pilot:
        session = await new_session(app, model)
        await session.open_story()
        await session.settle()
        session.keep_typed("Half a li")
        session.keep_typed("Half a line")
        app.push_screen(PlayScreen(session, open_screen=lambda name: None, ui=app.settings.ui))
        await app.action_quit()
        await until(pilot, lambda: app._exit, "the end")
    again = await open_session(session.folder, lambda pack, seed: model, Bus(still))
    assert again.typed.box == "Half a line"
    await again.close()


async def test_what_is_typed_outlives_a_kill(returned: Player, model: Scripted) -> None:
    """Also a stopped line, and behind one that is told, in the turn after it, and where the story stands after an undo."""
    unfinished = returned.session.save.unfinished

    def kept() -> tuple[str, str]:
        typed = unfinished.typed()
        return typed.sent, typed.box

    model.gates["narrator"] = asyncio.Event()
    await returned.press("enter")
    await until(returned.pilot, lambda: returned.prompt.waiting and not returned.prompt.text)
    await returned.type("x")
    assert unfinished.typed().sent, "what is typed while it is told does not concern it"
    await returned.press("backspace", "escape")
    await until(returned.pilot, lambda: returned.prompt.text == LINE, "the stopped line to be back")
    assert unfinished.typed().sent
    await returned.press("enter")
    await until(returned.pilot, lambda: returned.prompt.waiting and not returned.prompt.text)
    await returned.type("half")
    await until(returned.pilot, lambda: kept() == (LINE, "half"), "it beside the line")
    model.gates["narrator"].set()
    await returned.turn(2)
    await until(returned.pilot, lambda: kept() == ("", "half"), "the draft after the turn")
    await returned.session.undo()
    await until(returned.pilot, lambda: kept() == ("", "half"), "the draft after the undo")
    returned.prompt.write("")
    await until(returned.pilot, lambda: kept() == ("", ""), "nothing to be kept")


async def test_what_is_typed_behind_a_queued_line_outlives_a_kill(returned: Player, model: Scripted) -> None:
    gate = await returned.begin(LINE, model)
    await returned.type("I run.", "enter")
    await until(returned.pilot, lambda: not returned.prompt.text, "the line to be queued")
    await returned.type("half")
    gate.set()
    model.gates["narrator"] = asyncio.Event()
    await until(returned.pilot, lambda: "I run." in returned.page, "the queued line to be told")
    unfinished = returned.session.save.unfinished
    await until(returned.pilot, lambda: unfinished.typed().box == "half", "it behind the line")
    assert unfinished.typed().sent == "I run."
    model.gates["narrator"].set()


async def test_the_first_line_of_a_story_waits_instead_of_the_opening(
    tmp_path: Path, model: Scripted
) -> None:
    app = make_app(tmp_path)
    async with running(app, (80, 24)) as pilot:
        player, session = Player(pilot), await new_session(app, model)
        await session.close()
        with Save.open(session.folder) as save:
            keep_sent(save, "I wake.")
        await player.open(
            await open_session(session.folder, lambda pack, seed: model, Bus(still)), opening=False
        )
        await until(pilot, lambda: player.prompt.text == "I wake.", "the line")
        assert player.session.phase == "idle" and model.asked == []
        await player.say("I wake.")
        await player.session.close()


async def test_a_line_that_waits_is_a_draft_elsewhere_in_the_story(returned: Player) -> None:
    await returned.session.branch_at("aside")
    await returned.session.switch("aside")
    unfinished = returned.session.save.unfinished
    await until(returned.pilot, lambda: unfinished.typed().box == LINE, "the draft")
    assert returned.prompt.text == LINE and not unfinished.typed().sent


async def test_a_queued_line_survives_leaving_behind_the_one_that_was_told(
    returned: Player, model: Scripted
) -> None:
    await returned.press("ctrl+c")
    await returned.begin(LINE, model)
    await returned.type("I run.", "enter")
    await until(returned.pilot, lambda: not returned.prompt.text, "the line to be queued")
    stop, session = returned.session.stop, returned.session

    async def stopped() -> None:
        await stop()
        await until(returned.pilot, lambda: returned.prompt.text == LINE, "the stopped line to be back")

    session.stop = stopped  # type: ignore[method-assign]
    await returned.press("ctrl+g", "h")
    await until(returned.pilot, lambda: not returned.playing)
    typed = session.save.unfinished.typed()
    assert (typed.sent, typed.box) == (LINE, "I run.")


async def test_a_draft_survives_leaving(tmp_path: Path, model: Scripted) -> None:
    draft = "/retry I ru"
    app = make_app(tmp_path)
    async with running(app, (80, 24)) as pilot:
        player, session = Player(pilot), await new_session(app, model)
        await player.open(session)
        player.prompt.write(draft)
        await player.press("ctrl+g", "h")
        await at_home(pilot)
        await until(pilot, lambda: not player.playing)
        await player.open(await open_session(session.folder, lambda pack, seed: model, Bus(still)))
        await until(pilot, lambda: player.prompt.text == draft, "the draft")
        assert player.status.hint != UNTOLD and model.called().count("narrator") == 1
        await player.type("!")
        await until(
            pilot, lambda: player.session.typed == Typed(box=f"{draft}!"), "the old draft to be forgotten"
        )
        await player.session.close()


async def test_a_turn_that_is_finished_at_opening_stands_on_the_page(tmp_path: Path, model: Scripted) -> None:
    app = make_app(tmp_path)
    async with running(app, (80, 24)) as pilot:
        player, session = Player(pilot), await new_session(app, model)
        await session.open_story()
        model.answers["narrator"] = narration("A bell rings under the water.", "ann")
        told = await session.play("I listen.")
        await session.settle()
        await session.close()
        assert told
        with Save.open(session.folder) as save:
            spoken = Spoken(parent=save.base(), branch=save.branch, turn=told, present=("ann",))
            save.unfinished.journal(spoken)
            save.begin_take()
        gate = model.gates["memory:ann"] = asyncio.Event()
        reopened = await open_session(session.folder, lambda pack, seed: model, Bus(still))
        await player.open(reopened, opening=False)
        await until(pilot, lambda: "A bell rings under the water." in player.page, "the told turn")
        assert player.session.game.state.turn == 1
        gate.set()
        await player.turn(2)
        assert player.page.count("A bell rings under the water.") == 1
        await player.session.close()
