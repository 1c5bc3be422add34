"""Work until the app's first frame against a bare Textual app: at most 1.5 times.

    python -m tests.benchmarks.first_frame

Prints one line of JSON. CPU seconds of a fresh process, the least of several starts, headless, 120x40.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile

STARTS = 7
BARE = """
from textual.app import App
from textual.widgets import Footer, Header, Input, Static

class Bare(App):
    def compose(self):
        yield Header()
        yield Static("x")
        yield Input()
        yield Footer()

    def on_mount(self):
        self.call_after_refresh(done)

app = Bare()
"""
OURS = """
import sys
from theact_tui import cli
from theact_tui.paths import Home
from theact_tui.tui.app import TheActApp
from theact_tui.tui.home.screen import HomeScreen

HomeScreen.action_refresh = lambda self: done()
app = TheActApp(Home.find(sys.argv[1]).create())
"""
AROUND = """
import time
def done():
    print(time.process_time())
    app.exit()
{}
app.run(headless=True, size=(120, 40))
"""


def seconds(program: str, home: str) -> float:
    """The least CPU time of some starts."""
    command = [sys.executable, "-c", AROUND.format(program), home]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(STARTS)]
    return min(float(run.stdout.split()[-1]) for run in runs)


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        bare, ours = seconds(BARE, home), seconds(OURS, home)
    print(
        json.dumps(
            {"bare": round(bare, 3), "app": round(ours, 3), "ratio": round(ours / bare, 2), "target": 1.5}
        )
    )


if __name__ == "__main__":
    main()
