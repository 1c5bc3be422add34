"""Loading, unloading and fetching models, against servers made to the documentation of Ollama and llama.cpp."""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_server import Exchange, ScriptedServer, event, status
from tests.support.waiting import until
from theact_tui.errors import CallError, UsageError
from theact_tui.models import start_llama
from theact_tui.models.discovery import Seen, see
from theact_tui.models.keep_models import LoadProgress, ModelServer
from theact_tui.models.served_models import ServedModel
from theact_tui.paths import Home

NAME = "owner/tiny-GGUF:Q4_K_M"


class Router:
    """A llama.cpp router: its rows change by orders, and it announces progress."""

    def __init__(self, server: ScriptedServer, *, ends: str) -> None:
        """`ends`: state of the row after the work, or `` for a row that goes."""
        self.state = "unloaded"
        self.ends = ends
        self.announced = asyncio.Event()
        for path in ("/models", "/models/load", "/models/unload"):
            server.on(path, self.answer)
        server.on("/models/sse", self.announce)

    async def answer(self, exchange: Exchange) -> None:
        request, state = exchange.request, self.state
        if request.method == "POST":
            self.state = {"/models/unload": "", "/models": "downloading"}.get(request.path, "loading")
        elif self.announced.is_set():
            state = self.state = self.ends
        body: Any = {"success": True}
        if request.method == "GET":
            body = {"data": [{"id": NAME, "status": {"value": state}}] if state else []}
        await status(200, body)(exchange)

    async def announce(self, exchange: Exchange) -> None:
        await exchange.head(200, "text/event-stream")
        data = {"https://x/tiny.gguf": {"done": 50, "total": 200}}
        await exchange.send(event({"model": NAME, "event": "download_progress", "data": data}))
        await exchange.send(event({"model": NAME, "event": "download_finished", "data": {}}))
        await exchange.left.wait()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home.find(tmp_path).create()


def llama(home: Home, server: ScriptedServer) -> ModelServer:
    return ModelServer(home, server.url, "llama.cpp", look_seconds=0.01)


async def shown(work: Any, router: Router) -> list[str]:
    """Run a work until its progress was shown, then let the router end it; returns what was shown."""
    texts: list[str] = []

    def say(progress: LoadProgress) -> None:
        texts.append(str(progress))
        if progress.total:
            router.announced.set()

    await work(say)
    return texts


async def test_a_model_is_fetched_with_progress_and_there_when_it_is_listed(
    home: Home, server: ScriptedServer
) -> None:
    router, own = Router(server, ends="unloaded"), llama(home, server)
    assert (await shown(lambda say: own.fetch(NAME, say), router))[-1] == "fetching 25%"
    router.ends = ""
    with pytest.raises(CallError, match="was not fetched"):
        await own.fetch(NAME, lambda _: None)


async def test_a_fetch_that_is_cancelled_is_cancelled_at_the_server(
    home: Home, server: ScriptedServer
) -> None:
    router = Router(server, ends="unloaded")
    fetching = asyncio.create_task(llama(home, server).fetch(NAME, lambda _: None))
    await until(lambda: router.state == "downloading")
    fetching.cancel()
    await asyncio.wait({fetching})
    assert server.requests[-1].path == "/models/unload" and server.requests[-1].body == {"model": NAME}


async def test_a_model_is_loaded_when_its_row_says_so(home: Home, server: ScriptedServer) -> None:
    router, own = Router(server, ends="loaded"), llama(home, server)
    await shown(lambda say: own.load(NAME, say), router)
    assert router.state == "loaded"
    router.ends = "unloaded"
    router.state = "loading"
    with pytest.raises(CallError, match="was not loaded"):
        await own.load(NAME, lambda _: None)


def lines(*rows: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


PULLING = {"status": "pulling 123", "digest": "123", "total": 200, "completed": 100}


async def test_ollama_pulls_by_lines_and_ends_with_success(home: Home, server: ScriptedServer) -> None:
    async def pull(exchange: Exchange) -> None:
        await exchange.head(200, "application/x-ndjson")
        await exchange.send(lines({"status": "pulling manifest"}, PULLING, {"status": "success"}))

    server.on("/api/pull", pull)
    texts: list[str] = []
    await ModelServer(home, server.url, "ollama").fetch("tiny", lambda progress: texts.append(str(progress)))
    assert texts == ["pulling manifest", "pulling 123 50%"]


async def test_a_pull_that_is_cancelled_closes_the_connection(home: Home, server: ScriptedServer) -> None:
    async def pull(exchange: Exchange) -> None:
        await exchange.head(200, "application/x-ndjson")
        await exchange.send(lines(PULLING))
        await exchange.left.wait()

    server.on("/api/pull", pull)
    begun = asyncio.Event()
    fetching = asyncio.create_task(
        ModelServer(home, server.url, "ollama").fetch("tiny", lambda _: begun.set())
    )
    await begun.wait()
    fetching.cancel()
    await asyncio.wait({fetching})
    assert await asyncio.to_thread(server.requests[0].gone.wait, 10)


@pytest.mark.parametrize(
    "answer", [status(500, {"error": "file does not exist"}), status(404, {"error": "file does not exist"})]
)
async def test_a_refused_pull_says_the_servers_words(home: Home, server: ScriptedServer, answer: Any) -> None:
    server.on("/api/pull", answer)
    with pytest.raises(CallError, match="file does not exist"):
        await ModelServer(home, server.url, "ollama").fetch("nothing", lambda _: None)


@pytest.mark.parametrize(
    ("kind", "path", "body"),
    [
        ("llama.cpp", "/models/unload", {"model": "tiny"}),
        ("ollama", "/api/generate", {"model": "tiny", "keep_alive": 0}),
        ("lmstudio", "/api/v1/models/unload", {"instance_id": "tiny:2"}),
    ],
)
async def test_each_server_unloads_in_its_own_language(
    home: Home, server: ScriptedServer, kind: str, path: str, body: dict[str, Any]
) -> None:
    server.on(path, status(200, {}))
    server.on("/models", status(200, {"data": []}))
    await ModelServer(home, server.url, kind).unload(ServedModel("tiny", "loaded", instance="tiny:2"))
    assert [request.body for request in server.requests if request.path == path] == [body]


@pytest.mark.parametrize(
    "url", ["http://192.168.1.5:8080/v1", "https://example.org/v1", "http://[fd00::1]:1/v1"]
)
def test_models_elsewhere_are_not_touched(home: Home, url: str) -> None:
    with pytest.raises(UsageError, match="this computer only"):
        ModelServer(home, url, "ollama")


# --- a server of our own ---------------------------------------------------------------------------------------------

FAKE = """
import http.server, json, os, sys
given = dict(zip(sys.argv, sys.argv[1:]))
assert (given["--host"], given["--cors-origins"], given["--models-max"]) == ("127.0.0.1", "localhost", "1")
assert len(os.environ["LLAMA_API_KEY"]) >= 32 and os.environ["LLAMA_API_KEY"] not in sys.argv
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.headers.get("Authorization") == "Bearer " + os.environ["LLAMA_API_KEY"]
        body = json.dumps({"data": [{"id": "tiny", "status": {"value": "unloaded"}}]}).encode()
        self.send_response(200 if known else 401)
        self.end_headers()
        self.wfile.write(body if known else b"{}")
    def log_message(self, *_): pass
http.server.HTTPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
"""


@pytest.mark.posix("signals")
async def test_a_server_is_started_with_a_key_and_found_again_by_the_next_program(home: Home) -> None:
    server = await start_llama.start(home, stays=True, program=[sys.executable, "-c", FAKE])
    try:
        (found,) = await start_llama.servers_here(home, ports=())
        assert (found.base_url, found.kind, found.models) == (server.base_url, "llama.cpp", ("tiny",))
        del os.environ[start_llama.KEY_VARIABLE]
        assert (
            start_llama.key_for(home, server.base_url) == os.environ[start_llama.KEY_VARIABLE] == server.key
        )
        assert await see(server.base_url, "") == Seen(reached=True), (
            "who has no key, as a web page, is refused"
        )
        record = home.data / "llama-server.json"
        assert record.stat().st_mode & 0o077 == 0
    finally:
        server.end()
        os.environ.pop(start_llama.KEY_VARIABLE, None)


async def test_a_server_that_does_not_start_shows_the_end_of_its_log(home: Home) -> None:
    with pytest.raises(CallError, match="unknown model architecture"):
        await start_llama.start(
            home, stays=True, program=[sys.executable, "-c", "print('unknown model architecture')"]
        )
    os.environ.pop(start_llama.KEY_VARIABLE, None)


async def test_a_visitor_touches_no_model_and_starts_no_server(home: Home) -> None:
    guest = Home(home.data, home.config, home.cache, guest=True)
    with pytest.raises(UsageError, match="Only whoever runs this server"):
        ModelServer(guest, "http://127.0.0.1:1/v1", "ollama")
    with pytest.raises(UsageError, match="Only whoever runs this server"):
        await start_llama.start(guest, stays=True)
