"""The Direct tab when a call fails: nothing typed is lost, the reason is said, and play goes on."""

import asyncio
from pathlib import Path

import pytest

from tests.support.direct_pilot import Master, all_actors, app_for, new_chapter, open_begun, scripted
from tests.support.fake_model import Scripted
from tests.support.pilot import until
from theact_tui.errors import CallError
from theact_tui.tui.direct.presenter import SUMMARISED

DOWN = CallError("down", "The model's server does not answer. Start it, then try again.")


async def test_d9_a_failed_reply_keeps_focus_and_text_and_shows_why(gm: Master, actors: Scripted) -> None:
    all_actors(actors, DOWN)
    await gm.press("alt+2")
    await gm.type("Climb.", "enter")
    await gm.trouble("does not answer")
    assert gm.slot == 2 and gm.field("prompt").text == "Climb." and not gm.screen.transcript.window.last
    assert "AGENT" not in " ".join(gm.page)
    assert gm.app.focused is gm.field("prompt") and not gm.field("prompt").read_only
    assert "could not answer" in " ".join(gm.page) and "Enter sends “Climb.” again." in " ".join(gm.page)
    all_actors(actors, "I climb.")
    await gm.send()
    assert "could not answer" not in " ".join(gm.page) and gm.slot == 3


async def test_d9_escape_stops_a_call_and_keeps_the_text(gm: Master, actors: Scripted) -> None:
    await gm.kept_waiting(actors)
    await gm.stop()
    assert gm.field("prompt").text == "Wait." and "could not" not in " ".join(gm.page)
    assert gm.screen.status.hint == "Stopped. Nothing was changed. Enter sends “Wait.” again."
    await gm.press("enter")
    await until(gm.pilot, lambda: gm.session.busy, "the call")
    await gm.type("Next.")
    await gm.stop()
    assert (gm.slot, gm.field("prompt").text) == (1, "Next.")
    assert gm.screen.status.hint.endswith("was changed. ↑ brings your text back.")
    await gm.press("up")
    assert gm.field("prompt").text == "Wait."


async def test_a_failed_prompt_stays_in_the_box_while_the_one_before_is_retried(
    gm: Master, actors: Scripted
) -> None:
    await gm.give("The bell rings.")
    all_actors(actors, DOWN)
    await gm.type("Climb.", "enter")
    await gm.trouble("could not answer")
    actors.gates["actor:1"] = asyncio.Event()
    await gm.press("f4")
    await until(gm.pilot, lambda: gm.session.busy, "the call")
    await gm.stop()
    assert gm.screen.status.hint.endswith("Enter sends “Climb.” again."), "not what F4 retried"
    del actors.gates["actor:1"]
    all_actors(actors, "I listen.")
    await gm.press("f4")
    await until(gm.pilot, lambda: gm.session.takes == (2, 2), "the other take")
    await gm.settle()
    assert gm.field("prompt").text == "Climb."


async def test_a_retry_that_fails_says_why_below_the_earlier_reply(gm: Master, actors: Scripted) -> None:
    all_actors(actors, "I listen.")
    await gm.give("The bell rings.")
    all_actors(actors, DOWN)
    await gm.press("f4")
    await gm.trouble("could not answer")
    await gm.settle()
    page = " ".join(gm.page)
    assert page.index("I listen.") < page.index("does not answer") and page.count("could not answer") == 1


async def test_a_reply_that_fails_after_notes_were_stopped_is_no_stop(gm: Master, actors: Scripted) -> None:
    for n in range(6):
        await gm.give(f"Scene {n}.")
    actors.gates["delta"] = asyncio.Event()
    await gm.type("Scene 7.", "enter")
    await until(gm.pilot, lambda: gm.state == "SUMMARIZING", "the notes")
    await gm.stop()
    all_actors(actors, DOWN)
    await gm.type("Climb.", "enter")
    await gm.trouble("could not answer")


async def test_d9_a_missing_summary_is_a_banner_and_play_goes_on(gm: Master, actors: Scripted) -> None:
    good = actors.answers["delta"]
    actors.answers["delta"] = DOWN
    for n in range(7):
        await gm.give(f"Scene {n}.")
    assert "Prompts 1 to 7 are not summarised yet" in gm.said("banner")
    assert gm.screen.query_one("#banner").display and SUMMARISED not in gm.page
    assert not gm.field("prompt").read_only
    actors.answers["delta"] = good
    await gm.give("One more.")
    assert not gm.screen.query_one("#banner").display and SUMMARISED in gm.page


async def test_d9_a_failed_lock_leaves_everything_typed(tmp_path: Path, actors: Scripted) -> None:
    app = app_for(tmp_path)
    actors.answers["lock"] = DOWN
    async with app.run_test(size=(80, 24)) as pilot:
        gm = Master(pilot)
        await gm.open(await new_chapter(app, actors))
        await gm.type("A drowned city.", "f9")
        await pilot.pause()
        await gm.press("y")
        await gm.trouble("does not answer")
        assert gm.state == "DRAFT" and gm.screen.tab == 1
        assert gm.field("world").text == "A drowned city." and not gm.field("world").read_only
        await gm.session.close()


async def test_a_fault_of_the_display_is_said_and_the_next_events_are_shown(
    gm: Master, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(gm.screen.presenter, "show", lambda event: 1 / 0)
        await gm.session.prompt(1, "A bell rings.")
        await until(gm.pilot, lambda: "Internal error" in gm.screen.status.warning, "the error")
    await gm.session.prompt(2, "It rings again.")
    await until(gm.pilot, lambda: "2) It rings again." in gm.page, "the page")


async def test_a_banner_does_not_cover_the_end(tmp_path: Path, begun: Path) -> None:
    model = scripted()
    model.answers["delta"] = CallError("down", "The model's server does not answer. " * 6)
    async with app_for(tmp_path).run_test(size=(80, 24)) as pilot:
        master = Master(pilot)
        await master.open(await open_begun(master.app, begun, model))
        scroll = master.screen.transcript
        before = scroll.size.height
        await master.give("The bell answers.")
        assert "not summarised" in master.said("banner")
        await until(pilot, lambda: scroll.following and scroll.max_scroll_y > 0, "the end")
        assert scroll.size.height < before - 1
        await master.session.close()
