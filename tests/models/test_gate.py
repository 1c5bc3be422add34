"""The gate before a server: so many at a time, and questions only when nothing streams."""

import asyncio
import subprocess
import sys
from collections.abc import Sequence

import pytest

from theact_tui.models.concurrency_and_rate import ConcurrencyLimit


async def most_inside(gate: ConcurrencyLimit, visits: Sequence[tuple[int, int]]) -> int:
    """The most that is inside at the same time, of visits with their tokens and what each counts."""
    inside = most = 0

    async def visit(tokens: int, counts: int) -> None:
        nonlocal inside, most
        async with gate.slot(tokens):
            inside += counts
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= counts

    await asyncio.gather(*(visit(*each) for each in visits))
    assert not gate.busy
    return most


async def test_no_more_than_its_width_pass_at_the_same_time() -> None:
    assert await most_inside(ConcurrencyLimit(2), [(0, 1)] * 7) == 2


async def test_a_question_waits_for_replies_and_replies_for_it() -> None:
    gate, order = ConcurrencyLimit(2), []
    streaming, done = asyncio.Event(), asyncio.Event()

    async def reply(name: str) -> None:
        async with gate.slot():
            order.append(f"{name} begins")
            streaming.set()
            await done.wait()
            order.append(f"{name} ends")

    async def question() -> None:
        async with gate.alone():
            order.append("question")

    first = asyncio.create_task(reply("first"))
    await streaming.wait()
    questions = [asyncio.create_task(question()) for _ in range(2)]
    done.set()
    await asyncio.gather(first, *questions)
    assert order == ["first begins", "first ends", "question", "question"]


async def _pass(gate: ConcurrencyLimit) -> None:
    async with gate.slot():
        assert gate.busy


async def _alone(gate: ConcurrencyLimit) -> None:
    async with gate.alone():
        raise AssertionError("a reply streams")


def test_slow_libraries_are_loaded_only_for_a_call() -> None:
    program = """
import sys, pkgutil, importlib, theact_tui.models
for part in pkgutil.iter_modules(theact_tui.models.__path__):
    if part.name not in ("client", "connections"):
        importlib.import_module(f"theact_tui.models.{part.name}")
import theact_tui.cli.doctor, theact_tui.cli.models, theact_tui.prompting.tokens, theact_tui.paths
print([name for name in ("openai", "httpx2", "tiktoken", "dulwich", "textual") if name in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


async def test_requests_of_several_slots_stay_below_one_store() -> None:
    gate = ConcurrencyLimit()
    gate.set_slots(4, 8_000)
    sizes = (5_000, 2_000, 4_000, 3_000, 9_000, 1_000, 1_000)
    assert 5_000 < await most_inside(gate, [(size, size) for size in sizes]) <= 9_000
    assert gate.width == 4


@pytest.mark.parametrize("width", [1, 2])
async def test_a_question_that_waits_and_leaves_holds_nothing(width: int) -> None:
    gate = ConcurrencyLimit(width)
    async with gate.slot():
        waiting = asyncio.create_task(_alone(gate))
        behind = asyncio.create_task(_pass(gate))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    await asyncio.wait_for(behind, 60)
    assert not gate.busy


@pytest.mark.parametrize(("wanted", "slots", "width"), [(0, 0, 1), (0, 4, 4), (2, 4, 2), (3, 0, 3)])
def test_how_many_pass(wanted: int, slots: int, width: int) -> None:
    gate = ConcurrencyLimit(wanted)
    gate.set_slots(slots, 8_000)
    assert gate.width == width
