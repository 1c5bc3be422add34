"""The example that comes with the program: a world, a scene and three people to direct."""

from __future__ import annotations

from importlib.resources import files

from theact_tui.saves import yaml
from theact_tui.story.base import Value
from theact_tui.story.direct.limits import AGENTS_MAX
from theact_tui.story.direct.records import AgentSetup, Setup


class _Example(Value):
    world: str
    chapter: str
    agents: tuple[AgentSetup, ...]


def example() -> Setup:
    """The shipped example as it stands in Setup."""
    found = files("theact_tui.engine").joinpath("direct_example.yaml").read_bytes()
    made = _Example.model_validate(yaml.load(found, "direct_example.yaml"))
    empty = (AgentSetup(),) * (AGENTS_MAX - len(made.agents))
    return Setup(
        world=made.world, chapter=made.chapter, count=len(made.agents), agents=(*made.agents, *empty)
    )
