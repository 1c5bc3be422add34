"""What is typed for the agents of a chapter: while others answer, beside the prompt, and before one leaves."""

from textual.events import Paste

from tests.support.direct_pilot import Master
from tests.support.fake_model import Scripted
from tests.support.pilot import until


async def test_d3_what_is_pasted_is_there_once(gm: Master) -> None:
    gm.app.post_message(Paste("A bell\x1b[1m rings."))
    await until(gm.pilot, lambda: bool(gm.field("prompt").text), "the words")
    assert gm.field("prompt").text == "A bell rings."
    await gm.press("f9")
    gm.app.post_message(Paste("And then?"))
    await until(gm.pilot, lambda: bool(gm.screen.status.warning), "the refusal")
    assert gm.field("prompt").text == "A bell rings." and gm.session.setup.world == ""


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


async def test_d3_letters_typed_beside_the_prompt_go_into_it_and_a_closed_one_says_why(gm: Master) -> None:
    gm.screen.transcript.focus()
    await gm.type("A bell")
    await until(gm.pilot, lambda: gm.field("prompt").text == "A bell", "the letters")
    assert gm.app.focused is gm.field("prompt")
    await gm.send()
    await gm.press("f10", "y")
    await until(gm.pilot, lambda: gm.state == "ENDED", "the end")
    await gm.settle()
    await gm.press("f9", "x")
    assert "branch from an earlier prompt" in gm.screen.status.warning
