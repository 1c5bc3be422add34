"""The openai client, and how replies are read off the wire: bytes in, pieces out, every odd or silent ending noticed.

The only module that imports openai: load it in a thread, when a call is due. All that goes wrong becomes `Failed`.
"""

from __future__ import annotations

import asyncio
import codecs
import json
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing, suppress
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import openai

from theact_tui.models.addresses import host_of, open_http
from theact_tui.models.base import Piece, Usage
from theact_tui.models.failures import (
    Failed,
    Failure,
    Place,
    failure,
    from_error_body,
    from_exception,
    from_status,
)
from theact_tui.text import clean

_LONGEST_ERROR = 64 * 1024
"""Bytes, unpacked."""


def open_client(base_url: str, key: str, silence: float) -> openai.AsyncOpenAI:
    """A client that never retries by itself, follows no redirect, and goes through a proxy only to remote hosts."""
    http = open_http(base_url, silence, _refuse)
    client = openai.AsyncOpenAI(
        base_url=base_url, api_key=key or "none", max_retries=0, timeout=http.timeout, http_client=http
    )
    if host_of(base_url) != "api.openai.com":
        client.organization = client.project = None
    return client


def _headers(agent: str, place: Place) -> dict[str, str | openai.Omit]:
    """Headers of a request. Those that the environment sets for OpenAI go to no other server."""
    if host_of(place.url) == "api.openai.com":
        return {"X-Agent": agent}
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    foreign = {line.partition(":")[0].strip(): openai.omit for line in lines if ":" in line}
    return {**foreign, "X-Agent": agent, "Authorization": f"Bearer {place.key or 'none'}"}


class _Refused(Exception):
    """An answer that is no reply, and the beginning of what it said."""

    def __init__(self, response: httpx2.Response, said: bytes) -> None:
        super().__init__(response.status_code)
        self.response = response
        self.said = said.decode("utf-8", "replace")


async def _refuse(response: httpx2.Response) -> None:
    """Raises _Refused for an error. The openai package would read it to its end, however long that is."""
    said = b""
    if not response.is_success:
        async for data in response.aiter_bytes():
            said += data
            if len(said) >= _LONGEST_ERROR:
                break
        raise _Refused(response, said[:_LONGEST_ERROR])


async def answer(
    client: openai.AsyncOpenAI, body: dict[str, Any], agent: str, place: Place, bounds: Bounds
) -> AsyncGenerator[Piece, None]:
    """One attempt at a call. Raises Failed; closing it closes the connection, which stops the server."""
    started = False
    create = client.chat.completions.with_streaming_response.create
    try:
        async with AsyncExitStack() as stack:
            sending = create(**body, extra_headers=_headers(agent, place))
            async with asyncio.timeout(bounds.timeout):  # whatever drips, headers or an error
                response = await stack.enter_async_context(sending)
            kind = response.headers.get("content-type", "")
            arriving = response.http_response.aiter_bytes()
            reply = await stack.enter_async_context(aclosing(pieces(kind, arriving, place, bounds)))
            while True:
                async with asyncio.timeout(bounds.timeout * _PATIENCE):
                    piece = await anext(reply, None)
                if piece is None:
                    break
                started = True
                yield piece
    except _Refused as refused:
        said: Any = refused.said
        with suppress(ValueError, RecursionError):
            said = json.loads(said)
        headers = {name.lower(): value for name, value in refused.response.headers.items()}
        raise Failed(from_status(refused.response.status_code, said, place, headers)) from refused
    except TimeoutError:
        raise Failed(failure("stopped" if started else "silent", place)) from None
    except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise Failed(from_exception(error, place, started=started)) from error


# --- streamed replies ---------------------------------------------------------------------------------------------
# The client library's own stream reader is not used: it ends without an error where a server sends an error, a web
# page or half a character.

_MOST_CHARACTERS_PER_TOKEN = 16
_SPARE_CHARACTERS = 2_000
_LONGEST_LINE = 1_000_000
_PATIENCE = 5
"""A server that sends neither text nor a thought, only signs of life, is given up after so many times the timeout."""

_FINISHES = {"length": "length", "max_tokens": "length", "content_filter": "content_filter", "error": "error"}
_UNFINISHED = re.compile(
    r"(?:\r|[\ud800-\udbff]|\x9b[0-?]*[ -/]*"
    r"|\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b\x9c]{0,4096}|[P^_X][^\x1b\x9c]{0,4096}|[ -/]*))\Z"
)
"""What may be the first half of a line ending, a character or an escape sequence."""
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")
"""A CR that came last may be the first half of a CR LF."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much and how long."""

    tokens: int
    """What was allowed for the reply; several times as much counts as endless."""
    timeout: float
    """Seconds until the reply begins, and of silence in it."""

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
        whole, self._held = text[:cut], text[cut:]
        if not whole.isascii():  # the two halves of a character may have come in two pieces
            whole = whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return clean(whole)

    def rest(self) -> str:
        """What was held back, at the end."""
        held, self._held = self._held, ""
        return clean(held)


async def pieces(
    kind: str, data: AsyncIterator[bytes], place: Place, bounds: Bounds
) -> AsyncGenerator[Piece, None]:
    """The reply in a body of this content type, piece by piece; the last one has a finish. An endless reply ends as
    `length`, one that ends without a reason as `cut`.

    Raises Failed for a reply that is none. What the HTTP client raises passes through.
    """
    cleaner, thoughts = Cleaner(), Cleaner()
    finish, usage, length, chunks, spoke = "", Usage(), 0, 0, False
    async with aclosing(_documents(kind.lower(), data, place)) as documents:
        async for document in documents:
            chunks += 1
            usage = _usage(document.get("usage"), usage)
            usage = _timed(document.get("timings"), usage)
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
    yield Piece(text=cleaner.rest(), reasoning=thoughts.rest(), finish=finish or "cut", usage=usage)


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


def _usage(value: Any, known: Usage) -> Usage:
    if not isinstance(value, dict):
        return known
    prompt, completion = value.get("prompt_tokens_details"), value.get("completion_tokens_details")
    return Usage(
        prompt=_number(value.get("prompt_tokens")),
        cached=_number(prompt.get("cached_tokens")) if isinstance(prompt, dict) else None,
        completion=_number(value.get("completion_tokens")),
        reasoning=_number(completion.get("reasoning_tokens")) if isinstance(completion, dict) else None,
    )


def _timed(value: Any, known: Usage) -> Usage:
    """What llama.cpp measured: tokens of the prompt that it held, beside those it evaluated."""
    held = _number(value.get("cache_n")) if isinstance(value, dict) else None
    return known if held is None else replace(known, cached=held)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


async def _documents(
    kind: str, data: AsyncIterator[bytes], place: Place
) -> AsyncGenerator[dict[str, Any], None]:
    """The JSON documents of an event stream, or the single one of a server that does not stream.

    Raises Failed for an error, however the stream says it: llama.cpp had a field `error`, others an event of that name.
    """
    events, stray, name, begun = 0, "", "", ""
    async with aclosing(_lines(data, place)) as lines:
        async for line in lines:
            field, colon, value = line.partition(":")
            value = value.strip()
            if field in ("event", "id", "retry", "") and colon:
                name = value if field == "event" else name
                continue
            if not line:
                name = ""
                if begun:
                    raise Failed(failure("malformed", place, begun))
            if colon and value and (field == "error" or (field == "data" and name == "error")):
                raise Failed(_stream_error(value, place))
            if field != "data" or not colon or "html" in kind:
                stray = f"{stray}{line}\n" if len(stray) < _LONGEST_LINE else stray
                continue
            if value.startswith("[DONE]"):
                return
            begun = f"{begun}\n{value}" if begun else value if value.startswith("{") else ""
            if begun and (document := _document(begun)) is not None:
                events, begun = events + 1, ""
                yield document
    if begun:
        raise Failed(failure("malformed", place, begun))
    if not stray.strip():
        return
    if not events:
        if stray.lstrip().startswith("<"):
            raise Failed(failure("page", place))
        if (document := _document(stray)) is None:
            raise Failed(failure("malformed", place, stray))
        yield document
    elif re.search(
        r"\berror\b", stray, re.IGNORECASE
    ):  # a stack trace or a bare object where the reply broke off
        raise Failed(_stream_error(stray.strip(), place))


def _stream_error(value: str, place: Place) -> Failure:
    """The failure behind what a server says in the middle of a stream, which may be JSON."""
    said: Any = value
    with suppress(ValueError, RecursionError):
        said = json.loads(value)
    return from_error_body(said.get("error", said) if isinstance(said, dict) else said, place)


def _document(text: str) -> dict[str, Any] | None:
    """The JSON object in `text`; None for anything else, such as the first lines of one."""
    try:
        document = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    if document.get("object") == "error" and "error" not in document:
        return {"error": document}
    return document


async def _lines(arriving: AsyncIterator[bytes], place: Place) -> AsyncGenerator[str, None]:
    """Lines without their ends (LF, CR LF or CR), and without a byte order mark; bytes that are no UTF-8 become U+FFFD."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
    rest = ""
    async for data in arriving:
        *lines, rest = _LINE_END.split(rest + decoder.decode(data))
        if len(rest) > _LONGEST_LINE:
            raise Failed(failure("malformed", place, rest[:200]))
        for line in lines:
            yield line
    for line in re.split("\r\n?|\n", rest + decoder.decode(b"", True)):
        yield line
