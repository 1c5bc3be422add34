"""Failures between client and server: kinds and sentences."""

import math
import re
import socket
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from theact_tui.errors import CallError
from theact_tui.models.addresses import UnusableEnvironment
from theact_tui.text import one_line

_KEY_PART_LENGTH = 6
"""Characters of a key that must not be repeated."""

_PATIENCE_ADVICE = "Raise its timeout in the settings, or use a smaller model."
_KEY_ADVICE = "Enter a valid key in the settings, or set LLM_API_KEY or the model's own variable and restart."


@dataclass(frozen=True, slots=True)
class Overflowed:
    """Window and prompt of a refused prompt in tokens; 0 if not reported."""

    window: int = 0
    prompt: int = 0


@dataclass(frozen=True, slots=True)
class Failure:
    kind: str
    sentence: str
    status: int = 0
    words: str = ""
    wait: float | None = None
    """Seconds until the server wants the next request."""
    overflow: Overflowed | None = None


class Failed(Exception):
    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.sentence)
        self.failure = failure


class Overflow(CallError):
    """The prompt exceeds the model's window of `window` tokens; fit it again, once."""

    def __init__(self, message: str, window: int) -> None:
        super().__init__("overflow", message)
        self.window = window


@dataclass(frozen=True, slots=True)
class Place:
    """Target of a call, for sentences; `key` is kept only to be removed from them."""

    url: str
    model: str
    key: str = ""

    def quote(self, words: str) -> str:
        """Quote the server's words on one line, without the key."""
        words = without_key(words, self.key).replace('"', "'")
        return f' ("{one_line(words, 200)}")' if words.strip() else ""

    @property
    def advice(self) -> str:
        if urlsplit(self.url).path.rstrip("/").endswith("/v1"):
            return "Check the address and its port."
        return "The address should usually end in /v1."


def is_sendable(key: str) -> bool:
    """False for characters that a header cannot hold, such as curly quotes."""
    return re.fullmatch(r"(?! )[ -~]*(?<! )", key) is not None


def without_key(words: str, key: str) -> str:
    """Replace `key`, and any word that contains a part of it."""
    if not key:
        return words
    parts = {key[at : at + _KEY_PART_LENGTH] for at in range(max(1, len(key) - _KEY_PART_LENGTH + 1))}
    return re.sub(
        r"[^\s\"'.,:;]+", lambda word: "[key]" if any(p in word[0] for p in parts) else word[0], words
    )


_CAUSES = {
    "key": ("key", f"{{url}} does not accept the key{{said}}. {_KEY_ADVICE}"),
    "no key": ("key", f"{{url}} requires a key{{said}}, and none was sent. {_KEY_ADVICE}"),
    "key signs": (
        "key",
        "The API key contains a character that no key has, such as a curly quote or a no-break space, "
        "so nothing was sent. "
        f"{_KEY_ADVICE}",
    ),
    "payment": ("payment", "{url} requires payment{said}. Check the account's credit."),
    "forbidden": ("forbidden", "{url} refused this call{said}. The key may not be allowed to use {model}."),
    "model": ("model", "{url} has no model {model!r}{said}. `theact-tui models` lists those it has."),
    "which model": (
        "model",
        "{url} has several models, and none is loaded{said}. Choose one in the settings or with --model.",
    ),
    "no text": (
        "model",
        "{url} has no model that writes text. Load or fetch one: `theact-tui models` lists what it has.",
    ),
    "no api": ("address", "No chat API at {url}{said}. {advice}"),
    "redirect": ("address", "{url} redirects to another address, which is not followed. Check the address."),
    "page": ("address", "{url} sent a web page; it is not a model server. {advice}"),
    "slow": ("timeout", "{url} took too long{said}. Try again, or use a smaller model."),
    "silent": ("timeout", "{url} did not start answering in time. " + _PATIENCE_ADVICE),
    "stopped": ("timeout", "{url} stopped in mid-reply. " + _PATIENCE_ADVICE),
    "busy": ("busy", "{url} accepts no more calls right now{said}."),
    "loading": ("loading", "{url} is still loading the model{said}."),
    "server": ("server", "{url} failed{http}{said}. Try again, or check the server's log."),
    "request": ("request", "{url} does not accept the request{http}{said}. Check the model's settings."),
    "overflow": ("overflow", "The prompt is larger than the window of {model} at {url}{said}."),
    "name": ("name", "The name in {url} cannot be found. Check its spelling, or your network."),
    "tls": (
        "tls",
        "No secure connection to {url}{said}. Check the certificate, or use http:// for a server without one.",
    ),
    "no network": ("unreachable", "{url} cannot be reached. Check the address and your network."),
    "unreachable": ("unreachable", "{url} cannot be reached{said}. Check the address."),
    "refused": ("refused", "Nothing answers at {url}. Start the model server, or choose another."),
    "cut": ("cut", "The connection to {url} was lost in mid-reply. Check that the server is still running."),
    "malformed": ("malformed", "{url} sent something unreadable{said}. Try again."),
    "empty": ("empty", "{model} gave an empty answer. Try again, or choose another model."),
    "filtered": ("filtered", "A content filter at {url} blocked the reply. Rephrase your text."),
    "declined": ("filtered", "{model} refused to answer{said}. Rephrase your text, or choose another model."),
    "unspoken": (
        "unspoken",
        "{model} put its whole answer into its reasoning. Turn its thinking off in the settings; if it is off, choose "
        "the kind of server there (for Ollama, reasoning_effort none is sent then).",
    ),
    "thought": (
        "thought",
        "{model} used all its tokens for reasoning. Raise its reasoning tokens in the settings, or turn reasoning off.",
    ),
    "endless": ("endless", "{model} repeated itself without an answer and was stopped. Try another model."),
}
_LOADING = re.compile(r"\bloading\b|\bbeing loaded|\bnot (?:yet )?loaded", re.IGNORECASE)
_BUSY = re.compile(r"\bbusy\b|\boverload|\bqueue|\bcapacity|\btoo many|\bpending requests", re.IGNORECASE)
_WRONG_PATH = re.compile(r"\bunexpected endpoint\b", re.IGNORECASE)
_BY_STATUS = {402: "payment", 403: "forbidden", 405: "no api", 429: "busy", 529: "busy"} | dict.fromkeys(
    (408, 504, 524), "slow"
)


def failure(cause: str, place: Place, quoted: str = "", status: int = 0) -> Failure:
    """Return the failure of a cause such as `empty`; `quoted` are the server's words."""
    kind, sentence = _CAUSES[cause]
    http = f" (HTTP {status})" if status else ""
    text = sentence.format(
        url=place.url, model=place.model, advice=place.advice, said=place.quote(quoted), http=http
    )
    return Failure(kind, text, status)


def from_status(status: int, body: Any, place: Place, headers: Mapping[str, str] | None = None) -> Failure:
    words = _text_in(body)
    is_page = words.lstrip()[:1] == "<"
    wait = retry_after(headers or {}, datetime.now(UTC))
    overflow = None if status in (401, 403, 429) else _overflow_in(words, body)
    if overflow:
        cause = "overflow"
    elif status == 401:
        cause = "key" if place.key else "no key"
    elif status in (404, 410):
        cause = "model" if "model" in words.lower() else "no api"
    elif status in (503, 529) and _LOADING.search(words) and not is_page:
        cause = "loading"
    elif status == 503 and _BUSY.search(words) and not is_page:
        cause = "busy"
    elif 300 <= status < 400:
        cause = "redirect"
    else:
        cause = _BY_STATUS.get(status, "request" if 400 <= status < 500 else "server")
    plain = failure(cause, place, "" if is_page else message_in(body), status)
    return replace(plain, words=words, wait=wait, overflow=overflow)


def from_error_body(error: Any, place: Place) -> Failure:
    """Return the failure in an `error` object that came with status 200; without a code its status is 0."""
    code = error.get("code") if isinstance(error, dict) else None
    code = int(code[:4]) if isinstance(code, str) and code.isdecimal() else code
    if code is None and _WRONG_PATH.search(_text_in({"error": error})):  # LM Studio says so with status 200
        code = 404
    return from_status(code if isinstance(code, int) and 400 <= code < 600 else 0, {"error": error}, place)


def from_exception(error: BaseException, place: Place, *, started: bool) -> Failure:
    """Return the failure behind an exception. `started`: part of the reply had arrived."""
    causes = _causes(error)
    if unusable := next((cause for cause in causes if isinstance(cause, UnusableEnvironment)), None):
        return Failure("environment", str(unusable))
    names = {type(cause_error).__name__ for cause_error in causes}
    if any(isinstance(cause_error, socket.gaierror) for cause_error in causes):
        cause = "name"
    elif any(isinstance(cause_error, ssl.SSLError) for cause_error in causes):
        cause = "tls"
    elif "ConnectTimeout" in names:
        cause = "no network"
    elif names & {"APITimeoutError", "ReadTimeout", "WriteTimeout", "PoolTimeout", "TimeoutException"}:
        cause = "stopped" if started else "silent"
    elif started or names & {
        "RemoteProtocolError",
        "ReadError",
        "WriteError",
        "IncompleteRead",
        "EndOfStream",
    }:
        cause = "cut"
    elif any(isinstance(cause_error, ConnectionRefusedError) for cause_error in causes):
        cause = "refused"
    else:
        cause = "unreachable"
    return failure(cause, place, str(causes[-1]))


def message_in(body: Any) -> str:
    match body:
        case str():
            return body
        case {"error": inner} | {"message": inner} | {"detail": inner} | {"msg": inner}:
            return message_in(inner)
        case None:
            return ""
        case _:
            return str(body)


def _text_in(body: Any) -> str:
    match body:
        case {"error": dict() as inner}:
            return _text_in(inner)
        case {"message": str() as message}:
            more = [str(body[name]) for name in ("type", "code", "param", "metadata") if body.get(name)]
            return " ".join([message, *more])
        case _:
            return message_in(body)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Parse `Retry-After` (seconds or date) to seconds; None if unreadable."""
    text = headers.get("retry-after", "").strip()
    with suppress(ValueError):
        seconds = float(text)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    with suppress(ValueError, OverflowError):
        when = parsedate_to_datetime(text)
        return max(0.0, ((when if when.tzinfo else when.replace(tzinfo=UTC)) - now).total_seconds())
    return None


def _causes(error: BaseException) -> list[BaseException]:
    causes = [error]
    for cause in causes:
        group = cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()
        inner = (*group, cause.__cause__, cause.__context__)
        causes += [deeper for deeper in inner if deeper is not None and deeper not in causes]
    return causes


_SIGNS = re.compile(
    r"exceed_context_size|context_length_exceeded|(?:maximum|max|model'?s) context (?:length|window|size)"
    r"|exceeds? (?:the |its |available )*context|context (?:length|window|size)[^.]{0,40}exceed"
    r"|keep the first \d+ tokens|prompt is too long|input is too long|too many tokens|exceeds?[^.]{0,30}n_ctx"
    r"|larger than the context|longer than the (?:model'?s )?context|model_max_prompt_tokens_exceeded",
    re.IGNORECASE,
)
_WINDOW = (
    r"context (?:length|window|size) (?:is|of)(?: only)?\s*\(?(\d[\d,]*)",
    r"context (?:length|window|size)\s*[(:=]?\s*(\d[\d,]*)",
    r"n_ctx\D{0,4}(\d[\d,]*)",
    r">\s*(\d[\d,]*) maximum",
    r"(?:maximum|limit)\D{0,30}(\d[\d,]*)",
)
_PROMPT = (
    r"\((\d[\d,]*) in the messages",
    r"n_prompt_tokens\D{0,4}(\d[\d,]*)",
    r"request \((\d[\d,]*) tokens",
    r"requested tokens \((\d[\d,]*)\)",
    r"messages resulted in (\d[\d,]*) tokens",
)
_LEAST, _MOST = 256, 10_000_000


def _overflow_in(words: str, body: Any) -> Overflowed | None:
    """Read the numbers of an overflow error; None for other errors."""
    window, prompt = _field(body, "n_ctx"), _field(body, "n_prompt_tokens")
    if not prompt and not _SIGNS.search(words):
        return None
    return Overflowed(window or _first(_WINDOW, words), prompt or _first(_PROMPT, words))


def _first(patterns: Sequence[str], words: str) -> int:
    for pattern in patterns:
        if match := re.search(pattern, words, re.IGNORECASE):
            number = int(match[1].replace(",", ""))
            return number if _LEAST <= number <= _MOST else 0
    return 0


def _field(body: Any, name: str) -> int:
    error = body.get("error", body) if isinstance(body, dict) else None
    value = error.get(name) if isinstance(error, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and _LEAST <= value <= _MOST else 0
