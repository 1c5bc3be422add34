"""Looking for words in a story of many turns, of which the page holds a few."""

import pytest
from textual.pilot import Pilot

from tests.tui.play.test_transcript import PACK, PROSE, page, pilot
from theact_tui.story.turn import Entry, Turn
from theact_tui.tui.blocks import Cast, turn_blocks
from theact_tui.tui.play.loader import TranscriptLoader
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout

__all__ = ["page", "pilot"]
LAST = 200


class Shelf:
    """A story whose every turn says its number; the page of turn 7 says it twice."""

    def __init__(self) -> None:
        self.read = 0

    async def layouts(self, first: int, last: int) -> list[TurnLayout]:
        self.read += last - first + 1
        turns = map(self._turn, range(first, last + 1))
        return [TurnLayout(turn.number, turn_blocks(PACK, Cast.of(PACK), turn)) for turn in turns]

    def _turn(self, number: int) -> Turn:
        text = f"Page {number}. {PROSE * 2}" + ("\n\nPage 7. Again." if number == 7 else "")
        return Turn(number=number, chapter="one", entries=(Entry(role="narrator", text=text),))


@pytest.fixture
def shelf() -> Shelf:
    return Shelf()


@pytest.fixture
async def pages(pilot: Pilot[None], page: Transcript, shelf: Shelf) -> TranscriptLoader:
    found = TranscriptLoader(shelf.layouts, lambda: LAST, page)
    await found.show_newest()
    await pilot.pause()
    return found


async def test_what_is_nowhere_moves_nothing(pages: TranscriptLoader, page: Transcript) -> None:
    here = (page.place, page.window.first, page.window.last)
    assert await pages.seek("Page 2000.", -1) == "not found"
    assert (page.place, page.window.first, page.window.last) == here


async def test_words_far_away_are_found_in_both_directions(pages: TranscriptLoader, page: Transcript) -> None:
    rows = []
    for place in ("2 of 2", "1 of 2"):
        assert await pages.seek("pAGE 7.", -1) == place
        assert page.place and page.place[0] in (6, 7) and len(page.window.turns) < LAST
        rows.append(page.search.found and page.search.found[1])
    assert rows == [1, 0]  # the lower one first
    here = page.place
    assert await pages.seek("pAGE 7.", -1) == "no more"
    assert page.place == here
    assert await pages.seek("Page 150.", 1) == "1 of 1"
    assert await pages.seek(f"Page {LAST}.", 1) == "1 of 1"
    assert await pages.seek("Page 150.", 1) == "no more"


async def test_looking_for_what_stands_on_the_page_reads_nothing(
    pages: TranscriptLoader, shelf: Shelf
) -> None:
    before = shelf.read
    assert await pages.seek(f"Page {LAST - 1}.", -1) == f"turn {LAST - 1}"
    assert shelf.read == before
