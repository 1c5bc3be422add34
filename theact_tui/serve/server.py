"""Web server, and the socket between a browser and its app."""

import asyncio
import json
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from html import escape
from pathlib import Path
from secrets import token_hex
from urllib.parse import quote, urlsplit

from aiohttp import WSMsgType, web
from textual_serve.server import Server

from theact_tui.errors import UsageError
from theact_tui.guest_permissions import (
    HEAD_SECONDS,
    MAX_UPLOAD_BYTES,
    MOST_STRANGERS,
    MOST_UPLOADS,
    TALLEST,
    UPLOADS,
    WIDEST,
)
from theact_tui.paths import private_folder
from theact_tui.serve.access import Access, new_secret
from theact_tui.serve.visitors import FULL, Visitor, Visitors
from theact_tui.text import slug, unique_slug

_PAGE = Path(__file__).parent / "page"
_YEAR = 365 * 24 * 3600
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; font-src 'self'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_ENTER = """<!doctype html><meta charset="utf-8"><title>Stories · theact_tui</title><link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0; url=/enter?token={token}"><p>Opening the story…</p>
"""

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class StoryServer:
    def __init__(self, access: Access, visitors: Visitors) -> None:
        self._access = access
        self._visitors = visitors
        self._trusted = set[asyncio.BaseProtocol]()
        """Connections with our cookie."""

    @asynccontextmanager
    async def serving(self, sock: socket.socket) -> AsyncIterator[None]:
        """Answer browsers on `sock` while the context is open."""
        runner = web.AppRunner(
            self.application(), access_log=None, shutdown_timeout=5, keepalive_timeout=HEAD_SECONDS
        )
        await runner.setup()
        assert runner.server is not None
        server = runner.server

        def connected() -> asyncio.Protocol:
            self._trusted.intersection_update(server.connections)
            strangers = [connection for connection in server.connections if connection not in self._trusted]
            for oldest in strangers[: len(strangers) - MOST_STRANGERS + 1]:
                oldest.force_close()
            return server()

        accepting = await asyncio.get_running_loop().create_server(connected, sock=sock)
        try:
            yield
        finally:
            accepting.close()
            await runner.cleanup()

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._guard], client_max_size=MAX_UPLOAD_BYTES)
        application.add_routes(
            [
                web.get("/", self._index),
                web.get("/enter", self._enter),
                web.get("/ready", self._ready),
                web.get("/ws", self._socket),
                web.get("/download/{key}", self._download),
                web.post("/upload/{name}", self._upload),
                web.static("/page", _PAGE),
                web.static("/static", Server("").statics_path),
            ]
        )
        application.on_response_prepare.append(self._add_headers)
        application.on_shutdown.append(self._close)
        return application

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse requests from foreign pages and from browsers that never opened the link."""
        if refusal := self._refusal(request):
            raise web.HTTPForbidden(text=refusal)
        try:
            return await handler(request)
        except (ConnectionError, web.RequestPayloadError) as error:  # the browser has gone
            raise web.HTTPBadRequest(text="The connection was lost.") from error

    def _refusal(self, request: web.Request) -> str:
        host, origin, token = request.host, request.headers.get("Origin"), request.query.get("token")
        if not self._access.is_own_host(host):
            return "This address is not served here. Open the link that the server printed."
        if origin is None:
            is_foreign = request.method != "GET" or request.path == "/ws"
        else:
            is_foreign = not self._access.is_own_origin(origin, host)
        if is_foreign:
            return "Other pages may not use this server."
        if request.path in ("/", "/enter") and token is not None:
            valid = self._access.is_token(token)
            return "" if valid else "This link is not valid. Ask for the one that the server printed."
        if not self._secret(request):
            return "Open the link that the server printed; it ends with a token."
        self._trusted.add(request.protocol)
        return ""

    def _secret(self, request: web.Request) -> str:
        return self._access.visitor(request.cookies.get(self._access.cookie, ""))

    async def _add_headers(self, request: web.Request, response: web.StreamResponse) -> None:
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        if not request.path.startswith("/static/"):
            response.headers.setdefault("Cache-Control", "no-store")

    async def _close(self, application: web.Application) -> None:
        await self._visitors.close()

    # --- pages and files ------------------------------------------------------------------------------------------

    async def _index(self, request: web.Request) -> web.StreamResponse:
        """Send the page with the terminal. With a token in the address it leads to `/enter` first: on a link from
        elsewhere browsers send no cookie.
        """
        token = request.query.get("token")
        if token is not None:
            return web.Response(
                text=_ENTER.format(token=escape(quote(token, safe=""))), content_type="text/html"
            )
        return web.FileResponse(_PAGE / "index.html")

    async def _enter(self, request: web.Request) -> web.StreamResponse:
        """Give the browser its cookie, with the same secret if it has a home here."""
        if "token" not in request.query:
            raise web.HTTPSeeOther("/")
        secret = self._access.session_secret(request.cookies.get(self._access.cookie, ""))
        if not secret or not self._visitors.has(secret):
            secret = new_secret()
        answer = web.HTTPSeeOther("/")
        answer.set_cookie(
            self._access.cookie,
            self._access.seal(secret),
            max_age=_YEAR,
            path="/",
            httponly=True,
            samesite="Strict",
            secure=urlsplit(self._access.public_url).scheme == "https",
        )
        raise answer

    async def _ready(self, request: web.Request) -> web.StreamResponse:
        """Tell a page that lost its connection that it may try again."""
        return web.Response(text="ready")

    async def _download(self, request: web.Request) -> web.StreamResponse:
        visitor, key = self._visitors.find(self._secret(request)), request.match_info["key"]
        try:
            if visitor is None:
                raise KeyError(key)
            download = await visitor.downloads.get_download_metadata(key)
        except KeyError:
            raise web.HTTPNotFound(text="This file is gone. Export it again.") from None
        answer = web.StreamResponse()
        answer.content_type = "application/octet-stream"
        answer.headers["Content-Disposition"] = (
            f"attachment; filename*=UTF-8''{quote(download.file_name, safe='')}"
        )
        await answer.prepare(request)
        async for chunk in visitor.downloads.download(key):
            await answer.write(chunk)
        await answer.write_eof()
        return answer

    async def _upload(self, request: web.Request) -> web.StreamResponse:
        visitor = self._visitors.find(self._secret(request))
        if visitor is None or visitor.app is None:
            raise web.HTTPConflict(text="Your stories are not open. Reload the page, then upload again.")
        folder = private_folder(visitor.folder / UPLOADS)
        if len(list(folder.iterdir())) >= MOST_UPLOADS:
            raise web.HTTPConflict(text="Too many files are waiting to be imported. Import them first.")
        scratch = folder / f".{token_hex(8)}"
        try:
            await _receive(request, scratch)
            scratch.rename(_free_place(folder, Path(request.match_info["name"])))
        except ConnectionError:
            raise
        except OSError as error:
            raise web.HTTPInsufficientStorage(
                text=f"The file could not be saved here: {error.strerror}."
            ) from error
        finally:
            scratch.unlink(missing_ok=True)
        return web.Response(text="Uploaded. Press i again to import it.")

    # --- the terminal ---------------------------------------------------------------------------------------------

    async def _socket(self, request: web.Request) -> web.WebSocketResponse:
        connection = web.WebSocketResponse(heartbeat=15, max_msg_size=256 * 1024)
        await connection.prepare(request)
        size = _size(request.query.get("width"), request.query.get("height"))
        visitor = await self._visitors.admit(self._secret(request), connection, *size)
        if visitor is None:
            await connection.close(code=FULL)
            return connection
        try:
            async for packet in _packets(connection):
                await _pass_on(packet, visitor, connection)
        finally:
            visitor.detach(connection)
        return connection


async def _receive(request: web.Request, file: Path) -> None:
    with file.open("xb") as out:
        size = 0
        async for chunk in request.content.iter_chunked(65536):
            size += len(chunk)
            if size > MAX_UPLOAD_BYTES:
                raise web.HTTPRequestEntityTooLarge(MAX_UPLOAD_BYTES, size, text="The file is too large.")
            out.write(chunk)


def _free_place(folder: Path, sent: Path) -> Path:
    ending = slug(sent.suffix, fallback="", limit=8)
    taken = {file.stem for file in folder.iterdir() if file.suffix.removeprefix(".") == ending}
    name = unique_slug(sent.stem, taken, fallback="file")
    return folder / (f"{name}.{ending}" if ending else name)


async def _packets(connection: web.WebSocketResponse) -> AsyncIterator[list[object]]:
    async for message in connection:
        if message.type == WSMsgType.TEXT:
            with suppress(ValueError, RecursionError):
                packet = json.loads(message.data)
                if isinstance(packet, list) and packet:
                    yield [*packet, None]


async def _pass_on(packet: list[object], visitor: Visitor, connection: web.WebSocketResponse) -> None:
    app = visitor.app
    match packet:
        case ["ping", str(text), *_]:
            await connection.send_json(["pong", text[:40]])
        case ["stdin", str(text), *_] if app and text:  # an empty packet would end what the app hears
            await app.send_bytes(text.encode("utf-8", "replace"))
        case ["resize", {"width": width, "height": height}, *_] if app:
            await app.set_terminal_size(*_size(width, height))
        case ["focus", *_] if app:
            await app.focus()
        case ["blur", *_] if app:
            await app.blur()


def _size(width: object, height: object) -> tuple[int, int]:
    return _within(width, 80, WIDEST), _within(height, 24, TALLEST)


def _within(value: object, usual: int, most: int) -> int:
    number = int(value) if isinstance(value, int | str) and str(value).isdecimal() else usual
    return min(max(number, 2), most)


def listening(host: str, port: int) -> socket.socket:
    """Raises UsageError if the address is not available."""
    name = "127.0.0.1" if host == "localhost" else host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in name else socket.AF_INET
        return socket.create_server((name, port), family=family)
    except OSError as error:
        raise UsageError(
            f"Cannot listen on {host}:{port}: {error.strerror or error}. Choose another --port."
        ) from None


async def serve_until_stopped(
    access: Access, visitors: Visitors, sock: socket.socket, ready: Callable[[], None]
) -> None:
    """Serve until SIGTERM or cancelled. Calls `ready` once browsers are answered."""
    stop = asyncio.Event()
    with suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with StoryServer(access, visitors).serving(sock):
        ready()
        await stop.wait()
