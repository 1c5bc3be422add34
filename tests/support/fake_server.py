"""A model server for tests: real HTTP over loopback, every byte of a reply scripted per `X-Agent`.

It runs in a thread of its own, so that tests of the command line can use it as well as asynchronous ones.
"""

import asyncio
import json
import socket
import struct
import threading
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

_TLS = b"\x16"

Step = Callable[["Exchange"], Awaitable[None]]
"""Answers one request."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    gone: threading.Event = field(default_factory=threading.Event)
    """Set when the client has closed the connection or the reply is complete."""

    @property
    def agent(self) -> str:
        return self.headers.get("x-agent", "")

    @property
    def prompt(self) -> str:
        return "\n\n".join(message["content"] for message in self.body.get("messages", []))


@dataclass
class Exchange:
    request: Request
    writer: asyncio.StreamWriter
    left: asyncio.Event
    """Set when the client has gone or the server stops."""

    async def head(self, status: int, content_type: str, headers: dict[str, str] | None = None) -> None:
        """Send the status line and headers; the body ends with the connection."""
        lines = [f"HTTP/1.1 {status} X", f"Content-Type: {content_type}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        await self.send("\r\n".join(lines).encode() + b"\r\n\r\n")

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    def reset(self) -> None:
        """Break the connection off without an orderly end."""
        connection = self.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


class ScriptedServer:
    """Answers `/v1/chat/completions` by script. Use it in a `with` statement."""

    def __init__(self, default: Step | None = None) -> None:
        self.requests: list[Request] = []
        self.port = 0
        self._default = default
        self._scripts: dict[str, deque[Step]] = defaultdict(deque)
        self._paths: dict[str, Step] = {}
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._arrived = threading.Condition()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """What to give as base URL."""
        return f"{self.root}/v1"

    @property
    def calls(self) -> list[Request]:
        """The requests for completions, without those for model lists and the like."""
        return [r for r in self.requests if r.path.endswith("/chat/completions")]

    def script(self, agent: str, *steps: Step) -> None:
        """Answer the calls of `agent` (a key such as `memory:maya`, a kind, or `*`) by these; the last one repeats."""
        self._scripts[agent] = deque(steps)

    def on(self, path: str, step: Step) -> None:
        """Answer requests for `path` (from the root) by `step`."""
        self._paths[path] = step

    def wait_for_requests(self, number: int, timeout: float = 10.0) -> None:
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.requests) >= number, timeout)

    def wait_for_calls(self, number: int, timeout: float = 60.0) -> None:
        with self._arrived:
            assert self._arrived.wait_for(lambda: len(self.calls) >= number, timeout)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await _read(reader)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()
            return
        with self._arrived:
            self.requests.append(request)
            step = self._step_for(request)
            self._arrived.notify_all()
        left = asyncio.Event()
        watcher = asyncio.create_task(_watch(reader, left))
        try:
            await step(Exchange(request, writer, left))
        except ConnectionError:
            pass
        finally:
            request.gone.set()
            watcher.cancel()
            writer.close()

    def _step_for(self, request: Request) -> Step:
        if request.path in self._paths:
            return self._paths[request.path]
        if not request.path.endswith("/chat/completions"):
            return status(404, {"error": {"message": "no such page", "code": 404}})
        for name in (request.agent, request.agent.partition(":")[0], "*"):
            if steps := self._scripts.get(name):
                return steps.popleft() if len(steps) > 1 else steps[0]
        return self._default or say(f"Nothing was scripted for {request.agent}.")


async def _read(reader: asyncio.StreamReader) -> Request:
    first = await reader.readexactly(1)
    if first == _TLS:
        raise ConnectionError("this server speaks no TLS")
    head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = dict(_header(line) for line in head[1:] if line)
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(method, path, headers, json.loads(body) if body else {})


def _header(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip().lower(), value.strip()


async def _watch(reader: asyncio.StreamReader, left: asyncio.Event) -> None:
    try:
        while await reader.read(1024):
            pass
    except ConnectionError:
        pass
    left.set()


# --- what to answer ---------------------------------------------------------------------------------------------


def chunk(
    content: str | None = None,
    finish: str | None = None,
    usage: dict[str, Any] | None = None,
    model: str = "",
    **delta: Any,
) -> bytes:
    """One event of a streamed reply, which names the model that answers or none."""
    if content is not None:
        delta["content"] = content
    made: dict[str, Any] = {"id": "x", "object": "chat.completion.chunk", "created": 1}
    if model:
        made["model"] = model
    made["choices"] = [{"index": 0, "delta": delta, "finish_reason": finish}]
    if usage is not None:
        made["usage"] = usage
    return event(made)


def event(data: Any) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def usage_of(request: Request, text: str) -> dict[str, Any]:
    """A plausible usage: four characters a token."""
    prompt, completion = len(request.prompt) // 4 + 8, len(text) // 4 + 1
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def say(text: str | Callable[[Request], str], *, finish: str | None = "stop", size: int = 12) -> Step:
    """Stream `text` in pieces of `size` characters, as a well-behaved server does."""

    async def step(exchange: Exchange) -> None:
        made = text if isinstance(text, str) else text(exchange.request)
        await exchange.head(200, "text/event-stream")
        body = chunk(None, role="assistant")
        body += b"".join(chunk(made[i : i + size]) for i in range(0, len(made), size))
        body += chunk(None, finish) if finish else b""
        if exchange.request.body.get("stream_options", {}).get("include_usage"):
            body += event({"id": "x", "choices": [], "usage": usage_of(exchange.request, made)})
        await exchange.send(body + b"data: [DONE]\n\n")

    return step


def stream(*parts: bytes, then: str = "end", content_type: str = "text/event-stream") -> Step:
    """Send these bytes as a body; then `end`, `hang` until the client leaves, or `reset` the connection."""

    async def step(exchange: Exchange) -> None:
        await exchange.head(200, content_type)
        for part in parts:
            await exchange.send(part)
        if then == "hang":
            await exchange.left.wait()
        elif then == "reset":
            exchange.reset()

    return step


def status(code: int, body: Any = None, headers: dict[str, str] | None = None) -> Step:
    """Answer with a status; a `body` of text is sent as HTML, anything else as JSON."""

    async def step(exchange: Exchange) -> None:
        kind = "text/html" if isinstance(body, str) else "application/json"
        await exchange.head(code, kind, headers)
        await exchange.send(body.encode() if isinstance(body, str) else json.dumps(body).encode())

    return step


def silence() -> Step:
    async def step(exchange: Exchange) -> None:
        await exchange.left.wait()

    return step


def cut_off(declared: int = 100_000, *parts: bytes) -> Step:
    """Promise a body of `declared` bytes, send less, and close: a connection cut in mid-stream."""

    async def step(exchange: Exchange) -> None:
        await exchange.head(200, "text/event-stream", {"Content-Length": str(declared)})
        for part in parts:
            await exchange.send(part)

    return step


def forever(
    part: bytes, pause: float = 0.0, *, code: int = 200, headers: dict[str, str] | None = None
) -> Step:
    """Send `part` again and again until the client leaves: many at a time, or one every `pause` seconds."""
    sent = part if pause else part * (1 + 8_000 // len(part))

    async def step(exchange: Exchange) -> None:
        await exchange.head(code, "text/event-stream", headers)
        while not exchange.left.is_set():
            await exchange.send(sent)
            await asyncio.sleep(pause)

    return step


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
"""The beginning of an answer that streams."""


def drip(first: bytes, part: bytes) -> Step:
    """Send `first` as it is, then `part` again and again, never at once."""

    async def step(exchange: Exchange) -> None:
        await exchange.send(first)
        while not exchange.left.is_set():
            await exchange.send(part)
            await asyncio.sleep(0.01)

    return step
