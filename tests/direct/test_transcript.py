"""The transcript as rendered (D3, D6)."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.direct_chapters import active, event, log
from theact_tui.story.direct.transcript import CUT_NOTE, DASHES, tidy, transcript


def test_d6_prompts_are_numbered_and_replies_carry_their_agents_name() -> None:
    session = active(names={1: "Kara", 2: "Bo"}, index=2)
    shown = transcript(session, log(2))
    assert shown.text == "1) Scene 1.\n\nKara: Answer 1.\n\n2) Scene 2.\n\nBo: Answer 2."
    assert [event.agent_slot for event in shown.events] == [None, 1, None, 2]


def test_d3_the_counter_goes_from_0_of_60000_and_counts_the_text_as_rendered() -> None:
    assert transcript(active(), ()).counter == "0/60,000"
    shown = transcript(active(), log(30, reply="A long answer. " * 20))
    assert shown.counter == f"{len(shown.text):,}/60,000" and shown.length == len(shown.text) > 1_000


def test_d6_events_are_in_the_order_of_prompt_then_time_then_sequence() -> None:
    events = [
        event(2, "agent", "fourth", 9, slot=1, minutes=1),
        event(1, "agent", "third", 3, slot=2, minutes=8),
        event(1, "agent", "second", 2, slot=1, minutes=8),
        event(1, "user", "first", 7, minutes=5),
        event(2, "user", "before it", 1, minutes=0),
    ]
    texts = [passage.split(" ", 1)[-1] for passage in transcript(active(), events).passages]
    assert [text.removeprefix("Red: ").removeprefix("Orange: ") for text in texts] == [
        "first",
        "second",
        "third",
        "before it",
        "fourth",
    ]


def test_d6_several_replies_to_one_prompt_are_all_shown() -> None:
    events = [
        event(1, "user", "Both of you?", 1),
        event(1, "agent", "Yes.", 2, slot=1),
        event(1, "agent", "No.", 3, slot=2),
    ]
    assert transcript(active(), events).text == "1) Both of you?\n\nAgent Red: Yes.\n\nAgent Orange: No."


def test_d6_thirteen_dashes_follow_the_last_event_of_the_newest_boundary() -> None:
    assert DASHES not in transcript(active(index=7), log(7)).text, "none yet"
    text = transcript(active(index=9, boundary=7), log(9)).text
    lines = text.splitlines()
    assert lines.count("-" * 13) == 1
    assert text.index("Answer 7.") < text.index(DASHES) < text.index("8) Scene 8.")
    assert lines[lines.index(DASHES) - 2] == "Agent Red: Answer 7."
    text = transcript(active(index=15, boundary=14), log(15)).text
    assert text.count(DASHES) == 1 and text.index("Answer 14.") < text.index(DASHES)
    events = [*log(7), event(7, "agent", "Late.", 99, slot=2)]
    assert transcript(active(index=7, boundary=7), events).text.endswith(f"Late.\n\n{DASHES}")


def test_d6_paragraphs_are_kept_and_three_blank_lines_become_two() -> None:
    assert tidy("one\n\ntwo") == "one\n\ntwo"
    assert tidy("one\n\n\ntwo") == "one\n\n\ntwo"
    assert tidy("one\n\n\n\ntwo") == "one\n\n\ntwo"
    assert tidy("one\n \n\t\n\n\n\ntwo\n\n") == "one\n\n\ntwo"
    stored = event(1, "user", "one\n\n\n\n\ntwo", 1)
    assert "one\n\n\ntwo" in transcript(active(), [stored]).text
    assert stored.text == "one\n\n\n\n\ntwo", "rendering does not change it"


def test_d6_the_window_keeps_the_newest_whole_events_and_says_that_it_is_cut() -> None:
    events = log(10, reply="r" * 90)
    shown = transcript(active(index=10), events, limit=400)
    assert shown.is_cut and shown.passages[0] == CUT_NOTE
    assert shown.length == len(shown.text) <= 400
    whole = transcript(active(index=10), events).text
    assert whole.endswith(shown.text.removeprefix(f"{CUT_NOTE}\n\n"))
    assert shown.passages[1] in transcript(active(index=10), events).passages
    assert shown.events == tuple(events[-len(shown.events) :])


def test_d6_what_fits_exactly_is_not_cut() -> None:
    events = log(5)
    length = transcript(active(index=5), events).length
    assert transcript(active(index=5), events, limit=length).passages[0] == "1) Scene 1."
    assert transcript(active(index=5), events, limit=length - 1).passages[0] == CUT_NOTE


def test_d6_the_dashes_count_towards_the_window() -> None:
    events = log(7)
    length = transcript(active(index=7), events).length
    with_dashes = transcript(active(index=7, boundary=7), events, limit=length)
    assert with_dashes.is_cut and with_dashes.length <= length


def test_d6_a_boundary_outside_the_window_is_not_drawn() -> None:
    events = log(20, reply="r" * 200)
    assert DASHES not in transcript(active(index=20, boundary=7), events, limit=1_500).text
    assert DASHES in transcript(active(index=20, boundary=7), events).text


def test_d6_a_single_event_larger_than_the_window_shows_its_tail() -> None:
    long = event(1, "agent", "x" * 70_000 + "THE END", 2, slot=3)
    shown = transcript(active(index=1), [event(1, "user", "Talk.", 1), long])
    assert shown.length == 60_000 and shown.text.endswith("THE END")
    assert [event.agent_slot for event in shown.events] == [3] and shown.events[0].text.endswith("THE END")


def test_d6_the_tail_of_a_larger_event_leaves_room_for_its_dashes() -> None:
    long = event(7, "agent", "x" * 70_000, 2, slot=3)
    shown = transcript(active(index=7, boundary=7), [long])
    assert shown.length == 60_000 and shown.text.endswith(DASHES)


def test_d6_older_events_that_were_not_loaded_count_as_cut() -> None:
    shown = transcript(active(index=9), log(9)[4:], more=True)
    assert shown.passages[0] == CUT_NOTE and "3) Scene 3." in shown.text


def test_d6_words_of_the_program_stand_without_number_or_name() -> None:
    assert transcript(active(), [event(0, "system", "The stage is set.", 1)]).text == "The stage is set."


def test_d1_renamed_agents_are_shown_with_their_own_slot() -> None:
    shown = transcript(active(names={1: "Twin", 2: "Twin"}, index=2), log(2))
    assert shown.passages[1::2] == ("Twin: Answer 1.", "Twin: Answer 2.")
    assert [event.agent_slot for event in shown.events[1::2]] == [1, 2]


@given(
    texts=st.lists(st.text(alphabet="ab \n\u00e9\u6f22", max_size=300), max_size=25),
    boundary=st.integers(0, 25),
    limit=st.integers(100, 2_000),
)
def test_d6_the_window_is_never_exceeded_and_is_always_the_end_of_the_whole(
    texts: list[str], boundary: int, limit: int
) -> None:
    events = [event(k, "user", text, k) for k, text in enumerate(texts, 1)]
    session = active(index=len(texts), boundary=min(boundary, len(texts)))
    shown = transcript(session, events, limit=limit)
    whole = transcript(session, events, limit=10**9)
    assert len(shown.text) == shown.length <= limit
    assert shown.text.count(DASHES) <= 1
    if whole.length <= limit:
        assert shown == whole
    else:
        assert whole.text.endswith(shown.text.removeprefix(CUT_NOTE).removeprefix("\n\n"))
