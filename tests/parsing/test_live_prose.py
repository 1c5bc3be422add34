"""Live prose: what may be shown while a reply arrives."""

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.parsing.cases import ISLAND, ReplyCase, cases, flat
from tests.parsing.test_laws import broken
from tests.support.cpu_time import cpu_seconds
from theact_tui.parsing import ProseStream, ReplyContext, parse
from theact_tui.parsing.loops import goes_round

MARKERS = ("```", "~~~", "<think", "</think", "<|", '"mood"', "[INST]")
PROSE = cases("narrator", "character")
GOOD = "You step over the seats.\n\nSmoke curls out of the tail, and the strap creaks once more."


MISLED = {"t05-harmony-bare"}
"""A reply of which something is shown that is not in the end: a thought that only its end gives away."""
UNANNOUNCED = {"t03-never-opened", "v09"}
"""Thoughts of which only the end is marked: they are taken back."""


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


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(["narrator", "character", "summary"]), broken, st.lists(st.integers(1, 9), min_size=1))
def test_any_text_in_any_chunks_shows_the_same(agent: str, raw: str, sizes: list[int]) -> None:
    one, other = streamed(agent, raw, sizes), streamed(agent, raw, [len(raw) or 1])
    one.finish()
    other.finish()
    assert (one.text, one.reasoning) == (other.text, other.reasoning)


@pytest.mark.parametrize(
    "case",
    [case for case in PROSE if case.fields and case.id not in MISLED | UNANNOUNCED],
    ids=lambda case: case.id,
)
def test_no_marker_is_ever_seen(case: ReplyCase) -> None:
    stream = ProseStream(case.agent, case.context)
    for char in case.raw:
        stream.feed(char)
        assert not any(marker in stream.text for marker in MARKERS), stream.text


def test_what_is_shown_before_the_end_stays() -> None:
    replies = [case for case in cases("narrator") if case.fields]
    wrong = set()
    for case in replies:
        if goes_round(case.raw):
            continue
        shown = flat(streamed("narrator", case.raw, context=case.context).text)
        if not flat(str(parse("narrator", case.raw, case.context).fields.get("narration", ""))).startswith(
            shown
        ):
            wrong.add(case.id)
    assert wrong == MISLED


@pytest.mark.parametrize("piece", ["You pass a door. ", "You pass a door.\n", "x", '"', "<b", "- ", "Maya "])
def test_a_long_reply_costs_no_more_for_each_word_than_a_short_one(piece: str) -> None:
    def seconds(length: int) -> float:
        stream = ProseStream("character:maya", ISLAND)
        return cpu_seconds(lambda: [stream.feed(piece) for _ in range(length // len(piece))])

    assert seconds(24_000) < 6 * seconds(8_000) + 0.2


def test_prose_comes_word_by_word_and_not_all_at_the_end() -> None:
    stream = ProseStream("narrator", ISLAND)
    seen = [stream.feed(char) for char in GOOD]
    assert sum(map(bool, seen)) > 6
    assert "".join(seen) + stream.finish() == stream.text == GOOD


@pytest.mark.parametrize(
    "speech",
    ['"Go away."', "“Who's there?”", "„Geh weg.“", "« Va-t'en. »", '"The sluice was old. Things break."'],
)
def test_a_reply_that_is_one_speech_keeps_its_quotation_marks(speech: str) -> None:
    stream = streamed("character:maya", speech)
    stream.finish()
    assert stream.text == parse("character:maya", speech, ISLAND).fields["text"] == speech
    assert stream.retracted == 0


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
        ("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"),
    ],
)
def test_a_thought_is_kept_apart_however_its_tags_are_split(opened: str, closed: str) -> None:
    stream = streamed("narrator", f"{opened}\nShe lies. mood: calm\n{closed}\n\n{GOOD}")
    assert stream.text.startswith("You step over")
    assert stream.reasoning == "She lies. mood: calm"
    assert stream.retracted == 0


def test_an_unclosed_thought_shows_nothing() -> None:
    stream = streamed("narrator", f"<think>{GOOD * 3}")
    stream.finish()
    assert stream.text == ""
    assert "You step over" in stream.reasoning


@pytest.mark.parametrize(
    ("opened", "closed"), [("<think\n", "\n</think>\n"), ("<think>", "</think\n"), ("<thinkI", "</think")]
)
def test_a_mark_of_a_thought_without_its_end_is_one(opened: str, closed: str) -> None:
    stream = streamed("narrator", f"{opened} plan. {closed}{GOOD}")
    stream.finish()
    assert stream.text.startswith("You step over") and "plan." in stream.reasoning


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
    stream = ProseStream("character", replace(ISLAND, thought="opened"))
    assert stream.feed("She must be afraid of the sea by now, I think, so she would refuse. ") == ""
    stream.feed("</think>\nI am not going in there. ")
    assert stream.text == "I am not going in there."
    assert stream.retracted == 0


@pytest.mark.parametrize("agent, head", [("narrator", "Narration: "), ("narrator", ""), ("character", "")])
def test_the_rounds_of_a_loop_are_taken_back_at_its_end(agent: str, head: str) -> None:
    stream = streamed(agent, head + "The rain stops at last. " + "You wait and listen to the sea. " * 14)
    shown = stream.text
    assert shown.count("You wait") > 5
    assert stream.finish() == stream.text == "The rain stops at last. You wait and listen to the sea."
    assert stream.retracted == 1


def test_an_object_is_dark_until_it_is_whole() -> None:
    raw = '{"narration": "You say \\"no\\".\\n\\nMaya nods \\ud83d\\ude00 and goes.", "mood": "calm"}'
    stream = streamed("narrator", raw)
    assert stream.text == ""
    assert stream.finish() == 'You say "no".\n\nMaya nods 😀 and goes.'


def test_the_players_next_line_is_never_shown() -> None:
    stream = streamed("character", "We should go.\n\nPlayer: I stay here.\nMaya: Then stay.")
    stream.finish()
    assert stream.text == "We should go."
