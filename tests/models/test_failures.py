"""Failures on the wire (S8.3): each has one clear sentence, and is retried only where that can help."""

import asyncio
import socket
import ssl
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

import pytest

from tests.models.conftest import SCHEMA, Reply, Workshop, ask, collect
from tests.support.fake_server import (
    HEAD,
    Exchange,
    Step,
    chunk,
    cut_off,
    drip,
    event,
    forever,
    say,
    silence,
    status,
    stream,
)
from theact_tui.errors import CallError
from theact_tui.models.failures import Place, from_exception, retry_after
from theact_tui.models.model import Piece

DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True)
class Case:
    """A reply of the server, and what is to come of it when it is the same every time."""

    step: Step
    kind: str
    says: str
    calls: int
    timed: bool = False
    """It ends when time has passed."""


def refusal(number: int, words: str, **more: Any) -> Step:
    return status(number, {"error": {"message": words, **more}})


CASES = {
    "401": Case(refusal(401, "bad key"), "key", "LLM_API_KEY", 1),
    "402": Case(refusal(402, "no credit"), "payment", "credit", 1),
    "403": Case(refusal(403, "not yours"), "forbidden", "may not be allowed to use tiny", 1),
    "404 model": Case(refusal(404, "model 'tiny' not found"), "model", "no model 'tiny'", 1),
    "404": Case(status(404, {"detail": "Not Found"}), "address", "/v1", 1),
    "404 html": Case(status(404, "<html>404</html>"), "address", "/v1", 1),
    "408": Case(refusal(408, "slow"), "timeout", "took too long", 2),
    "429": Case(refusal(429, "rate limit: 10000 tokens per minute"), "busy", "no more calls", 3),
    "500": Case(refusal(500, "boom"), "server", r"HTTP 500.*boom", 3),
    "500 text": Case(status(500, "Internal Server Error"), "server", "HTTP 500", 3),
    "502 html": Case(status(502, "<html>Bad Gateway</html>"), "server", "HTTP 502", 3),
    "503 loading": Case(refusal(503, "Loading model", code=503), "loading", "still loading", 13),
    "503 loading too": Case(refusal(503, "Model m is currently loading"), "loading", "still loading", 13),
    "503 overloaded": Case(refusal(503, "The model is overloaded. Try again later."), "busy", "no more calls", 3),
    "529": Case(refusal(529, "Overloaded"), "busy", "no more calls", 3),
    "503 KoboldCpp": Case(status(503, {"detail": {"msg": "Server is busy", "type": "service_unavailable"}}),
                          "busy", r'no more calls right now \("Server is busy"\)', 3),
    "503": Case(refusal(503, "no"), "server", "HTTP 503", 3),
    "wrong path in 200": Case(status(200, {"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
                              "address", "No chat API", 1),
    "redirect": Case(status(307, {}, {"Location": "http://example.com/"}), "address", "not followed", 1),
    "400": Case(refusal(418, "teapot"), "request", "teapot", 1),
    "nested without end": Case(status(418, "[" * 60_000), "request", "does not accept the request", 1),
    "html in 200": Case(status(200, "<!doctype html><p>hi"), "address", "web page", 1),
    "error in 200": Case(refusal(200, "out of memory"), "server", "out of memory", 3),
    "error text in 200": Case(status(200, {"error": "out of memory"}), "server", "out of memory", 3),
    "error in stream": Case(stream(chunk("a"), event({"error": {"message": "boom", "code": 500}})), "server", "boom", 3),
    "error as a field": Case(stream(chunk("a"), b'error: {"code":500,"message":"GPU lost"}\n\n'), "server", "GPU lost", 3),
    "error as an event": Case(stream(chunk("a"), b'event: error\ndata: {"message":"GPU lost"}\n\n'), "server", "GPU lost", 3),
    "error as words": Case(stream(chunk("a"), b"event: error\ndata: GPU lost\n\n"), "server", "GPU lost", 3),
    "error as a bare line": Case(stream(chunk("a"), b'{"error": {"message": "GPU lost"}}'), "server", "GPU lost", 3),
    "busy in stream": Case(stream(event({"error": {"message": "slow", "code": "429"}})), "busy", "no more calls", 3),
    "finished by error": Case(stream(chunk("a"), chunk(None, "error")), "server", r"failed \(.the model stopped with", 3),
    "cause on the choice": Case(stream(chunk("a"), event({"choices": [{"delta": {}, "finish_reason": "error", "error": {
                                "code": 504, "message": "upstream timed out"}}]})), "timeout", "upstream timed out", 2),
    "cause in words": Case(stream(event({"choices": [{"delta": {}, "finish_reason": "error", "error": "GPU lost"}]})),
                           "server", r'failed \("GPU lost"\)', 3),
    "error object": Case(status(200, {"object": "error", "message": "no"}), "server", "no", 3),
    "endless code": Case(stream(event({"error": {"message": "no", "code": "9" * 5000}})), "server", "no", 3),
    "silence": Case(silence(), "timeout", "did not start answering", 2, timed=True),
    "silence in stream": Case(stream(chunk("a"), then="hang"), "timeout", "in mid-reply", 2, timed=True),
    "cut": Case(cut_off(9999, chunk("a")), "cut", "was lost", 3),
    "reset": Case(stream(chunk("a"), then="reset"), "cut", "was lost", 3),
    "cut before the first": Case(cut_off(9999), "cut", "was lost", 3),
    "malformed line": Case(stream(chunk("a"), b'data: {"choices": [{"del\n\n'), "malformed", "unreadable", 2),
    "not JSON": Case(stream(b"what?\n"), "malformed", "unreadable", 2),
    "JSON that is no reply": Case(stream(b"[1, 2]", content_type="application/json"), "malformed", "unreadable", 2),
    "choices of nothing": Case(stream(event({"choices": ["x"]})), "malformed", "unreadable", 2),
    "endless line": Case(stream(b"data: " + b"x" * 1_200_000), "malformed", "unreadable", 2),
    "no chunks": Case(stream(), "empty", "gave an empty answer", 2),
    "only done": Case(stream(DONE), "empty", "gave an empty answer", 2),
    "empty choices": Case(stream(event({"choices": []}), event({"choices": None}), DONE), "empty", "empty answer", 2),
    "empty text": Case(stream(chunk(""), chunk("  \n"), chunk(None, "stop"), DONE), "empty", "empty answer", 2),
    "only reasoning": Case(stream(chunk(reasoning="Hm"), chunk(None, "stop")), "unspoken", "into its reasoning", 2),
    "only reasoning, whole": Case(status(200, {"choices": [{"message": {"content": "", "reasoning": "Hm. The tide turns."},
                                                            "finish_reason": "stop"}]}), "unspoken", "thinking off", 2),
    "filtered whole": Case(stream(chunk(None, "content_filter"), DONE), "filtered", "content filter", 2),
    "refused": Case(stream(chunk(None, refusal="I can't "), chunk(None, refusal="do that."), chunk(None, "stop")),
                    "filtered", r'tiny refused to answer \("I can\'t do that\."\)', 2),
    "refused whole": Case(status(200, {"choices": [{"message": {"content": None, "refusal": "No."}}]}),
                          "filtered", "refused to answer", 2),
    "endless nothing": Case(forever(chunk("")), "endless", "without an answer", 1),
    "endless reasoning": Case(forever(chunk(reasoning="hm " * 50)), "endless", "without an answer", 1),
    "only signs of life": Case(forever(b": ping\n\n", pause=0.01), "timeout", "did not start", 2, timed=True),
    "only empty documents": Case(forever(b"data: {}\n\n", pause=0.01), "timeout", "did not start", 2, timed=True),
    "only a role": Case(forever(chunk(None, role="assistant"), pause=0.01), "timeout", "did not start", 2, timed=True),
    "text, then signs of life": Case(drip(HEAD + chunk("a"), b"data: {}\n\n"), "timeout", "in mid-reply", 2, timed=True),
    "headers without end": Case(drip(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"), "timeout", "did not start", 2, timed=True),
    "asked to go on without end": Case(drip(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "timeout", "did not start", 2,
                                       timed=True),
    "an error without end": Case(drip(b"HTTP/1.1 500 No\r\n\r\n", b"x"), "timeout", "did not start", 2, timed=True),
}  # fmt: skip


async def asked(workshop: Workshop, case: Case, failing: int) -> Reply:
    """What is answered. If the case is timed, time flies in the first `failing` attempts, as soon as the call is at the
    server, or its first text here."""
    loop = asyncio.get_running_loop()
    real, passed, texts = loop.time, 0, 0

    def count(piece: Piece) -> None:
        nonlocal texts
        texts += bool(piece.text)

    async def fly() -> None:
        nonlocal passed
        while case.timed:
            here = texts if "mid-reply" in case.says else len(workshop.server.calls)
            passed += 15 if len(workshop.pauses) < min(here, failing) else 0
            await asyncio.sleep(0.02)

    with patch.object(loop, "time", lambda: real() + passed):
        flying = asyncio.create_task(fly())
        try:
            return await collect(workshop.endpoint(timeout=30, key="sk-hush"), on_piece=count)
        finally:
            flying.cancel()


@pytest.mark.parametrize("name", CASES)
async def test_a_failure_has_a_sentence_and_bounded_retries(workshop: Workshop, name: str) -> None:
    case = CASES[name]
    workshop.server.script("*", case.step)
    with pytest.raises(CallError, match=case.says) as caught:
        await asked(workshop, case, case.calls)
    assert caught.value.kind == case.kind
    assert len(workshop.server.calls) == case.calls
    assert len(workshop.pauses) == case.calls - 1
    assert caught.value.message.endswith((".", ".)")) and "\n" not in caught.value.message
    assert sum(workshop.pauses) <= 90


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.calls > 1])
async def test_one_failure_that_may_pass_is_got_over(workshop: Workshop, name: str) -> None:
    case = CASES[name]
    workshop.server.script("*", case.step, say("All is well."))
    reply = await asked(workshop, case, 1)
    assert reply.text == "All is well."
    assert len(reply.restarts) == 1 and reply.restarts[0].endswith(".")


async def read(workshop: Workshop, *parts: bytes, then: str = "end") -> Reply:
    workshop.server.script("*", stream(*parts, then=then))
    reply = await collect(workshop.endpoint())
    assert reply.restarts == []
    return reply


@pytest.mark.parametrize(
    ("parts", "text", "finish"),
    [
        ([chunk("Cut "), chunk("short", "length"), DONE], "Cut short", "length"),
        ([chunk("Half a"), DONE], "Half a", "cut"),
        ([chunk("Half a")], "Half a", "cut"),
        ([chunk("Half a"), b"data: [DO"], "Half a", "cut"),
        ([chunk("Mild"), chunk(None, "content_filter")], "Mild", "content_filter"),
        ([chunk("Done"), chunk(None, "eos")], "Done", "stop"),
        ([chunk("Done"), chunk(None, "stop"), event({"choices": []})], "Done", "stop"),
        ([b": PROCESSING\n\n", b"event: message\nid: 7\nretry: 10\n", chunk("Yes", "stop")], "Yes", "stop"),
        ([chunk("Yes").replace(b"\n", b"\r\n"), chunk(None, "stop")], "Yes", "stop"),
        ([chunk("Yes", "stop").replace(b"data: ", b"data:")], "Yes", "stop"),
        ([chunk("Yes", "stop").rstrip()], "Yes", "stop"),
        ([chunk("Yes").replace(b"\n", b"\r"), chunk(None, "stop").replace(b"\n", b"\r")], "Yes", "stop"),
        ([b"\xef\xbb\xbf" + chunk("Yes", "stop")], "Yes", "stop"),
        ([b'data: {"choices": [\ndata: {"delta": {"content": "Yes"},\ndata: "finish_reason": "stop"}]}\n\n'], "Yes", "stop"),
        ([b'data: {"choices": [\r\ndata: {"text": "Yes", "finish_reason": "stop"}]}\r', b"\n\r\n"], "Yes", "stop"),
        ([b"data: ping\n\n", b"data:\n\n", chunk("Yes", "stop")], "Yes", "stop"),
        ([event({"choices": [{"delta": None}]}), chunk("Yes", "stop")], "Yes", "stop"),
        ([event({"choices": [{"delta": {"content": [{"type": "text", "text": "Yes"}]}}]})], "Yes", "cut"),
        ([event({"choices": [{"text": "Yes", "finish_reason": "stop"}]})], "Yes", "stop"),
        ([chunk("Yes", "stop", usage={"prompt_tokens": "many"})], "Yes", "stop"),
        ([chunk("line\u2028feed"), chunk(None, "stop")], "line\nfeed", "stop"),
    ],
)  # fmt: skip
async def test_odd_replies_are_read(workshop: Workshop, parts: list[bytes], text: str, finish: str) -> None:
    reply = await read(workshop, *parts)
    assert (reply.text, reply.last.finish) == (text, finish)


WHOLE = chunk("Ünï – 静か 🕯") + chunk(None, "stop") + DONE
ESCAPES = ["A ", "\x1b", "[31", "mred", "\x1b]0;ti", "tle\x07", " lamp\r", "\n\u202eout\x07", "\x1b[0m"]
HALVES = [
    rb'data: {"choices":[{"delta":{"content":"\ud83d"}}]}',
    rb'data: {"choices":[{"delta":{"content":"\ude00!"}}]}',
]
SPLIT = {
    "single bytes": ([WHOLE[i : i + 1] for i in range(len(WHOLE))], "Ünï – 静か 🕯"),
    "bytes that are no text": ([chunk("A XX lamp").replace(b"XX", b"\xff\xc3")], "A \ufffd\ufffd lamp"),
    "escape sequences over pieces": ([*map(chunk, ESCAPES)], "A red lamp\nout"),
    "halves of a character": ([half + b"\n\n" for half in HALVES], "😀!"),
}


@pytest.mark.parametrize("name", SPLIT)
async def test_however_a_reply_is_split_it_is_read(workshop: Workshop, name: str) -> None:
    parts, text = SPLIT[name]
    assert (await read(workshop, *parts, chunk(None, "stop"))).text == text


async def test_endless_text_is_cut_and_the_server_stopped(workshop: Workshop) -> None:
    workshop.server.script("*", forever(chunk("and on " * 20)))
    reply = await collect(workshop.endpoint(), ask(max_tokens=50))
    assert reply.last.finish == "length"
    assert len(reply.text) < 4000
    assert await asyncio.to_thread(workshop.server.calls[0].gone.wait, 10)


async def test_a_reply_that_streams_may_take_as_long_as_it_likes(workshop: Workshop) -> None:
    loop = asyncio.get_running_loop()
    real, passed = loop.time, 0
    words = [f"word{number} " for number in range(40)]

    def wait_a_little(piece: Piece) -> None:
        nonlocal passed
        passed += 20

    async def one_by_one(exchange: Exchange) -> None:
        await exchange.send(HEAD)
        for word in words:
            await exchange.send(chunk(word))
            await asyncio.sleep(0.001)
        await exchange.send(chunk(None, "stop"))

    workshop.server.script("*", one_by_one)
    with patch.object(loop, "time", lambda: real() + passed):
        reply = await collect(workshop.endpoint(timeout=30), on_piece=wait_a_little)
    assert reply.text == "".join(words) and reply.restarts == [] and passed > 20 * 30


async def test_retry_after_is_obeyed(workshop: Workshop) -> None:
    workshop.server.script("*", status(429, {}, {"Retry-After": "7"}), say("Yes."))
    reply = await collect(workshop.endpoint())
    assert workshop.pauses == [7.0]
    assert reply.restarts[0].endswith("Trying again in 7 seconds.")


async def test_a_server_that_wants_a_long_rest_is_given_up_for_now(workshop: Workshop) -> None:
    workshop.server.script("*", status(429, {}, {"Retry-After": "3600"}))
    with pytest.raises(CallError, match="3600 seconds"):
        await collect(workshop.endpoint())
    assert len(workshop.server.calls) == 1


def test_retry_after_is_seconds_or_a_date() -> None:
    now = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
    assert retry_after({"retry-after": "2.5"}, now) == 2.5
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 12:00:30 GMT"}, now) == 30
    assert retry_after({"retry-after": "Thu, 01 Jan 2026 11:00:00 GMT"}, now) == 0
    assert retry_after({"retry-after": "Mon, 01 Jan 99999999999 00:00:00 GMT"}, now) is None
    assert retry_after({"retry-after": "soon"}, now) is retry_after({}, now) is None
    assert retry_after({"retry-after": "inf"}, now) is retry_after({"retry-after": "nan"}, now) is None


async def test_a_schema_is_not_asked_for_again_after_it_broke_the_server(workshop: Workshop) -> None:
    workshop.server.script("*", refusal(500, "invalid utf-8 byte"), say("{}"))
    endpoint = workshop.endpoint()
    await collect(endpoint, ask(schema=SCHEMA))
    assert ["response_format" in call.body for call in workshop.server.calls] == [True, False]
    await collect(endpoint, ask(schema=SCHEMA))
    assert "response_format" in workshop.server.calls[2].body


async def test_a_shape_that_breaks_the_server_again_and_again_is_given_up(workshop: Workshop) -> None:
    broken = refusal(500, "output does not match the expected format")
    workshop.server.script("*", broken, say("{}"), broken, say("{}"), say("{}"))
    endpoint = workshop.endpoint()
    for _ in range(3):
        await collect(endpoint, ask(schema=SCHEMA))
    shaped = ["response_format" in call.body for call in workshop.server.calls]
    assert shaped == [True, False, True, False, False]


@pytest.mark.parametrize(
    ("key", "says"),
    [("", "requires a key.*none was sent"), ("sk-hush", r"does not accept the key.*\[key\]")],
)
async def test_a_key_that_is_missing_is_told_from_a_wrong_one_which_is_not_said(
    workshop: Workshop, key: str, says: str
) -> None:
    workshop.server.script("*", refusal(401, "Incorrect API key provided: sk-hush."))
    with pytest.raises(CallError, match=says) as caught:
        await collect(workshop.endpoint(key=key))
    assert not key or key not in caught.value.message


def test_not_even_a_part_of_a_key_is_said() -> None:
    place = Place("http://h/v1", "tiny", "sk-proj-0123456789")
    assert place.quote("Incorrect API key provided: sk-p***456789.") == (
        ' ("Incorrect API key provided: [key].")'
    )
    assert place.quote('model "tiny" not found') == " (\"model 'tiny' not found\")"


def test_advice_about_an_address_looks_at_the_address() -> None:
    assert "should usually end in /v1" in Place("http://h:8080", "tiny").advice
    assert "its port" in Place("http://h:8080/v1", "tiny").advice


async def test_a_server_that_is_not_there(workshop: Workshop) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{held.getsockname()[1]}/v1"
        with pytest.raises(CallError, match="Nothing answers") as caught:
            await collect(workshop.endpoint(url=url))
        with pytest.raises(CallError, match="Nothing answers"):
            await collect(workshop.endpoint(url=url, model=""))
    assert caught.value.kind == "refused" and workshop.pauses == []


async def test_https_to_a_server_without_it(workshop: Workshop) -> None:
    with pytest.raises(CallError, match="No secure connection") as caught:
        await collect(workshop.endpoint(url=workshop.server.url.replace("http:", "https:")))
    assert caught.value.kind == "tls"


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (socket.gaierror(-2, "Name or service not known"), "name"),
        (ssl.SSLCertVerificationError("self-signed"), "tls"),
        (ConnectionRefusedError(111, "refused"), "refused"),
        (OSError(113, "No route to host"), "unreachable"),
    ],
)
def test_the_cause_is_found_below_the_clients_own_errors(cause: Exception, kind: str) -> None:
    outer = RuntimeError("Connection error.")
    outer.__cause__ = ExceptionGroup("all attempts failed", [cause])
    assert from_exception(outer, Place("http://h/v1", "m"), started=False).kind == kind
