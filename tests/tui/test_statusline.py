"""The line between story and box: what runs now is told whole, whatever else there is to say."""

from functools import partial

import pytest

from tests.support.pilot import Paper, Player, until
from theact_tui.tui.visuals import SplitLine
from theact_tui.tui.widgets.status_line import StatusLine

DOING, FACTS, MORE = "Father Joaquin is answering", "◂ take 2 of 2 ▸ · 1.2k tokens", "▾ more below, enter"


@pytest.mark.parametrize("width", [54, 80, 120])
async def test_what_runs_now_is_told_whole(width: int) -> None:
    line = StatusLine(id="status")
    async with Paper(line).run_test(size=(width, 10)) as pilot:
        await pilot.pause()
        line.doing, line.facts, line.more = DOING, tuple(FACTS.split(" · ")), True
        await pilot.pause()
        assert drawn(line).startswith(DOING) and MORE in drawn(line)
        assert (FACTS in drawn(line)) == (width > 79)
        assert ("take 2 of 2" in drawn(line)) == (width > 66)
        line.doing = ""
        await pilot.pause()
        assert FACTS in drawn(line)
        line.hint = DOING
        await pilot.pause()
        assert ("take 2 of 2" in drawn(line)) == (width > 66) and DOING in drawn(line)


def drawn(line: StatusLine) -> str:
    visual = line.render()
    assert isinstance(visual, SplitLine)
    return visual.fitted(line.content_size.width).plain


async def test_a_long_text_takes_more_rows_and_tokens_are_told_once_waiting_is_counted(
    player: Player,
) -> None:
    status = player.status
    for times, rows in ((0, 1), (5, 2), (9, 3), (0, 1)):
        status.warning = "Turn 12 is not saved yet. " * times
        await until(player.pilot, partial(lambda rows: status.size.height == rows, rows), f"{rows} rows")
    status.doing, status.tokens = "Ann is answering", 140
    for seconds, expected, told in (
        (0, 0, ""), (1, 0, ""), (2, 0, " · 2 s · 140 tokens"), (12, 0, " · 12 s · 140 tokens"),
        (12, 20, " · 12 of about 20 s · 140 tokens"), (21, 20, " · 21 s · 140 tokens"),
    ):  # fmt: skip
        status.seconds, status.expected = seconds, expected
        assert status.left.plain == f"Ann is answering{told}"
