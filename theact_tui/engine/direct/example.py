"""Built-in example: a world, a scene and three characters."""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from theact_tui import yaml
from theact_tui.story.direct.records import AGENTS_MAX, Setup


@dataclass(frozen=True, slots=True)
class Example:
    title: str
    setup: Setup


@lru_cache
def example() -> Example:
    file = files(__package__).joinpath("example.yaml").read_bytes()
    data: Any = yaml.load(file, "direct_example.yaml")
    count = len(data["agents"])
    data["agents"] += [{}] * (AGENTS_MAX - count)
    return Example(data.pop("title"), Setup.model_validate({**data, "count": count}))
