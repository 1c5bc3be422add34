"""The server as a process, and somebody at a real Chromium who opens its link."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE = 60.0
"""Seconds to wait for something to appear."""
TOKEN = "the-right-token-of-today"
_CATCH = """
Object.defineProperty(Object.prototype, "webglAddon", { configurable: true, set(addon) {
  window.shown = this;
  Object.defineProperty(this, "webglAddon", { value: addon, writable: true });
} });
const Plain = window.WebSocket;
window.sockets = [];
window.WebSocket = class extends Plain { constructor(...given) { super(...given); window.sockets.push(this); } };
"""
"""The page keeps its terminal to itself and draws it on a canvas: this keeps hold of both terminal and sockets."""
_READ = """() => {
  const terminal = window.shown?.terminal, buffer = terminal?.buffer.active;
  const line = (_, n) => buffer.getLine(n).translateToString(true, 0, terminal.cols);
  return buffer ? Array.from({ length: buffer.length }, line).join("\\n") : "";
}"""


class Server:
    """`theact-tui serve` on a home of its own. Use as a context manager."""

    def __init__(self, home: Path, *arguments: str, port: int = 0) -> None:
        home.mkdir(parents=True, exist_ok=True)
        (home / "config.toml").write_text("[ui]\npace = 0\nanimations = false\ncursor_blink = false\n")
        self.home = home
        command = [sys.executable, "-m", "theact_tui", "--home", str(home), "serve", "--offline"]
        self.process = subprocess.Popen(
            [*command, "--port", str(port), *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "THEACT_SERVE_TOKEN": TOKEN},
            cwd=home,
        )
        assert self.process.stdout
        found = re.search(r"(http://[^/]+)/\S+", self.process.stdout.readline())
        assert found, "the server did not start"
        self.link, self.url = found[0], found[1]

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        assert self.process.stdout
        self.process.stdout.close()


class Visitor:
    """Somebody at a browser that was never here."""

    def __init__(self, browser: Browser) -> None:
        self.context: BrowserContext = browser.new_context(viewport={"width": 1100, "height": 640})
        self.context.set_default_timeout(1_000 * PATIENCE)
        self.context.add_init_script(_CATCH)
        self.page: Page = self.context.new_page()

    @property
    def text(self) -> str:
        """What stands in the terminal."""
        return str(self.page.evaluate(_READ))

    def until(self, state: Callable[[], bool]) -> None:
        """Wait for a state; a page that is just being loaded is in none."""
        from playwright.sync_api import Error

        end = time.monotonic() + PATIENCE
        while True:
            try:
                if state():
                    return
            except Error:
                pass
            assert time.monotonic() < end, f"it did not happen; this is shown:\n{self.text}"
            self.page.wait_for_timeout(100)

    def sees(self, words: str) -> None:
        self.until(lambda: words in self.text)

    def open(self, link: str) -> None:
        self.page.goto(link)
        self.sees("NEW STORY")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def say(self, line: str) -> None:
        """Type a line of the story and send it."""
        self.page.keyboard.type(line)
        self.sees(line)
        self.press("Enter")

    def begin(self) -> None:
        """Begin the first story of the list."""
        self.press("Enter")
        self.sees("Your character's name")
        self.press("Enter")
        self.sees("leave empty to be")
        self.press("Enter")
        self.sees("turn 1")
        self.until(lambda: "telling" not in self.text and "enter say" in self.text)

    def lose_connection(self) -> None:
        """Break the connection, as a network does that is gone."""
        self.page.evaluate("window.sockets.at(-1).close()")
