"""The Direct tab with a model whose answers and delays are known: focus, colours, streams, takes, drafts."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from textual.events import Paste
from textual.widgets import TextArea

from tests.support.direct_chapters import active, draft, log
from tests.support.direct_pilot import Master, all_actors, app_for, new_chapter, open_begun, scripted
from tests.support.fake_model import Scripted
from tests.support.pilot import opens, until
from theact_tui.story.direct.as_story import as_game
from theact_tui.story.direct.transcript import transcript
from theact_tui.tui.direct.presenter import SUMMARISED, layouts
from theact_tui.tui.textual_patches import patch_key_sequences
from theact_tui.tui.widgets.dialogs import ConfirmDialog, GrowingTextDialog


async def test_d3_prompts_go_round_or_to_whoever_is_picked_and_a_reply_has_its_colour(gm: Master) -> None:
    assert (gm.screen.tab, gm.said("length"), gm.slot) == (2, "0/60,000 characters", 1)
    assert gm.app.focused is gm.field("prompt")
    await gm.type("A bell rings.")
    await gm.send()
    assert gm.slot == 2 and gm.field("prompt").text == ""
    assert gm.app.focused is gm.field("prompt")
    assert gm.page == ["1) A bell rings.", "AGENT RED", "I try. (actor:1)"]
    assert gm.said("length") == f"{len(gm.session.transcript.text)}/60,000 characters"
    assert gm.screen.status.hint == "Next: [red]Bo[/red]. F8 picks someone else."
    await gm.type("You, at the window.", "alt+3")
    assert gm.slot == 3 and gm.screen.status.hint == "" and gm.field("prompt").text == "You, at the window."
    await gm.send()
    prompt, name, words = gm.screen.transcript.window.turns[-1].blocks
    assert not prompt.text.spans and not prompt.bar, "a prompt is in the colour of text"
    assert [span.style for span in name.text.spans] == [".slot-3", "bold"]
    assert not words.text.spans and (name.bar, words.bar) == (".slot-3", ".slot-3")
    assert gm.slot == 1 and gm.screen.prompt.mark_of("") == "Agent Red ›"
    await gm.press("alt+left")
    assert gm.slot == 3
    await gm.press("alt+7")
    assert gm.slot == 3


async def test_d3_while_a_reply_is_streamed_words_for_the_next_prompt_stay_in_the_box(
    gm: Master, actors: Scripted
) -> None:
    await gm.kept_waiting(actors)
    await until(gm.pilot, lambda: "1) Wait." in gm.page, "the prompt on the page")
    assert gm.page[1:] == ["AGENT RED"] and not gm.can("end")
    await until(gm.pilot, lambda: gm.screen.status.doing == "Agent Red is answering", "what runs")
    assert gm.screen.prompt.mark_of("") == "[red]Bo[/red] ›", "who is next"
    await gm.type("Now yoi", "backspace", "u", "enter")
    assert gm.screen.status.warning == "Agent Red is answering. Press esc to stop it."
    await gm.press("f10")
    assert gm.field("prompt").text == "Now you" and gm.session.session.prompt_index == 0
    await gm.answered(actors)
    assert gm.page == ["1) Wait.", "AGENT RED", "I try. (actor:1)"]
    await gm.type(", Bo.")
    assert (gm.slot, gm.field("prompt").text) == (2, "Now you, Bo.")
    assert actors.called() == ["lock", "actor:1"]


async def test_d3_what_is_pasted_or_typed_beside_the_prompt_goes_into_it_and_a_closed_one_says_why(
    gm: Master,
) -> None:
    gm.app.post_message(Paste("A bell\x1b[1m rings."))
    await until(gm.pilot, lambda: gm.field("prompt").text == "A bell rings.", "the words")
    await gm.press("f9")
    gm.app.post_message(Paste("And then?"))
    await until(gm.pilot, lambda: bool(gm.screen.status.warning), "the refusal")
    assert gm.field("prompt").text == "A bell rings." and gm.session.setup.world == ""
    await gm.press("f9")
    gm.screen.transcript.focus()
    await gm.type(" Twice")
    await until(gm.pilot, lambda: gm.field("prompt").text == "A bell rings. Twice", "the letters")
    assert gm.app.focused is gm.field("prompt")
    await gm.send()
    await gm.end()
    await gm.press("f9", "x")
    assert "branch from an earlier prompt" in gm.screen.status.warning


async def test_d3_a_prompt_that_is_too_long_is_refused_and_stays_in_the_box(
    gm: Master, actors: Scripted
) -> None:
    gm.fill("prompt", "x" * 5_001)
    await gm.press("alt+2", "enter")
    await gm.trouble("The prompt is too long: 5,001 characters, the limit is 5,000.")
    assert (gm.slot, len(gm.field("prompt").text)) == (2, 5_001) and actors.called() == ["lock"]
    assert gm.screen.prompt.has_class("-over")
    await gm.press("delete")
    await gm.send()
    assert gm.page[1] == "[RED]BO[/RED]"


async def test_d3_the_transcript_follows_its_end_and_pages_with_the_keyboard(
    gm: Master, actors: Scripted
) -> None:
    all_actors(actors, "\n\n".join(f"I try the rope on landing {n}." for n in range(40)))
    for n in range(2):
        await gm.give(f"Scene {n}.")
    scroll = gm.screen.transcript
    assert scroll.max_scroll_y > 0
    await gm.press("escape")
    assert scroll.scroll_offset.y == scroll.max_scroll_y
    await gm.press("pageup")
    assert scroll.scroll_offset.y < scroll.max_scroll_y and gm.app.focused is gm.field("prompt")


async def test_d4_an_older_draft_can_be_read_while_another_one_is_written_and_gone_on_from(
    gm: Master, actors: Scripted
) -> None:
    await gm.build()
    assert not gm.can("write_on")
    first = gm.chapter_page
    actors.answers["chapter"] = "The bell never came down."
    actors.gates["chapter"] = asyncio.Event()
    await gm.press("f10")
    await until(gm.pilot, lambda: gm.bar("drafts") == ["Draft 1", "Draft 2 …"], "the new one")
    assert gm.chapter_page == [] and not gm.can("download")
    assert gm.screen.why_not("download", ()) == "This draft is still being written."
    await gm.press("alt+1")
    assert gm.chapter_page == first and gm.can("download")
    gm.screen.chapter.stream_draft("The bell never")
    assert gm.chapter_page == first, "the text that comes does not push it away"
    await gm.press("alt+2")
    assert gm.chapter_page == ["The bell never"] and not gm.can("download")
    for leave in (("ctrl+g", "h"), ("ctrl+q",)):
        await opens(gm.pilot, ConfirmDialog, *leave)
        await gm.press("n")
        assert gm.directing and gm.session.session.state == "NARRATING" and not gm.session.closed
    actors.gates.pop("chapter").set()
    await gm.done(lambda: len(gm.session.game.drafts) == 2, "the second draft")
    assert gm.chapter_page == ["The bell never came down."]
    assert gm.bar("drafts") == ["Draft 1", "Draft 2"] and gm.can("download")
    actors.answers["chapter"] = " and rolled away."
    await opens(gm.pilot, GrowingTextDialog, "ctrl+g", "g")
    gm.app.screen.query_one(TextArea).text = "The bell fell"
    await gm.press("ctrl+s")
    await gm.done(lambda: len(gm.session.game.drafts) == 3, "another draft")
    assert "The bell fell and rolled away." in gm.chapter_page
    session, actors.gates["chapter"] = gm.session, asyncio.Event()
    await gm.press("f10")
    await opens(gm.pilot, ConfirmDialog, "ctrl+q")
    await gm.press("y")
    await until(gm.pilot, lambda: session.closed, "the end")


async def test_d10_a_prompt_is_given_again_its_replies_are_stepped_through_and_gone_on_from(
    gm: Master, actors: Scripted
) -> None:
    await gm.give("Climb.")
    await gm.type("for Bo")
    all_actors(actors, "I climb at last.")
    await gm.press("f4")
    await gm.done(lambda: gm.session.takes == (2, 2), "another reply")
    assert "I climb at last." in gm.page and "◂ take 2 of 2 ▸" in gm.screen.status.facts
    assert (gm.slot, gm.field("prompt").text) == (2, "for Bo")
    await gm.press("f5")
    await gm.done(lambda: gm.session.takes == (1, 2), "the first reply")
    assert "I try. (actor:1)" in gm.page and gm.field("prompt").text == "for Bo"
    await opens(gm.pilot, GrowingTextDialog, "ctrl+g", "a")
    box = gm.app.screen.query_one(TextArea)
    assert box.text == "I try. (actor:1)"
    box.text = "I climb"
    all_actors(actors, " for ever.")
    await gm.press("f4")
    await gm.done(lambda: gm.session.takes == (3, 3), "the take")
    assert "I climb for ever." in gm.page and "I try. (actor:1)" not in gm.page


async def test_d3_the_panel_shows_notes_as_they_are_taken_and_fills_a_small_screen(
    tmp_path: Path, begun: Path
) -> None:
    model = scripted()
    gate = model.gates["delta"] = asyncio.Event()
    async with app_for(tmp_path).run_test(size=(120, 40)) as pilot:
        gm = Master(pilot)
        await gm.open(await open_begun(gm.app, begun, model))
        notes = gm.said("notes")
        assert "The next notes follow prompt 7." in notes and "World and chapter" in notes
        gm.fill("prompt", "The seventh bell.")
        await gm.press("enter")
        await until(pilot, lambda: "Taking notes of prompts 1 to 7" in gm.said("notes"), "the notes begun")
        await pilot.resize_terminal(80, 24)
        assert not gm.screen.panel.display
        gate.set()
        await gm.settle()
        notes = gm.said("notes")
        assert (
            notes.index("Prompts 1 to 7") < notes.index("The bell moved.") < notes.index("World and chapter")
        )
        assert "The next notes follow prompt 14." in notes
        assert gm.screen.status.hint == "Notes taken of prompts 1 to 7. ^g m shows them."
        await gm.press("ctrl+g", "m")
        assert gm.screen.panel.outer_size.width == 80 and gm.screen.panel.has_focus
        assert not gm.screen.query_one("#stage").display
        await gm.press("escape")
        assert not gm.screen.panel.display and gm.field("prompt").has_focus
        await gm.session.close()


async def test_older_prompts_are_read_as_one_scrolls_up_and_words_are_found_in_them(
    tmp_path: Path, actors: Scripted
) -> None:
    async with app_for(tmp_path).run_test(size=(80, 24)) as pilot:
        gm = Master(pilot)
        session = await new_chapter(gm.app, actors)
        await session.lock()
        for n in range(20):
            await session.prompt(1, f"Scene {n + 1}.")
        await gm.open(session)
        window = gm.screen.transcript.window
        await until(pilot, lambda: window.last == 20, "the page")
        assert window.first > 1
        await gm.press("ctrl+f")
        await gm.type("Scene 3.", "enter")
        await until(pilot, lambda: window.first <= 3, "the older prompts")
        await gm.press("escape")
        assert gm.app.focused is gm.field("prompt")
        await session.close()


def test_d6_a_window_that_is_cut_begins_with_a_line_that_says_so() -> None:
    session = active(index=9, boundary=7)
    story = as_game(replace(draft(), session=session, events=log(9)))
    cut = layouts(story, transcript(session, log(9), limit=250))
    whole = layouts(story, transcript(session, log(9)))
    assert cut[0].blocks[0].text.plain.startswith("(Only the newest 60,000 characters")
    assert [layout.number for layout in whole] == list(range(1, 10)) and cut[0].number > 1
    assert whole[0].blocks[0].text.plain == "1) Scene 1."
    assert [layout.number for layout in whole if layout.blocks[-1].text.plain == SUMMARISED] == [7]


@pytest.mark.posix("a pty")
def test_d3_alt_with_a_digit_chooses_a_panel_in_plain_terminals_too() -> None:
    from textual._xterm_parser import XTermParser

    patch_key_sequences()
    sent = "".join(f"\x1b{slot}" for slot in range(1, 8))
    keys = [getattr(event, "key", "") for event in XTermParser().feed(sent)]
    assert keys == [f"alt+{slot}" for slot in range(1, 8)]
