"""S7: publishing never blocks, never raises, keeps order; a failing or lagging subscriber is isolated."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from theact_tui.engine import bus as bus_module
from theact_tui.engine.bus import Bus
from theact_tui.engine.events import Event, NarrationToken, Notice, TurnSaved


def test_an_event_is_stamped_and_is_one_json_line() -> None:
    bus = Bus(lambda: datetime(2026, 1, 2, tzinfo=UTC))
    bus.save, bus.branch, bus.turn = "s", "main", 4
    line = bus.publish(TurnSaved(commit="abc", chapter="one")).to_json()
    assert "\n" not in line
    document = json.loads(line)
    assert (
        document["type"] == "turn_saved"
        and document["seq"] == 1
        and document["at"].startswith("2026-01-02T00:00")
    )
    assert {k: document[k] for k in ("save", "branch", "turn")} == {"save": "s", "branch": "main", "turn": 4}


def test_a_failing_listener_is_dropped_and_the_others_go_on() -> None:
    bus, seen = Bus(), list[Event]()

    def broken(event: Event) -> None:
        raise ValueError("no")

    bus.listen(broken)
    bus.listen(seen.append)
    bus.publish(NarrationToken(text="a"))
    bus.publish(NarrationToken(text="b"))
    assert [event.text for event in seen if isinstance(event, NarrationToken)] == ["a", "b"]
    assert sum(isinstance(event, Notice) for event in seen) == 1


async def test_a_stream_keeps_order_and_begins_with_the_backlog() -> None:
    bus = Bus()
    bus.publish(NarrationToken(text="0"))
    late = bus.stream(backlog=True)
    for n in range(1, 50):
        bus.publish(NarrationToken(text=str(n)))
    late.close()
    assert [event.text async for event in late if isinstance(event, NarrationToken)] == [
        str(n) for n in range(50)
    ]


async def test_a_lagging_stream_is_dropped_and_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bus_module, "LAG", 10)
    bus, seen = Bus(), list[Event]()
    bus.listen(seen.append)
    slow = bus.stream()
    for n in range(30):
        bus.publish(NarrationToken(text=str(n)))
    assert len([event async for event in slow]) == 10
    assert any(isinstance(event, Notice) and "too slow" in event.text for event in seen)
    assert sum(isinstance(event, NarrationToken) for event in seen) == 30


async def test_a_stream_that_was_closed_is_not_missed() -> None:
    bus = Bus()
    stream = bus.stream()
    stream.close()
    bus.publish(Notice(text="one"))
    later = bus.stream(backlog=True)
    later.close()
    assert [event.text async for event in later if isinstance(event, Notice)] == ["one"]
    assert bus.newest == 1


async def test_a_stream_wakes_its_reader() -> None:
    bus = Bus()
    stream = bus.stream()
    reader = asyncio.ensure_future(anext(aiter(stream)))
    await asyncio.sleep(0)
    bus.publish(NarrationToken(text="x"))
    assert (await reader).seq == 1
