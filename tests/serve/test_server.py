"""S20: what the server answers to whom. Real HTTP and WebSockets on loopback, with real apps where one is needed."""

import asyncio
import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import aiohttp
import pytest
from aiohttp import web

from tests.support.waiting import until
from theact_tui.guest_permissions import MOST_STRANGERS
from theact_tui.models.settings import SettingsFile
from theact_tui.packs.library import create_pack
from theact_tui.paths import Home
from theact_tui.serve.access import Access
from theact_tui.serve.server import StoryServer, listening
from theact_tui.serve.visitors import (
    FULL,
    LEFT,
    TAKEN_OVER,
    Visitor,
    VisitorApp,
    Visitors,
    make_room,
    prepare_home,
)

TOKEN = "the-right-token-of-today"
CONFIG = """\
profile = "mine"
allowed_hosts = ["api.example.org"]
[profiles.mine]
base_url = "http://127.0.0.1:1/v1"
api_key_env = "MY_KEY"
[ui]
pace = 3
"""


@dataclass
class Served:
    url: str
    access: Access
    visitors: Visitors
    home: Home

    @property
    def origin(self) -> dict[str, str]:
        return {"Origin": self.url}


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """A server of a fresh home with one place; who loses the connection is waited for."""
    home = Home.find(tmp_path / "host").create()
    sock = listening("127.0.0.1", 0)
    access = Access(TOKEN, "127.0.0.1", sock.getsockname()[1])
    visitors = Visitors(home, ["--offline"], most=1, grace=60)
    async with StoryServer(access, visitors).serving(sock):
        yield Served(f"http://127.0.0.1:{access.port}", access, visitors, home)


@pytest.fixture
async def stranger() -> AsyncIterator[aiohttp.ClientSession]:
    """A browser that was never here."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


@pytest.fixture
async def visitor(served: Served, stranger: aiohttp.ClientSession) -> aiohttp.ClientSession:
    """A browser that opened the link."""
    async with stranger.get(f"{served.url}/enter", params={"token": TOKEN}) as answer:
        assert answer.status == 200
    return stranger


async def drawn(socket: aiohttp.ClientWebSocketResponse, words: str) -> None:
    """Read what the app draws until `words` were drawn."""
    seen = b""
    async with asyncio.timeout(30):
        while words.encode() not in re.sub(rb"\x1b\[[0-9;?]*[a-zA-Z]", b"", seen):
            message = await socket.receive()
            assert message.type in (aiohttp.WSMsgType.BINARY, aiohttp.WSMsgType.TEXT), message
            seen += message.data if isinstance(message.data, bytes) else b""


async def closed(socket: aiohttp.ClientWebSocketResponse) -> int | None:
    """Read to the end; the code of it."""
    async with asyncio.timeout(30):
        while not socket.closed:
            await socket.receive()
    return socket.close_code


async def test_the_link_leads_to_the_page_and_the_cookie_is_the_browsers_own(
    served: Served, stranger: aiohttp.ClientSession
) -> None:
    async with stranger.get(served.access.link) as answer:
        assert f"/enter?token={TOKEN}" in await answer.text() and not answer.cookies
    async with stranger.get(f"{served.url}/enter?token={TOKEN}", allow_redirects=False) as answer:
        cookie = answer.headers["Set-Cookie"]
        assert answer.headers["Location"] == "/" and TOKEN not in cookie
        assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", "Path=/"))
    async with stranger.get(served.url) as answer:
        assert 'id="terminal"' in await answer.text()
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    ["/", "/enter", "/ready", "/ws", "/download/x", "/page/page.js", "/static/js/textual.js", "/?token=no", "/enter?token="],
)  # fmt: skip
async def test_without_the_token_nothing_is_answered(
    served: Served, stranger: aiohttp.ClientSession, path: str
) -> None:
    wrong = {served.access.cookie: "x" * 43 + "." + "0" * 64}
    for cookies in ({}, wrong):
        async with stranger.get(served.url + path, cookies=cookies, headers=served.origin) as answer:
            assert answer.status == 403 and "link" in await answer.text() and not answer.cookies
    assert not (served.home.data / "visitors").exists()


@pytest.mark.parametrize("path", ["/", "/ready", "/ws", "/download/x"])
async def test_pages_and_names_of_others_are_refused(
    served: Served, visitor: aiohttp.ClientSession, path: str
) -> None:
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}):
        async with visitor.get(served.url + path, headers=headers) as answer:
            assert answer.status == 403


async def test_a_socket_and_an_upload_need_an_origin(served: Served, visitor: aiohttp.ClientSession) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError):
        await visitor.ws_connect(f"{served.url}/ws")
    async with visitor.post(f"{served.url}/upload/x", data=b"x") as answer:
        assert answer.status == 403


async def test_half_requests_of_strangers_shut_nobody_out(
    served: Served, visitor: aiohttp.ClientSession
) -> None:
    halves = []
    for _ in range(MOST_STRANGERS + 5):
        halves.append(await asyncio.open_connection("127.0.0.1", served.access.port))
        halves[-1][1].write(b"GET / HTTP/1.1\r\nHost: x\r\n")
        async with visitor.get(f"{served.url}/ready") as answer:
            assert answer.status == 200
    async with asyncio.timeout(30):
        for reader, _ in halves[:4]:
            assert await reader.read() == b""
    assert not halves[-1][0].at_eof()
    for _, writer in halves:
        writer.close()


async def test_half_a_request_is_given_up_in_time(
    served: Served, visitor: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("theact_tui.serve.server.HEAD_SECONDS", 0.2)
    sock = listening("127.0.0.1", 0)
    async with StoryServer(served.access, served.visitors).serving(sock), asyncio.timeout(30):
        for part in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n"):
            reader, writer = await asyncio.open_connection(*sock.getsockname())
            writer.write(part)
            assert await reader.read() == b""
            writer.close()


async def test_files_of_the_host_have_no_address(served: Served, visitor: aiohttp.ClientSession) -> None:
    for path in (
        "/page/../server.py",
        "/page/%2e%2e/server.py",
        "/static/%2e%2e/server.py",
        "/page/",
        "/static/",
    ):
        async with visitor.get(served.url + path) as answer:
            assert answer.status in (403, 404)


async def test_without_an_app_nothing_can_be_uploaded(served: Served, visitor: aiohttp.ClientSession) -> None:
    async with visitor.post(f"{served.url}/upload/x", data=b"x", headers=served.origin) as answer:
        assert answer.status == 409 and "Reload the page" in await answer.text()
    assert not (served.home.data / "visitors").exists()


@pytest.fixture
def uploads(served: Served, visitor: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The upload folder of a visitor whose app counts as running."""
    (cookie,) = visitor.cookie_jar
    home = served.visitors.folder(served.access.visitor(cookie.value))
    home.mkdir(parents=True)
    present = Visitor(home, [], grace=60)
    monkeypatch.setattr(present, "app", object())
    monkeypatch.setattr(present, "stop", asyncio.Event().set)
    monkeypatch.setattr(served.visitors, "find", lambda secret: present)
    return home / "uploads"


async def test_two_uploads_of_one_name_at_the_same_time_are_both_kept(
    served: Served, visitor: aiohttp.ClientSession, uploads: Path
) -> None:
    both_begun = asyncio.Event()

    async def body(text: bytes) -> AsyncIterator[bytes]:
        yield text
        while len(list(uploads.glob(".*"))) < 2 and not both_begun.is_set():
            await asyncio.sleep(0)
        both_begun.set()
        yield text

    async def upload(name: str, text: bytes) -> str:
        async with visitor.post(
            f"{served.url}/upload/{name}", data=body(text), headers=served.origin
        ) as answer:
            return await answer.text()

    said = await asyncio.gather(upload("Mira.png", b"one"), upload("mira.PNG", b"two"))
    assert all("Uploaded" in text for text in said)
    assert sorted(file.read_bytes() for file in uploads.iterdir()) == [b"oneone", b"twotwo"]


async def test_an_upload_lands_in_the_visitors_own_home_whatever_its_name_and_replaces_no_other(
    served: Served, visitor: aiohttp.ClientSession, uploads: Path
) -> None:
    names = {
        "..%2F..%2Fconfig.toml": "config.toml", "%2Fetc%2Fpasswd": "passwd", "A%20Story.theact": "a-story.theact",
        "Mira.PNG": "mira.png", "%00": "file", "....": "file-2", "a-b.png": "a-b.png", "a%20b.png": "a-b-2.png",
        "a_b.json": "a-b.json",
    }  # fmt: skip
    for name in names:
        async with visitor.post(
            f"{served.url}/upload/{name}", data=name.encode(), headers=served.origin
        ) as answer:
            assert answer.status == 200, name
    assert {file.name: file.read_text() for file in uploads.iterdir()} == {
        kept: name for name, kept in names.items()
    }
    assert not served.home.config_file.exists()


async def test_an_upload_that_breaks_off_leaves_no_file_and_no_traceback(
    served: Served, visitor: aiohttp.ClientSession, uploads: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (cookie,) = visitor.cookie_jar
    _, writer = await asyncio.open_connection("127.0.0.1", served.access.port)
    head = f"POST /upload/x HTTP/1.1\r\nHost: 127.0.0.1:{served.access.port}\r\nOrigin: {served.url}\r\n"
    head += f"Cookie: {cookie.key}={cookie.value}\r\nContent-Length: 100\r\n\r\nbeginning"
    writer.write(head.encode())
    await until(lambda: uploads.is_dir() and list(uploads.iterdir()))
    writer.transport.abort()
    await until(lambda: not list(uploads.iterdir()))
    async with visitor.get(f"{served.url}/ready") as answer:
        assert answer.status == 200
    assert caplog.records == []


async def test_a_full_disk_is_a_sentence(
    served: Served, visitor: aiohttp.ClientSession, uploads: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("theact_tui.serve.server._receive", full)
    async with visitor.post(f"{served.url}/upload/x", data=b"x", headers=served.origin) as answer:
        assert answer.status == 507 and "No space left" in await answer.text()


def test_an_app_ends_with_its_server_even_a_killed_one(tmp_path: Path) -> None:
    """It cannot be told; all that it notices is the end of its input, on Windows too."""
    env = {**os.environ, "TEXTUAL_DRIVER": "theact_tui.serve.driver:PageDriver"}
    app = [sys.executable, "-m", "theact_tui", "--guest", "--home", str(tmp_path)]
    done = subprocess.run(app, env=env, input=b"", capture_output=True, timeout=60, check=False)
    assert done.returncode == 0 and b"exit" in done.stdout[-100:], done.stderr


async def test_while_the_app_of_one_visitor_ends_another_is_let_in(tmp_path: Path) -> None:
    host = Home.find(tmp_path / "host").create()
    visitors = Visitors(host, most=2)
    ends, arrived = asyncio.Event(), list[str]()

    class Waiting(Visitor):
        async def attach(self, socket: web.WebSocketResponse, width: int, height: int) -> None:
            if not arrived:
                arrived.append("first")
                await ends.wait()
            arrived.append("shown")

    with patch("theact_tui.serve.visitors.Visitor", Waiting):
        first = asyncio.create_task(visitors.admit("a" * 43, web.WebSocketResponse(), 80, 24))
        await until(lambda: arrived)
        async with asyncio.timeout(10):
            assert await visitors.admit("b" * 43, web.WebSocketResponse(), 80, 24)
        third = asyncio.create_task(visitors.admit("a" * 43, web.WebSocketResponse(), 80, 24))
        await third
        ends.set()
        assert await first


async def test_what_a_page_sends_is_checked_a_lost_one_finds_its_app_and_another_tab_takes_it_over(
    served: Served, visitor: aiohttp.ClientSession
) -> None:
    first = await visitor.ws_connect(f"{served.url}/ws?width=9999999&height=-3", headers=served.origin)
    await drawn(first, "theact")
    for packet in ("", "x", "{}", "[]", "[1]", '["stdin"]', '["stdin", 5]', '["stdin", ""]',
                   '["resize", {"width": 99999999, "height": "x"}]',
                   '["resize", 4]', '["meta", {"type": "quit"}]', "[" * 5000, '["stdin", "\\ud800"]'):  # fmt: skip
        await first.send_str(packet)
    await first.send_json(["resize", {"width": 80, "height": 24}])
    await first.send_json(["ping", "7"])
    while (message := await first.receive()).type != aiohttp.WSMsgType.TEXT:
        assert message.type == aiohttp.WSMsgType.BINARY
    assert message.json() == ["pong", "7"]
    await drawn(first, "NEW STORY")
    await first.send_json(["stdin", "\x1bOP"])  # F1
    await drawn(first, "Your stories")
    await first.close()
    second = await visitor.ws_connect(f"{served.url}/ws?width=100&height=30", headers=served.origin)
    await drawn(second, "Your stories")
    third = await visitor.ws_connect(f"{served.url}/ws?width=100&height=30", headers=served.origin)
    assert await closed(second) == TAKEN_OVER
    await drawn(third, "Your stories")
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as other:
        await (await other.get(f"{served.url}/enter?token={TOKEN}")).read()
        full = await other.ws_connect(f"{served.url}/ws", headers=served.origin)
        assert await closed(full) == FULL
    await third.send_json(["stdin", "\x11"])  # ctrl+q
    assert await closed(third) == LEFT


async def test_the_page_is_called_as_the_story(
    served: Served, visitor: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def titled(socket: aiohttp.ClientWebSocketResponse) -> str:
        async with asyncio.timeout(30):
            while True:
                message = await socket.receive()
                if message.type == aiohttp.WSMsgType.TEXT and '"title"' in message.data:
                    return str(json.loads(message.data)[1])

    address = f"{served.url}/ws?width=80&height=24"
    socket = await visitor.ws_connect(address, headers=served.origin)
    assert await titled(socket) == "theact"
    await drawn(socket, "NEW STORY")
    await socket.send_json(["stdin", "\r"])
    await drawn(socket, "Story name")
    await socket.send_json(["stdin", "\x13"])  # ctrl+s
    title = await titled(socket)
    assert title.endswith(" · theact")
    await socket.close()
    again = await visitor.ws_connect(address, headers=served.origin)
    assert await titled(again) == title
    monkeypatch.setattr("theact_tui.serve.visitors._PATIENCE_SECONDS", 60)  # then it would be killed
    async with asyncio.timeout(30):
        await served.visitors.close()
    assert not list(served.home.data.rglob("crash*"))


SAVES_LAST = """
import os, pathlib, signal, sys, time
def save(*_):
    os.close(1)
    time.sleep(0.2)
    pathlib.Path(sys.argv[1]).touch()
    os._exit(0)
signal.signal(signal.SIGTERM, save)
os.write(1, b"__GANGLION__\\nD\\0\\0\\0\\1.")
while True:
    signal.pause()
"""


@pytest.mark.posix("signals")
async def test_an_app_is_waited_for_until_its_process_ends_not_only_until_it_draws_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = asyncio.Event()

    async def draw(data: bytes) -> None:
        drawn.set()

    visitor = Visitor(tmp_path, [], grace=60)
    monkeypatch.setattr(visitor, "draw", draw)
    app = VisitorApp(visitor, [sys.executable, "-c", SAVES_LAST, str(tmp_path / "saved")], lambda: None)
    await app.start(80, 24)
    await drawn.wait()
    await app.end()
    assert (tmp_path / "saved").exists()


LEAVES = r"""
import os, pathlib, sys, time
os.write(1, b'__GANGLION__\nD\0\0\0\1.M\0\0\0\x10{"type": "exit"}')
time.sleep(0.3)
pathlib.Path(sys.argv[1]).touch()
"""


async def test_a_page_can_be_opened_again_only_when_the_app_that_leaves_has_ended(tmp_path: Path) -> None:
    ended, closed = tmp_path / "ended", list[tuple[int, bool]]()

    class Page(web.WebSocketResponse):
        async def send_bytes(self, data: bytes, compress: int | None = None) -> None:
            pass

        async def close(self, *, code: int = 1000, message: bytes = b"", drain: bool = True) -> bool:
            closed.append((code, ended.exists()))
            return True

    visitor = Visitor(tmp_path, [sys.executable, "-c", LEAVES, str(ended)], grace=60)
    await visitor.attach(Page(), 80, 24)
    await until(lambda: visitor.app is None and closed)
    assert closed == [(LEFT, True)]


@pytest.mark.posix("file modes")
def test_a_visitors_home_has_the_hosts_models_and_packs_and_a_look_of_its_own(tmp_path: Path) -> None:
    host, guest = Home.find(tmp_path / "host").create(), tmp_path / "guest"
    host.config_file.write_text(CONFIG)
    (host.packs / "mine").mkdir()
    (host.packs / "mine" / "game.yaml").write_text("id: mine\n")
    prepare_home(host, guest)
    file = SettingsFile(guest / "config.toml")
    assert file.read() == SettingsFile(host.config_file).read()
    file.set({("ui", "theme"): "dark", ("profiles", "theirs", "base_url"): "http://evil.example/v1"})
    host.config_file.write_text(CONFIG.replace("MY_KEY", "OTHER_KEY"))
    (host.packs / "mine").rename(host.packs / "ours")
    (guest / "packs" / "written-by-the-guest").mkdir()
    prepare_home(host, guest)
    settings = file.read()
    assert settings.ui.theme == "dark" and list(settings.profiles) == ["mine"]
    assert settings.profiles["mine"].api_key_env == "OTHER_KEY"
    assert sorted(path.name for path in (guest / "packs").iterdir()) == ["ours", "written-by-the-guest"]
    assert guest.stat().st_mode & 0o77 == 0 and (guest / "config.toml").stat().st_mode & 0o77 == 0


def test_a_pack_of_the_hosts_that_a_visitor_wrote_anew_stays_the_visitors(tmp_path: Path) -> None:
    host, guest = Home.find(tmp_path / "host").create(), tmp_path / "guest"
    for name in ("kept", "changed"):
        create_pack(host.packs, name)
    prepare_home(host, guest)
    written = guest / "packs" / "changed" / "world.yaml"
    written.write_text("setting: Mine.\n")
    for folder in (host.packs / "kept", host.packs / "changed"):
        (folder / "world.yaml").write_text("setting: The host's.\n")
    for _ in range(2):
        prepare_home(host, guest)
        assert written.read_text() == "setting: Mine.\n"
        assert (guest / "packs" / "kept" / "world.yaml").read_text() == "setting: The host's.\n"


def test_only_so_many_homes_are_kept_and_empty_ones_go_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("theact_tui.serve.visitors.MOST_HOMES", 4)
    host, homes = Home.find(tmp_path / "host").create(), tmp_path / "visitors"
    create_pack(host.packs, "shared")
    for name in "abcd":
        assert make_room(homes, ())
        prepare_home(host, homes / name)
    (homes / "a" / "saves" / "mine").mkdir(parents=True)
    (homes / "a" / "saves" / "mine" / "game.yaml").write_text("x")
    (homes / "b" / "packs" / "shared" / "world.yaml").write_text("setting: Mine.\n")
    assert make_room(homes, {homes / "c"})
    assert sorted(home.name for home in homes.iterdir()) == ["a", "b", "c"]
    prepare_home(host, homes / "e")
    assert not make_room(homes, {homes / "c", homes / "e"})


async def test_somebody_who_comes_back_after_a_restart_has_the_same_home(
    served: Served, visitor: aiohttp.ClientSession
) -> None:
    invented = "a" * 43
    (cookie,) = visitor.cookie_jar
    secret = served.access.visitor(cookie.value)
    prepare_home(served.home, served.visitors.folder(secret))
    async with visitor.get(f"{served.url}/enter?token={TOKEN}") as answer:
        assert answer.status == 200
    (cookie,) = visitor.cookie_jar
    assert served.access.visitor(cookie.value) == secret
    entering = f"{served.url}/enter?token={TOKEN}"
    async with (
        aiohttp.ClientSession(cookies={served.access.cookie: invented}) as other,
        other.get(entering, allow_redirects=False) as answer,
    ):
        assert invented not in answer.headers["Set-Cookie"]
    assert len(list((served.home.data / "visitors").iterdir())) == 1
