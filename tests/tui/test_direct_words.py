"""What is typed for the agents of a chapter and not given outlives the program."""

import asyncio
import shutil
from pathlib import Path

from tests.support.direct_pilot import Master, app_for, new_chapter
from tests.support.fake_model import Scripted
from tests.support.pilot import still, until
from theact_tui.engine.bus import Bus
from theact_tui.engine.direct.session import DirectSession
from theact_tui.engine.open_sessions import open_direct
from theact_tui.story.direct.state import set_count
from theact_tui.story.typed import Typed


async def as_killed(master: Master, actors: Scripted) -> DirectSession:
    """The chapter as a kill in this instant leaves it, opened after a new start."""
    session = master.session
    await session._typed.written()
    await session.run(lambda: session.save.foreign_edits)  # waits until no file is half-way to its place
    killed = session.save.folder.with_name("killed")
    shutil.copytree(session.save.folder, killed)
    await session.stop()
    await session.close()
    return await open_direct(killed, Scripted(answers=actors.answers), Bus(still))


def said(master: Master) -> str:
    return master.screen.status.hint


async def test_d5_words_typed_while_setup_is_being_locked_outlive_the_program(
    tmp_path: Path, actors: Scripted
) -> None:
    app = app_for(tmp_path)
    actors.gates["lock"] = asyncio.Event()
    async with app.run_test(size=(80, 24)) as pilot:
        master = Master(pilot)
        await master.open(await new_chapter(app, actors))
        await master.begin_lock()
        await master.type("It begins.x", "backspace")
        again = await as_killed(master, actors)
        assert again.session.state == "DRAFT" and (again.typed.box, again.typed.slots) == (
            "It begins.",
            (0, 1),
        )
        app.pop_screen()
        await master.open(again)
        await master.lock()
        assert master.field("prompt").text == "It begins." and master.field("world").text == ""
        await master.give("It begins.")
        await master.session.close()
        assert again.save.unfinished.typed() == Typed()


async def test_d3_a_prompt_that_is_answered_and_words_for_others_outlive_the_program(
    tmp_path: Path, actors: Scripted
) -> None:
    app = app_for(tmp_path)
    actors.gates["actor:1"] = asyncio.Event()
    async with app.run_test(size=(80, 24)) as pilot:
        master, session = Master(pilot), await new_chapter(app, actors)
        session.edit(set_count, 3)
        await session.lock()
        await master.open(session)
        await master.type("Wait.", "enter")
        await until(pilot, lambda: master.session.busy, "the call")
        await master.type("Now you.")
        again = await as_killed(master, actors)
        assert (again.typed.sent, again.typed.box, again.typed.slots) == ("Wait.", "Now you.", (1, 2))
        app.pop_screen()
        await master.open(again)
        assert (master.slot, master.field("prompt").text) == (1, "Wait.")
        assert said(master) == "↑ brings back what else you typed."
        await master.press("up")
        assert master.field("prompt").text == "Now you."
        await again.close()


async def test_d3_a_prompt_answered_just_before_the_end_is_not_offered_again(
    tmp_path: Path, actors: Scripted
) -> None:
    session = await new_chapter(app_for(tmp_path), actors)
    await session.lock()
    session.keep_typed("", 1, sent="Wait.", asked=1)
    await session._typed.written()
    await session.prompt(1, "Wait.")
    await session.close()
    again = await open_direct(session.save.folder, actors, Bus(still))
    assert not again.typed.sent
    await again.close()
