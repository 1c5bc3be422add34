"""The rate limit of a server: so many requests a minute, whoever in the program asks."""

import asyncio
from dataclasses import dataclass, field

import pytest

from tests.models.conftest import collect
from tests.support.fake_server import ScriptedServer, say, status
from theact_tui.models.concurrency_and_rate import Rate
from theact_tui.models.consent import Targets
from theact_tui.models.model_for_agent import Endpoints
from theact_tui.models.profiles import Profile, Target


@dataclass
class Clock:
    """A time that only passes while somebody waits."""

    now: float = 0.0
    waits: list[float] = field(default_factory=list)

    async def pause(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)

    def rate(self, limit: int) -> Rate:
        return Rate(limit, clock=lambda: self.now, pause=self.pause)


async def test_no_minute_has_more_requests_than_allowed() -> None:
    clock = Clock()
    rate = clock.rate(3)
    begun = []

    async def request() -> None:
        await rate.turn()
        begun.append(clock.now)

    await asyncio.gather(*(request() for _ in range(10)))
    assert len(begun) == 10
    for first, fourth in zip(begun, begun[3:], strict=False):
        assert fourth - first >= 60


async def test_without_a_limit_nobody_waits() -> None:
    clock = Clock()
    rate = clock.rate(0)
    for _ in range(100):
        await rate.turn()
    assert not clock.waits


async def test_agents_of_one_server_share_its_limit_and_every_attempt_counts(server: ScriptedServer) -> None:
    waits: list[float] = []

    async def pause(seconds: float) -> None:
        waits.append(seconds)
        if seconds > 50:
            raise TimeoutError

    server.script("narrator", status(503), say("Hello."))
    one, other = (Profile(base_url=server.url, model="m", per_minute=n) for n in (0, 2))
    models = Endpoints(Targets(Target(one), {"memory": Target(other)}), pause=pause)
    assert (await collect(models.all[0])).text == "Hello."
    with pytest.raises(TimeoutError):
        await collect(models.all[1])
    await models.close()
    assert 55 < waits[-1] <= 60.1 and len(server.calls) == 2
