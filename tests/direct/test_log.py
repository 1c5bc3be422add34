"""Which part of the log each agent is given, and when summaries are due (D0, D3, D7, D9)."""

from __future__ import annotations

import pytest

from tests.support.direct_chapters import active, event, log
from theact_tui.story.direct.log import between, exchanges, last_words, next_chunk, part, recent
from theact_tui.story.direct.models import CHUNK


def test_d0_a_chunk_is_seven_prompts() -> None:
    assert CHUNK == 7


def test_d0_a_chunk_holds_the_prompts_and_every_reply_they_caused() -> None:
    events = [*log(15), event(7, "agent", "Late.", 99, slot=2)]
    chunk = between(events, 1, 7)
    assert {e.prompt_index for e in chunk} == set(range(1, 8)) and len(chunk) == 15
    assert [e.prompt_index for e in between(events, 8, 14)][::2] == list(range(8, 15))


@pytest.mark.parametrize(
    ("index", "boundary", "ending", "expected"),
    [
        (0, 0, False, None),
        (6, 0, False, None),
        (7, 0, False, (1, 7)),
        (8, 0, False, (1, 7)),
        (14, 0, False, (1, 7)),
        (14, 7, False, (8, 14)),
        (13, 7, False, None),
        (23, 21, False, None),
        (23, 21, True, (22, 23)),
        (23, 7, True, (8, 14)),
        (23, 23, True, None),
        (0, 0, True, None),
    ],
)
def test_d3_d9_summaries_are_due_by_chunks_and_a_backlog_is_done_chunk_by_chunk(
    index: int, boundary: int, ending: bool, expected: tuple[int, int] | None
) -> None:
    assert next_chunk(active(index=index, boundary=boundary), ending=ending) == expected


def test_d7_an_actor_is_reminded_of_the_last_seven_completed_prompts() -> None:
    assert [exchange.index for exchange in recent(log(12))] == [6, 7, 8, 9, 10, 11, 12]
    assert [exchange.index for exchange in recent(log(3))] == [1, 2, 3]
    assert recent(()) == ()


def test_d7_a_prompt_without_a_reply_is_not_completed() -> None:
    events = [*log(8), event(9, "user", "Unanswered.", 90)]
    assert [exchange.index for exchange in recent(events)] == [2, 3, 4, 5, 6, 7, 8]


def test_d6_an_exchange_is_a_prompt_with_all_its_replies() -> None:
    events = [*log(2), event(2, "agent", "And me.", 99, slot=1)]
    second = exchanges(events)[1]
    assert second.prompt is not None and second.prompt.text == "Scene 2."
    assert [reply.text for reply in second.replies] == ["Answer 2.", "And me."] and second.completed


def test_d8_a_long_text_is_parted_without_losing_a_word() -> None:
    text = "\n\n".join(f"Paragraph {k} says something of its own." for k in range(40))
    pieces = part(text, 200)
    assert all(len(piece) <= 200 for piece in pieces)
    assert " ".join(pieces).split() == text.split()
    assert part("x" * 450, 200) == ("x" * 200, "x" * 200, "x" * 50)
    assert part("short", 200) == ("short",) and part("  ", 200) == ()


def test_d8_the_tail_of_the_prose_begins_with_a_whole_word() -> None:
    assert last_words("one two three four", 12) == "three four"
    assert last_words("short", 12) == "short"
