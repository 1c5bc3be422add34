"""The side panel: what it says before there is a summary, how all of it is shown, and what it says of somebody in a word."""

from dataclasses import replace
from pathlib import Path

import pytest
from textual.content import Content

from tests.support.fake_model import Scripted, small_pack
from tests.support.pilot import Player, playing, until
from tests.support.said import plain, text_of
from theact_tui.story.game import Game, Recap
from theact_tui.story.pack import Pack
from theact_tui.tui.play.side_panel import SummarySection
from theact_tui.tui.visuals import TruncatedText

LONG = " ".join(f"Then the {n}th thing happened." for n in range(60))


def show(player: Player, game: Game) -> SummarySection:
    player.panel.show(game)
    return player.screen.query_one(SummarySection)


def shown(section: SummarySection) -> str:
    return plain(section.render())


async def test_before_there_is_a_summary_it_says_how_much_is_kept_in_full(player: Player) -> None:
    await player.say("I look.")
    assert "The model still sees every turn in full." in text_of(player.panel)
    game = replace(player.session.game, recaps=(Recap(chapter="one", title="One", text="We climbed."),))
    section = show(player, game)
    assert "We climbed." in shown(section) and "in full" not in shown(section)
    state = game.state.model_copy(update={"rolling_summary": "It rained.", "last_summarized_turn": 1})
    section = show(player, replace(game, state=state))
    assert (
        "to turn 1" in shown(section) and "It rained." in shown(section) and "in full" not in shown(section)
    )


async def test_a_cut_story_so_far_is_shown_whole_by_enter_or_a_click(player: Player) -> None:
    game = player.session.game
    state = game.state.model_copy(update={"rolling_summary": "It rained.", "last_summarized_turn": 1})
    section = show(player, replace(game, state=state))
    await player.press("tab")
    assert player.screen.focused is not section, "nothing is cut"
    await player.press("escape")
    state = state.model_copy(update={"rolling_summary": LONG})
    show(player, replace(game, state=state))
    await player.pilot.pause()
    cut = section.region.height
    await player.press("tab", "enter")
    await until(player.pilot, lambda: section.region.height > 2 * cut, "all of it")
    await player.press("enter")
    await until(player.pilot, lambda: section.region.height == cut, "less of it")
    await player.pilot.click(SummarySection)
    await until(player.pilot, lambda: section.region.height > 2 * cut, "all of it by a click")
    await player.type("I")
    assert player.prompt.text == "I", "letters go to the box"


@pytest.mark.parametrize(
    "text", ["one two three four five six seven", "abcdefghijklmnopqrstuvwxyz", "一二三四五六七八九十" * 2]
)
def test_a_cut_story_so_far_keeps_the_last_letter_of_its_first_row(text: str) -> None:
    """The ellipsis takes its cell from the beginning of the row, also where the row is full."""
    for width in range(4, 12):
        shown = TruncatedText(Content(text), 2, 12).fitted(width)
        rows = shown.wrap(width)
        told = "".join(row.plain.strip() for row in rows).removeprefix("…").replace(" ", "")
        assert len(rows) == 2 and rows[0].plain.startswith("…")
        assert text.replace(" ", "").endswith(told)


def crowd() -> Pack:
    """The small pack with five more people in its chapter."""
    pack = small_pack()
    people = {f"p{n}": pack.characters["bob"].model_copy(update={"name": f"Person {n}"}) for n in range(5)}
    chapter = pack.chapters["one"].model_copy(update={"characters": ("ann", "bob", *people)})
    game = pack.game.model_copy(update={"characters": ("ann", "bob", *people)})
    return pack.model_copy(
        update={
            "game": game,
            "characters": {**pack.characters, **people},
            "chapters": {**pack.chapters, "one": chapter},
        }
    )


def seen(player: Player) -> str:
    """The rows of the cast that are in view."""
    cast, panel = player.panel.cast, player.panel.region
    rows = enumerate(text_of(cast).splitlines(), cast.region.y)
    return "\n".join(row for y, row in rows if panel.y <= y < panel.bottom)


async def test_the_character_that_space_sends_or_brings_is_in_view_and_is_named(
    tmp_path: Path, model: Scripted
) -> None:
    async with playing(tmp_path, (80, 40), model, crowd()) as player:
        await player.press("f8", *["down"] * 6)
        await until(player.pilot, lambda: "○ Person 4" in seen(player), "the last row")
        await player.pilot.resize_terminal(80, 14)
        await until(player.pilot, lambda: player.panel.size.height < 14 and "○ Person 4" in seen(player))
        await player.press("space")
        await until(player.pilot, lambda: "p4" in player.session.game.state.present, "the person")
        assert [note.message for note in player.app._notifications] == ["Person 4 is here now."]
        await player.press("down")
        await until(player.pilot, lambda: "● Ann Lee" in seen(player), "the first row")
        await player.press("f8", "f8", "space")
        await until(player.pilot, lambda: "ann" not in player.session.game.state.present, "Ann to go")


async def test_memories_unfold_into_view_by_enter_and_by_a_click(tmp_path: Path, model: Scripted) -> None:
    async with playing(tmp_path, (110, 14), model, crowd()) as player:
        await player.press("tab", *["down"] * 6)
        await until(player.pilot, lambda: "○ Person 4" in seen(player), "the last row")
        await player.press("enter")
        await until(
            player.pilot, lambda: "No memories yet." in seen(player), "what is unfolded below the last row"
        )
        cast = player.panel.cast
        await player.pilot.click(cast, offset=(4, cast.rows_of(5).y - cast.virtual_region.y))
        await until(
            player.pilot, lambda: cast.at == 5 and text_of(cast).count("No memories yet.") == 2, "a click"
        )
