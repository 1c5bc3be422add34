"""Visitors at once: memory of each, key to picture of one while the others play; and watchers who come and leave.

    python -m tests.benchmarks.serve [visitors]

Prints one line of JSON. The visitors are sockets that play turns; the one who is timed sits at a real Chromium where one is
installed. Memory is the proportional share (PSS) of each app, in megabytes; times are milliseconds.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

import aiohttp
from playwright.sync_api import sync_playwright

from tests.browser.conftest import CHROMIUM
from tests.browser.driving import TOKEN, Server, Visitor
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import Notice
from theact_tui.engine.live_events import LiveEvents, publish_live
from theact_tui.saves.atomic import Folder

KEYS = 40
_CODES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")
CYCLES = 1_000
PAST = 500
"""Events before the first watcher comes."""
_PAINTED = """key => new Promise(done => {
  const terminal = window.shown.terminal, began = performance.now();
  const heard = terminal.onRender(() => { heard.dispose(); requestAnimationFrame(() => done(performance.now() - began)); });
  terminal.input(key, true);
})"""
"""From a key to the next frame after something was drawn."""


def descendants(pid: int) -> Iterator[int]:
    """The processes that a process has started."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        yield int(child)
        yield from descendants(int(child))


def megabytes(pid: int | str) -> float:
    """A process's share of the memory that is in use."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


async def play(url: str, ready: asyncio.Event, count: list[int]) -> None:
    """A visitor without a picture: begins a story and plays a turn every two seconds until cancelled."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        await (await session.get(f"{url}/enter?token={TOKEN}")).read()
        socket = await session.ws_connect(f"{url}/ws?width=100&height=30", headers={"Origin": url})
        drawn = asyncio.create_task(_read(socket, seen := [b""]))
        try:
            for key, words in (("", b"NEW STORY"), ("\r", b"leave empty"), ("\r", b""), ("\r", b"enter say")):
                await socket.send_json(["stdin", key])
                await asyncio.sleep(0.3)
                while words not in seen[0]:
                    await asyncio.sleep(0.05)
            count[0] += 1
            await ready.wait()
            while True:
                await socket.send_json(["stdin", "I look around."])
                await asyncio.sleep(0.2)
                await socket.send_json(["stdin", "\r"])
                await asyncio.sleep(1.8)
        finally:
            drawn.cancel()


async def _read(socket: aiohttp.ClientWebSocketResponse, seen: list[bytes]) -> None:
    async for message in socket:
        if isinstance(message.data, bytes):
            seen[0] = (seen[0] + _CODES.sub(b"", message.data))[-200_000:]


async def crowd(url: str, visitors: int, told: threading.Event, over: threading.Event) -> None:
    """So many visitors; `told` is set when all have begun a story."""
    ready, count = asyncio.Event(), [0]
    tasks = []
    for number in range(visitors):
        tasks.append(asyncio.create_task(play(url, ready, count)))
        while count[0] < number - 1:  # two come in at a time
            await asyncio.sleep(0.05)
    while count[0] < visitors:
        await asyncio.sleep(0.05)
    ready.set()
    told.set()
    await asyncio.to_thread(over.wait)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def key_times(me: Visitor) -> list[float]:
    """Milliseconds from a letter typed into the writing box until it is painted."""
    times = []
    for number in range(KEYS):
        times.append(float(me.page.evaluate(_PAINTED, "abcdefgh "[number % 9])))
        time.sleep(0.1)
    return sorted(times)


def watching() -> dict[str, float]:
    """Watchers who come, read and leave while a story goes on: handles and memory left over, time of each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".git" / "theact").mkdir(parents=True)
        bus = Bus()
        publish_live(bus, Folder(folder / ".git" / "theact"))
        for _ in range(PAST):
            bus.publish(Notice(text="A line of the story, as long as a token and its stamps are."))
        handles, share = len(list(Path("/proc/self/fd").iterdir())), 0.0
        began = time.perf_counter()
        for cycle in range(CYCLES):
            if cycle == 10:
                share = megabytes("self")
            with LiveEvents(folder) as live:
                assert len(live.read()) == PAST + cycle
            bus.publish(Notice(text="on"))
        seconds = time.perf_counter() - began
        left = len(list(Path("/proc/self/fd").iterdir())) - handles
        return {
            "cycles": CYCLES,
            "handles_left": left,
            "megabytes_left": round(megabytes("self") - share, 1),
            "ms_a_cycle": round(1000 * seconds / CYCLES, 2),
        }


def main() -> None:
    visitors = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    result: dict[str, object] = {"visitors": visitors, "watching": watching()}
    told, over = threading.Event(), threading.Event()
    with (
        tempfile.TemporaryDirectory() as home,
        Server(Path(home) / "home", "--visitors", str(visitors)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        me = Visitor(browser)
        began = time.perf_counter()
        me.open(server.link)
        result["first_page_alone_ms"] = round(1000 * (time.perf_counter() - began))
        me.begin()
        alone = key_times(me)
        others = threading.Thread(target=lambda: asyncio.run(crowd(server.url, visitors - 1, told, over)))
        others.start()
        told.wait()
        among = key_times(me)
        apps = sorted(map(megabytes, descendants(server.process.pid)))
        result["server_mb"] = round(megabytes(server.process.pid))
        result["app_mb"] = {"median": round(median(apps)), "most": round(apps[-1]), "apps": len(apps)}
        for name, times in (("key_alone_ms", alone), ("key_among_all_ms", among)):
            result[name] = {"median": round(median(times)), "p95": round(quantiles(times, n=20)[-1])}
        over.set()
        others.join()
        browser.close()
    print(json.dumps(result))


if __name__ == "__main__":
    main()
