"""The end of a transcript stays in sight while the lines around it come and go."""

from __future__ import annotations

from pathlib import Path

from tests.support.direct_pilot import Master, all_actors, app_for, open_begun, scripted
from tests.support.pilot import until
from theact_tui.errors import CallError
from theact_tui.tui.widgets.containers import Follower


async def test_a_banner_does_not_cover_the_end_nor_end_the_following(tmp_path: Path, begun: Path) -> None:
    model = scripted()
    model.answers["delta"] = CallError("down", "The model's server does not answer. " * 6)
    async with app_for(tmp_path).run_test(size=(80, 24)) as pilot:
        master = Master(pilot)
        await master.open(await open_begun(master.app, begun, model))
        scroll = master.screen.query_one(Follower)
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
