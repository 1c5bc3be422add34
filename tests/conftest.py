"""For all tests: approved screens live in `snapshots/`, nothing leaves this machine, and the environment is pinned."""

from __future__ import annotations

import asyncio
import atexit
import gc
import ipaddress
import os
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pytest_textual_snapshot import SVGImageExtension
    from syrupy.assertion import SnapshotAssertion
    from syrupy.data import SnapshotCollections
    from syrupy.location import PyTestLocation

    from theact_tui.packs.files import PackDraft

os.environ["TEXTUAL_FPS"] = "10"
"""Screens are painted ten times a second: what a test looks at is the same at any rate. Textual reads it on import."""
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
"""What was compiled is kept: else every worker compiles all tests anew, and every program that a test starts itself."""


MEMORY_DISK = Path("/dev/shm")


def _has_room_in_memory() -> bool:
    if not (MEMORY_DISK.is_dir() and os.access(MEMORY_DISK, os.W_OK)):
        return False
    about = os.statvfs(MEMORY_DISK)
    return not about.f_flag & os.ST_NOEXEC and about.f_bavail * about.f_frsize > 6 << 30


if "TMPDIR" not in os.environ and _has_room_in_memory():  # every second test writes stories
    os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(prefix="theact-tests-", dir=MEMORY_DISK)
    Path(tempfile.tempdir).chmod(0o755)  # as /tmp lets another user in
    atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)  # memory is given back
settings.register_profile(
    "same", derandomize=True, max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("same")
"""Laws are tried with the same examples in every run, however busy the machine is."""
TESTS = Path(__file__).parent
SNAPSHOTS = TESTS.parent / "snapshots"


def pytest_configure(config: pytest.Config) -> None:
    """Several workers divide the tests by their groups; each test has a loop that knows when it is idle."""
    from tests.support.idle_loop import IdlePolicy

    asyncio.set_event_loop_policy(IdlePolicy())
    if config.getoption("dist", "no") == "load":
        config.option.dist = "loadgroup"
    if hasattr(config, "workerinput"):  # a worker knows the command line alone
        config.option.loadgroup = True


collect_ignore = [] if os.name == "posix" else ["terminal"]
"""These tests need a pty."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items if os.name != "posix" else ():
        for mark in item.iter_markers("posix"):
            item.add_marker(pytest.mark.skip(reason=f"needs {mark.args[0]} of a POSIX system"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """`-n auto` begins two workers for each core: every other test waits for a screen, a server or a disk."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ:
        return None
    return min(2 * len(os.sched_getaffinity(0)), 16) if hasattr(os, "sched_getaffinity") else None


def pytest_sessionstart() -> None:
    """What comes with the program does not change while tests run, and is read once, also by those that read it while
    they are collected; a copy of it elsewhere is read anew each time."""
    from theact_tui.packs import loader
    from theact_tui.packs.listing import shipped_folder

    shipped, examined = shipped_folder(), loader.examine_pack
    known: dict[Path, PackDraft] = {}

    def examined_once(folder: Path) -> PackDraft:
        if folder.parent != shipped:
            return examined(folder)
        if folder not in known:
            known[folder] = examined(folder)
        return known[folder]

    pytest.MonkeyPatch().setattr(loader, "examine_pack", examined_once)


def pytest_collection_finish() -> None:
    """What is loaded by now stays for the whole run; the collector need not walk through it again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_sessionfinish() -> None:
    """Pytest collects five times at the end: once is enough to hear of what was not closed."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def unsynced() -> Iterator[None]:
    """No test lives to see a power cut: nothing waits for the disk. What must be synced is told by a test of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(autouse=True)
def pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see all colours, no colour switch, no model of the developer, and the same hour everywhere."""
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    for name in list(os.environ):
        ours = name.startswith(("LLM_", "OPENAI_", "THEACT_", "TEXTUAL_")) or name == "NO_COLOR"
        if ours and not name.startswith("TEXTUAL_SNAPSHOT"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TZ", "UTC")
    if hasattr(time, "tzset"):
        time.tzset()


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection to anywhere but this machine fails the test."""
    real = socket.socket.connect

    def connect(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else "127.0.0.1"
        ip = ipaddress.ip_address("127.0.0.1" if host == "localhost" else host)
        if not (ip.is_loopback or ip.is_unspecified):
            raise AssertionError(f"A test tried to reach {host}.")
        real(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect)


def _extension() -> type[SVGImageExtension]:
    from pytest_textual_snapshot import SVGImageExtension
    from syrupy.data import SnapshotCollections

    class TopLevel(SVGImageExtension):  # type: ignore[misc]
        """Keeps the pictures of a test module in `snapshots/<module>/`."""

        @classmethod
        def dirname(cls, *, test_location: PyTestLocation) -> str:
            return str(SNAPSHOTS / Path(test_location.filepath).relative_to(TESTS).with_suffix(""))

        def discover_snapshots(self, *, test_location: PyTestLocation) -> SnapshotCollections:
            """Hide siblings, which would be deleted when a single test is updated."""
            return SnapshotCollections()

    return TopLevel


@pytest.fixture
def snapshot(snapshot: SnapshotAssertion, monkeypatch: pytest.MonkeyPatch) -> SnapshotAssertion:
    """As the plugin's, with pictures below `snapshots/`."""
    import pytest_textual_snapshot

    monkeypatch.setattr(pytest_textual_snapshot, "SVGImageExtension", _extension())
    return snapshot


@pytest.fixture(autouse=True)
def facts_after_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts are asked for after each turn, so that a test sees them there; those about two turns set it back."""
    monkeypatch.setattr("theact_tui.engine.after_turn.post_turn.TURNS_OF_A_CALL", 1)


@pytest.fixture(scope="session", autouse=True)
def memories_wait_for_no_form() -> Iterator[None]:
    """Memories are asked for before the next form, also in stories told once for many tests; those about it set it back."""
    from theact_tui.engine.after_turn import memories, post_turn

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(post_turn, "settled_work", memories.all_work)
        yield


@pytest.fixture(scope="module")
def memories_of_replies_wait() -> Iterator[None]:
    """Memories wait for the next form, as they do when the program is played."""
    from theact_tui.engine.after_turn import memories, post_turn

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(post_turn, "settled_work", memories.settled_work)
        yield
