"""Live prose: what may be shown while a reply arrives."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parsing.cases import ISLAND, ReplyCase, cases, flat
from tests.parsing.mangle import mangled
from tests.parsing.test_laws import broken
from theact_tui.parsing import ProseStream, ReplyContext, parse
from theact_tui.parsing.tellers import LineTeller

MARKERS = ("```", "~~~", "responding_characters", "<think", "</think", "<|", "narration:", '"mood"', "[INST]")
PROSE = cases("narrator", "character")
GOOD = (
    "narration: |\n  You step over the seats.\n\n  Smoke curls out of the tail, and the strap creaks once more.\n"
    "responding_characters: [maya]\nmood: tense\n"
)


MISLED = {
    "w22-quoted-lines",
    "w25-correction",
    "x01",
    "x28",
    "sixth narrator a correction of itself",
}
"""Replies of which something is shown that is not in the end: the first of two answers, or a rare wrapper."""


def streamed(
    agent: str, raw: str, sizes: list[int] | None = None, context: ReplyContext = ISLAND
) -> ProseStream:
    """A stream fed with `raw` in chunks of `sizes`, over and over; not finished."""
    stream = ProseStream(agent, context)
    at, turn = 0, 0
    while at < len(raw):
        size = (sizes or [1])[turn % len(sizes or [1])]
        stream.feed(raw[at : at + size])
        at, turn = at + size, turn + 1
    return stream


@pytest.mark.parametrize("case", PROSE, ids=[case.id for case in PROSE])
def test_any_chunking_shows_the_same_text(case: ReplyCase) -> None:
    random = Random(case.id)
    sizes = [[1], [len(case.raw) or 1], *([random.randint(1, 15) for _ in range(9)] for _ in range(4))]
    shown = {streamed(case.agent, case.raw, each).text for each in sizes}
    assert len(shown) == 1


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(["narrator", "character", "summary"]), broken, st.lists(st.integers(1, 9), min_size=1))
def test_any_text_in_any_chunks_shows_the_same(agent: str, raw: str, sizes: list[int]) -> None:
    one, other = streamed(agent, raw, sizes), streamed(agent, raw, [len(raw) or 1])
    one.finish()
    other.finish()
    assert (one.text, one.reasoning, one.looping) == (other.text, other.reasoning, other.looping)


@pytest.mark.parametrize("case", PROSE, ids=[case.id for case in PROSE])
def test_no_marker_is_ever_seen(case: ReplyCase) -> None:
    stream = ProseStream(case.agent, case.context)
    for char in case.raw:
        stream.feed(char)
        assert not any(marker in stream.text for marker in MARKERS), stream.text


def test_most_of_it_is_live_and_right() -> None:
    replies = [case for case in (*cases("narrator"), *mangled("narrator", 120, seed=5)) if case.fields]
    right, wrong = 0, set()
    for case in replies:
        shown = flat(streamed("narrator", case.raw, context=case.context).text)
        final = flat(str(parse("narrator", case.raw, case.context).fields.get("narration", "")))
        right += bool(shown) and final.startswith(shown)
        if not final.startswith(shown):
            wrong.add(case.id)
    assert wrong == MISLED
    assert right >= 0.88 * len(replies)


def test_a_long_reply_costs_no_more_for_each_word_than_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0
    feed = LineTeller.feed

    def counted(self: LineTeller, piece: str) -> str:
        nonlocal looked
        looked += len(piece)
        return feed(self, piece)

    monkeypatch.setattr(LineTeller, "feed", counted)
    raw = "narration: |\n" + "\n".join(f"  You pass door {n}, then another." for n in range(400))
    stream = streamed("narrator", raw)
    assert stream.text.endswith("You pass door 399, then")
    assert 0 < looked <= len(raw)


def test_prose_comes_word_by_word_and_not_all_at_the_end() -> None:
    stream = ProseStream("narrator", ISLAND)
    seen = [stream.feed(char) for char in GOOD]
    assert sum(map(bool, seen)) > 12
    assert (
        "".join(seen)
        == stream.text
        == "You step over the seats.\n\nSmoke curls out of the tail, and the strap creaks once more."
    )


def test_what_is_fed_adds_up_to_what_is_shown() -> None:
    stream = ProseStream("character:maya", ISLAND)
    added = "".join(stream.feed(char) for char in "Maya: We should go. The tide turns")
    assert added + stream.finish() == "We should go. The tide turns"
    assert stream.buffer.startswith("Maya: ")


@pytest.mark.parametrize(
    "opened, closed",
    [
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("[THINK]", "[/THINK]"),
        ("◁think▷", "◁/think▷"),
    ],
)
def test_a_thought_is_kept_apart_however_its_tags_are_split(opened: str, closed: str) -> None:
    stream = streamed("narrator", f"{opened}\nShe lies. mood: calm\n{closed}\n\n{GOOD}")
    assert stream.text.startswith("You step over")
    assert stream.reasoning == "She lies. mood: calm"
    assert stream.retracted == 0


def test_channels_of_thought_are_kept_apart() -> None:
    stream = streamed(
        "narrator",
        f"<|channel|>analysis<|message|>Plan.<|end|><|start|>assistant<|channel|>final<|message|>{GOOD}",
    )
    assert stream.text.startswith("You step over")


def test_an_unclosed_thought_shows_nothing() -> None:
    stream = streamed("narrator", f"<think>{GOOD * 3}")
    stream.finish()
    assert stream.text == ""
    assert "You step over" in stream.reasoning


def test_a_thought_of_which_only_the_end_is_marked_is_taken_back() -> None:
    stream = ProseStream("character", ISLAND)
    shown = "".join(
        stream.feed(char) for char in "She must be afraid of the sea by now, I think, so she would"
    )
    assert shown
    stream.feed(" refuse. \n</think>\n\nI am not going in there. ")
    assert stream.text == "I am not going in there."
    assert stream.retracted == 1
    assert "She must be afraid" in stream.reasoning


def test_a_model_known_to_think_shows_nothing_before_the_end_of_its_thought() -> None:
    stream = ProseStream("character", ISLAND, thinks=True)
    assert stream.feed("She must be afraid of the sea by now, I think, so she would refuse. ") == ""
    stream.feed("</think>\nI am not going in there. ")
    assert stream.text == "I am not going in there."
    assert stream.retracted == 0


def test_prose_without_any_wrapper_does_not_stay_dark() -> None:
    prose = (
        "You step over the seats and into the light. " * 3
        + "Maya waits by the wing, hands in her sleeves, and the tide talks below. "
    )
    stream = ProseStream("narrator", ISLAND)
    stream.feed(prose[:150])
    assert stream.text == ""
    stream.feed(prose[150:])
    assert stream.text.startswith("You step over the seats")


def test_a_short_reply_without_wrapper_is_shown_at_its_end() -> None:
    stream = ProseStream("narrator", ISLAND)
    assert stream.feed("You wake. Maya sleeps beside you.") == ""
    assert stream.finish() == "You wake. Maya sleeps beside you."


def test_talk_about_the_task_is_not_shown_as_prose() -> None:
    stream = streamed(
        "narrator",
        "Okay, the player wants to go on. I need to write the narration in YAML, and Maya should answer. "
        * 4,
    )
    assert stream.text == ""


@pytest.mark.parametrize(
    "agent, head", [("narrator", "narration: |\n  "), ("narrator", '{"narration": "'), ("character", "")]
)
def test_a_loop_is_cut_after_its_first_round(agent: str, head: str) -> None:
    stream = ProseStream(agent, ISLAND)
    for word in (head + "The rain stops at last. " + "You wait and listen to the sea. " * 400).split(" "):
        stream.feed(word + " ")
        if stream.looping:
            break
    assert stream.looping
    assert stream.text == "The rain stops at last. You wait and listen to the sea."
    assert len(stream.buffer) < 600
    assert stream.feed("You wait ") == ""
    assert stream.finish() == ""


def test_split_escapes_and_quotes_in_a_json_string_come_out_whole() -> None:
    raw = '{"narration": "You say \\"no\\".\\n\\nMaya nods \\ud83d\\ude00 and goes.", "mood": "calm"}'
    stream = streamed("narrator", raw)
    assert stream.text == 'You say "no".\n\nMaya nods 😀 and goes.'


def test_the_players_next_line_is_never_shown() -> None:
    stream = streamed("character", "We should go.\n\nPlayer: I stay here.\nMaya: Then stay.")
    stream.finish()
    assert stream.text == "We should go."


def test_a_thought_that_goes_in_circles_is_stopped() -> None:
    stream = ProseStream("narrator", ISLAND)
    for word in ("<think>Let me see. " + "Maybe the cave, maybe the ridge, I wonder. " * 400).split(" "):
        stream.feed(word + " ")
        if stream.looping:
            break
    assert stream.looping
    assert stream.text == ""
    assert len(stream.buffer) < 1_500


def test_a_loop_after_a_long_thought_is_seen() -> None:
    thought = "".join(f"Consider step {number} of the plan. " for number in range(60))
    stream = streamed(
        "narrator", f"<think>{thought}</think>narration: |\n  You wait. " + "The sea goes on and on. " * 60
    )
    assert stream.looping
    assert stream.text == "You wait. The sea goes on and on."
