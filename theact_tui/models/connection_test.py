"""Trying a connection: one tiny call, and a look at what the server has."""

from __future__ import annotations

import time
from contextlib import aclosing
from dataclasses import dataclass, field

from theact_tui.errors import CallError
from theact_tui.models.base import Request, Usage
from theact_tui.models.endpoint import Endpoint
from theact_tui.prompting.sections import Prompt, Section
from theact_tui.text import one_line

_QUESTION = "Reply with one word: ready."
_TOKENS = 16
_ANSWERED = frozenset({"empty", "thought", "endless"})
"""Kinds of failure after which the connection itself is known to be good."""


@dataclass(frozen=True, slots=True)
class ConnectionTest:
    """How a connection test went."""

    ok: bool
    sentence: str
    """For people: what was found, or what to do."""
    model: str
    window: int
    """Tokens, as far as known now."""
    seconds: float
    """To the end of the reply."""
    warning: str = ""
    usage: Usage = field(default_factory=Usage)


async def try_connection(endpoint: Endpoint) -> ConnectionTest:
    """Call the model once and look at its window. Never raises for what a server does."""
    began = time.monotonic()
    text, usage, problem = "", Usage(), ""
    try:
        async with aclosing(endpoint.stream(_ask())) as pieces:
            async for piece in pieces:
                text = piece.text if piece.restart else text + piece.text
                usage = piece.usage if piece.finish else usage
    except CallError as error:
        if error.kind not in _ANSWERED:
            return ConnectionTest(
                False, error.message, endpoint.name, endpoint.whole_window, time.monotonic() - began
            )
        problem = error.message
    seconds = time.monotonic() - began
    try:
        await endpoint.probe()
    except CallError as error:
        problem = error.message
    said = f"{endpoint.name} answered in {seconds:.1f} s" + (
        f': "{one_line(text, 40)}"' if text.strip() else ""
    )
    warning = " ".join(part for part in (problem, endpoint.warning) if part)
    return ConnectionTest(True, said, endpoint.name, endpoint.whole_window, seconds, warning, usage)


def _ask() -> Request:
    prompt = Prompt((Section("task", _QUESTION),), tokens=0, limit=0)
    return Request("test", "test", prompt, max_tokens=_TOKENS, temperature=0.0)
