"""Plan of a run. Each combination of pack, player, seed and storyteller is a cell: one game."""

import hashlib
import itertools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import Field, ValidationError, field_validator, model_validator

from theact_tui.errors import UsageError
from theact_tui.field_errors import field_message
from theact_tui.models.profiles import OFFLINE
from theact_tui.packs.reader import read_part, read_text
from theact_tui.story.value import Value
from theact_tui.text import dotted, slug

PLAYERS = ("curious", "hasty", "silent", "contrary", "lost", "teller")
"""Players that need no file and no model."""
OWN = "own"
CHAT = "plain-chat"
"""Storyteller without the engine."""
_MAX_ID = 44

Tested = Literal["judge", "speaks_for_player", "finished", "repetition", "leaked", "recalled"]
"""The judge, or a measure that is a share."""
_SECONDARY: tuple[Tested, ...] = get_args(Tested)[2:]
"""Measures tested beside the primary one by default."""


class PlayerSpec(Value):
    """One of `PLAYERS`, the lines of a `file`, or a model's `profile` with a `persona`."""

    name: str
    file: str = ""
    profile: str = ""
    persona: str = "A friendly reader who plays along, notices details and wants to know how it ends."
    lines: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        kind, _, profile = value.partition(":")
        if kind == "model" and profile:
            return {"name": f"model-{profile}", "profile": profile}
        return {"name": Path(value).stem, "file": value} if value.endswith(".txt") else {"name": value}

    @model_validator(mode="after")
    def _check_name(self) -> Self:
        if not self.file and not self.profile and self.name not in PLAYERS:
            raise ValueError(
                f"there is no player {self.name!r}; players are {', '.join(PLAYERS)}, a file of lines "
                "(lines.txt) or a model (model:PROFILE)"
            )
        return self


class PlannedTelling(Value):
    """Storyteller of a comparison. In `vs`, missing fields are those of the plan's first one."""

    teller: Literal["", "plain-chat"] = ""
    profile: str = ""
    prompts: str = ""
    packs: tuple[str, ...] = ()
    settings: dict[str, str] = {}
    """By name in `game.yaml` or dotted name in `config.toml`."""

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        if isinstance(value, dict):
            return value | {"settings": {k: str(v) for k, v in dotted(value.get("settings") or {}).items()}}
        kind, _, name = str(value).partition(":")
        setting, _, wanted = str(value).partition("=")
        if kind == CHAT:
            return {"teller": CHAT}
        if kind in ("profile", "prompts", "pack") and name:
            return {"packs": [name]} if kind == "pack" else {kind: name}
        if wanted:
            return {"settings": {setting.strip(): wanted.strip()}}
        raise ValueError(
            f"nothing can be compared with {value!r}; write plain-chat, profile:NAME, prompts:DIR, pack:DIR or "
            "SETTING=VALUE"
        )

    @property
    def cell(self) -> dict[str, str]:
        versions = ("/".join(Path(pack).parts[-2:]) for pack in self.packs)
        changed = (f"{name}={value}" for name, value in self.settings.items())
        about = ", ".join(filter(None, [self.teller, *versions, *changed]))
        return {"profile": self.profile, "prompts": Path(self.prompts).name, "vs": about}


class PlanCell(Value):
    pack: str
    player: str
    seed: int
    profile: str = OFFLINE
    prompts: str = OWN
    vs: str = Field(default="", repr=False)

    @property
    def variant(self) -> str:
        storyteller = self.profile if self.prompts == OWN else f"{self.profile} + {self.prompts}"
        if self.vs.startswith(CHAT):
            return self.vs.replace(CHAT, f"plain chat ({storyteller})", 1)
        return f"{storyteller} + {self.vs}" if self.vs else storyteller

    @property
    def id(self) -> str:
        variant = "" if self.variant == OFFLINE else f"-{slug(self.variant)}"
        full = slug(f"{self.pack}-{self.player}{variant}-{self.seed}", limit=500)
        mark = hashlib.sha256(f"{self!r}{self.vs}".encode()).hexdigest()[:8]
        return full if len(full) <= _MAX_ID else f"{full[: _MAX_ID - 9]}-{mark}"


class Plan(Value):
    packs: tuple[str, ...] = Field(min_length=1)
    players: tuple[PlayerSpec, ...] = Field(default=(PlayerSpec(name="curious"),), min_length=1)
    seeds: tuple[int, ...] = Field(default=(1,), min_length=1, max_length=1000)
    turns: int = Field(default=30, ge=1, le=1000)
    """Per game."""
    profiles: tuple[str, ...] = Field(default=(OFFLINE,), min_length=1)
    prompts: tuple[str, ...] = Field(default=(OWN,), min_length=1)
    vs: tuple[PlannedTelling, ...] = ()
    """Compared with the first profile and first prompts."""
    judge: str = ""
    primary: Tested | None = None
    """None: the judge if there is one, else `speaks_for_player`."""
    secondary: tuple[Tested, ...] = Field(default=_SECONDARY, max_length=4)
    """Further measures tested, corrected for their number."""
    no_worse: float | None = Field(default=None, gt=0, lt=1)
    """Share that still counts as no worse."""
    second_look: int = Field(default=0, ge=0, le=1000)
    """Seeds that may be added once if the first look is not certain."""
    slop: str = ""
    """JSON list of worn phrases, such as `["barely above a whisper"]`."""

    @field_validator("seeds", mode="before")
    @classmethod
    def _counted(cls, value: Any) -> Any:
        if isinstance(value, int) or (isinstance(value, str) and value.isdigit()):
            return tuple(range(1, int(value) + 1))
        return value

    @field_validator("vs", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        return (value,) if isinstance(value, str | dict) else value

    @model_validator(mode="after")
    def _sound(self) -> Self:
        named = {
            "packs": [Path(pack).name for pack in self.packs],
            "players": [player.name for player in self.players],
            "seeds": self.seeds,
            "profiles": self.profiles,
            "prompts": [Path(folder).name for folder in self.prompts],
            "tellings": self.names,
        }
        for kind, names in named.items():
            if len(set(names)) < len(names):
                raise ValueError(f"two of the {kind} have the same name")
        if any(len(telling.packs) not in (0, len(self.packs)) for telling in self.vs):
            raise ValueError("vs needs another version of each of the packs, in the same order")
        if "judge" in (self.primary, *self.secondary) and not self.judge:
            raise ValueError("the plan needs the profile of a judge")
        return self

    @property
    def tellings(self) -> list[PlannedTelling]:
        """All storytellers; the others are compared with the first."""
        first = [
            PlannedTelling(profile=name, prompts=prompts)
            for name in self.profiles
            for prompts in self.prompts
        ]
        base = first[0].model_dump(include={"profile", "prompts"})
        return first + [
            telling.model_copy(update={name: getattr(telling, name) or base[name] for name in base})
            for telling in self.vs
        ]

    @property
    def tested(self) -> tuple[Tested, ...]:
        primary = self.primary or ("judge" if self.judge else "speaks_for_player")
        return (primary, *(name for name in self.secondary if name != primary))

    @property
    def names(self) -> list[str]:
        return [variant_of(telling.cell) for telling in self.tellings]

    @property
    def tellers(self) -> list[str]:
        return ["the offline storyteller" if name == OFFLINE else name for name in self.names]

    def cells(self, *, again: bool = False) -> Iterator[PlanCell]:
        """`again` adds the second look."""
        last = max(self.seeds)
        seeds = (*self.seeds, *range(last + 1, last + 1 + self.second_look * again))
        for pack, player, seed, telling in itertools.product(self.packs, self.players, seeds, self.tellings):
            yield PlanCell(pack=Path(pack).name, player=player.name, seed=seed, **telling.cell)


def variant_of(result: Mapping[str, Any]) -> str:
    cell_fields = {name: result[name] for name in PlanCell.model_fields if name in result}
    return PlanCell.model_validate({"pack": "", "player": "", "seed": 0, **cell_fields}).variant


def make_plan(packs: str, *, players: str, profiles: str, prompts: str = OWN, **more: Any) -> Plan:
    """Build a plan from comma-separated lists; paths are relative to the current folder. Raises UsageError."""
    lists = {"packs": packs, "players": players, "profiles": profiles, "prompts": prompts}
    named = {field: [name.strip() for name in text.split(",")] for field, text in lists.items()}
    try:
        plan = Plan.model_validate({**named, **more})
    except ValidationError as error:
        first = error.errors()[0]
        title = str((first["loc"] or ("plan",))[0]).capitalize()
        is_number = title in ("Seeds", "Turns")
        message = (
            f"{title}: enter a number from 1 to 1,000" if is_number else field_message(Plan, first, title)
        )
        raise UsageError(f"{message}.") from None
    return with_files(plan, Path.cwd())


def read_plan(file: Path) -> Plan:
    """Read a plan and the files it names. Raises UsageError with file and line."""
    return with_files(read_part(Plan, file.parent, file.name), file.parent)


def with_files(plan: Plan, folder: Path) -> Plan:
    """Read the lines of scripted players and make paths absolute. Raises UsageError."""

    def whole(name: str) -> str:
        return os.path.realpath(folder / name) if name and name != OWN else name

    def packs(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(whole(name) if "/" in name else name for name in names)

    def player(spec: PlayerSpec) -> PlayerSpec:
        file = Path(whole(spec.file))
        lines = tuple(read_text(file.parent, file.name).splitlines()) if spec.file else ()
        return spec.model_copy(update={"lines": lines, "file": whole(spec.file)})

    def telling(original: PlannedTelling) -> PlannedTelling:
        return original.model_copy(
            update={"packs": packs(original.packs), "prompts": whole(original.prompts)}
        )

    players_and_vs = {"players": tuple(map(player, plan.players)), "vs": tuple(map(telling, plan.vs))}
    files = {"packs": packs(plan.packs), "prompts": tuple(map(whole, plan.prompts)), "slop": whole(plan.slop)}
    return plan.model_copy(update={**players_and_vs, **files})


def read_prompts(folder: str, agents: Mapping[str, object]) -> dict[str, str]:
    """Read templates by agent. Raises UsageError for a missing folder or unknown agent."""
    path = Path(folder)
    if not path.is_dir():
        raise UsageError(f"There is no folder of prompts {folder}.")
    files = sorted(path.glob("*.txt"))
    templates = {file.stem: read_text(path, file.name) for file in files}
    for agent in templates:
        if agent not in agents:
            raise UsageError(f"{folder}/{agent}.txt is for no agent. Agents: {', '.join(agents)}.")
    return templates
