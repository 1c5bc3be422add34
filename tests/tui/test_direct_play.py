"""The Direct tab with a model whose answers, failures and delays are known: focus, colours, streams, refusals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.containers import VerticalScroll
from textual.content import Content
from textual.events import Paste
from textual.widgets import Static

from tests.engine.scripted import Scripted
from tests.tui.directing import Master, all_actors, app_for, new_chapter, scripted
from tests.tui.driving import at_home, until
from theact_tui.errors import CallError
from theact_tui.story.direct.setup import set_count, set_name
from theact_tui.story.direct.transcript import DASHES
from theact_tui.tui.doors import directing
from theact_tui.tui.keys import know_alt_digits
from theact_tui.tui.widgets.direct_scene import NOTHING

DOWN = CallError("down", "The model's server does not answer. Start it, then try again.")


@pytest.fixture
def model() -> Scripted:
    return scripted()


@pytest.fixture
async def master(tmp_path: Path, model: Scripted) -> AsyncIterator[Master]:
    """Somebody who has locked a chapter with three agents."""
    app = app_for(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        master = Master(pilot)
        session = await new_chapter(app, model)
        session.edit(set_count, 3)
        session.edit(set_name, 2, "[red]Bo[/red]")
        await session.lock()
        await master.open(session)
        yield master
        await session.close()


async def kept_waiting(master: Master, model: Scripted) -> None:
    """A prompt whose answer does not come yet."""
    model.gates["actor:1"] = asyncio.Event()
    await master.type("Wait.")
    await master.press("enter")
    await until(master.pilot, lambda: master.session.phase == "replying", "the call")


async def answered(master: Master, model: Scripted) -> None:
    """Let the answer come."""
    model.gates["actor:1"].set()
    await until(master.pilot, lambda: master.session.session.prompt_index == 1, "the answer")
    await master.settle()


async def test_d3_the_counter_begins_at_0_and_the_focus_goes_to_the_next_slot(master: Master) -> None:
    assert (master.screen.tab, master.said("length"), master.slot) == (2, "0/60,000", 1)
    assert master.app.focused is master.cell("prompt")
    await master.type("A bell rings.")
    await master.press("enter")
    await until(master.pilot, lambda: master.session.session.prompt_index == 1, "an answer")
    await master.settle()
    assert master.slot == 2 and master.cell("prompt").text == ""
    assert master.app.focused is master.cell("prompt")
    assert master.said("told") == "1) A bell rings.\n\nAgent Red: I try. (actor:1)"
    assert master.said("length") == f"{len(master.said('told'))}/60,000"


async def test_d3_any_slot_can_be_chosen_and_the_cycle_goes_on_from_there(master: Master) -> None:
    await master.press("alt+3")
    assert master.slot == 3
    await master.give("You, at the window.")
    assert master.slot == 1
    await master.press("alt+left")
    assert master.slot == 3
    await master.press("alt+7")
    assert master.slot == 3


async def test_d3_replies_have_the_ink_of_their_slot_and_prompts_are_white(master: Master) -> None:
    await master.give("A bell.")
    content = master.screen.query_one("#told", Static).visual
    assert isinstance(content, Content)
    inks = {content.plain[span.start : span.end].split(":")[0]: span.style for span in content.spans}
    assert inks["1) A bell."] == ".typed" and inks["Agent Red"] == ".slot-1"
    assert master.screen.query_one("#desk").has_class("-slot-2")
    assert master.screen.query_one("#desk").styles.background.rgb == (0, 0, 0)


async def test_d3_names_are_never_markup(master: Master) -> None:
    await master.press("alt+2")
    await master.give("Go.")
    assert "[red]Bo[/red]: I try." in master.said("told")
    assert master.bar("scene-panels")[1] == "2 [red]Bo[/red]"


async def test_d3_a_reply_is_streamed_and_input_is_closed_while_it_runs(
    master: Master, model: Scripted
) -> None:
    model.gates["actor:1"] = asyncio.Event()
    await master.type("Wait.")
    await master.press("enter")
    await until(master.pilot, lambda: "1) Wait." in master.said("live"), "the prompt on the page")
    assert master.cell("prompt").read_only and master.button("end").disabled
    assert master.screen.show.status.doing == "Agent Red is answering"
    await master.press("x", "enter", "f8")
    assert master.cell("prompt").text == "Wait." and len(model.asked) == 2
    await answered(master, model)
    assert not master.cell("prompt").read_only and master.said("live") == ""


async def test_d3_words_typed_while_a_reply_comes_are_shown_and_kept_for_the_next_prompt(
    master: Master, model: Scripted
) -> None:
    await kept_waiting(master, model)
    await master.type("Now yoi")
    await master.press("backspace", "u", "enter")
    said = master.screen.show.status.warning
    assert "Agent Red is answering" in said and said.endswith(": Now you")
    assert master.cell("prompt").text == "Wait." and master.session.session.prompt_index == 0
    await answered(master, model)
    assert (master.slot, master.cell("prompt").text) == (2, "Now you")
    assert master.screen.show.status.warning == ""
    await master.type(", Bo.")
    assert master.cell("prompt").text == "Now you, Bo." and model.called() == ["lock", "actor:1"]


async def test_d3_what_is_pasted_is_there_once_and_is_kept_too_while_a_reply_comes(
    master: Master, model: Scripted
) -> None:
    master.app.post_message(Paste("A bell\x1b[1m rings."))
    await until(master.pilot, lambda: bool(master.cell("prompt").text), "the words")
    assert master.cell("prompt").text == "A bell rings."
    model.gates["actor:1"] = asyncio.Event()
    await master.press("enter")
    await until(master.pilot, lambda: master.session.phase == "replying", "the call")
    master.app.post_message(Paste("And then?"))
    await until(master.pilot, lambda: "And then?" in master.screen.show.status.warning, "the kept words")
    await answered(master, model)
    assert master.cell("prompt").text == "And then?"


async def test_d9_words_typed_while_a_prompt_fails_wait_for_the_next_agent(
    master: Master, model: Scripted
) -> None:
    await kept_waiting(master, model)
    await master.type("You?")
    await master.press("escape")
    await until(master.pilot, lambda: master.session.phase == "idle", "the stop")
    await master.settle()
    assert (master.slot, master.cell("prompt").text) == (1, "Wait.")
    await master.press("alt+2")
    assert master.cell("prompt").text == "You?"


async def test_d3_words_typed_while_setup_is_being_locked_are_there_afterwards(
    tmp_path: Path, model: Scripted
) -> None:
    app = app_for(tmp_path)
    model.gates["lock"] = asyncio.Event()
    async with app.run_test(size=(80, 24)) as pilot:
        master = Master(pilot)
        await master.open(await new_chapter(app, model))
        await master.begin_lock()
        await master.type("It begins.")
        assert master.screen.show.status.warning.endswith("It begins.")
        model.gates["lock"].set()
        await until(pilot, lambda: master.screen.tab == 2, "the lock")
        await master.settle()
        assert master.cell("prompt").text == "It begins." and master.cell("world").text == ""
        await master.session.close()


async def test_d3_letters_typed_beside_the_prompt_go_into_it_and_a_closed_one_says_why(
    master: Master,
) -> None:
    master.screen.query_one("#transcript").focus()
    await master.type("A bell")
    await until(master.pilot, lambda: master.cell("prompt").text == "A bell", "the letters")
    assert master.app.focused is master.cell("prompt")
    await master.press("enter")
    await until(master.pilot, lambda: master.session.session.prompt_index == 1, "an answer")
    await master.settle()
    await master.press("f8")
    await until(master.pilot, lambda: master.state == "ENDED", "the end")
    await master.settle()
    await master.press("f3", "x")
    assert "branch from an earlier prompt" in master.screen.show.status.warning


async def test_d3_blank_input_is_ignored_and_what_is_typed_for_others_stays(
    master: Master, model: Scripted
) -> None:
    await master.press("space", "enter")
    assert model.called() == ["lock"]
    await master.type("for red")
    await master.press("alt+2")
    assert master.cell("prompt").text == ""
    await master.press("alt+1")
    assert master.cell("prompt").text == " for red"


async def test_d3_ctrl_j_begins_a_new_line(master: Master) -> None:
    await master.type("one\ntwo")
    assert master.cell("prompt").text == "one\ntwo"


async def test_d3_a_prompt_takes_5000_characters(master: Master) -> None:
    master.cell("prompt").insert("p" * 5_001)
    await master.pilot.pause()
    assert len(master.cell("prompt").text) == 5_000
    assert master.screen.query_one("#desk").border_subtitle == "5,000/5,000"


async def test_d3_the_transcript_follows_its_end_and_pages_with_the_keyboard(
    master: Master, model: Scripted
) -> None:
    all_actors(model, "\n\n".join(f"I try the rope on landing {n}." for n in range(40)))
    for n in range(2):
        await master.give(f"Scene {n}.")
    scroll = master.screen.query_one("#transcript", VerticalScroll)
    await until(master.pilot, lambda: scroll.scroll_offset.y == scroll.max_scroll_y > 0, "the end")
    await master.press("pageup")
    assert scroll.scroll_offset.y < scroll.max_scroll_y and master.app.focused is master.cell("prompt")


async def test_d9_a_failed_reply_keeps_focus_and_text_and_shows_why(master: Master, model: Scripted) -> None:
    all_actors(model, DOWN)
    await master.press("alt+2")
    await master.type("Climb.")
    await master.press("enter")
    await until(master.pilot, lambda: "does not answer" in master.said("trouble"), "the reason")
    await master.settle()
    assert master.slot == 2 and master.cell("prompt").text == "Climb." and master.said("told") == NOTHING
    assert master.app.focused is master.cell("prompt") and not master.cell("prompt").read_only
    all_actors(model, "I climb.")
    await master.press("enter")
    await until(master.pilot, lambda: master.session.session.prompt_index == 1, "the retry")
    await master.settle()
    assert master.said("trouble") == "" and master.slot == 3


async def test_d9_escape_stops_a_call_and_keeps_the_text(master: Master, model: Scripted) -> None:
    await kept_waiting(master, model)
    await master.press("escape")
    await until(master.pilot, lambda: master.session.phase == "idle", "the stop")
    await master.settle()
    assert master.cell("prompt").text == "Wait." and "Stopped" in master.said("trouble")


async def test_d9_a_missing_summary_is_a_banner_and_play_goes_on(master: Master, model: Scripted) -> None:
    good = model.answers["delta"]
    model.answers["delta"] = DOWN
    for n in range(7):
        await master.give(f"Scene {n}.")
    assert "Prompts 1 to 7 are not summed up yet" in master.said("banner")
    assert master.screen.query_one("#banner").display and DASHES not in master.said("told")
    assert not master.cell("prompt").read_only
    model.answers["delta"] = good
    await master.give("One more.")
    assert not master.screen.query_one("#banner").display and DASHES in master.said("told")


async def test_d9_ending_with_a_failing_summary_does_not_end(master: Master, model: Scripted) -> None:
    model.answers["delta"] = DOWN
    await master.give("Scene 1.")
    await master.press("f8")
    await until(master.pilot, lambda: "not ended" in master.said("trouble"), "the reason")
    await master.settle()
    assert master.state == "ACTIVE" and master.screen.tab == 2 and not master.button("end").disabled


async def test_d9_a_failed_build_keeps_the_earlier_draft(master: Master, model: Scripted) -> None:
    await master.build()
    model.answers["chapter"] = DOWN
    await master.press("f8")
    await until(master.pilot, lambda: "does not answer" in master.said("trouble"), "the reason")
    await master.settle()
    assert master.said("prose") == "The bell came down. It rained." and master.state == "ENDED"


async def test_d4_an_older_draft_can_be_read_while_another_one_is_written(
    master: Master, model: Scripted
) -> None:
    await master.build()
    first = master.said("prose")
    model.answers["chapter"] = "The bell never came down."
    model.gates["chapter"] = asyncio.Event()
    await master.press("f8")
    await until(master.pilot, lambda: master.bar("drafts") == ["Draft 1", "Draft 2 …"], "the new one")
    assert master.said("prose") == "" and master.button("download").disabled
    await master.press("alt+1")
    assert master.said("prose") == first and not master.button("download").disabled
    master.screen.show.chapter.stream("The bell never")
    assert master.said("prose") == first, "the text that comes does not push it away"
    await master.press("alt+2")
    assert master.said("prose") == "The bell never" and master.button("download").disabled
    model.gates["chapter"].set()
    await until(master.pilot, lambda: len(master.session.game.drafts) == 2, "the second draft")
    await master.settle()
    assert master.said("prose") == "The bell never came down."
    assert master.bar("drafts") == ["Draft 1", "Draft 2"] and not master.button("download").disabled


async def test_d9_a_failed_lock_leaves_everything_typed(tmp_path: Path, model: Scripted) -> None:
    app = app_for(tmp_path)
    model.answers["lock"] = DOWN
    async with app.run_test(size=(80, 24)) as pilot:
        master = Master(pilot)
        await master.open(await new_chapter(app, model))
        await master.type("A drowned city.")
        await master.press("f3")
        await pilot.pause()
        await master.press("enter")
        await until(pilot, lambda: "does not answer" in master.said("trouble"), "the reason")
        await master.settle()
        assert master.state == "DRAFT" and master.screen.tab == 1
        assert master.cell("world").text == "A drowned city." and not master.cell("world").read_only
        await master.session.close()


async def test_d10_a_prompt_is_given_again_and_its_replies_are_stepped_through(
    master: Master, model: Scripted
) -> None:
    await master.give("Climb.")
    await master.type("for Bo")
    all_actors(model, "I climb at last.")
    await master.press("f5")
    await until(master.pilot, lambda: master.session.takes == (2, 2), "another reply")
    await master.settle()
    assert "I climb at last." in master.said("told") and "take 2 of 2" in master.head
    assert (master.slot, master.cell("prompt").text) == (2, "for Bo")
    await master.press("f9")
    await until(master.pilot, lambda: master.session.takes == (1, 2), "the first reply")
    await master.settle()
    assert "I try." in master.said("told") and master.cell("prompt").text == "for Bo"


async def test_d9_a_prompt_that_fails_when_given_again_leaves_the_page_as_it_was(
    master: Master, model: Scripted
) -> None:
    await master.give("Climb.")
    page = master.said("told")
    all_actors(model, DOWN)
    await master.press("f5")
    await until(master.pilot, lambda: "does not answer" in master.said("trouble"), "the reason")
    await master.settle()
    assert master.said("told") == page and not master.cell("prompt").read_only


async def test_d10_a_prompt_comes_back_to_be_put_in_other_words(master: Master) -> None:
    await master.press("alt+3")
    await master.give("Climb.\nNow.")
    await master.press("shift+f5")
    await until(master.pilot, lambda: master.cell("prompt").text == "Climb.\nNow.", "the words")
    await master.settle()
    assert master.slot == 3 and master.said("told") == NOTHING
    await master.type(" Please.")
    await master.press("enter")
    await until(master.pilot, lambda: master.session.takes == (2, 2), "another reply")
    await master.settle()
    assert master.said("told").startswith("1) Climb.\nNow. Please.")


async def test_what_was_typed_and_not_given_is_there_again(master: Master) -> None:
    await master.type("Not yet.")
    session = master.session
    await master.press("ctrl+g", "h")
    await until(master.pilot, lambda: not master.directing, "home")
    await at_home(master.pilot)
    master.app.push_screen(directing(session, master.app))
    await until(master.pilot, lambda: master.directing, "the chapter again")
    assert master.cell("prompt").text == "Not yet."


def test_d3_alt_with_a_digit_chooses_a_panel_in_plain_terminals_too() -> None:
    from textual._xterm_parser import XTermParser

    know_alt_digits()
    sent = "".join(f"\x1b{slot}" for slot in range(1, 8))
    keys = [getattr(event, "key", "") for event in XTermParser().feed(sent)]
    assert keys == [f"alt+{slot}" for slot in range(1, 8)]
