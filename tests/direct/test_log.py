"""Which part of the log each agent is given (D0, D7)."""

from tests.support.direct_chapters import event, log
from theact_tui.story.direct.log import between, exchanges, last_words, part, recent


def test_d0_a_chunk_holds_the_prompts_and_every_reply_they_caused() -> None:
    events = [*log(15), event(7, "agent", "Late.", 99, slot=2)]
    chunk = between(events, 1, 7)
    assert {e.prompt_index for e in chunk} == set(range(1, 8)) and len(chunk) == 15
    assert [e.prompt_index for e in between(events, 8, 14)][::2] == list(range(8, 15))


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
