"""Thoughts and words to one alone, in direct mode."""

import pytest

from theact_tui.story.direct.log import Exchange, visible_to
from theact_tui.story.direct.records import LogEvent

CAST = {1: "Ilse", 2: "Teodor", 3: "Wenna"}


def exchange(prompt: str, reply: str, slot: int = 1) -> Exchange:
    events = [
        LogEvent(
            event_id=f"{n}", session_id="s", prompt_index=1, sequence=n, role=role, agent_slot=by, text=text,
            created_at="2026-01-01T00:00:00+00:00",
        )
        for n, (role, by, text) in enumerate((("user", None, prompt), ("agent", slot, reply)))
    ]  # fmt: skip
    return Exchange(1, events[0], (events[1],))


def texts(slot: int | None, told: Exchange) -> str:
    return " | ".join(event.text for each in visible_to(slot, [told], CAST) for event in each.events)


@pytest.mark.parametrize(
    "thought",
    [
        "(It was me.)",
        "（It was me.）",
        "(It was (all) me.)",
        "(It was\n\nme.",
        "I nod. (It was me",
        "(It was me.) I nod.",
    ],
)
def test_a_thought_is_its_owners_alone(thought: str) -> None:
    told = exchange("Well?", f"I wait. {thought}")
    assert "me" in texts(1, told)
    for other in (2, 3, None):
        assert "me" not in texts(other, told) and "I wait." in texts(other, told)


def test_what_the_game_master_adds_in_parentheses_is_for_whom_they_ask() -> None:
    told = exchange("The lamp dies (you did it).", "Oh.")
    assert "you did it" in texts(1, told) and "you did it" not in texts(2, told)


def test_words_to_one_are_heard_by_that_one_up_to_the_next_arrow() -> None:
    told = exchange("Well?", "I bow.\n\n→ Wenna: I told the Guild.\n\nAll of it.\n\n→ all: Good night.")
    for slot in (1, 3):
        assert "Guild" in texts(slot, told) and "All of it" in texts(slot, told)
    for other in (2, None):
        assert texts(other, told) == "Well? | I bow.\n\n→ all: Good night."


def test_of_an_answer_to_a_private_question_only_what_is_done_is_seen() -> None:
    told = exchange("→ Ilse: who has the key?", 'I look at the door. "Teodor has it."')
    assert "key" in texts(1, told)
    assert texts(2, told) == texts(None, told) == "I look at the door. …"
    assert visible_to(3, [exchange("→ Ilse: who?", "Teodor.")], CAST) == ()
