"""What is typed for the agents of a chapter: while others answer, beside the prompt, and before one leaves."""

from __future__ import annotations

import asyncio

from textual.events import Paste

from tests.support.direct_pilot import Master
from tests.support.fake_model import Scripted
from tests.support.pilot import at_home, until
from theact_tui.tui.direct.screen import DirectScreen


async def test_d3_words_typed_while_a_reply_comes_are_shown_and_kept_for_the_next_prompt(
    gm: Master, actors: Scripted
) -> None:
    await gm.kept_waiting(actors)
    await gm.type("Now yoi", "backspace", "u", "enter")
    said = gm.screen.status.warning
    assert "Agent Red is answering" in said and said.endswith(": Now you")
    assert gm.cell("prompt").text == "Wait." and gm.session.session.prompt_index == 0
    await gm.answered(actors)
    assert (gm.slot, gm.cell("prompt").text) == (2, "Now you")
    assert gm.screen.status.warning == ""
    await gm.type(", Bo.")
    assert gm.cell("prompt").text == "Now you, Bo." and actors.called() == ["lock", "actor:1"]


async def test_d3_what_is_pasted_is_there_once_and_is_kept_too_while_a_reply_comes(
    gm: Master, actors: Scripted
) -> None:
    gm.app.post_message(Paste("A bell\x1b[1m rings."))
    await until(gm.pilot, lambda: bool(gm.cell("prompt").text), "the words")
    assert gm.cell("prompt").text == "A bell rings."
    actors.gates["actor:1"] = asyncio.Event()
    await gm.press("enter")
    await until(gm.pilot, lambda: gm.session.busy, "the call")
    gm.app.post_message(Paste("And then?"))
    await until(gm.pilot, lambda: "And then?" in gm.screen.status.warning, "the kept words")
    await gm.answered(actors)
    assert gm.cell("prompt").text == "And then?"


async def test_d9_words_typed_while_a_prompt_fails_wait_for_the_next_agent(
    gm: Master, actors: Scripted
) -> None:
    await gm.kept_waiting(actors)
    await gm.type("You?")
    await gm.stop()
    assert (gm.slot, gm.cell("prompt").text) == (1, "Wait.")
    await gm.press("alt+2")
    assert gm.cell("prompt").text == "You?"


async def test_d3_letters_typed_beside_the_prompt_go_into_it_and_a_closed_one_says_why(
    gm: Master,
) -> None:
    gm.screen.query_one("#transcript").focus()
    await gm.type("A bell")
    await until(gm.pilot, lambda: gm.cell("prompt").text == "A bell", "the letters")
    assert gm.app.focused is gm.cell("prompt")
    await gm.send()
    await gm.press("f10", "y")
    await until(gm.pilot, lambda: gm.state == "ENDED", "the end")
    await gm.settle()
    await gm.press("f9", "x")
    assert "branch from an earlier prompt" in gm.screen.status.warning


async def test_what_was_typed_and_not_given_is_there_again(gm: Master) -> None:
    await gm.type("Not yet.")
    session = gm.session
    await gm.press("ctrl+g", "h")
    await until(gm.pilot, lambda: not gm.directing, "home")
    await at_home(gm.pilot)
    gm.app.push_screen(DirectScreen(session, cursor_blink=False))
    await until(gm.pilot, lambda: gm.directing, "the chapter again")
    assert gm.cell("prompt").text == "Not yet."
