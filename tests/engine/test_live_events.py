"""S20: a story that is played can be watched: every event, in order, by readers who come and go and never write."""

import subprocess
import sys
import threading
import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.fake_model import Stage
from tests.support.waiting import until
from theact_tui.engine import live_events
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import (
    CallProgress,
    CharacterToken,
    Edited,
    Event,
    MemoryUpdated,
    NarrationFinished,
    NarrationToken,
    Notice,
    SaveClosed,
    SaveOpened,
    TurnCancelled,
    TurnFailed,
    TurnSaved,
    TurnStarted,
)
from theact_tui.engine.live_events import LIVE_FILE, LiveEvents, publish_live, read_event, unfinished
from theact_tui.engine.open_sessions import open_session
from theact_tui.saves.atomic import Folder
from theact_tui.saves.library import Library
from theact_tui.story.edits import hold


@pytest.fixture
def save(tmp_path: Path) -> Path:
    """The folder of a save that nobody plays yet."""
    (tmp_path / ".git" / "theact").mkdir(parents=True)
    return tmp_path


def private(save: Path) -> Folder:
    return Folder(save / ".git" / "theact")


def shown(folder: Path) -> Iterator[Event]:
    with LiveEvents(folder) as live:
        yield from live.read()


def open_files() -> Iterator[Path]:
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            yield link.readlink()


async def all_written(play: Stage) -> None:
    file, newest = play.session.folder / ".git" / "theact" / LIVE_FILE, f'"seq": {play.events[-1].seq},'
    await until(lambda: newest.encode() in file.read_bytes())


def read_up_to(live: LiveEvents, last: Event) -> list[Event]:
    arrived: list[Event] = []
    while not arrived or arrived[-1].seq < last.seq:
        arrived += live.read()
    return arrived


def without_streaming(events: list[Event]) -> list[Event]:
    return [
        event for event in events if not isinstance(event, NarrationToken | CharacterToken | CallProgress)
    ]


def streamed(events: list[Event], kind: type[NarrationToken] | type[CharacterToken]) -> str:
    return "".join(event.text for event in events if isinstance(event, kind))


@pytest.mark.posix("locks of files")
async def test_a_late_watcher_gets_what_was_streamed_in_one_piece_and_from_then_on_each_token(
    play: Stage,
) -> None:
    await play.turn("I go down.")
    await all_written(play)
    with LiveEvents(play.session.folder) as live:
        past, played = read_up_to(live, play.events[-1]), [*play.events]
        assert without_streaming(past) == without_streaming(played)
        for kind in (NarrationToken, CharacterToken):
            assert streamed(past, kind) == streamed(played, kind)
            assert sum(isinstance(event, kind) for event in past) == 1
        await play.turn("I go on.")
        assert read_up_to(live, play.events[-1]) == play.events[len(played) :]


def token(text: str, *, replace: bool = False) -> NarrationToken:
    return NarrationToken(text=text, replace=replace)


@pytest.mark.posix("locks of files")
def test_tokens_that_nobody_watches_wait_for_the_next_event_and_replace_each_other(save: Path) -> None:
    bus = Bus()
    close = publish_live(bus, private(save))
    published = [token("A "), CallProgress(call="x", agent="narrator", tokens=5), token("gull.")]
    published += [token("The ", replace=True), token("lamp."), CharacterToken(character="ann", text="No.")]
    for event in published:
        bus.publish(event)
    close()
    told, progress, spoken = shown(save)
    assert isinstance(told, NarrationToken) and (told.text, told.replace) == ("The lamp.", True)
    assert isinstance(progress, CallProgress) and isinstance(spoken, CharacterToken)


def test_publishing_a_token_touches_no_file(save: Path) -> None:
    bus, calls = Bus(), list[int]()
    folder = private(save)
    close = publish_live(bus, folder)
    append = Folder.append

    def count(self: Folder, name: str, lines: bytes) -> None:
        calls.append(threading.get_ident())
        append(self, name, lines)

    with patch.object(Folder, "append", count):
        for _ in range(500):
            bus.publish(token("word "))
        bus.publish(Notice(text="end"))
        close()
    assert len(calls) <= 2 and threading.get_ident() not in calls
    assert streamed([*shown(save)], NarrationToken) == "word " * 500


def test_a_line_without_end_is_skipped_and_takes_little_memory(save: Path) -> None:
    event = Notice(text="told").to_json().encode() + b"\n"
    with (save / ".git" / "theact" / LIVE_FILE).open("wb") as file:
        file.write(event)
        for _ in range(40):
            file.write(b"x" * (1 << 20))
        file.write(b"\n" + event)
    tracemalloc.start()
    try:
        assert len(list(shown(save))) == 2
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.posix("file modes")
async def test_the_player_hears_nothing_of_watchers_and_they_leave_nothing_behind(play: Stage) -> None:
    await play.turn("I go down.")
    folder = play.session.folder
    await all_written(play)
    before = (folder / ".git" / "theact" / LIVE_FILE).read_bytes()
    for _ in range(100):
        with LiveEvents(folder) as live:
            assert live.read()
    assert (folder / ".git" / "theact" / LIVE_FILE).read_bytes() == before
    assert not any(str(path).endswith(LIVE_FILE) for path in open_files())
    assert (folder / ".git" / "theact" / LIVE_FILE).stat().st_mode & 0o777 == 0o600


async def test_a_watching_session_follows_and_cannot_write(play: Stage) -> None:
    await play.turn("I go down.")
    await all_written(play)
    folder = play.session.folder
    watching = await open_session(folder, lambda pack, seed: play.model, Bus(), write=False)
    heard: list[Event] = []
    watching.bus.listen(heard.append)
    state = {file: file.stat().st_mtime_ns for file in sorted((folder / ".git" / "refs").rglob("*"))}
    await watching.commit_waiting_changes()
    assert state == {file: file.stat().st_mtime_ns for file in sorted((folder / ".git" / "refs").rglob("*"))}
    asked = len(play.events)
    await play.turn("I go on.")
    await until(lambda: any(isinstance(event, TurnSaved) for event in heard))
    told = [replace(event, seq=0, at="") for event in play.events[asked:]]
    assert [replace(event, seq=0, at="") for event in heard] == told[: len(heard)]
    assert watching.game == play.game
    await watching.close()


async def test_a_watching_session_has_what_was_changed_by_hand_before_the_player_left(play: Stage) -> None:
    watching = await open_session(play.session.folder, lambda pack, seed: play.model, Bus(), write=False)
    heard: list[Event] = []
    watching.bus.listen(heard.append)
    await play.session.edit(hold, ["bob"], here=False)
    await until(lambda: any(isinstance(event, Edited) for event in heard))
    before = watching.game.state.present  # it is committed with the next turn, or on leaving
    await play.session.close()
    await until(lambda: any(isinstance(event, SaveClosed) for event in heard))
    assert (before, watching.game.state.present) == (("ann", "bob"), ("ann",))
    await watching.close()


@pytest.mark.posix("files that are replaced while they are open")
async def test_the_next_opening_begins_anew_and_a_watcher_who_stays_misses_nothing(play: Stage) -> None:
    folder = play.session.folder
    with LiveEvents(folder) as live:
        live.read()
        await play.turn("I go down.")
        await play.session.close()
        copy = Library(folder.parents[1]).copy(folder.name, "Other")
        assert list(shown(copy)) == [], "a copy takes no events along"
        again = await open_session(folder, lambda pack, seed: play.model, Bus())
        await again.close()
        found = live.read()
    ends = [n for n, event in enumerate(found) if isinstance(event, SaveClosed)]
    assert len(ends) == 2 and isinstance(found[ends[0] + 1], SaveOpened)
    assert isinstance(next(shown(folder)), SaveOpened)


def test_a_killed_player_tears_at_most_the_last_line(save: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\n"
        "from theact_tui.engine.bus import Bus\nfrom theact_tui.engine.events import Notice\n"
        "from theact_tui.engine.live_events import publish_live\nfrom theact_tui.saves.atomic import Folder\n"
        "bus = Bus()\npublish_live(bus, Folder(Path(sys.argv[1]) / '.git' / 'theact'))\nprint(flush=True)\n"
        "while True: bus.publish(Notice(text='x' * 500))"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(save)], stdout=subprocess.PIPE) as player:
        assert player.stdout and player.stdout.readline()
        with LiveEvents(save) as live:
            while not live.read():
                pass
        player.kill()
    found = list(shown(save))
    assert found and [event.seq for event in found] == list(range(1, len(found) + 1))


@pytest.mark.posix("links")
def test_a_link_in_the_place_of_the_file_is_not_followed(save: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text(Notice(text="secret").to_json() + "\n")
    (save / ".git" / "theact" / LIVE_FILE).symlink_to(elsewhere)
    assert list(shown(save)) == []
    bus = Bus()
    close = publish_live(bus, private(save))
    bus.publish(Notice(text="told"))
    close()
    assert "told" not in elsewhere.read_text() and [type(event) for event in shown(save)] == [Notice]


def test_a_game_goes_on_where_its_events_cannot_be_written(save: Path) -> None:
    (save / ".git" / "theact" / LIVE_FILE).mkdir()
    bus, heard = Bus(), list[Event]()
    bus.listen(heard.append)
    publish_live(bus, private(save))
    bus.publish(Notice(text="told"))
    assert len(heard) == 1 and list(shown(save)) == []


@given(st.binary(max_size=200))
def test_no_line_breaks_a_watcher(line: bytes) -> None:
    assert read_event(line) is None


@pytest.mark.parametrize(
    "event",
    [
        TurnSaved(commit="a" * 40, chapter="one", new_beats=("b", "c"), seq=3, turn=2, at="now"),
        MemoryUpdated(character="ann", before={"add": ["x"]}, after={}),
        NarrationFinished(text="Žluť 🜂", mood="calm", responding=("ann",), present=()),
    ],
)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    assert read_event(event.to_json().encode()) == event


def test_of_the_past_only_the_turn_that_is_not_saved_is_told_again() -> None:
    started, word = TurnStarted(text="I go."), Notice(text="one")
    saved = TurnSaved(commit="", chapter="one")
    assert unfinished([started, word, saved, started, word]) == [started, word]
    for end in (saved, TurnCancelled(text=""), TurnFailed(text="", reason="")):
        assert unfinished([started, word, end, word]) == []
    assert unfinished([]) == unfinished([word]) == []


def test_a_file_that_cannot_be_replaced_while_it_is_watched_is_cut(
    save: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on Windows."""
    written, bus = Bus(), Bus()
    publish_live(written, private(save))
    written.publish(Notice(text="before"))
    written.publish(SaveClosed())
    with LiveEvents(save) as live:
        assert [event.type for event in live.read()] == ["notice", "save_closed"]
        monkeypatch.setattr(Folder, "replace", refused)
        close = publish_live(bus, private(save))
        bus.publish(Notice(text="again"))
        close()
        assert [event.type for event in live.read()] == ["notice"]


def refused(*_: object, **__: object) -> None:
    raise PermissionError(13, "The process cannot access the file")


def test_where_events_cannot_be_written_none_wait_for_it(save: Path) -> None:
    bus, waiting = Bus(), list[Event | None]()

    class Queue(SimpleQueue[Event | None]):
        def put(self, item: Event | None, block: bool = True, timeout: float | None = None) -> None:
            waiting.append(item)
            super().put(item, block, timeout)

    full = OSError(28, "No space left on device")
    with patch.object(live_events, "SimpleQueue", Queue), patch.object(Folder, "append", side_effect=full):
        close = publish_live(bus, private(save))
        (writer,) = (thread for thread in threading.enumerate() if thread.name == "live-events")
        first = bus.publish(Edited(what="lore"))
        writer.join(10)
        bus.publish(Edited(what="lore"))
        close()
    assert waiting == [first, None], "nobody would take them out again"
