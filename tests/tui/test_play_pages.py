"""The pages of a story that is played: turned, jumped and searched in, and read up to the first."""

import asyncio
from functools import partial
from pathlib import Path

import pytest
from textual.widgets import Input

from tests.engine.test_openings import open_pack
from tests.support.fake_model import Scripted, narration
from tests.support.pilot import Player, playing, problem, until
from theact_tui.text import search_pattern


async def test_enter_on_an_empty_line_turns_the_page(player: Player, model: Scripted) -> None:
    model.answers["narrator"] = narration("\n\n".join(f"Paragraph {n} of many." for n in range(40)), "")
    await player.say("I read.")
    assert player.status.more
    assert player.transcript.place == (2, 1)
    await player.press("enter")
    assert player.transcript.place is not None and player.transcript.place[1] > 20
    for _ in range(3):
        if player.status.more:
            await player.press("enter")
    assert not player.status.more
    assert player.session.game.state.turn == 2


MINE = tuple(f"This is line {number} of mine." for number in range(2, 20))


@pytest.mark.parametrize("before", [MINE], ids=["turn 19"])
async def test_older_turns_are_read_jumped_to_and_found_and_what_is_told_meanwhile_is_not_lost(
    player: Player, model: Scripted
) -> None:
    loader = player.screen.presenter.loader
    await loader.show_newest()
    assert player.transcript.window.first == 8
    for _ in range(6):
        await player.press("pageup")
    await until(player.pilot, lambda: player.transcript.window.first == 1, "the first turn")
    assert "chapter 1" in player.page
    await player.press("ctrl+g", "j")
    for text in ("99", "0", "one"):
        player.app.screen.query_one(Input).value = text
        await player.press("enter")
        await until(player.pilot, lambda: problem(player.pilot) == "Enter a number from 1 to 19.")
    player.app.screen.query_one(Input).value = "2"
    await player.press("enter")
    await until(player.pilot, lambda: player.transcript.place == (2, 0))
    assert player.status.more
    await player.press("ctrl+f")
    await player.type("line 4", "enter")
    await until(player.pilot, lambda: "1 of 1" in str(player.screen.query_one("#find-count").render()))
    assert player.transcript.place is not None and player.transcript.place[0] in (3, 4)
    await player.press("escape", "escape")
    assert player.transcript.following and not player.status.more
    gate = model.gates["character:ann"] = asyncio.Event()
    await player.send("Now the long one.")
    await until(player.pilot, lambda: player.session.phase == "replying")
    await loader.jump(1)
    player.transcript.window.turns[4:] = []
    await loader.jump(1)
    await until(player.pilot, lambda: player.status.more)
    gate.set()
    await player.turn(20)
    assert "Now the long one." not in player.page
    await player.press("tab", "escape")
    await until(player.pilot, lambda: "Now the long one." in player.page and player.transcript.following)
    assert "I have seen this stair before" in player.page.split("Now the long one.")[1]


HATS = ["I hang that hat up.", "What is that?", "I look at the hatch and at the hat."]


@pytest.mark.parametrize("before", [HATS], ids=["hats"])
async def test_find_counts_while_one_types_and_shows_which_one_it_is(player: Player) -> None:
    """Words are found from their beginning: "hat" stands three times in these lines, not seven times."""

    def count() -> str:
        return str(player.screen.query_one("#find-count").render())

    def reversed_words() -> list[str]:
        page = player.transcript
        rows = [page.render_line(y) for y in range(page.size.height)]
        return [segment.text for row in rows for segment in row if segment.style and segment.style.reverse]

    await player.press("ctrl+f")
    await player.type("HAT")
    await until(player.pilot, lambda: count() == "3 found", "the count before enter")
    assert not reversed_words()
    seen = []
    for place in ("3 of 3", "2 of 3", "1 of 3"):
        await player.press("enter")
        await until(player.pilot, partial(lambda place: count() == place, place), place)
        seen += reversed_words()
    assert seen == ["hat", "hat", "hat"]
    await player.press("enter")
    await until(player.pilot, lambda: count() == "no more")
    await player.type("x")
    await until(player.pilot, lambda: count() == "not found")


def test_words_are_found_where_they_begin_and_anywhere_where_no_spaces_are_written() -> None:
    assert [m.start() for m in search_pattern("hat").finditer("that Hat, hatch-hat")] == [5, 10, 16]
    assert search_pattern("\"It's").search("“It’s late.”") and search_pattern("“It’s").search("“It’s late.”")
    assert search_pattern("岛").search("小岛") and search_pattern("été").search("l'Été")


async def test_the_first_page_says_how_to_find_the_openings_of_a_card(tmp_path: Path) -> None:
    async with playing(tmp_path, (80, 24), Scripted(), open_pack()) as player:
        await until(player.pilot, lambda: player.status.hint == "1 more opening: F4 shows the next one.")
        await player.press("f4")
        await until(player.pilot, lambda: player.status.hint == "1 other opening: ← and → show them.")
        assert "It is noon." in player.page
        await player.press("left")
        await until(player.pilot, lambda: "Rain falls" in player.page)
        assert player.status.hint.startswith("1 other opening")
        await player.say("I look.")
        assert "opening" not in player.status.hint
