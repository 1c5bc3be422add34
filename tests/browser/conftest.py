"""A Chromium of this computer, and a server for the tests of a module."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.driving import Server, Visitor

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; tests that want it are skipped where none is installed. It has an event loop running in this thread, so
    it ends before the tests of another module begin theirs."""
    if CHROMIUM is None:
        pytest.skip(
            "No Chromium is installed: tests in a browser are skipped (Debian: apt-get install chromium)."
        )
    # drawing by the processor took most of the time
    options = ["--disable-gpu", "--disable-software-rasterizer"]
    options += ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Server]:
    """A server with room for all visitors of a module."""
    with Server(tmp_path_factory.mktemp("served") / "home", "--visitors", "20") as server:
        yield server


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Callable[[], Visitor]]:
    """Makes visitors, who leave at the end of the test."""
    with ExitStack() as leaving:

        def come() -> Visitor:
            visitor = Visitor(browser)
            leaving.callback(visitor.context.close)
            return visitor

        yield come
