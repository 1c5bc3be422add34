"""Visitors, whose app outlasts a lost connection."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import shlex
import shutil
import struct
import sys
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from pathlib import Path

import tomlkit
from aiohttp import WSCloseCode, web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from theact_tui.guest_permissions import MOST_HOMES
from theact_tui.models.settings import SettingsFile
from theact_tui.paths import Home, incoming_folder, private_folder, write_private
from theact_tui.serve.access import folder_of

LEFT, TAKEN_OVER, FULL, FAILED = 4000, 4001, 4002, 4003
"""Codes of a closed socket."""
_PATIENCE_SECONDS = 10.0
"""For a browser to take its data, and for an app to save and end."""
_TITLE = re.compile(rb"\x1b\]2;([^\x07]*)\x07")
_MODE = re.compile(rb"\x1b\[\?([\d;]+)([hl])")


class VisitorApp(AppService):
    """App of one visitor, as a process of its own."""

    def __init__(self, visitor: Visitor, arguments: Sequence[str], ended: Callable[[], None]) -> None:
        self._arguments = arguments
        self._downloads = visitor.downloads
        self._ended = ended
        super().__init__(
            shlex.join(arguments),
            write_bytes=visitor.draw,
            write_str=visitor.send_text,
            close=_stay_open,
            download_manager=visitor.downloads,
        )

    async def start(self, width: int, height: int) -> None:
        self._child = await asyncio.create_subprocess_exec(
            *self._arguments, stdin=PIPE, stdout=PIPE, env=_environment(width, height)
        )
        self._running = asyncio.create_task(self.run())

    @property
    def stdin(self) -> asyncio.StreamWriter:
        assert self._child.stdin is not None
        return self._child.stdin

    async def run(self) -> None:
        """Pass on the app's output until its process has ended."""
        assert self._child.stdout is not None
        try:
            with suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                await self._pass_on(self._child.stdout)
            await self._child.wait()
        finally:
            if self._child.returncode is None:
                self._child.kill()
            self._ended()

    async def _pass_on(self, output: asyncio.StreamReader) -> None:
        await output.readuntil(b"__GANGLION__\n")
        while True:
            kind, size = struct.unpack(">cI", await output.readexactly(5))
            payload = await output.readexactly(size)
            match kind:
                case b"D":
                    await self.on_data(payload)
                case b"M":
                    await self.on_meta(payload)
                case b"P":
                    await self.on_packed(payload)

    async def end(self) -> None:
        """Let the app save and end; kill it after `_PATIENCE_SECONDS`."""
        await self._downloads.cancel_app_downloads(self.app_service_id)
        with suppress(ProcessLookupError):
            if os.name == "posix":
                self._child.terminate()
            else:  # there it would be killed at once
                await self.send_meta({"type": "quit"})
        await asyncio.wait([self._running], timeout=_PATIENCE_SECONDS)
        with suppress(ProcessLookupError):
            self._child.kill()
        await asyncio.wait([self._running], timeout=1)
        self._running.cancel()  # a program that the app began may still hold its output


async def _stay_open() -> None:
    pass  # until the process has ended: a page opened again before that got the app that was leaving


def _environment(width: int, height: int) -> dict[str, str]:
    return {
        **os.environ,
        "TEXTUAL_DRIVER": "theact_tui.serve.driver:PageDriver",
        "TEXTUAL_FPS": "60",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TERM_PROGRAM": "textual",
        "COLUMNS": str(width),
        "ROWS": str(height),
    }


class Visitor:
    def __init__(self, folder: Path, arguments: Sequence[str], grace: float) -> None:
        self.folder = folder
        self.downloads = DownloadManager()
        self.app: VisitorApp | None = None
        self.arriving = 0
        """Pages that wait while the app starts or ends."""
        self._arguments = arguments
        self._grace = grace
        self._socket: web.WebSocketResponse | None = None
        self._modes: dict[bytes, bytes] = {}
        """Terminal modes set by the app, such as reports of the mouse; a new page gets them too."""
        self._title = b""
        self._starts_or_ends = asyncio.Lock()
        self._leaving: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[bool] | None = None
        self._drawn = False

    @property
    def has_place(self) -> bool:
        return self.app is not None or self.arriving > 0

    async def attach(self, socket: web.WebSocketResponse, width: int, height: int) -> None:
        """Show the app on this page only; start it if it does not run."""
        if self._leaving:
            self._leaving.cancel()
            self._leaving = None
        async with self._starts_or_ends:
            before, self._socket = self._socket, socket
            if before is not None:
                await before.close(code=TAKEN_OVER)
            if self.app is None:
                self._modes, self._drawn = {}, False
                private_folder(self.folder / "cache")
                app = VisitorApp(self, self._arguments, self._app_ended)
                await app.start(width, height)
                self.app = app
                return
        await self.draw(b"".join(b"\x1b[?%s%s" % mode for mode in self._modes.items()) + self._title)
        await self.app.set_terminal_size(width, height - 1)  # another size, so that all is drawn again
        await self.app.set_terminal_size(width, height)

    def detach(self, socket: web.WebSocketResponse) -> None:
        """Note a lost connection. The app continues for a while, for a new page."""
        if self._socket is socket:
            self._socket = None
            if self.app is not None:
                self._leaving = asyncio.create_task(self._leave_later())

    async def _leave_later(self) -> None:
        await asyncio.sleep(self._grace)
        self._leaving = None
        await self.stop()

    async def stop(self) -> None:
        """End the app. A page that shows it is cut off, and tries to come back."""
        page, self._socket = self._socket, None
        if page is not None:
            await page.close(code=WSCloseCode.GOING_AWAY)
        async with self._starts_or_ends:
            if self.app is not None:
                await self.app.end()

    async def draw(self, data: bytes) -> None:
        """Send the app's output. A browser that does not take it is disconnected."""
        for modes, state in _MODE.findall(data):
            for mode in modes.split(b";"):
                self._modes.pop(mode, None)
                self._modes[mode] = state
        for title in _TITLE.finditer(data):
            self._title = title[0]
            await self.send_text(json.dumps(["title", title[1].decode()]))
        self._drawn = True
        if self._socket is not None and data:
            await self._send(self._socket, self._socket.send_bytes(data))

    async def send_text(self, text: str) -> None:
        if self._socket is not None:
            await self._send(self._socket, self._socket.send_str(text))

    async def _send(self, socket: web.WebSocketResponse, sending: Awaitable[None]) -> None:
        try:
            await asyncio.wait_for(sending, _PATIENCE_SECONDS)
        except (ConnectionError, TimeoutError):
            self.detach(socket)
            with suppress(ConnectionError):
                await socket.close()

    def _app_ended(self) -> None:
        self.app = None
        if self._socket is not None:
            code = LEFT if self._drawn else FAILED
            self._closing = asyncio.create_task(self._socket.close(code=code))


class Visitors:
    def __init__(
        self,
        host: Home,
        options: Sequence[str] = (),
        *,
        shared: bool = False,
        most: int = 8,
        grace: float = 60.0,
    ) -> None:
        """`options` are those of the app. `shared`: all visitors have the host's own home. `most` apps run at once;
        one without a page continues for `grace` seconds.
        """
        self._host = host
        self._options = tuple(options)
        self._shared = shared
        self._most = most
        self._grace = grace
        self._visitors: dict[str, Visitor] = {}
        self._coming = asyncio.Lock()

    def folder(self, secret: str) -> Path:
        return self._host.data if self._shared else self._host.data / "visitors" / folder_of(secret)

    def has(self, secret: str) -> bool:
        return self._shared or self.folder(secret).is_dir()

    def find(self, secret: str) -> Visitor | None:
        return self._visitors.get(secret)

    async def admit(
        self, secret: str, socket: web.WebSocketResponse, width: int, height: int
    ) -> Visitor | None:
        """Show a visitor's app on a page; None if all places are taken."""
        async with self._coming:
            visitor = self._visitors.get(secret)
            if visitor is None or not visitor.has_place:
                in_use = [other.folder for other in self._visitors.values() if other.has_place]
                if len(in_use) >= self._most:
                    return None
                folder = self.folder(secret)
                if not folder.is_dir() and not await asyncio.to_thread(make_room, folder.parent, in_use):
                    return None
                if not self._shared:
                    await asyncio.to_thread(prepare_home, self._host, folder)
                visitor = self._visitors.setdefault(
                    secret, Visitor(folder, self._command(folder), self._grace)
                )
            visitor.arriving += 1
        try:
            await visitor.attach(socket, width, height)
        finally:
            visitor.arriving -= 1
        return visitor

    def _command(self, folder: Path) -> list[str]:
        home = [] if self._shared and folder != self._host.config else ["--home", str(folder)]
        return [sys.executable, "-P", "-m", "theact_tui", "--guest", *self._options, *home]

    async def close(self) -> None:
        stops = (visitor.stop() for visitor in self._visitors.values())
        await asyncio.gather(*stops, return_exceptions=True)


_SHARED = "shared-packs.json"
"""File in a visitor's home: the host's packs in it, each with a hash."""


def make_room(homes: Path, in_use: Collection[Path]) -> bool:
    """True if there may be one more home; at `MOST_HOMES`, unused ones are deleted."""
    existing = [home for home in homes.glob("*") if home.is_dir()]
    if len(existing) < MOST_HOMES:
        return True
    unused = [home for home in existing if home not in in_use and not _is_used(home)]
    for home in unused:
        shutil.rmtree(home, ignore_errors=True)
    return bool(unused)


def _is_used(home: Path) -> bool:
    record = home / _SHARED
    marks: dict[str, str] = json.loads(record.read_text("utf-8")) if record.exists() else {}
    standard = {"config.toml", _SHARED, "cache", "logs"}
    for file in home.rglob("*"):
        top, *below = file.relative_to(home).parts
        is_shared = top == "packs" and below and below[0] in marks
        if file.is_file() and top not in standard and not is_shared:
            return True
    return any(_hash(home / "packs" / name) != mark for name, mark in marks.items())


def prepare_home(host: Home, folder: Path) -> None:
    private_folder(folder)
    own = folder / "config.toml"
    look = SettingsFile(own if own.exists() else host.config_file).read().ui.model_dump(exclude_defaults=True)
    document = SettingsFile(host.config_file).read().model_dump(mode="json", exclude_none=True)
    write_private(own, tomlkit.dumps({**document, "ui": look}))
    _share_packs(host.packs, private_folder(folder / "packs"), folder / _SHARED)


def _share_packs(source: Path, packs: Path, record: Path) -> None:
    marks: dict[str, str] = json.loads(record.read_text("utf-8")) if record.exists() else {}
    with incoming_folder(packs) as scratch:
        for name, mark in marks.items():
            if (packs / name).exists() and mark == _hash(packs / name):
                (packs / name).chmod(0o700)  # else it could not be moved where the host's is read-only
                (packs / name).rename(scratch / f".{name}")
        shared = [path for path in source.glob("[!.]*") if path.is_dir()]
        new = {path.name: path for path in shared if not (packs / path.name).exists()}
        copies = {name: shutil.copytree(path, scratch / "new" / name) for name, path in new.items()}
        write_private(record, json.dumps({name: _hash(folder) for name, folder in copies.items()}))
        for name, folder in copies.items():
            folder.chmod(0o700)
            folder.rename(packs / name)


def _hash(folder: Path) -> str:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    content = hashlib.sha256()
    for file in files:
        content.update(
            f"{file.relative_to(folder).as_posix()}\0".encode() + hashlib.sha256(file.read_bytes()).digest()
        )
    return content.hexdigest()
