"""Profiles of models; precedence of file, environment and options."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from theact_tui.errors import UsageError
from theact_tui.models.addresses import check_url, host_of, is_local
from theact_tui.models.environment import Environment, ModelOptions
from theact_tui.models.sampling import RESERVED, Sampling, Server, SettingsPart, from_line

Structured = Literal["auto", "json_schema", "object_schema", "json_object", "off"]

WhetherToWarm = Literal["auto", "on", "off"]
WhetherToThink = Literal["off", "model"]

_DEFAULT_WINDOW = 8192
_DEFAULT_TIMEOUT = 180.0
OFFLINE = "offline"


def _checked_extra(value: Any) -> Any:
    value = from_line(value)
    if isinstance(value, dict) and (wrong := RESERVED & value.keys()):
        raise ValueError(f"must not contain {', '.join(sorted(wrong))}")
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise ValueError("must hold texts, finite numbers, true and false, lists and tables") from None
    return value


def _checked_variable(name: str) -> str:
    """Raise ValueError without the value, which may be a key."""
    key = len(name) >= 20 and any(map(str.islower, name)) and any(map(str.isdigit, name))
    if name and (key or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name)):
        raise ValueError("must be the name of a variable, such as LLM_API_KEY, not the key itself")
    return name


ExtraFields = Annotated[dict[str, Any], BeforeValidator(_checked_extra)]


class Profile(SettingsPart):
    """One way to reach a model."""

    base_url: Annotated[str, AfterValidator(lambda url: url and check_url(url))] = Field("", title="Address")
    """Address of an OpenAI-compatible server, such as `http://127.0.0.1:8080/v1`."""
    model: str = Field("", title="Model")
    """The model's name as the server knows it; empty takes the first one the server lists."""
    api_key_env: Annotated[str, AfterValidator(_checked_variable)] = Field("", title="API key variable")
    """Name of the environment variable that holds the key; the key itself is never saved."""
    context_limit: int = Field(_DEFAULT_WINDOW, ge=1024, le=4_000_000, title="Context window")
    """Tokens for prompt and reply together; if the server reports fewer, that is the limit."""
    max_parallel: int = Field(0, ge=0, le=64, title="Parallel requests")
    """Requests that may run at the same time; 0 is one, or as many as llama.cpp says it has slots."""
    per_minute: int = Field(0, ge=0, le=100_000, title="Requests per minute")
    """Requests per minute; 0 is no limit. The lowest limit of all models of a server counts."""
    timeout: float = Field(_DEFAULT_TIMEOUT, gt=0, le=86_400, title="Timeout (seconds)")
    """Seconds to wait for an answer, or for its next word, before giving up."""
    temperature: float | None = Field(None, ge=0, le=2)
    """Temperature of the agents that tell the story; empty: each keeps its own."""
    reasoning_tokens: int = Field(0, ge=0, le=200_000)
    """Tokens added to each reply's limit, for a model that reasons first."""
    thinking: WhetherToThink = Field("off", title="Thinking")
    """Whether the model reasons before it answers: `off` where the server can (llama.cpp, vLLM, Ollama), or as the
    `model` likes.
    """
    structured: Structured = Field("auto", title="Structured replies")
    """How to request structured replies: `auto` tries and remembers what the server supports."""
    warm_up: WhetherToWarm = Field("auto", title="Read prompts ahead")
    """Whether to send what is known of the next prompt while the player reads: `auto` does so for a server on this
    computer or in its network, as long as that helps; never with a limit of requests per minute.
    """
    server: Server = Field("auto", title="Kind of server")
    """What kind of server it is, for the names of `sampling`; `auto` is detected from the address."""
    sampling: Sampling = Sampling()
    """Sampling of the agents that tell the story; only what is set is sent."""
    extra_body: ExtraFields = {}
    """Other fields to send with every request, by the server's names."""


class Override(SettingsPart):
    """Overrides for one agent; empty fields are the model's."""

    profile: str = Field("", title="Connected model")
    """Another connected model for this agent."""
    model: str = ""
    """Another model on the same server."""
    temperature: float | None = Field(None, ge=0, le=2)
    """Temperature of this agent."""
    reasoning_tokens: int | None = Field(None, ge=0, le=200_000)
    """Tokens added to this agent's reply limit, for reasoning."""
    structured: Structured | None = Field(None, title="Structured replies")
    """How to request structured replies from this agent's model."""
    sampling: Sampling = Sampling()
    """Sampling of this agent; it overrides that of its model."""
    extra_body: ExtraFields = {}
    """Other fields to send for this agent."""
    reply_tokens: int = Field(0, ge=0, le=100_000)
    """Tokens of visible text for its replies; 0 is the agent's default."""


@dataclass(frozen=True, slots=True)
class Target:
    profile: Profile
    key: str = field(default="", repr=False)
    temperature: float | None = None
    sampling: Sampling = field(default_factory=Sampling)
    reply_tokens: int = 0
    """The user's limit for this agent; 0: none."""

    @property
    def host(self) -> str:
        return host_of(self.profile.base_url)

    @property
    def local(self) -> bool:
        return is_local(self.profile.base_url)


def model_title(model: str) -> str:
    """Shorten a model id for screens: no owner, no folders."""
    return model.rstrip("/").rpartition("/")[2]


def resolve(
    profiles: Mapping[str, Profile],
    chosen: str,
    override: Override | None,
    options: ModelOptions,
    env: Mapping[str, str],
) -> Target | None:
    """Combine file (`profiles`, `chosen`, `override`), environment and options, later ones winning.

    Returns None if nothing names a server. Raises UsageError for a missing profile or a bad value.
    """
    over = override or Override()
    if options.profile:
        over = over.model_copy(update={"profile": "", "model": ""})
        env = {k: v for k, v in env.items() if k not in ("LLM_BASE_URL", "OPENAI_BASE_URL", "LLM_MODEL")}
    filed = _filed(profiles, options.profile or over.profile or chosen)
    named_by = "LLM_BASE_URL" if env.get("LLM_BASE_URL") else "OPENAI_BASE_URL"
    address = options.base_url or env.get(named_by)
    try:
        base_url = check_url(address) if address else filed.base_url
    except ValueError as error:
        raise UsageError(f"Cannot use this address: {error}.") from None
    if not base_url:
        if options.model:
            raise UsageError("--model needs a server: add --base-url or --profile.")
        return None
    moved = base_url != filed.base_url
    changes = {
        "base_url": base_url,
        "model": options.model or env.get("LLM_MODEL") or ("" if moved else over.model or filed.model),
        "timeout": _timeout(env.get("LLM_TIMEOUT", "")) or filed.timeout,
        "api_key_env": "" if moved else filed.api_key_env,
        "structured": over.structured or filed.structured,
        "extra_body": {**filed.extra_body, **over.extra_body},
    }
    if over.reasoning_tokens is not None:
        changes["reasoning_tokens"] = over.reasoning_tokens
    profile = filed.model_copy(update=changes)
    own_key_only = bool(over.profile) and not moved
    named = bool(options.profile) or own_key_only
    if moved and not options.base_url and isinstance(env, Environment) and env.is_only_filed(named_by):
        env = env.filed  # no key of the process goes where only a `.env` says
    key = _key(profile, env, first_own=named, only_own=own_key_only, general=moved).strip()
    return Target(
        profile=profile,
        key=key,
        temperature=over.temperature,
        sampling=over.sampling,
        reply_tokens=over.reply_tokens,
    )


def _filed(profiles: Mapping[str, Profile], name: str) -> Profile:
    if not name and len(profiles) == 1:
        return next(iter(profiles.values()))
    if not name or name == OFFLINE:
        return Profile()
    if name not in profiles:
        names = ", ".join(sorted(profiles)) or "none"
        raise UsageError(f"No connected model is called {name!r}. Connected: {names}.")
    return profiles[name]


def _key(profile: Profile, env: Mapping[str, str], *, first_own: bool, only_own: bool, general: bool) -> str:
    own = env.get(profile.api_key_env, "") if profile.api_key_env else ""
    if only_own:
        return own
    ours = env.get("LLM_API_KEY", "")
    openai = env.get("OPENAI_API_KEY", "") if general or host_of(profile.base_url) == "api.openai.com" else ""
    return (own or ours or openai) if first_own else (ours or own or openai)


def _timeout(value: str) -> float:
    if not value:
        return 0.0
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= 86_400:
        raise UsageError(f"LLM_TIMEOUT should be a number of seconds, not {value!r}.")
    return seconds
