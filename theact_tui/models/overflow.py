"""Recognising that a prompt was larger than the window, in the words of many servers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

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
