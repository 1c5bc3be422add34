"""Start llama.cpp's server for this computer alone, and find it again after a kill."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import secrets
import shutil
import signal
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from subprocess import Popen

from theact_tui.detached import start_detached
from theact_tui.errors import CallError
from theact_tui.guest_permissions import CHANGE_MODELS, refuse_guest
from theact_tui.models.addresses import is_this_computer
from theact_tui.models.discovery import PORTS, Seen, Server, see, server_seen
from theact_tui.models.environment import use_key
from theact_tui.paths import Home, private_folder, write_private
from theact_tui.text import one_line

_PROGRAM = "llama-server"
KEY_VARIABLE = "THEACT_LLAMA_SERVER_KEY"
_CONTEXT = 8192
_SLEEP_SECONDS = 900
"""Idle time after which the model leaves the memory."""
_START_SECONDS = 30.0
_LOG_LINES = 12


@dataclass(frozen=True, slots=True)
class OwnServer:
    pid: int
    port: int
    stays: bool
    """It outlasts the program."""
    key: str = field(repr=False)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def seen(self) -> Seen:
        return await see(self.base_url, "", self.key)

    def end(self) -> None:
        with suppress(OSError):
            os.kill(self.pid, signal.SIGTERM)


def program_path() -> str:
    """Return where `llama-server` is; empty if it is not installed."""
    return shutil.which(_PROGRAM) or ""


def load_key(home: Home) -> OwnServer | None:
    """Return the server that was started last, its key loaded; it may have ended since."""
    try:
        server = OwnServer(**json.loads(_record(home).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    use_key(KEY_VARIABLE, server.key)
    return server


def key_for(home: Home, base_url: str) -> str:
    """Return the key of the server that was started last, if it is the one at `base_url`."""
    server = load_key(home)
    return server.key if server and server.base_url == base_url else ""


async def servers_here(
    home: Home, ports: Iterable[int] = PORTS, known: Mapping[str, str] | None = None
) -> list[Server]:
    """Find the model servers of this computer: at usual ports, the one that was started last, and those `known`, which
    are keys by base URL.
    """
    own = load_key(home)
    places = {f"http://127.0.0.1:{port}/v1": "" for port in ports}
    places |= {url: key for url, key in (known or {}).items() if is_this_computer(url)}
    places |= {own.base_url: own.key} if own else {}
    seen = await asyncio.gather(*(see(url, "", key, patience=1.5) for url, key in places.items()))
    return [server_seen(url, one) for url, one in zip(places, seen, strict=True) if one.lists]


async def start(
    home: Home, *, stays: bool, program: Sequence[str] = (), folder: Path | None = None
) -> OwnServer:
    """Start it without a model. `folder` holds models; the default is llama.cpp's own place.

    Raises CallError with the end of its log.
    """
    refuse_guest(home, CHANGE_MODELS)
    command = [*program] or [program_path()]
    if not command[0]:
        raise CallError("model", f"{_PROGRAM} is not installed, or not on the path.")
    before = load_key(home)
    # a random key, since any web page may send orders to a server without one; by environment, since arguments are seen
    server = OwnServer(0, _free_port(before.port if before else 0), stays, secrets.token_urlsafe(24))
    command += f"--host 127.0.0.1 --port {server.port} --cors-origins localhost --models-max 1".split()
    command += f"-c {_CONTEXT} -np 1 --sleep-idle-seconds {_SLEEP_SECONDS}".split()
    command += ["--models-dir", str(folder)] if folder else []
    log = private_folder(home.logs) / "llama-server.log"
    env = {**os.environ, "LLAMA_API_KEY": server.key}
    process = await asyncio.to_thread(_open, command, env, log)
    server = OwnServer(process.pid, server.port, stays, server.key)
    write_private(_record(home), json.dumps(asdict(server)))
    use_key(KEY_VARIABLE, server.key)
    if not stays:
        atexit.register(server.end)
    try:
        await _until_it_answers(server, process, log)
    except BaseException:
        server.end()
        raise
    return server


def _open(command: list[str], env: dict[str, str], log: Path) -> Popen[bytes]:
    with log.open("wb") as out:
        return start_detached(command, out, env)


async def _until_it_answers(server: OwnServer, process: Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _START_SECONDS
    while not (await server.seen()).lists:
        if process.poll() is not None or time.monotonic() > until:
            lines = log.read_text("utf-8", "replace").splitlines()[-_LOG_LINES:]
            said = "\n".join(one_line(line, 160) for line in lines).replace(server.key, "[key]")
            raise CallError("model", f"{_PROGRAM} did not start. The end of {log}:\n{said}")
        await asyncio.sleep(0.1)


def _free_port(wanted: int) -> int:
    for port in (wanted, 0):
        with suppress(OSError), closing(socket.create_server(("127.0.0.1", port))) as sock:
            return int(sock.getsockname()[1])
    raise CallError("model", "This computer has no free port.")


def _record(home: Home) -> Path:
    return home.data / "llama-server.json"
