"""Whatever is done to an open story in whatever order, with any model and any disk, the laws of `session_walks` hold."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.session_walks import ACTS, AGENTS, DISKS, MOODS, PAUSES, Step, run_walk

STEPS = st.builds(
    Step,
    act=st.sampled_from(ACTS),
    number=st.integers(0, 5),
    pause=st.sampled_from(PAUSES[::-1]),
    mood=st.sampled_from(MOODS),
    agent=st.sampled_from(AGENTS),
    disk=st.sampled_from(DISKS),
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=5, max_size=14))
def test_any_order_of_steps(steps: list[Step], tmp_path_factory: pytest.TempPathFactory) -> None:
    asyncio.run(run_walk(tmp_path_factory.mktemp("walk"), steps))


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param(
            [Step("end chapter"), Step("play"), Step("lore"), Step("retry by")],
            id="a take by another model of a chapter's last turn",
        ),
        pytest.param(
            [Step("end chapter"), Step("play"), Step("lore"), Step("cast"), Step("retry")],
            id="lore and cast that came after a chapter's last turn",
        ),
        pytest.param([Step("play"), Step("gate"), Step("play"), Step("retry")], id="a secret, and a retry"),
        pytest.param([Step("play"), Step("beat"), Step("play"), Step("retry by")], id="a beat, and a retry"),
        pytest.param([Step("play"), Step("end chapter"), Step("play"), Step("retry")], id="an end, and a retry"),
        pytest.param(
            [Step("play"), Step("play", mood="hangs", agent="memory"), Step("retry", mood="hangs", agent="memory")],
            id="a retry while memories hang",
        ),
        pytest.param([Step("play", mood="breaks", agent="narrator")], id="a fault while a page is told"),
        pytest.param([Step("play"), Step("play", mood="breaks", agent="memory")], id="a fault in a memory"),
        pytest.param([Step("play", disk="breaks")], id="a fault while a turn is saved"),
        pytest.param([Step("play", disk="breaks after"), Step("play")], id="a fault after a turn was saved"),
        pytest.param(
            [Step("play"), Step("play", 0, 20, "hangs", "memory"), Step("foreign"), Step("reopen")],
            id="another program's commit while a turn is finished",
        ),
        pytest.param(
            [Step("play"), Step("play", mood="hangs", agent="memory"), Step("undo", mood="hangs", agent="memory")],
            id="an undo while memories hang",
        ),
        pytest.param(
            [Step("play", mood="hangs", agent="memory"), Step("reopen", mood="hangs", agent="memory")],
            id="leaving while memories hang",
        ),
        pytest.param([Step("play", 0, 20, "hangs", "narrator"), Step("kill")], id="a kill while a page is told"),
    ],
)  # fmt: skip
def test_a_walk_that_went_wrong(steps: list[Step], tmp_path: Path) -> None:
    walk = asyncio.run(run_walk(tmp_path, steps))
    assert walk.told or "narrator" in (steps[-1].agent, steps[0].agent)
