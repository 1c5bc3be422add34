"""Reading a streamed reply off the wire: bytes in, pieces out, every odd or silent ending noticed (S8.3).

The client library does the request; its own stream reader is not used, because it ends without an error where a
server sends an error, a web page or half a character.
"""

from __future__ import annotations

import codecs
import json
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from theact_tui.models.base import Piece, Usage
from theact_tui.models.failures import Failed, Place, failure, from_error_body
from theact_tui.text import clean

_MOST_CHARACTERS_PER_TOKEN = 16
_SPARE_CHARACTERS = 2_000
_LONGEST_LINE = 1_000_000
_PATIENCE = 5
"""A server that only says it is alive is given up after so many times the timeout."""

_FINISHES = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "content_filter",
    "error": "error",
}
_UNFINISHED = re.compile(
    r"(?:\r|[\ud800-\udbff]|\x9b[0-?]*[ -/]*"
    r"|\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b\x9c]{0,4096}|[P^_X][^\x1b\x9c]{0,4096}|[ -/]*))\Z"
)
"""What may be the first half of a line ending, a character or an escape sequence."""


@dataclass(frozen=True, slots=True)
class Body:
    """A reply's body as it arrives."""

    content_type: str
    data: AsyncIterator[bytes]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much and how long."""

    tokens: int
    """What was allowed for the reply; several times as much counts as endless."""
    timeout: float
    """Seconds of silence."""

    @property
    def characters(self) -> int:
        return self.tokens * _MOST_CHARACTERS_PER_TOKEN + _SPARE_CHARACTERS


class Cleaner:
    """Cleans streamed text (S13), whatever is split between two pieces."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """The part of the text so far that is safe to give out and was not yet."""
        text = self._held + text
        unfinished = _UNFINISHED.search(text)
        cut = unfinished.start() if unfinished else len(text)
        self._held = text[cut:]
        return clean(_joined(text[:cut]))

    def rest(self) -> str:
        """What was held back, at the end."""
        held, self._held = self._held, ""
        return clean(held)


def _joined(text: str) -> str:
    """`text` with the two halves of characters put together that came in two pieces."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


async def pieces(
    body: Body, place: Place, bounds: Bounds, clock: Callable[[], float] = time.monotonic
) -> AsyncGenerator[Piece, None]:
    """The reply, piece by piece; the last one has a finish, and a cut or endless reply ends as `length`.

    Raises Failed for a reply that is none. What the HTTP client raises passes through.
    """
    cleaner, thoughts = Cleaner(), Cleaner()
    finish, usage, length, chunks, spoke = "", Usage(), 0, 0, False
    async with aclosing(_documents(body, place, bounds.timeout * _PATIENCE, clock)) as documents:
        async for document in documents:
            chunks += 1
            usage = _usage(document.get("usage")) or usage
            text, thought, ended = _read(document, place)
            finish = ended or finish
            length += len(text) + len(thought)
            spoke = spoke or bool(text.strip())
            text, thought = cleaner.feed(text), thoughts.feed(thought)
            if text or thought:
                yield Piece(text=text, reasoning=thought)
            if length > bounds.characters or chunks > bounds.characters:
                if not spoke:
                    raise Failed(failure("endless", place))
                finish = "length"
                break
    if not chunks:
        raise Failed(failure("empty", place))
    yield Piece(text=cleaner.rest(), reasoning=thoughts.rest(), finish=finish or "length", usage=usage)


def _read(document: dict[str, Any], place: Place) -> tuple[str, str, str]:
    """Text, reasoning and finish of one chunk."""
    if document.get("error"):
        raise Failed(from_error_body(document["error"], place))
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else {}
    if not isinstance(choice, dict):
        raise Failed(failure("malformed", place, str(choice)))
    delta = choice.get("delta") or choice.get("message") or {}
    delta = delta if isinstance(delta, dict) else {}
    text = _text(delta.get("content")) or _text(delta.get("refusal")) or _text(choice.get("text"))
    thought = _text(delta.get("reasoning_content")) or _text(delta.get("reasoning"))
    reason = choice.get("finish_reason")
    finish = _FINISHES.get(reason, "stop") if isinstance(reason, str) and reason else ""
    if finish == "error":
        raise Failed(from_error_body({"message": "the model stopped with an error"}, place))
    return text, thought, finish


def _text(value: Any) -> str:
    match value:
        case str():
            return value
        case list():
            return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
        case _:
            return ""


def _usage(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    prompt, completion = value.get("prompt_tokens_details"), value.get("completion_tokens_details")
    return Usage(
        prompt=_number(value.get("prompt_tokens")),
        cached=_number(prompt.get("cached_tokens")) if isinstance(prompt, dict) else None,
        completion=_number(value.get("completion_tokens")),
        reasoning=_number(completion.get("reasoning_tokens")) if isinstance(completion, dict) else None,
    )


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


async def _documents(
    body: Body, place: Place, patience: float, clock: Callable[[], float]
) -> AsyncGenerator[dict[str, Any], None]:
    """The JSON documents of an event stream, or the single one of a server that does not stream."""
    kind = body.content_type.lower()
    events, stray = 0, ""
    last = clock()
    async with aclosing(_lines(body, place)) as lines:
        async for line in lines:
            if not line and clock() - last > patience:
                raise Failed(failure("stopped" if events else "silent", place))
            field, colon, value = line.partition(":")
            if field in ("event", "id", "retry", "") and colon:
                continue
            if field != "data" or not colon or "html" in kind:
                stray = f"{stray}{line}\n" if len(stray) < _LONGEST_LINE else stray
                continue
            value, last = value.strip(), clock()
            if value.startswith("[DONE]"):
                return
            if value.startswith("{"):
                events += 1
                yield _parsed(value, place)
    if not events and stray.strip():
        yield _single(stray, place)


def _single(text: str, place: Place) -> dict[str, Any]:
    if text.lstrip().startswith("<"):
        raise Failed(failure("page", place))
    return _parsed(text, place)


def _parsed(text: str, place: Place) -> dict[str, Any]:
    try:
        document = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        raise Failed(failure("malformed", place, text)) from None
    if not isinstance(document, dict):
        raise Failed(failure("malformed", place, text))
    if document.get("object") == "error" and "error" not in document:
        return {"error": document}
    return document


async def _lines(body: Body, place: Place) -> AsyncGenerator[str, None]:
    """Lines without their ends; bytes that are no UTF-8 become U+FFFD. An empty line also stands for a sign of life."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    async for data in body.data:
        *lines, rest = (rest + decoder.decode(data)).split("\n")
        if len(rest) > _LONGEST_LINE:
            raise Failed(failure("malformed", place, rest[:200]))
        for line in lines:
            yield line.removesuffix("\r")
        yield ""
    for line in (rest + decoder.decode(b"", True)).split("\n"):
        yield line.removesuffix("\r")
