"""The page: one column, nothing jumps, work that does not grow with the story."""

from collections.abc import AsyncIterator

import pytest
from textual.app import ComposeResult
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.selection import Selection
from textual.strip import Strip

from tests.support.fake_model import small_pack
from tests.support.pilot import Paper, until
from theact_tui.story.turn import Entry, Turn
from theact_tui.tui.blocks import Cast, aside_blocks, turn_blocks
from theact_tui.tui.play.transcript import MEASURE_CELLS, Transcript
from theact_tui.tui.play.transcript_window import MAX_LOADED_TURNS, TurnLayout
from theact_tui.tui.widgets.base_screen import BaseScreen

PACK = small_pack()
PROSE = "The stones here are cut, and the trees lean away from the water. " * 6


def leaf(number: int, text: str = PROSE, player: str = "I go on.") -> TurnLayout:
    entries = (Entry(role="narrator", text=text), Entry(role="player", text=player))
    return TurnLayout(
        number, turn_blocks(PACK, Cast.of(PACK), Turn(number=number, chapter="one", entries=entries))
    )


def leaves(first: int, last: int) -> list[TurnLayout]:
    return [leaf(number, f"Page {number}. {PROSE}") for number in range(first, last + 1)]


class Sheet(BaseScreen[None]):
    def __init__(self) -> None:
        super().__init__()
        self.wanted: list[Transcript.TurnsWanted] = []

    def compose(self) -> ComposeResult:
        yield Transcript()

    def on_transcript_turns_wanted(self, event: Transcript.TurnsWanted) -> None:
        self.wanted.append(event)


@pytest.fixture
async def pilot() -> AsyncIterator[Pilot[None]]:
    async with Paper(over=Sheet()).run_test(size=(120, 30)) as pilot:
        await pilot.pause()
        yield pilot


@pytest.fixture
def page(pilot: Pilot[None]) -> Transcript:
    return pilot.app.screen.query_one(Transcript)


def rows(page: Transcript) -> list[str]:
    return [page.render_line(y).text.rstrip() for y in range(page.size.height)]


async def test_prose_is_one_centred_column(pilot: Pilot[None], page: Transcript) -> None:
    page.show(leaves(1, 3), 3)
    await pilot.pause()
    prose = [row for row in rows(page) if "stones" in row]
    assert prose and all(len(row.strip()) <= MEASURE_CELLS for row in prose)
    assert {len(row) - len(row.lstrip()) for row in prose} == {page.left}
    assert abs(page.left - (120 - page.left - MEASURE_CELLS)) <= 3


@pytest.mark.parametrize("width", [40, 80, 200])
async def test_it_fits_any_width(pilot: Pilot[None], page: Transcript, width: int) -> None:
    page.show(leaves(1, 3), 3)
    await pilot.resize_terminal(width, 24)
    await until(pilot, lambda: page.size.width == width)
    assert all(len(row) <= width for row in rows(page))
    assert "water." in " ".join(rows(page))


def grow(page: Transcript, text: str) -> None:
    """The last turn goes on."""
    last = page.window.turns[-1]
    last.blocks = [*last.blocks, *leaf(last.number, text, "").blocks]
    page.changed(last)


async def test_what_is_told_comes_into_sight_until_it_fills_the_page(
    pilot: Pilot[None], page: Transcript
) -> None:
    page.show(leaves(1, 5), 5)
    page.add(leaf(6, "It begins.", "I say so."))
    for number in range(12):
        grow(page, f"Row {number}.")
        await pilot.pause()
        assert any(f"Row {number}." in row for row in rows(page))
    for number in range(12, 40):
        grow(page, f"Row {number}.")
    await pilot.pause()
    assert "I say so." in rows(page)[1]
    assert not page.following


async def test_the_next_page_is_followed_for_a_page(pilot: Pilot[None], page: Transcript) -> None:
    page.show(leaves(1, 5), 5)
    page.add(leaf(6, "It begins.", "I say so."))
    for number in range(20):
        grow(page, f"Row {number}.")
    await pilot.pause()
    page.page(1)
    await pilot.pause()
    assert page.following
    last_seen = [row for row in rows(page) if row.strip()][-1]
    for number in range(20, 60):
        grow(page, f"Row {number}.")
    await pilot.pause()
    assert last_seen in rows(page)[0:2]


async def test_back_at_the_end_everything_is_followed(pilot: Pilot[None], page: Transcript) -> None:
    page.show(leaves(1, 5), 5)
    page.follow()
    for number in range(60):
        grow(page, f"Row {number}.")
        await pilot.pause()
        assert any(f"Row {number}." in row for row in rows(page))


async def test_who_reads_above_is_not_moved(pilot: Pilot[None], page: Transcript) -> None:
    page.show(leaves(1, 8), 8)
    page.follow()
    await pilot.pause()
    page.scroll_relative(y=-20, animate=False)
    await pilot.pause()
    seen = rows(page)
    assert not page.following
    grow(page, "More is told below.")
    await pilot.pause()
    assert rows(page) == seen
    page.follow()
    await pilot.pause()
    assert any("More is told below." in row for row in rows(page))


async def test_the_last_turn_is_shown_from_its_beginning(pilot: Pilot[None], page: Transcript) -> None:
    page.show([*leaves(1, 5), leaf(6, "\n\n".join([PROSE] * 9), "I begin to read.")], 6)
    await pilot.pause()
    assert "I begin to read." in rows(page)[1]


async def test_older_turns_come_in_without_a_jump(pilot: Pilot[None], page: Transcript) -> None:
    screen = pilot.app.screen
    assert isinstance(screen, Sheet)
    page.show(leaves(20, 31), 31)
    await pilot.pause()
    page.scroll_to(y=6, animate=False, immediate=True)
    await until(pilot, lambda: bool(screen.wanted), "the wish for older turns")
    assert screen.wanted[0].which == "older"
    seen = rows(page)
    page.prepend(leaves(8, 19))
    await pilot.pause()
    assert page.window.first == 8
    assert rows(page) == seen


async def test_the_window_is_bounded(pilot: Pilot[None], page: Transcript) -> None:
    page.show(leaves(1, MAX_LOADED_TURNS), MAX_LOADED_TURNS)
    for number in range(MAX_LOADED_TURNS + 1, MAX_LOADED_TURNS + 31):
        page.add(leaf(number))
    await pilot.pause()
    assert len(page.window.turns) == MAX_LOADED_TURNS
    assert page.window.last == MAX_LOADED_TURNS + 30
    assert page.following


async def test_only_what_changed_is_wrapped_again(pilot: Pilot[None], page: Transcript) -> None:
    page.show(leaves(1, 50), 50)
    await pilot.pause()
    live = leaf(51, "First paragraph.\n\nSecond.")
    page.add(live)
    await pilot.pause()
    before = sum(each.renders for each in page.window.turns)
    for number in range(30):
        live.blocks = leaf(51, f"First paragraph.\n\nSecond {'and on ' * number}").blocks
        page.changed(live)
    assert sum(each.renders for each in page.window.turns) - before == 30


@pytest.mark.painted
async def test_a_word_more_paints_its_row_and_no_other(
    pilot: Pilot[None], page: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.show(leaves(1, 5), 5)
    live = leaf(6, "It begins")
    page.add(live)
    await pilot.pause()
    painted: list[str] = []

    def paint(y: int) -> Strip:
        strip = Transcript.render_line(page, y)
        painted.append(strip.text.strip())
        return strip

    monkeypatch.setattr(page, "render_line", paint)
    live.blocks = leaf(6, "It begins well").blocks
    page.changed(live)
    await pilot.pause()
    assert [text.split("  ")[0] for text in painted] == ["It begins well"]


async def resized(pilot: Pilot[None], page: Transcript, width: int, height: int) -> None:
    await pilot.resize_terminal(width, height)
    await until(pilot, lambda: page.size.width == width)
    await pilot.pause()


async def test_a_resize_keeps_the_words_at_the_top(pilot: Pilot[None], page: Transcript) -> None:
    words = " ".join(f"w{number}" for number in range(400))
    page.show([*leaves(1, 6), leaf(7, words), *leaves(8, 9)], 9)
    await pilot.pause()
    page.go_to(7, 20)
    first = rows(page)[0].split()[0]
    for width in (50, 34, 120):
        await resized(pilot, page, width, 30)
        assert first in " ".join(rows(page)[:2]).split(), width


async def test_what_is_being_told_stays_in_sight_when_the_window_shrinks(
    pilot: Pilot[None], page: Transcript
) -> None:
    page.show(leaves(1, 5), 5)
    page.add(leaf(6, f"It begins. {PROSE}", "I say so."))
    await pilot.pause()
    await resized(pilot, page, 40, 12)
    assert "It begins." in " ".join(rows(page))


async def test_the_boundary_of_verbatim_context_is_marked(pilot: Pilot[None], page: Transcript) -> None:
    page.show(leaves(1, 8), 8)
    page.boundary(2)
    page.go_to(3)
    await pilot.pause()
    assert "in full below" in rows(page)[0]
    height = page.virtual_size.height
    page.boundary(0)
    assert page.virtual_size.height == height


async def test_words_are_found_over_wrapped_rows(pilot: Pilot[None], page: Transcript) -> None:
    text = "x" * 70 + " the lowest line is hidden. " + PROSE
    page.show([*leaves(1, 6), leaf(7, text), *leaves(8, 12)], 12)
    await pilot.pause()
    assert page.seek("Lowest LINE", -1)
    await pilot.pause()
    assert any("lowest" in row for row in rows(page))
    assert not page.seek("Lowest LINE", -1)
    assert not page.seek("nowhere", -1)


async def test_selected_words_are_copied_as_paragraphs(pilot: Pilot[None], page: Transcript) -> None:
    page.show([leaf(1, PROSE, "I look.")], 1)
    await pilot.pause()
    everything = page.get_selection(Selection(None, None))
    assert everything is not None
    assert PROSE.strip() in everything[0].splitlines()
    start = next(y for y in range(page.virtual_size.height) if "stones" in page.window.row(y)[0].text)
    part = page.get_selection(Selection(Offset(page.left + 4, start), Offset(page.left + 10, start)))
    assert part == ("stones", "\n")


async def test_only_turns_that_changed_are_set_again(page: Transcript) -> None:
    page.show(leaves(1, 8), 8)
    before = rows(page)
    page.show([*leaves(1, 7), leaf(8, "Another take.")], 8)
    blocks = [each.renders for each in page.window.turns]
    assert blocks[:-1] == [0] * 7 and blocks[-1] > 0
    page.show(leaves(1, 8), 8)
    assert rows(page) == before


async def test_a_row_of_a_table_is_wrapped_in_its_last_column(pilot: Pilot[None], page: Transcript) -> None:
    await pilot.resize_terminal(60, 30)
    page.add(TurnLayout(1, aside_blocks("/help", f"/ask id...      {PROSE}\n{PROSE}"), aside=True))
    await pilot.pause()
    told = [row.split("▌ ")[1] for row in rows(page) if "▌ " in row]
    prose = next(n for n, row in enumerate(told) if row.startswith("The stones"))
    assert told[0] == "/help" and told[1].startswith("/ask id...      The stones")
    assert prose > 3 and all(row.startswith(" " * 16) and row[16] != " " for row in told[2:prose])
    assert not any(row.startswith(" ") for row in told[prose:])


async def test_a_hidden_page_whose_turns_were_replaced_is_drawn_before_it_is_laid_out_again(
    pilot: Pilot[None], page: Transcript
) -> None:
    page.show(leaves(1, 3), 3)
    await pilot.pause()
    height = page.window.height
    page.display = False
    await pilot.pause()
    page.show(leaves(1, 1), 1)
    assert [page.window.row(y)[0].text for y in range(height - 3, height)] == [""] * 3
    page.show(leaves(1, 4), 4)
    page.go_to(4)
    page.display = True
    await pilot.pause()
    assert page.window.find(4) and any("Page 4." in row for row in rows(page))
