"""The faults of S8.3, one of each kind, as a server does them again and again until it is healed."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.support.fake_server import (
    ScriptedServer,
    Step,
    chunk,
    cut_off,
    event,
    forever,
    silence,
    status,
    stream,
)

DONE = b"data: [DONE]\n\n"
QUICK = 0.15
"""Seconds after which a silent server is given up here."""
NOWHERE = "nosuch.test"
"""A name that a test lets nobody find."""


@dataclass(frozen=True)
class Fault:
    """What a server does wrong, given the reply it should have sent."""

    says: str = ""
    """What the sentence for the player must hold: the cure."""
    step: Callable[[str], Step] | None = None
    address: Callable[[ScriptedServer], str] | None = None
    """Instead of a step: a base URL at which it happens."""
    quick: bool = False
    """The server is silent: it takes a timeout to notice."""
    fails: bool = True
    """False where a part of the reply may be used."""


def wire(says: str, step: Step, *, quick: bool = False) -> Fault:
    """A fault that does not depend on the reply."""
    return Fault(says, lambda reply: step, quick=quick)


def refusal(code: int, words: str, headers: dict[str, str] | None = None, **more: Any) -> Step:
    return status(code, {"error": {"message": words, **more}}, headers)


def closed_port(server: ScriptedServer) -> str:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{held.getsockname()[1]}/v1"


def broken_bytes(reply: str) -> Step:
    """The reply, with bytes in its middle that are no UTF-8."""
    middle = len(reply) // 2
    parts = chunk(reply[:middle]), chunk("XX").replace(b"XX", b"\xff\xc3"), chunk(reply[middle:])
    return stream(*parts, chunk(None, "stop"), DONE)


FAULTS: dict[str, Fault] = {
    "connection refused": Fault("Start the model server", address=closed_port),
    "unknown name": Fault("Check its spelling", address=lambda server: f"http://{NOWHERE}:{server.port}/v1"),
    "no TLS": Fault("Check the certificate", address=lambda server: server.url.replace("http:", "https:")),
    "401": wire("set LLM_API_KEY", refusal(401, "bad key")),
    "403": wire("may not be allowed to use", refusal(403, "not yours")),
    "404 model": wire("theact-tui models", refusal(404, "model 'tiny' not found")),
    "404 page": wire("Check the address and its port", status(404, "<html>404</html>")),
    "408": wire("Try again, or use a smaller model", refusal(408, "slow")),
    "429 seconds": wire("no more calls", refusal(429, "rate limit", {"Retry-After": "7"})),
    "429 date": wire("try again after that", refusal(429, "day limit", {"Retry-After": "Fri, 01 Jan 2100 00:00:00 GMT"})),
    "500": wire("check the server's log", refusal(500, "boom")),
    "HTML": wire("Check the address and its port", status(200, "<!doctype html><p>It works!")),
    "JSON error in 200": wire("out of memory", refusal(200, "out of memory")),
    "silence": wire("Raise its timeout", silence(), quick=True),
    "silence between tokens": wire("Raise its timeout", stream(chunk("The "), then="hang"), quick=True),
    "cut": wire("server is still running", cut_off(9999, chunk("The "))),
    "reset": wire("server is still running", stream(chunk("The "), then="reset")),
    "malformed": wire("unreadable", stream(chunk("The "), b'data: {"choices": [{"del\n\n')),
    "empty choices": wire("Try again", stream(event({"choices": []}), event({"choices": None}), DONE)),
    "empty text": wire("Try again", stream(chunk(""), chunk("  \n"), chunk(None, "stop"), DONE)),
    "content filter": wire("Rephrase your text", stream(chunk(None, "content_filter"), DONE)),
    "overflow": wire(
        "window", refusal(400, "too long", type="exceed_context_size_error", n_prompt_tokens=2_100, n_ctx=2_048)
    ),
    "endless nothing": wire("Try another model", forever(chunk(""))),
    "endless text": Fault("", lambda reply: forever(chunk("and on and on, " * 40)), fails=False),
    "cut by length": Fault(
        "", lambda reply: stream(chunk(reply[: len(reply) * 2 // 3]), chunk(None, "length"), DONE), fails=False
    ),
    "filtered in the middle": Fault(
        "", lambda reply: stream(chunk(reply[: len(reply) // 2]), chunk(None, "content_filter")), fails=False
    ),
    "invalid UTF-8": Fault("", broken_bytes, fails=False),
    "nonsense": Fault(
        "", lambda reply: stream(chunk("]] {{ : --- \x1b[31m <|im_end|> \u202e ```"), chunk(None, "stop")), fails=False
    ),
    "refusal": Fault(
        "", lambda reply: stream(chunk("I'm sorry, but I can't help with that."), chunk(None, "stop")), fails=False
    ),
}  # fmt: skip
