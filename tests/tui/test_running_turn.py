"""The sentence that says what runs now."""

from theact_tui.engine import events as e
from theact_tui.tui.running_turn import Activity


def doing() -> Activity:
    return Activity({"maya": "Maya Chen", "bob": "Bob"}.__getitem__)


def began(calls: Activity, call: str, agent: str, tokens: int) -> None:
    calls.apply(e.CallStarted(call=call, agent=agent, model="m", prompt_tokens=tokens))


def ended(calls: Activity, call: str, agent: str, read: int, written: int, seconds: float = 1.0) -> None:
    calls.apply(
        e.CallFinished(
            call=call, agent=agent, model="m", prompt_tokens=read, completion_tokens=written, seconds=seconds,
            attempts=1, outcome="ok",
        )
    )  # fmt: skip


def test_who_speaks() -> None:
    calls = doing()
    assert calls.sentence == "", "nothing runs"
    began(calls, "1", "narrator", 800)
    assert calls.sentence == "The narrator is writing"
    ended(calls, "1", "narrator", 812, 200)
    began(calls, "2", "stage", 900)
    assert calls.sentence == "Setting the stage"
    ended(calls, "2", "stage", 900, 60)
    began(calls, "3", "character:maya", 500)
    assert calls.sentence == "Maya Chen is answering"


def test_memories_are_counted_and_the_longest_running_call_is_named() -> None:
    calls = doing()
    calls.apply(e.AfterStarted(agents=("progress", "memory:maya", "memory:bob")))
    began(calls, "1", "memory:maya", 1)
    began(calls, "2", "memory:bob", 1)
    assert calls.sentence == "Maya Chen is updating memories (1 of 2)"
    ended(calls, "1", "memory:maya", 1, 1)
    assert calls.sentence == "Bob is updating memories (2 of 2)"
    ended(calls, "2", "memory:bob", 1, 1)
    began(calls, "3", "progress", 1)
    calls.apply(e.CallRetried(call="3", agent="progress", attempt=2, reason=""))
    assert calls.sentence == "Checking the beats, try 2"


def test_tokens_of_the_prompt_and_of_what_has_come_of_a_reply_are_counted() -> None:
    calls = doing()
    began(calls, "1", "narrator", 700)
    assert calls.narrator_tokens == 700
    ended(calls, "1", "narrator", 812, 200)
    ended(calls, "2", "progress", 300, 20)
    assert calls.narrator_tokens == 812
    began(calls, "3", "character:maya", 500)
    began(calls, "4", "memory:bob", 500)
    calls.apply(e.CallProgress(call="4", agent="memory:bob", tokens=90))
    assert calls.tokens == 0
    calls.apply(e.CallProgress(call="3", agent="character:maya", tokens=50))
    assert calls.tokens == 50
    ended(calls, "3", "character:maya", 500, 60)
    assert calls.tokens == 90


def test_a_call_may_take_as_long_as_the_last_of_its_kind() -> None:
    calls = doing()
    began(calls, "1", "character:maya", 500)
    assert calls.expected == 0
    ended(calls, "1", "character:maya", 500, 60, 19.6)
    began(calls, "2", "character:bob", 500)
    assert calls.expected == 20


def test_the_first_call_of_a_kind_is_estimated_and_the_next_expected_as_long() -> None:
    calls = doing()
    calls.estimate = lambda agent, read, write: read / 100 + write / 10
    began(calls, "1", "narrator", 800)
    assert calls.expected == 8 + 13
    ended(calls, "1", "narrator", 812, 200)
    began(calls, "2", "narrator", 800)
    assert calls.expected == 1
    began(calls, "3", "character:maya", 500)
    ended(calls, "2", "narrator", 812, 200)
    assert calls.expected == 5 + 7
