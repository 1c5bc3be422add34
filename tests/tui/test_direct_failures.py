"""The Direct tab when a call fails: nothing typed is lost, the reason is said, and play goes on."""

from __future__ import annotations

from pathlib import Path

from textual.containers import VerticalScroll

from tests.support.direct_pilot import Master, all_actors, app_for, new_chapter, open_begun, scripted
from tests.support.fake_model import Scripted
from tests.support.pilot import until
from theact_tui.errors import CallError
from theact_tui.tui.direct.panes import NOTED, NOTHING

DOWN = CallError("down", "The model's server does not answer. Start it, then try again.")


async def test_d9_a_failed_reply_keeps_focus_and_text_and_shows_why(gm: Master, actors: Scripted) -> None:
    all_actors(actors, DOWN)
    await gm.press("alt+2")
    await gm.type("Climb.", "enter")
    await gm.trouble("does not answer")
    assert gm.slot == 2 and gm.cell("prompt").text == "Climb." and gm.said("told") == NOTHING
    assert gm.app.focused is gm.cell("prompt") and not gm.cell("prompt").read_only
    all_actors(actors, "I climb.")
    await gm.send()
    assert gm.said("trouble") == "" and gm.slot == 3


async def test_d9_escape_stops_a_call_and_keeps_the_text(gm: Master, actors: Scripted) -> None:
    await gm.kept_waiting(actors)
    await gm.stop()
    assert gm.cell("prompt").text == "Wait." and not gm.said("trouble")
    assert gm.screen.status.hint == "Stopped. Nothing was changed."
    await gm.press("enter")
    await until(gm.pilot, lambda: gm.session.busy, "the call")
    await gm.type("Next.")
    await gm.stop()
    assert gm.screen.status.hint.endswith("was changed. Your text is kept in the box of [red]Bo[/red].")


async def test_d9_a_missing_summary_is_a_banner_and_play_goes_on(gm: Master, actors: Scripted) -> None:
    good = actors.answers["delta"]
    actors.answers["delta"] = DOWN
    for n in range(7):
        await gm.give(f"Scene {n}.")
    assert "Prompts 1 to 7 are not summarised yet" in gm.said("banner")
    assert gm.screen.query_one("#banner").display and NOTED not in gm.said("told")
    assert not gm.cell("prompt").read_only
    actors.answers["delta"] = good
    await gm.give("One more.")
    assert not gm.screen.query_one("#banner").display and NOTED in gm.said("told")


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
        assert gm.cell("world").text == "A drowned city." and not gm.cell("world").read_only
        await gm.session.close()


async def test_a_banner_does_not_cover_the_end_nor_end_the_following(tmp_path: Path, begun: Path) -> None:
    model = scripted()
    model.answers["delta"] = CallError("down", "The model's server does not answer. " * 6)
    async with app_for(tmp_path).run_test(size=(80, 24)) as pilot:
        master = Master(pilot)
        await master.open(await open_begun(master.app, begun, model))
        scroll = master.screen.query_one("#transcript", VerticalScroll)
        before = scroll.size.height
        await master.give("The bell answers.")
        assert "not summarised" in master.said("banner")
        await until(pilot, lambda: 0 < scroll.max_scroll_y == scroll.scroll_offset.y, "the end")
        assert scroll.size.height < before - 1
        model.answers["delta"] = scripted().answers["delta"]
        await master.press("pageup")
        above = scroll.scroll_offset.y
        assert above < scroll.max_scroll_y
        all_actors(model, "I hold on.\n" * 5)
        await master.give("It answers again.")
        assert scroll.scroll_offset.y == above
        await master.press(*["pagedown"] * 4)
        assert scroll.scroll_offset.y == scroll.max_scroll_y
        await master.session.close()
