"""Loops are found by their third round and told once; refrains, lists and litanies stay (S8.2)."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.real_model.figures import told_in_rounds
from tests.support.looping_texts import REFRAINS, LoopText, loops
from theact_tui.parsing import parse
from theact_tui.parsing.loops import goes_round, second_round, without_loop

LOOPS = tuple(loops())
EXACT = [each for each in LOOPS if not each.share]


@pytest.mark.parametrize("name", REFRAINS)
def test_a_refrain_a_list_and_a_litany_stay(name: str) -> None:
    assert second_round(REFRAINS[name]) is None


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.2])
def test_loops_are_found_however_many_of_their_words_change(share: float) -> None:
    asked = [each for each in LOOPS if each.share == share]
    found = [each for each in asked if second_round(each.text) is not None]
    assert len(found) >= 0.95 * len(asked)


@pytest.mark.parametrize("loop", EXACT, ids=[each.name for each in EXACT])
def test_a_loop_is_found_by_its_third_round_and_told_once(loop: LoopText) -> None:
    size = loop.second - loop.start
    by_then = loop.start + (3 * size if size >= 60 else 6 * 60 + 2 * size) + 8
    assert second_round(loop.text[:by_then]) is not None
    once = without_loop(loop.text, prose=not loop.name.startswith(("counting", "list")))
    assert loop.text.startswith(once) and once.rstrip() and not told_in_rounds(once)
    first = loop.text[: loop.second]
    assert len(first) - size // 3 <= len(once) <= len(first) + 45


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(LOOPS), st.data())
def test_what_is_found_is_found_again_when_more_has_come(loop: LoopText, data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(loop.text)))
    found = second_round(loop.text[:cut])
    assert found is None or second_round(loop.text) == found
    assert found is None or found <= cut


def test_rounds_that_only_count_need_two_more() -> None:
    def told(days: int) -> str:
        return "".join(
            f"Day {n}. We walked until dark along the dry river and saw nobody at all. " for n in range(days)
        )

    assert second_round(told(4)) is None
    assert without_loop(told(9), prose=True) == told(1).rstrip()


def test_rounds_with_other_text_between_them_stay() -> None:
    refrain = "And the sea went on, as it does, and nobody in the house said a word about the boat. "
    between = (
        "Ada lit the lamp. ",
        "Ned found the oar in the reeds below the weir. ",
        "Then it was winter. ",
    )
    assert second_round("".join(refrain + other * 2 for other in between) + refrain) is None


def test_marks_without_a_word_are_a_loop_too() -> None:
    assert without_loop('{"facts": [' + " \n" * 300, prose=False) == '{"facts": ['
    assert without_loop("It stops. " + "- - " * 200, prose=True) == "It stops."


def test_a_list_that_runs_on_is_read_up_to_its_first_round() -> None:
    raw = '{"facts": [' + '"Ann lent Sam her key.", "Bob lent Sam his coat, and the hat as well.", ' * 20
    assert goes_round(raw)
    once = without_loop(raw, prose=False)
    assert once.count("Ann lent") == 1 and once.count("Bob lent") == 1


def test_a_page_that_its_thought_drafts_first_is_no_loop() -> None:
    page = "You wait and listen to the sea, and the sea goes on and on against the stones below the house. "
    assert not goes_round(f"<think>First: {page}Better: {page}</think>{page}")
    assert goes_round(f"<think>{page * 4}")
    read = parse("character", f"<think>{page}{page}</think>{page * 5}")
    assert read.fields["text"] == page.strip() and "loop" in read.steps


def test_the_page_ends_with_a_sentence() -> None:
    text = "You come in. " + "The lamp, the chair, the clock, and the long stair down to the water, and " * 9
    assert re.search(r"\.\Z", without_loop(text, prose=True))
