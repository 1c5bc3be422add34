"""What can go wrong between us and a server (S8.3): each failure with its kind, its sentence, and whether to retry.

Pure: exceptions, statuses and bodies go in, a `Failure` comes out.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from theact_tui.errors import CallError
from theact_tui.text import one_line

RETRIES = {
    "busy": 2,
    "loading": 12,
    "server": 2,
    "cut": 2,
    "timeout": 1,
    "malformed": 1,
    "empty": 1,
}
"""How often a call is made again after a failure of a kind; kinds not named are never retried."""

_TELLING = 6
"""Characters of a key that must not be repeated."""

KEY_ADVICE = "Enter a valid key in the settings, or set LLM_API_KEY or the model's own variable and restart."

LONGEST_WAIT = 60.0
"""Seconds; a server that wants to be left alone for longer is given up for now."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt."""

    kind: str
    sentence: str
    """For people: what happened and what to do."""
    status: int = 0
    words: str = ""
    """What the server said, for recognising the cause."""
    wait: float | None = None
    """Seconds the server asked to be left alone."""
    overflow: Overflowed | None = None


class Failed(Exception):
    """Carries a Failure from the wire to the code that decides about a retry."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.sentence)
        self.failure = failure


class Overflow(CallError):
    """The prompt is larger than the window. The model's `window` and `tokens` know better now: fit again, once."""

    def __init__(self, message: str, window: int) -> None:
        """`window` is what is known of it now, in tokens."""
        super().__init__("overflow", message)
        self.window = window


@dataclass(frozen=True, slots=True)
class Place:
    """Where a call goes, as sentences name it. `key` is only here to be kept out of them, and to know if there is one."""

    url: str
    model: str
    key: str = ""

    def quote(self, words: str) -> str:
        """The server's words, short, on one line, in brackets, without the key; empty when there are none."""
        words = without_key(words, self.key).replace('"', "'")
        return f' ("{one_line(words, 200)}")' if words.strip() else ""

    @property
    def advice(self) -> str:
        """What to do when something else answers at the address."""
        if urlsplit(self.url).path.rstrip("/").endswith("/v1"):
            return "Check the address and its port."
        return "The address should usually end in /v1."


def without_key(words: str, key: str) -> str:
    """`words` without `key`, and without any word that gives a part of it away."""
    if not key:
        return words
    parts = {key[at : at + _TELLING] for at in range(max(1, len(key) - _TELLING + 1))}
    return re.sub(
        r"[^\s\"'.,:;]+", lambda word: "[key]" if any(p in word[0] for p in parts) else word[0], words
    )


def from_status(
    status: int,
    body: Any,
    place: Place,
    headers: Mapping[str, str] | None = None,
    now: datetime | None = None,
) -> Failure:
    """The failure that an HTTP status, or an error in a body with such a code, stands for."""
    words = words_of(body)
    said = place.quote("" if _is_html(words) else message_in(body))
    wait = retry_after(headers or {}, now or datetime.now(UTC))
    if status not in (401, 403, 429) and is_overflow(words, body):
        found = read_overflow(words, body)
        sentence = f"The prompt is larger than the window of {place.model} at {place.url}{said}."
        return Failure("overflow", sentence, status, words, overflow=found)
    kind, sentence = _by_status(status, words, place)
    if kind == "busy" and wait and wait > LONGEST_WAIT:
        sentence += f" It asks to wait {round(wait)} seconds: try again after that."
    return Failure(kind, sentence.replace("{said}", said), status, words, wait)


def _by_status(status: int, words: str, place: Place) -> tuple[str, str]:
    url, model = place.url, place.model
    match status:
        case 401:
            what = (
                "does not accept the key{said}." if place.key else "requires a key{said}, and none was sent."
            )
            return "key", f"{url} {what} {KEY_ADVICE}"
        case 402:
            return "payment", f"{url} requires payment{{said}}. Check the account's credit."
        case 403:
            return "forbidden", f"{url} refused this call{{said}}. The key may not be allowed to use {model}."
        case 404 | 410 if "model" in words.lower():
            return "model", f"{url} has no model {model!r}{{said}}. `theact-tui models` lists those it has."
        case 404 | 405 | 410:
            return "address", f"No chat API at {url}{{said}}. {place.advice}"
        case 408 | 504 | 524:
            return "timeout", f"{url} took too long{{said}}. Try again, or use a smaller model."
        case 429:
            return "busy", f"{url} accepts no more calls right now{{said}}."
        case 503 | 529 if "load" in words.lower() and not _is_html(words):
            return "loading", f"{url} is still loading the model{{said}}."
        case _ if 300 <= status < 400:
            return (
                "address",
                f"{url} redirects to another address, which is not followed. Check the address.",
            )
        case _ if status >= 500:
            return (
                "server",
                f"{url} failed (HTTP {status}){{said}}. Try again, or check the server's log.",
            )
        case _:
            return (
                "request",
                f"{url} does not accept the request (HTTP {status}){{said}}. Check the model's settings.",
            )


def from_error_body(error: Any, place: Place) -> Failure:
    """The failure in an `error` object that came with status 200, or in the middle of a stream."""
    code = error.get("code") if isinstance(error, dict) else None
    code = int(code) if isinstance(code, str) and code.isdecimal() else code
    return from_status(code if isinstance(code, int) and 400 <= code < 600 else 500, {"error": error}, place)


def from_exception(error: BaseException, place: Place, *, started: bool) -> Failure:
    """The failure behind an exception of the HTTP client. `started`: a part of the reply had arrived."""
    causes = list(_causes(error))
    names = {type(cause).__name__ for cause in causes}
    url, words = place.url, str(causes[-1])
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return Failure("name", f"The name in {url} cannot be found. Check its spelling, or your network.")
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        hint = "Check the certificate, or use http:// for a server without one"
        return Failure("tls", f"No secure connection to {url}{place.quote(words)}. {hint}.")
    if "ConnectTimeout" in names:
        return Failure("unreachable", f"{url} cannot be reached. Check the address and your network.")
    if names & {"APITimeoutError", "ReadTimeout", "WriteTimeout", "PoolTimeout", "TimeoutException"}:
        return silence(place, started=started)
    if started or names & {"RemoteProtocolError", "ReadError", "WriteError", "IncompleteRead", "EndOfStream"}:
        return Failure(
            "cut", f"The connection to {url} was lost in mid-reply. Check that the server is still running."
        )
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return Failure("refused", f"Nothing answers at {url}. Start the model server, or choose another.")
    return Failure("unreachable", f"{url} cannot be reached{place.quote(words)}. Check the address.")


def silence(place: Place, *, started: bool) -> Failure:
    """Nothing came for longer than the profile's timeout."""
    when = "stopped in mid-reply" if started else "did not start answering in time"
    return Failure(
        "timeout", f"{place.url} {when}. Raise its timeout in the settings, or use a smaller model."
    )


def html(place: Place) -> Failure:
    """A web page instead of a reply."""
    return Failure("address", f"{place.url} sent a web page; it is not a model server. {place.advice}")


def malformed(place: Place, words: str = "") -> Failure:
    """Something that is no reply of a model."""
    return Failure("malformed", f"{place.url} sent something unreadable{place.quote(words)}. Try again.")


def empty(place: Place) -> Failure:
    """A reply without a word in it."""
    return Failure("empty", f"{place.model} gave an empty answer. Try again, or choose another model.")


def suspected_overflow(failure: Failure, prompt: int) -> Failure:
    """`failure` for a long prompt: some servers answer nothing to one that is too long for them."""
    advice = f"Its window may be too small for the prompt's {prompt:,} tokens: lower its context window in the settings."
    return replace(failure, sentence=f"{failure.sentence} {advice}")


def filtered(place: Place) -> Failure:
    """A reply that a content filter kept back whole."""
    return Failure("filtered", f"A content filter at {place.url} blocked the reply. Rephrase your text.")


def thought_only(place: Place) -> Failure:
    """All tokens went into reasoning."""
    advice = "Raise its reasoning tokens in the settings"
    return Failure(
        "thought", f"{place.model} used all its tokens for reasoning. {advice}, or turn reasoning off."
    )


def endless(place: Place) -> Failure:
    """Output without end and without text."""
    return Failure(
        "endless", f"{place.model} repeated itself without an answer and was stopped. Try another model."
    )


def message_in(body: Any) -> str:
    """What an error body says to people, in whatever spelling."""
    match body:
        case str():
            return body
        case {"error": inner} | {"message": inner} | {"detail": inner}:
            return message_in(inner)
        case None:
            return ""
        case _:
            return str(body)


def words_of(body: Any) -> str:
    """All that an error body says, its codes too, for recognising the cause."""
    match body:
        case {"error": dict() as inner}:
            return words_of(inner)
        case {"message": str() as message}:
            more = [str(body[name]) for name in ("type", "code", "param", "metadata") if body.get(name)]
            return " ".join([message, *more])
        case _:
            return message_in(body)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait as `Retry-After` says, in seconds or as a date; None without a readable one."""
    text = headers.get("retry-after", "").strip()
    if not text:
        return None
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(text)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max(0.0, (when - now).total_seconds())


def _is_html(words: str) -> bool:
    return words.lstrip()[:1] == "<"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """`error` and all that led to it, nearest first."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        cause = waiting.pop(0)
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        if isinstance(cause, BaseExceptionGroup):
            waiting.extend(cause.exceptions)
        waiting.extend(c for c in (cause.__cause__, cause.__context__) if c is not None)


_SIGNS = re.compile(
    r"exceed_context_size|context_length_exceeded|(?:maximum|max|model'?s) context (?:length|window|size)"
    r"|exceeds? (?:the |its |available )*context|context (?:length|window|size)[^.]{0,40}exceed"
    r"|keep the first \d+ tokens|prompt is too long|input is too long|too many tokens|exceeds?[^.]{0,30}n_ctx"
    r"|larger than the context|longer than the (?:model'?s )?context|model_max_prompt_tokens_exceeded",
    re.IGNORECASE,
)
_WINDOW = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"context (?:length|window|size) (?:is|of)(?: only)?\s*\(?(\d[\d,]*)",
        r"context (?:length|window|size)\s*[(:=]?\s*(\d[\d,]*)",
        r"n_ctx\D{0,4}(\d[\d,]*)",
        r">\s*(\d[\d,]*) maximum",
        r"(?:maximum|limit)\D{0,30}(\d[\d,]*)",
    )
]
_PROMPT = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\((\d[\d,]*) in the messages",
        r"n_prompt_tokens\D{0,4}(\d[\d,]*)",
        r"request \((\d[\d,]*) tokens",
        r"requested tokens \((\d[\d,]*)\)",
        r"messages resulted in (\d[\d,]*) tokens",
    )
]
_LEAST, _MOST = 256, 10_000_000


@dataclass(frozen=True, slots=True)
class Overflowed:
    """What a server said about a prompt that did not fit, in tokens; 0 where it said nothing."""

    window: int = 0
    prompt: int = 0


def is_overflow(words: str, body: Any = None) -> bool:
    """True when an error says that prompt or prompt and reply are larger than the window."""
    return bool(_SIGNS.search(words)) or _field(body, "n_prompt_tokens") > 0


def read_overflow(words: str, body: Any = None) -> Overflowed:
    """The numbers in such an error."""
    return Overflowed(
        window=_field(body, "n_ctx") or _first(_WINDOW, words),
        prompt=_field(body, "n_prompt_tokens") or _first(_PROMPT, words),
    )


def _first(patterns: list[re.Pattern[str]], words: str) -> int:
    for pattern in patterns:
        if found := pattern.search(words):
            number = int(found[1].replace(",", ""))
            return number if _LEAST <= number <= _MOST else 0
    return 0


def _field(body: Any, name: str) -> int:
    error = body.get("error", body) if isinstance(body, dict) else None
    value = error.get(name) if isinstance(error, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and _LEAST <= value <= _MOST else 0
