"""The example that comes with the program: a world, a scene and three people to direct."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from theact_tui import yaml
from theact_tui.story.base import Value
from theact_tui.story.direct.models import AGENTS_MAX, AgentSetup, Setup


class _File(Value):
    title: str
    world: str
    chapter: str
    agents: tuple[AgentSetup, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """What a chapter can begin with."""

    title: str
    setup: Setup


@lru_cache
def example() -> Example:
    """The shipped example."""
    found = files(__package__).joinpath("example.yaml").read_bytes()
    made = _File.model_validate(yaml.load(found, "direct_example.yaml"))
    empty = (AgentSetup(),) * (AGENTS_MAX - len(made.agents))
    setup = Setup(
        world=made.world, chapter=made.chapter, count=len(made.agents), agents=(*made.agents, *empty)
    )
    return Example(made.title, setup)
