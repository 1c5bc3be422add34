"""Sampling settings by the names of each kind of server.

Sources: llama.cpp `tools/server/README.md`, KoboldCpp API, vLLM `SamplingParams`, Ollama, OpenAI chat completions.
"""

import tomllib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

Server = Literal["auto", "llama.cpp", "koboldcpp", "vllm", "ollama", "openai"]
RESERVED = frozenset({"messages", "model", "stream", "n"})
"""Fields that `extra_body` may not set."""
_MOST_BREAKERS = 64


class SettingsPart(BaseModel):
    """A table of `config.toml`; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", use_attribute_docstrings=True, allow_inf_nan=False)


class Sampling(SettingsPart):
    """Every field is optional; only those that are set are sent. An unknown one is refused: it would do nothing."""

    model_config = ConfigDict(extra="forbid")

    top_p: float | None = Field(None, ge=0, le=1)
    """Keep the likeliest words that together have this probability."""
    top_k: int | None = Field(None, ge=-1)
    """Keep only this many of the likeliest words."""
    min_p: float | None = Field(None, ge=0, le=1)
    """Drop words less likely than this share of the likeliest one."""
    typical_p: float | None = Field(None, ge=0, le=1)
    """Keep words about as likely as expected."""
    repeat_penalty: float | None = Field(None, gt=0, le=4)
    """Make words that were used less likely; 1 is off."""
    repeat_last_n: int | None = Field(None, ge=-1)
    """Tokens that `repeat_penalty` looks back."""
    presence_penalty: float | None = Field(None, ge=-2, le=2)
    """Make words that were used at all less likely."""
    frequency_penalty: float | None = Field(None, ge=-2, le=2)
    """Make words less likely the more often they were used."""
    dry_multiplier: float | None = Field(None, ge=0)
    """Make repeated phrases less likely; 0 is off."""
    dry_base: float | None = Field(None, ge=1)
    """How fast that grows with the length of the phrase."""
    dry_allowed_length: int | None = Field(None, ge=0)
    """Tokens of a phrase that may repeat freely."""
    dry_penalty_last_n: int | None = Field(None, ge=-1)
    """Tokens that these look back; -1 is the whole window."""
    dry_sequence_breakers: tuple[str, ...] | None = Field(None, max_length=_MOST_BREAKERS)
    """Texts that a repeated phrase ends at."""
    xtc_probability: float | None = Field(None, ge=0, le=1)
    """How often the likeliest words are left out."""
    xtc_threshold: float | None = Field(None, ge=0, le=1)
    """Only words above this probability are left out."""
    seed: int | None = None
    """Makes replies repeatable where the server can."""
    stop: tuple[str, ...] | None = Field(None, max_length=16)
    """Texts at which a reply ends."""

    @model_validator(mode="before")
    @classmethod
    def _from_line(cls, value: Any) -> Any:
        return from_line(value)

    def over(self, other: Self) -> Self:
        """Fill unset values from `other`."""
        return other.model_copy(update=self.set_values)

    @property
    def set_values(self) -> dict[str, Any]:
        return self.model_dump(exclude_none=True)


def from_line(value: Any) -> Any:
    """Parse a one-line table such as `top_p = 0.9, min_p = 0.05`; other values pass unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return tomllib.loads(f"table = {{{value}}}")["table"]
    except tomllib.TOMLDecodeError as error:
        raise ValueError('write it like top_p = 0.9, stop = ["###"]') from error


def settings_line(values: Mapping[str, Any]) -> str:
    import tomlkit

    line: str = tomlkit.item(
        {n: list(v) if isinstance(v, tuple) else v for n, v in values.items()}
    ).as_string()
    return ", ".join(part.strip() for part in line.strip().splitlines() if part.strip())


_NAMES: dict[Server, dict[str, str]] = {
    "koboldcpp": {"repeat_penalty": "rep_pen", "repeat_last_n": "rep_pen_range", "typical_p": "typical"},
    "vllm": {"repeat_penalty": "repetition_penalty"},
}
_BEYOND_OPENAI = Sampling.model_fields.keys() - {
    *"top_p presence_penalty frequency_penalty seed stop".split()
}
_LACKS: dict[Server, Collection[str]] = {
    "ollama": _BEYOND_OPENAI,
    "openai": _BEYOND_OPENAI,
    "vllm": (
        "typical_p repeat_last_n dry_multiplier dry_base dry_allowed_length dry_penalty_last_n dry_sequence_breakers "
        "xtc_probability xtc_threshold"
    ).split(),
}
_MOST_STOPS: dict[Server, int] = {"auto": 4, "openai": 4}
_KINDS: tuple[Server, ...] = ("llama.cpp", "koboldcpp", "vllm", "ollama")
_PORTS: dict[int, Server] = {11434: "ollama", 5001: "koboldcpp"}

_LOCAL = Sampling(min_p=0.05, dry_multiplier=0.8, xtc_probability=0.3)
PRESETS: dict[Server, Sampling] = {
    "llama.cpp": _LOCAL,
    "koboldcpp": _LOCAL,
    "vllm": Sampling(min_p=0.05, repeat_penalty=1.05),
    "ollama": Sampling(top_p=0.95, frequency_penalty=0.2),
    "openai": Sampling(frequency_penalty=0.2),
    "auto": Sampling(top_p=0.95, frequency_penalty=0.2),
}


THINKING_OFF: dict[Server, dict[str, Any]] = {
    "llama.cpp": {"chat_template_kwargs": {"enable_thinking": False}},
    "vllm": {"chat_template_kwargs": {"enable_thinking": False}},
    "ollama": {"reasoning_effort": "none"},
}


def server_of(server: Server, base_url: str, seen: str = "") -> Server:
    """Return the server's kind: as set, as `seen`, or from the address; else `auto`."""
    if server != "auto":
        return server
    parts = urlsplit(base_url)
    by_address = "openai" if parts.hostname == "api.openai.com" else _PORTS.get(parts.port or 0, "auto")
    return next((kind for kind in _KINDS if kind == seen), by_address)


def against_repetition(server: Server, reply_tokens: int, names: Sequence[str] = ()) -> Sampling:
    """Return DRY defaults for prose: without them small models repeat themselves. `names` break a phrase, or a model
    misspells them ("Joaquit") rather than write them again.
    """
    if server not in ("llama.cpp", "koboldcpp"):
        return Sampling()
    return Sampling(
        min_p=0.05,
        dry_multiplier=0.8,
        dry_base=1.75,
        dry_allowed_length=2,
        dry_penalty_last_n=4 * reply_tokens,
        dry_sequence_breakers=("\n", ":", '"', "*", *names)[:_MOST_BREAKERS],
    )


def with_stops(sampling: Sampling, stops: Sequence[str], server: Server) -> Sampling:
    """Add as many stop texts as the server takes."""
    every = tuple(dict.fromkeys((*(sampling.stop or ()), *stops)))[: _MOST_STOPS.get(server, 16)]
    return sampling.model_copy(update={"stop": every}) if every else sampling


def sent_as(sampling: Sampling, server: Server) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the request's fields, and the settings that this server lacks."""
    values = sampling.set_values
    lacks = tuple(name for name in values if name in _LACKS.get(server, ()))
    names: Mapping[str, str] = _NAMES.get(server, {})
    sent = {names.get(name, name): value for name, value in values.items() if name not in lacks}
    return {n: list(v) if isinstance(v, tuple) else v for n, v in sent.items()}, lacks
