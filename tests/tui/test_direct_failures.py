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


async def test_d9_a_failed_reply_keeps_focus_and_text_and_shows_why_and_so_does_a_retry(
    gm: Master, actors: Scripted
) -> None:
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
    all_actors(actors, DOWN)
    await gm.press("f4")
    await gm.trouble("could not answer")
    page = " ".join(gm.page)
    assert page.index("I climb.") < page.index("does not answer") and page.count("could not answer") == 1


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
    await gm.done(lambda: gm.session.takes == (2, 2), "the other take")
    assert gm.field("prompt").text == "Climb."


async def test_d9_a_missing_summary_is_a_banner_that_covers_nothing_and_play_goes_on(
    tmp_path: Path, begun: Path
) -> None:
    model = scripted()
    good = model.answers["delta"]
    model.answers["delta"] = CallError("down", "The model's server does not answer. " * 6)
    async with app_for(tmp_path).run_test(size=(80, 24)) as pilot:
        gm = Master(pilot)
        await gm.open(await open_begun(gm.app, begun, model))
        scroll, banner = gm.screen.transcript, gm.screen.query_one("#banner")
        before = scroll.size.height
        await gm.give("The bell answers.")
        assert "Prompts 1 to 7 are not summarised yet" in gm.said("banner")
        assert banner.display and SUMMARISED not in gm.page
        assert not gm.field("prompt").read_only
        await until(pilot, lambda: scroll.following and scroll.max_scroll_y > 0, "the end")
        assert scroll.size.height < before - 1
        model.gates["delta"] = asyncio.Event()
        await gm.type("And again.", "enter")
        await until(pilot, lambda: gm.state == "SUMMARIZING", "the notes")
        await gm.stop()
        all_actors(model, DOWN)
        await gm.type("Climb.", "enter")
        await gm.trouble("could not answer")
        model.gates.clear()
        all_actors(model, "I climb.")
        model.answers["delta"] = good
        await gm.send()
        assert not banner.display and SUMMARISED in gm.page
        await gm.session.close()


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
