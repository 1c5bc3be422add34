"""Send requests through openai's client and read streamed replies. Every error becomes `Failed`.

Import this in a thread: openai loads slowly.
"""

import asyncio
import codecs
import json
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import openai

from theact_tui.models.addresses import host_of, open_http
from theact_tui.models.environment import LEAST_SECRET
from theact_tui.models.failures import (
    Failed,
    Failure,
    Place,
    failure,
    from_error_body,
    from_exception,
    from_status,
)
from theact_tui.models.model import Piece, Usage
from theact_tui.text import clean

_LONGEST_ERROR = 64 * 1024
"""Bytes, unpacked."""


def open_client(base_url: str, key: str, silence: float) -> openai.AsyncOpenAI:
    http = open_http(base_url, silence, _refuse)
    client = openai.AsyncOpenAI(
        base_url=base_url, api_key=key or "none", max_retries=0, timeout=http.timeout, http_client=http
    )
    if host_of(base_url) != "api.openai.com":
        client.organization = client.project = None
    return client


def _headers(agent: str, place: Place) -> dict[str, str | openai.Omit]:
    if host_of(place.url) == "api.openai.com":
        return {"X-Agent": agent}
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").split("\n")
    foreign = {line.partition(":")[0].strip(): openai.omit for line in lines if ":" in line}
    return {**foreign, "X-Agent": agent, "Authorization": f"Bearer {place.key or 'none'}"}


class _Refused(Exception):
    def __init__(self, response: httpx2.Response, body: bytes) -> None:
        super().__init__(response.status_code)
        self.response = response
        self.body = body.decode("utf-8", "replace")


async def _refuse(response: httpx2.Response) -> None:
    """Raise _Refused; openai's client would read an endless error."""
    body = b""
    if not response.is_success:
        async for data in response.aiter_bytes():
            body += data
            if len(body) >= _LONGEST_ERROR:
                break
        raise _Refused(response, body[:_LONGEST_ERROR])


_MOST_CHARACTERS_PER_TOKEN = 16
_SPARE_CHARACTERS = 2_000


@dataclass(frozen=True, slots=True)
class Bounds:
    tokens: int
    timeout: float
    """Seconds of silence, not of the whole reply."""

    @property
    def characters(self) -> int:
        return self.tokens * _MOST_CHARACTERS_PER_TOKEN + _SPARE_CHARACTERS


async def answer(
    client: openai.AsyncOpenAI, body: dict[str, Any], agent: str, place: Place, bounds: Bounds
) -> AsyncGenerator[Piece, None]:
    """Make one attempt. Raises Failed; closing the generator stops the server."""
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
        headers = {name.lower(): value for name, value in refused.response.headers.items()}
        status = refused.response.status_code
        raise Failed(from_status(status, _json_or_text(refused.body), place, headers)) from refused
    except TimeoutError:
        raise Failed(failure("stopped" if started else "silent", place)) from None
    except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise Failed(from_exception(error, place, started=started)) from error


# --- streamed replies ---------------------------------------------------------------------------------------------
# The client library's own stream reader is not used: it ends without an error where a server sends an error, a web
# page or half a character.

_LONGEST_LINE = 1_000_000
_PATIENCE = 5
"""Timeouts until a server that only sends keep-alives is given up."""

_FINISHES = {"length": "length", "max_tokens": "length", "content_filter": "content_filter", "error": "error"}
_UNFINISHED = re.compile(
    r"(?:\r|[\ud800-\udbff]|\x9b[0-?]*[ -/]*"
    r"|\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b\x9c]{0,4096}|[P^_X][^\x1b\x9c]{0,4096}|[ -/]*))\Z"
)
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")


class Cleaner:
    """Cleans streamed text across pieces and hides the key that was sent."""

    def __init__(self, key: str = "") -> None:
        self._held = self._begun = ""
        self._key = key if len(key) >= LEAST_SECRET else ""

    def feed(self, text: str) -> str:
        text = self._held + text
        unfinished = _UNFINISHED.search(text)
        cut = unfinished.start() if unfinished else len(text)
        whole, self._held = text[:cut], text[cut:]
        if not whole.isascii():  # the two halves of a character may have come in two pieces
            whole = whole.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return self._without_key(clean(whole))

    def _without_key(self, text: str) -> str:
        if not self._key:
            return text
        text = (self._begun + text).replace(self._key, "[key]")
        lengths = range(len(self._key) - 1, 0, -1)
        end = len(text) - next((length for length in lengths if text.endswith(self._key[:length])), 0)
        self._begun = text[end:]
        return text[:end]

    def rest(self) -> str:
        text = self._without_key(clean(self._held)) + self._begun
        self._held = self._begun = ""
        return text


class Deltas:
    """Makes new text of chunks, also where each holds the whole text so far (DashScope, some proxies of Gemini).

    The second and third chunk decide: each must be longer than all before it and begin with that. Equal chunks are two
    pieces ("ha ha").
    """

    def __init__(self) -> None:
        self._whole = self._held = ""
        self._is_cumulative: bool | None = None

    def feed(self, chunk: str) -> str:
        if not chunk or self._is_cumulative is False:
            return chunk
        before = self._held or self._whole
        grows = chunk.startswith(before) and (len(chunk) > len(before) or self._is_cumulative is True)
        if not before:
            new, self._whole = chunk, chunk
        elif not grows:
            new, self._held, self._is_cumulative = self._held + chunk, "", False
        elif self._held or self._is_cumulative:
            new, self._whole, self._held, self._is_cumulative = chunk[len(self._whole) :], chunk, "", True
        else:
            new, self._held = "", chunk
        return new

    def rest(self) -> str:
        """Return what the second chunk, if it was the last, adds."""
        return self._held[len(self._whole) :]


async def pieces(
    kind: str, data: AsyncIterator[bytes], place: Place, bounds: Bounds
) -> AsyncGenerator[Piece, None]:
    """Yield a reply's pieces, the last with `finish`: `length` if endless, `cut` if the server gave no reason.

    Raises Failed; errors of the HTTP client pass through.
    """
    cleaner, thoughts = Cleaner(place.key), Cleaner(place.key)
    texts, reasonings = Deltas(), Deltas()
    finish, usage, length, chunks, spoke, refusal, model = "", Usage(), 0, 0, False, "", ""
    async with aclosing(_documents(kind.lower(), data, place)) as documents:
        async for document in documents:
            chunks += 1
            usage = _usage(document.get("usage"), document.get("timings"), usage)
            model = _text(document.get("model")) or model
            chunk = _read(document, place)
            finish = chunk.finish or finish
            refusal += chunk.refusal
            text, thought = texts.feed(chunk.text), reasonings.feed(chunk.thought)
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
    text = cleaner.feed(texts.rest()) + cleaner.rest()
    if refusal and not spoke and not text.strip():
        raise Failed(failure("declined", place, refusal))
    thought = thoughts.feed(reasonings.rest()) + thoughts.rest()
    yield Piece(text=text, reasoning=thought, finish=finish or "cut", usage=usage, model=clean(model))


@dataclass(frozen=True, slots=True)
class _Chunk:
    text: str
    thought: str
    refusal: str
    """Why the model does not answer, in its own words; never part of the story."""
    finish: str


def _read(document: dict[str, Any], place: Place) -> _Chunk:
    if document.get("error"):
        raise Failed(from_error_body(document["error"], place))
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else {}
    if not isinstance(choice, dict):
        raise Failed(failure("malformed", place, str(choice)))
    delta = choice.get("delta") or choice.get("message") or {}
    delta = delta if isinstance(delta, dict) else {}
    text = _text(delta.get("content")) or _text(choice.get("text"))
    thought = _text(delta.get("reasoning_content")) or _text(delta.get("reasoning"))
    reason = choice.get("finish_reason")
    finish = _FINISHES.get(reason, "stop") if isinstance(reason, str) and reason else ""
    if finish == "error":
        stopped = {"message": "the model stopped with an error"}
        raise Failed(from_error_body(choice.get("error") or stopped, place))
    return _Chunk(text, thought, _text(delta.get("refusal")), finish)


def _text(value: Any) -> str:
    match value:
        case str():
            return value
        case list():
            return "".join(_text(part.get("text")) for part in value if isinstance(part, dict))
        case _:
            return ""


def _usage(value: Any, timings: Any, usage: Usage) -> Usage:
    """Read the tokens of a chunk that reports any; `timings` are llama.cpp's, with its count of cached ones."""
    if isinstance(value, dict):
        prompt, completion = value.get("prompt_tokens_details"), value.get("completion_tokens_details")
        usage = Usage(
            prompt=_number(value.get("prompt_tokens")),
            cached=_number(prompt.get("cached_tokens")) if isinstance(prompt, dict) else None,
            completion=_number(value.get("completion_tokens")),
            reasoning=_number(completion.get("reasoning_tokens")) if isinstance(completion, dict) else None,
        )
    held = _number(timings.get("cache_n")) if isinstance(timings, dict) else None
    return usage if held is None else replace(usage, cached=held)


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


async def _documents(
    kind: str, data: AsyncIterator[bytes], place: Place
) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the JSON documents of an event stream, or the single one of a server that does not stream.

    Raises Failed for an `error` field (llama.cpp), an `error` event, or a stray line.
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
    body = _json_or_text(value)
    return from_error_body(body.get("error", body) if isinstance(body, dict) else body, place)


def _json_or_text(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _document(text: str) -> dict[str, Any] | None:
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
    """Yield lines without their ends; invalid UTF-8 becomes U+FFFD."""
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
