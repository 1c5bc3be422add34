"""From the start of the program until its list of stories stands on a terminal, against a bare Textual app.

    python -m tests.benchmarks.startup [STARTS [SAVES]]

They are started in turn on a pty of 120x40, which pyte reads: the bare app, the program, and the program when nothing
is remembered of its list (`unlisted`), as on the first start. Python keeps its bytecode, as it does for users. Prints
one line of JSON: the median and the least seconds by the clock, and of the processor, of each, and their ratios. The
home holds SAVES saves, by default none.
"""

import asyncio
import fcntl
import json
import os
import pty
import select
import signal
import statistics
import struct
import sys
import tempfile
import termios
import time
from collections.abc import Sequence
from pathlib import Path

import pyte

from theact_tui.paths import Home
from theact_tui.tui.open_stories import AppServices

STARTS = 7
LIMIT = 2.0
COLUMNS, LINES = 120, 40
PATIENCE = 120.0
TICKS = os.sysconf("SC_CLK_TCK")
BARE = """
from textual.app import App
from textual.widgets import Footer, Header, OptionList

class Bare(App):
    def compose(self):
        yield Header()
        yield OptionList("The Lost Island")
        yield Footer()

Bare().run()
"""
SHOWN = "The Lost Island"


def start(command: Sequence[str], home: str) -> tuple[float, float]:
    """Seconds by the clock and of the processor until `SHOWN` can be read on the terminal."""
    began = time.perf_counter()
    child, terminal = pty.fork()
    if not child:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ.update(TERM="xterm-256color", COLORTERM="truecolor", THEACT_HOME=home)
        os.environ["PYTHONPYCACHEPREFIX"] = f"{home}/bytecode"
        os.execv(sys.executable, [sys.executable, *command])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    screen = pyte.Screen(COLUMNS, LINES)
    stream = pyte.ByteStream(screen)
    try:
        while SHOWN not in "\n".join(screen.display):
            if time.perf_counter() - began > PATIENCE or not select.select([terminal], [], [], PATIENCE)[0]:
                raise TimeoutError("\n".join(screen.display))
            shown = os.read(terminal, 65_536)
            if b"\x1b[c" in shown:  # as terminals without graphics do
                os.write(terminal, b"\x1b[?62;22c")
            stream.feed(shown)
        return time.perf_counter() - began, _processor(child)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def _processor(process: int) -> float:
    """Seconds of the processor that a process has used so far (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def figures(runs: Sequence[tuple[float, float]]) -> dict[str, float]:
    clock, processor = zip(*runs, strict=True)
    return {
        "clock": round(statistics.median(clock), 3),
        "least_clock": round(min(clock), 3),
        "processor": round(statistics.median(processor), 3),
        "least_processor": round(min(processor), 3),
    }


def make_saves(home: str, count: int) -> None:
    """Saves of the shipped pack, each with its opening told."""

    async def begin() -> None:
        services = AppServices(Home.find(home).create()).offline()
        packs = (await services.listing()).packs
        pack = next(pack for pack in packs if pack.title == SHOWN)
        for number in range(count):
            await (await services.begin(pack, f"{SHOWN} {number}", "Mara")).close()

    asyncio.run(begin())


def main() -> None:
    starts, saves = [*map(int, sys.argv[1:]), *(STARTS, 0)[len(sys.argv) - 1 :]]
    bare: list[tuple[float, float]] = []
    app: list[tuple[float, float]] = []
    unlisted: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as home:
        make_saves(home, saves)
        start(["-c", BARE], home)
        start(["-m", "theact_tui"], home)
        for _ in range(starts):
            bare.append(start(["-c", BARE], home))
            app.append(start(["-m", "theact_tui"], home))
            Path(home, "cache", "listing.json").unlink(missing_ok=True)
            unlisted.append(start(["-m", "theact_tui"], home))
    theirs = figures(bare)
    result: dict[str, object] = {"saves": saves, "limit": LIMIT, "bare": theirs}
    for name, runs in (("app", app), ("unlisted", unlisted)):
        mine = figures(runs)
        result[name] = mine
        result[f"{name}_ratio"] = {each: round(mine[each] / theirs[each], 2) for each in mine}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
