"""The example that comes with the program: a world, a scene and three people to direct."""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from theact_tui import yaml
from theact_tui.story.direct.models import AGENTS_MAX, Setup


@dataclass(frozen=True, slots=True)
class Example:
    """What a chapter can begin with."""

    title: str
    setup: Setup


@lru_cache
def example() -> Example:
    file = files(__package__).joinpath("example.yaml").read_bytes()
    found: Any = yaml.load(file, "direct_example.yaml")
    count = len(found["agents"])
    found["agents"] += [{}] * (AGENTS_MAX - count)
    return Example(found.pop("title"), Setup.model_validate({**found, "count": count}))
