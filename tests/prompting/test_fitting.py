"""S6: no prompt and its reply exceed the window; what gives way, and in which order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theact_tui.errors import CallError
from theact_tui.prompting.fitting import ending, fit, shorten_to
from theact_tui.prompting.sections import Section


def count(text: str) -> int:
    return len(text.split())


def text(words: int) -> str:
    return ". ".join(f"w{n}" for n in range(words)) if words else ""


def sections(fixed: int, turns: list[int], summary: int = 0, pages: int = 0) -> list[Section]:
    return [
        Section("world", text(fixed), part="system"),
        Section("summary", text(summary), priority="summary"),
        *(Section(f"turn {i}", text(size), priority="turn") for i, size in enumerate(turns)),
        Section("pages", text(pages), priority="pages"),
        Section("task", text(5)),
    ]


def test_what_fits_is_left_alone() -> None:
    prompt, reply = fit(sections(50, [40, 40], 30), window=400, reply=100, count=count)
    assert all(section.kept == "whole" for section in prompt.sections) and reply == 100


def test_the_oldest_turns_go_first_then_the_summary_is_cut_never_the_rest() -> None:
    prompt, _ = fit(sections(100, [100, 100], 180), window=350, reply=100, count=count)
    kept = {section.name: section.kept for section in prompt.sections}
    assert kept == {
        "world": "whole",
        "summary": "trimmed",
        "turn 0": "dropped",
        "turn 1": "dropped",
        "task": "whole",
    }
    prompt, _ = fit(sections(100, [100, 20], 50), window=350, reply=100, count=count)
    assert [s.kept for s in prompt.sections] == ["whole", "whole", "dropped", "whole", "whole"]


def test_the_last_page_gives_its_beginning_before_a_summary_gives_anything() -> None:
    prompt, _ = fit(sections(100, [100, 100], 60), window=350, reply=100, count=count, least_turns=1)
    summary, gone, page = prompt.sections[1:4]
    assert (summary.kept, gone.kept, page.kept) == ("whole", "dropped", "trimmed")
    assert page.text.startswith("w") and page.text.endswith(". w99") and 50 <= page.tokens <= 72
    assert "beginning" in page.why


def test_at_least_half_of_the_last_page_stays_while_a_summary_can_be_cut() -> None:
    prompt, _ = fit(sections(100, [100], 150), window=350, reply=100, count=count, least_turns=1)
    summary, page = prompt.sections[1:3]
    assert (summary.kept, page.kept) == ("trimmed", "trimmed")
    assert 48 <= page.tokens <= 51 and page.text.endswith(". w99")


def test_the_end_of_a_page_begins_with_a_sentence() -> None:
    page = "He came up. The sea was loud, and nobody spoke for long. She sat down. It rained."
    assert ending(page, 9, count) == "She sat down. It rained."
    assert ending("no sentence ends in here at all", 4, count) == "here at all"
    assert ending("彼は去った。" * 3, 10, len) == "彼は去った。"


def test_a_section_that_is_cut_ends_with_a_sentence_of_any_script() -> None:
    assert shorten_to("彼は去った。" * 3, 16, len) == "彼は去った。" * 2
    assert shorten_to("Ann met Dr. Vane. He is old.", 22, len) == "Ann met Dr. Vane."


def test_left_out_says_why_and_is_not_sent() -> None:
    prompt, _ = fit(sections(100, [90, 90], 0), window=300, reply=100, count=count)
    dropped = [section for section in prompt.sections if section.kept == "dropped"]
    assert [section.name for section in dropped] == ["turn 0", "turn 1"] and all(s.why for s in dropped)
    assert dropped[0].text not in prompt.messages()[1]["content"]


def test_the_reply_gives_way_before_the_rules_do_and_then_it_is_an_error() -> None:
    prompt, reply = fit(sections(200, []), window=400, reply=300, count=count)
    assert prompt.tokens + reply <= 400 and reply >= 120
    with pytest.raises(CallError, match="need 387 tokens; the model has room for 288"):
        fit(sections(280, []), window=300, reply=100, count=count)


@given(
    st.integers(1, 200), st.lists(st.integers(1, 300), max_size=12), st.integers(0, 300), st.integers(0, 400),
    st.sampled_from([512, 1024, 2048]), st.integers(0, 60),
)  # fmt: skip
def test_prompt_and_reply_never_exceed_the_window(
    fixed: int, turns: list[int], summary: int, pages: int, window: int, reserve: int
) -> None:
    prompt, reply = fit(
        sections(fixed, turns, summary, pages), window=window, reply=200, count=count, reserve=reserve
    )
    sent = sum(count(message["content"]) for message in prompt.messages())
    assert sent <= prompt.tokens and prompt.tokens + reply + reserve <= window
    kept_turns = [s for s in prompt.sections if s.priority == "turn"]
    states = [s.kept for s in kept_turns]
    assert states == sorted(states), "only the oldest are dropped"
