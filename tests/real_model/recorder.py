"""A server between the program and a model's server that passes everything on and keeps what went by."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from aiohttp import ClientError, ClientSession, ClientTimeout, web


@dataclass
class Exchange:
    """One request for a reply, as it went over the wire."""

    agent: str
    """The `X-Agent` header, such as `memory:maya`."""
    part: str
    """Which part of the run it belongs to."""
    body: dict[str, Any]
    status: int = 0
    text: str = ""
    pieces: int = 0
    """Pieces of text that came; servers send about one for each token."""
    finish: str = ""
    """As the server said; empty when the program ended the request before."""
    usage: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0
    first: float | None = None
    """Seconds to the first piece of text."""

    @property
    def last_message(self) -> str:
        return str(self.body["messages"][-1]["content"])

    @property
    def tokens_in(self) -> int:
        """As the server counted, else about four characters each."""
        characters = sum(len(message["content"]) for message in self.body["messages"])
        return int(self.usage.get("prompt_tokens") or characters // 4)

    @property
    def reused(self) -> int:
        """Tokens of the prompt that the server had in its cache; 0 where it did not say."""
        return int((self.usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0)

    @property
    def tokens_out(self) -> int:
        return int(self.usage.get("completion_tokens") or self.pieces)


class Recorder:
    """Passes requests on to `target`, the address of a server up to its `/v1`."""

    def __init__(self, target: str) -> None:
        self._target = target.removesuffix("/").removesuffix("/v1")
        self.exchanges: list[Exchange] = []
        self.part = ""

    @asynccontextmanager
    async def running(self) -> AsyncIterator[str]:
        """The address to give to the program, while it runs."""
        app = web.Application(client_max_size=64_000_000)
        app.router.add_route("*", "/{path:.*}", self._pass_on)
        runner = web.AppRunner(app, handler_cancellation=True)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        async with ClientSession(timeout=ClientTimeout(total=None)) as self._client:
            try:
                host, port = runner.addresses[0][:2]
                yield f"http://{host}:{port}/v1"
            finally:
                await runner.cleanup()

    async def _pass_on(self, request: web.Request) -> web.StreamResponse:
        data = await request.read()
        exchange = None
        if request.path.endswith("/chat/completions"):
            exchange = Exchange(request.headers.get("X-Agent", ""), self.part, json.loads(data))
            self.exchanges.append(exchange)
        began = time.monotonic()
        headers = {"Content-Type": "application/json", "X-Agent": request.headers.get("X-Agent", "")}
        try:
            async with self._client.request(
                request.method, f"{self._target}{request.path_qs}", data=data or None, headers=headers
            ) as answer:
                response = web.StreamResponse(
                    status=answer.status, headers={"Content-Type": answer.headers.get("Content-Type", "")}
                )
                await response.prepare(request)
                rest = b""
                async for chunk in answer.content.iter_any():
                    if exchange:
                        rest = _note(exchange, rest + chunk, time.monotonic() - began)
                    await response.write(chunk)
                if exchange:
                    exchange.status = answer.status
                with suppress(ConnectionError):
                    await response.write_eof()
                return response
        except ClientError as error:
            return web.json_response({"error": {"message": str(error)}}, status=502)
        except ConnectionError:  # the program ended the request
            raise asyncio.CancelledError from None
        finally:
            if exchange:
                exchange.seconds = time.monotonic() - began


def _note(exchange: Exchange, data: bytes, now: float) -> bytes:
    """Take in whole lines of an event stream; what is left of an unfinished one."""
    *lines, rest = data.split(b"\n")
    for line in lines:
        value = line.removeprefix(b"data:").strip()
        if not line.startswith(b"data:") or not value.startswith(b"{"):
            continue
        document = json.loads(value)
        exchange.usage = document.get("usage") or exchange.usage
        for choice in (document.get("choices") or [])[:1]:
            if text := (choice.get("delta") or {}).get("content"):
                exchange.first = now if exchange.first is None else exchange.first
                exchange.text += text
                exchange.pieces += 1
            exchange.finish = choice.get("finish_reason") or exchange.finish
    return rest
