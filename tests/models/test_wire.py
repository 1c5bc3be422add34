"""Reading a stream (S8.3, S13): however it is split, the same text comes out, and never anything harmful."""

import json
from collections.abc import AsyncIterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.fake_server import chunk
from theact_tui.models.client import Bounds, Cleaner, pieces
from theact_tui.models.failures import Failed, Place
from theact_tui.text import clean

PARTS = [
    *"ab[]0;?m (P\\\r\n\t\x07\x1b\x9b\x9c\x00\u202e\u2028é静😀",
    *(
        "\r\n",
        "\x1b[31m",
        "\x1b[?25",
        "\x1b]0;title\x07",
        "\x1b]8;;http://h\x1b\\",
        "\x1bPq",
        "\x1b(B",
        "\x9b1m",
    ),
]
NASTY = st.lists(st.sampled_from(PARTS), max_size=20).map("".join)
PLACE, BOUNDS = Place("http://h/v1", "m"), Bounds(tokens=500, timeout=10)


@settings(max_examples=500)
@given(NASTY, st.integers(1, 7))
def test_cleaning_piece_by_piece_is_cleaning_whole(text: str, width: int) -> None:
    cleaner = Cleaner()
    parts = [text[i : i + width] for i in range(0, len(text), width)]
    assert "".join(map(cleaner.feed, parts)) + cleaner.rest() == clean(text)


@given(
    st.lists(st.sampled_from(["sk-abcdefgh", "sk-", "abc", "efgh", " lamp ", "s"]), max_size=8),
    st.integers(1, 7),
)
def test_a_key_is_hidden_however_the_text_is_split(parts: list[str], width: int) -> None:
    text, cleaner = "".join(parts), Cleaner("sk-abcdefgh")
    fed = "".join(cleaner.feed(text[i : i + width]) for i in range(0, len(text), width))
    assert fed + cleaner.rest() == text.replace("sk-abcdefgh", "[key]")


async def served(data: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(data), size):
        yield data[start : start + size]


@settings(deadline=None)
@given(st.text(max_size=80), st.integers(1, 40), st.integers(1, 9))
async def test_any_text_arrives_however_the_bytes_are_split(text: str, size: int, width: int) -> None:
    sound = text.encode("utf-8", "replace").decode()
    body = b"".join(chunk(sound[i : i + width]) for i in range(0, len(sound), width)) + chunk(None, "stop")
    reply = [p async for p in pieces("text/event-stream", served(body, size), PLACE, BOUNDS)]
    assert "".join(piece.text for piece in reply) == clean(sound)
    assert reply[-1].finish == "stop"


PAGE = "The tide turns under the wreck. Maya ties the rope."


@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        ([PAGE[:end] for end in (3, 9, 20, 20, len(PAGE))], PAGE),
        (["The tide", PAGE], PAGE),
        (["\n", "\nThe", "\nThe tide"], "\nThe tide"),
        (["ha", " ", "ha"], "ha ha"),
        (["ha", "ha", "ha!"], "hahaha!"),
        (["Ha", "Hah", "!"], "HaHah!"),
        (["No", ", no", ", no"], "No, no, no"),
    ],
)
async def test_a_chunk_that_holds_all_before_it_counts_as_its_new_end(chunks: list[str], text: str) -> None:
    texts, thoughts = [chunk(part) for part in chunks], [chunk(reasoning=part) for part in chunks]
    for sent in (texts, thoughts):
        body = b"".join(sent) + chunk(None, "stop")
        reply = [p async for p in pieces("text/event-stream", served(body, 99), PLACE, BOUNDS)]
        assert "".join(piece.text or piece.reasoning for piece in reply) == text


async def test_words_of_refusal_are_no_story_text() -> None:
    body = chunk("The tide turns.", refusal="I can't go on.") + chunk(None, "stop")
    reply = [p async for p in pieces("text/event-stream", served(body, 99), PLACE, BOUNDS)]
    assert "".join(piece.text for piece in reply) == "The tide turns."


async def is_read_or_refused(data: bytes, kind: str, size: int) -> None:
    """A reply of these bytes has an end, or fails with a sentence."""
    try:
        reply = [p async for p in pieces(kind, served(data, size), PLACE, BOUNDS)]
    except Failed as failed:
        assert failed.failure.sentence.endswith(".")
    else:
        assert reply[-1].finish


@settings(deadline=None)
@given(st.binary(max_size=300), st.sampled_from(["text/event-stream", "application/json", "text/html", ""]))
async def test_no_bytes_at_all_break_the_reader(data: bytes, kind: str) -> None:
    await is_read_or_refused(data, kind, 7)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "delta", "message", "content", "error", "usage", "finish_reason", "code", "text"]
            ),
            inner,
            max_size=4,
        )
    ),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(JSON, max_size=4))
async def test_no_document_breaks_the_reader(documents: list[object]) -> None:
    data = b"".join(b"data: " + json.dumps(document).encode() + b"\n\n" for document in documents)
    await is_read_or_refused(data, "text/event-stream", 50)
