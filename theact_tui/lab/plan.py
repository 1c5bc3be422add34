"""What a run plays: packs, players, seeds, profiles and prompts. Each combination is a cell, and each cell a game."""

from __future__ import annotations

import hashlib
import itertools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator, model_validator

from theact_tui.errors import UsageError
from theact_tui.models.profiles import OFFLINE
from theact_tui.packs.reader import read_part, read_text
from theact_tui.story.base import Value
from theact_tui.text import slug

PLAYERS = ("curious", "hasty", "silent", "contrary", "lost", "teller")
"""The players that need neither a file nor a model."""
OWN = "own"
"""The prompts that a pack has by itself."""
MAX_ID = 44


class PlayerSpec(Value):
    """A player: one of `PLAYERS`, the lines of a `file`, or a model's `profile` with a `persona`."""

    name: str
    file: str = ""
    profile: str = ""
    persona: str = "A friendly reader who plays along, notices details and wants to know how it ends."
    lines: tuple[str, ...] = ()
    """What the file holds."""

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        """`curious`, `lines.txt` or `model:PROFILE`."""
        if not isinstance(value, str):
            return value
        kind, _, profile = value.partition(":")
        if kind == "model" and profile:
            return {"name": f"model-{profile}", "profile": profile}
        return {"name": Path(value).stem, "file": value} if value.endswith(".txt") else {"name": value}

    @model_validator(mode="after")
    def _known(self) -> PlayerSpec:
        if not self.file and not self.profile and self.name not in PLAYERS:
            raise ValueError(
                f"there is no player {self.name!r}; players are {', '.join(PLAYERS)}, a file of lines "
                "(lines.txt) or a model (model:PROFILE)"
            )
        return self


class Plan(Value):
    """A plan as its file says it."""

    packs: tuple[str, ...] = Field(min_length=1)
    players: tuple[PlayerSpec, ...] = Field(default=(PlayerSpec(name="curious"),), min_length=1)
    seeds: tuple[int, ...] = Field(default=(1,), min_length=1, max_length=1000)
    turns: int = Field(default=30, ge=1, le=1000)
    """The most turns of a game."""
    profiles: tuple[str, ...] = Field(default=(OFFLINE,), min_length=1)
    prompts: tuple[str, ...] = Field(default=(OWN,), min_length=1)
    """Folders of prompt templates, as in a pack; `own` are the pack's."""
    judge: str = ""
    """The profile that compares games told by different profiles or prompts."""

    @field_validator("seeds", mode="before")
    @classmethod
    def _counted(cls, value: Any) -> Any:
        """A number of seeds instead of a list."""
        if isinstance(value, int) or (isinstance(value, str) and value.isdigit()):
            return tuple(range(1, int(value) + 1))
        return value

    @model_validator(mode="after")
    def _distinct(self) -> Plan:
        named = {
            "packs": [Path(pack).name for pack in self.packs],
            "players": [player.name for player in self.players],
            "seeds": self.seeds,
            "profiles": self.profiles,
            "prompts": [Path(folder).name for folder in self.prompts],
        }
        for what, names in named.items():
            if len(set(names)) < len(names):
                raise ValueError(f"two of the {what} have the same name")
        return self

    @property
    def prompts_by_name(self) -> dict[str, str]:
        """The folders of templates by the name that reports use."""
        return {Path(folder).name: folder for folder in self.prompts}

    @property
    def tellers(self) -> list[str]:
        """Who tells the stories, for people."""
        return ["the offline storyteller" if name == OFFLINE else name for name in self.profiles]

    def cells(self) -> Iterator[Cell]:
        """Every game to play."""
        for pack, player, seed, profile, prompts in itertools.product(
            self.packs, self.players, self.seeds, self.profiles, self.prompts_by_name
        ):
            yield Cell(pack=Path(pack).name, player=player.name, seed=seed, profile=profile, prompts=prompts)


class Cell(Value):
    """One game of a plan."""

    pack: str
    player: str
    seed: int
    profile: str = OFFLINE
    prompts: str = OWN

    @property
    def variant(self) -> str:
        """Who tells it, and by which prompts: what a comparison compares."""
        return self.profile if self.prompts == OWN else f"{self.profile} + {self.prompts}"

    @property
    def id(self) -> str:
        """The name of the cell's save."""
        variant = "" if self.variant == OFFLINE else f"-{slug(self.variant)}"
        full = slug(f"{self.pack}-{self.player}{variant}-{self.seed}", limit=500)
        mark = hashlib.sha256(f"{self!r}".encode()).hexdigest()[:8]
        return full if len(full) <= MAX_ID else f"{full[: MAX_ID - 9]}-{mark}"


def variant_of(result: Mapping[str, Any]) -> str:
    """Who told the game of a result, and by which prompts."""
    return Cell.model_validate({name: result[name] for name in Cell.model_fields}).variant


def make_plan(packs: str, *, players: str, profiles: str, prompts: str = OWN, **numbers: Any) -> Plan:
    """A plan from lists with commas; paths in it begin at the current folder. Raises `UsageError`."""
    lists = {"packs": packs, "players": players, "profiles": profiles, "prompts": prompts}
    named = {what: [name.strip() for name in text.split(",")] for what, text in lists.items()}
    try:
        plan = Plan.model_validate({**named, **numbers})
    except ValidationError as error:
        first = error.errors()[0]
        what, message = str(first["loc"][0]), first["msg"].removeprefix("Value error, ")
        message = "enter a number from 1 to 1,000" if what in ("seeds", "turns") else message
        raise UsageError(f"{what.capitalize()}: {message}.") from None
    return with_files(plan, Path.cwd())


def read_plan(file: Path) -> Plan:
    """The plan in a file, with the files it names. Raises `UsageError` that says file and line."""
    return with_files(read_part(Plan, file.parent, file.name), file.parent)


def with_files(plan: Plan, folder: Path) -> Plan:
    """The plan with the lines of its scripted players, its paths as seen from anywhere. Raises `UsageError`."""
    players = []
    for player in plan.players:
        if player.file:
            file = Path(os.path.realpath(folder / player.file))
            lines = tuple(read_text(file.parent, file.name).splitlines())
            player = player.model_copy(update={"lines": lines, "file": str(file)})
        players.append(player)
    packs = tuple(os.path.realpath(folder / pack) if "/" in pack else pack for pack in plan.packs)
    prompts = tuple(each if each == OWN else os.path.realpath(folder / each) for each in plan.prompts)
    return plan.model_copy(update={"players": tuple(players), "packs": packs, "prompts": prompts})


def read_prompts(folder: str, known: Mapping[str, object]) -> dict[str, str]:
    """The templates in a folder by agent. Raises `UsageError` for a missing folder or an unknown agent."""
    path = Path(folder)
    if not path.is_dir():
        raise UsageError(f"There is no folder of prompts {folder}.")
    found = {file.stem: read_text(path, file.name) for file in sorted(path.glob("*.txt"))}
    for agent in found:
        if agent not in known:
            raise UsageError(f"{folder}/{agent}.txt is for no agent. Agents: {', '.join(known)}.")
    return found
