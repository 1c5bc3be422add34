"""Finding the line somebody meant (S4.1, S5.2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theact_tui.story.matching import is_unspaced, match_line, plain, same_roles, stems

LINES = (
    "Find the signal fire", "Maya trusts the player", "The well is dry", "3 coins were stolen",
    "The radio is working", "2 flares are left",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "index"),
    [
        ("2", 1), ("#2", 1), ("2.", 1), ("(2)", 1), ("[2]", 1), ("fact #3", 2), ("99", None), ("0", None),
        ("find THE signal-fire!", 0), ("Find the sig nal fire", 0), ("1. Find the signal fire", 0),
        ("[x] 1. find the signal fire.", 0), ("- [ ] 2. Maya trusts the player", 1), ("fact 3: the well is dry", 2),
        ("- The well is dry (hit)", 2), ("Beat: the radio is working", 4), ("3 coins were stolen", 3),
        ("Find the signal...", 0), ("Maya trust the player", 1), ("Found the signal fire", 0),
        ("The radio was working", 4), ("Maya does not trust the player", None), ("Maya distrusts the player", None),
        ("The well isn't dry", None), ("The radio is not working", None), ("Find the signal fire - not yet", None),
        ("3 flares are left", None), ("4 coins were stolen", None), ("The player trusts Maya", None),
        ("1. Something else entirely", None), ("", None), ("...", None),
    ],
)  # fmt: skip
def test_a_line_is_found_by_number_or_close_text_but_not_by_a_denial_another_number_or_thing(
    text: str, index: int | None
) -> None:
    assert match_line(text, LINES) == index


def test_of_two_that_are_as_close_neither_is_meant() -> None:
    assert match_line("The old gate is shut", ("The cold gate is shut", "The bold gate is shut")) is None


@given(st.text(), st.lists(st.text(min_size=1), max_size=5))
def test_any_text_finds_one_of_the_lines_or_none(text: str, lines: list[str]) -> None:
    found = match_line(text, lines)
    assert found is None or 0 <= found < len(lines)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Café d'Été!", "café dété"), ("किताब कहाँ है, माया?", "किताब कहाँ है माया"),
        ("ฉันซ่อนจดหมายไว้ แอนน์", "ฉันซ่อนจดหมายไว้ แอนน์"), ("لا أحدٌ هنا.", "لا أحدٌ هنا"), ("「来い。」", "来い"),
    ],
)  # fmt: skip
def test_vowel_signs_are_parts_of_words(text: str, words: str) -> None:
    assert plain(text) == words


def test_thai_has_no_words_and_is_compared_by_pairs_of_signs() -> None:
    assert is_unspaced("จดหมาย") and not is_unspaced("किताब")
    assert stems("จดหมาย") <= stems("ฉันซ่อนจดหมายไว้ใต้กระดาน")
    assert not stems("จดหมาย") <= stems("โจอาควินเข้ามาในห้อง")
    assert same_roles("แอนน์ ลี เข้ามา", "เข้ามา แอนน์ ลี"), "without capitals nobody is known to be named"
