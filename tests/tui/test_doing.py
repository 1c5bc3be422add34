"""The sentence that says what runs now."""

from __future__ import annotations

from theact_tui.engine import events as e
from theact_tui.tui.activity import Activity


def doing() -> Activity:
    return Activity({"maya": "Maya Chen", "bob": "Bob"}.__getitem__)


def started(call: str, agent: str, tokens: int = 1) -> e.CallStarted:
    return e.CallStarted(call=call, agent=agent, model="tiny", prompt_tokens=tokens)


def finished(call: str, agent: str, prompt: int = 1, completion: int = 1) -> e.CallFinished:
    return e.CallFinished(
        call=call, agent=agent, model="tiny", prompt_tokens=prompt, completion_tokens=completion, seconds=1,
        attempts=1, outcome="ok",
    )  # fmt: skip


def test_nothing_runs_nothing_is_said() -> None:
    assert doing().sentence == ""


def test_who_speaks() -> None:
    calls = doing()
    calls.apply(started("1", "narrator", 800))
    assert calls.sentence == "The narrator is writing"
    calls.apply(finished("1", "narrator", 812, 200))
    calls.apply(started("2", "character:maya", 500))
    assert calls.sentence == "Maya Chen is answering"


def test_memories_are_counted_and_the_longest_running_call_is_named() -> None:
    calls = doing()
    calls.apply(e.AfterStarted(agents=("progress", "memory:maya", "memory:bob")))
    calls.apply(started("1", "memory:maya", 1))
    calls.apply(started("2", "memory:bob", 1))
    assert calls.sentence == "Maya Chen is updating memories (1 of 2)"
    calls.apply(finished("1", "memory:maya", 1, 1))
    assert calls.sentence == "Bob is updating memories (2 of 2)"


def test_a_second_try_is_told() -> None:
    calls = doing()
    calls.apply(started("1", "progress", 1))
    calls.apply(e.CallRetried(call="1", agent="progress", attempt=2, reason="late"))
    assert calls.sentence == "Checking the beats, try 2"


def test_tokens_are_those_of_the_turn() -> None:
    calls = doing()
    calls.apply(started("1", "narrator", 700))
    assert calls.narrator_tokens == 700
    calls.apply(finished("1", "narrator", 812, 200))
    calls.apply(finished("2", "progress", 300, 20))
    assert (calls.prompt_tokens, calls.completion_tokens, calls.narrator_tokens) == (1112, 220, 812)
    calls.apply(e.TurnStarted(text="I run."))
    assert (calls.prompt_tokens, calls.completion_tokens) == (0, 0)
