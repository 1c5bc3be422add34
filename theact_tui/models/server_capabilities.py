"""Capabilities of a server for a model, learned from its answers and cached."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from theact_tui.models.continuing import FIELD_NAMES, Way
from theact_tui.models.failures import Failure
from theact_tui.models.model import Request, Usage
from theact_tui.models.profiles import Structured
from theact_tui.models.sampling import THINKING_OFF
from theact_tui.models.served_models import is_same_model
from theact_tui.paths import Remembered
from theact_tui.prompting.sections import Message
from theact_tui.prompting.tokens import Tokens

TOO_SMALL = "Too small to tell a story well; 7B or larger is recommended."
Form = Literal["json_schema", "object_schema", "json_object", "off"]
_FORMS: tuple[Form, ...] = ("json_schema", "object_schema", "json_object", "off")
_FORM_WORDS = re.compile(r"response_format|json_schema|json_object|structured|grammar|schema", re.IGNORECASE)
_ROLE_WORDS = re.compile(r"\broles?\b|\bsystem (?:message|prompt|instruction)", re.IGNORECASE)
_THINKING_NAMES = sorted({name for fields in THINKING_OFF.values() for name in fields})
_THINKING_WORDS = re.compile(r"reasoning|think", re.IGNORECASE)
_STREAM_WORDS = re.compile(r"\bstream(?:ing)?\b", re.IGNORECASE)
_ASKED_AGAIN_AFTER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Capabilities:
    form: Form = "json_schema"
    """Strictest JSON mode not refused."""
    usage: bool = True
    """Takes `stream_options`."""
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: bool = True
    system: bool = True
    streams: bool = True
    """Some servers stream only for verified accounts."""
    window: int = 0
    kind: str = ""
    """Such as `llama.cpp`; empty if unknown."""
    cuts: bool = False
    """Silently drops the beginning of long prompts."""
    path: str = ""
    """Suffix that the base URL lacked."""
    slots: int = 0
    """Parallel requests of llama.cpp; 0 if unknown."""
    thought: int = 0
    """Reasoning tokens needed before a reply."""
    refused: str = ""
    """Refused parameters, separated by spaces."""
    warm_up: Literal["", "told", "off"] = ""
    """`told`: the user knows of warm-ups; `off`: they proved useless."""
    unbounded: str = ""
    """Refused schema keywords, separated by spaces."""
    continues: Way | Literal["", "no"] = ""
    """How it goes on from the assistant's last message; empty if never tried."""
    too_small: bool = False
    read_speed: float = 0.0
    """New prompt tokens per second; 0 if unknown."""
    write_speed: float = 0.0
    habits: str | None = None
    """Separated by spaces; None if never tried."""
    proved: Mapping[str, datetime] = field(default_factory=dict)
    """When each parameter was found refused by trial, because the server named none."""

    @classmethod
    def remembered(cls, record: Mapping[str, Any]) -> Capabilities:
        try:
            return _capabilities().validate_python(record)
        except ValidationError:
            return cls()

    def form_for(self, ask: Request, wanted: Structured) -> Form:
        if ask.schema is None or wanted == "off":
            return "off"
        return self.form if wanted == "auto" else max(self.form, wanted, key=_FORMS.index)

    def without(self, failure: Failure, sent: Mapping[str, Any]) -> Capabilities | None:
        """Leave out the optional part of `sent` that a refusal names or may mean; None if there is none."""
        if failure.kind not in ("request", "server", "malformed"):
            return None
        words = failure.words
        extra = [name for name in sent.get("extra_body", ()) if name not in FIELD_NAMES]
        if named := [name for name in extra if re.search(rf"\b{re.escape(name)}\b", words)]:
            return replace(self, refused=" ".join([*self.refused.split(), *named]))
        if bounds := [
            word for word in _BOUNDS if word in words and _holds(sent.get("response_format"), word)
        ]:
            return replace(self, unbounded=" ".join([*self.unbounded.split(), *bounds]))
        if "response_format" in sent and _FORM_WORDS.search(words):
            now = "object_schema" if "schema" in sent["response_format"] else sent["response_format"]["type"]
            return replace(self, form=_FORMS[_FORMS.index(now) + 1])
        thinking = [name for name in _THINKING_NAMES if name in extra]
        if thinking and _THINKING_WORDS.search(words):
            return replace(self, refused=" ".join([*self.refused.split(), *thinking]))
        if "stream_options" in sent and re.search(r"stream_options|include_usage", words):
            return replace(self, usage=False)
        if "max_tokens" in sent and "max_completion_tokens" in words:
            return replace(self, limit="max_completion_tokens")
        if "temperature" in sent and "temperature" in words.lower():
            return replace(self, temperature=False)
        has_system = any(message["role"] == "system" for message in sent.get("messages", ()))
        if has_system and _ROLE_WORDS.search(words):
            return replace(self, system=False)
        if sent.get("stream") and failure.kind == "request" and _STREAM_WORDS.search(words):
            return replace(self, streams=False)
        return None

    def suspects(self, sent: Mapping[str, Any], now: datetime) -> list[Capabilities]:
        """Return the manners that a refusal without a reason leaves to try: without each optional part of `sent`, then
        without all.
        """
        parts = [[name] for name in ("response_format", "stream_options") if name in sent]
        thinking = [name for name in _THINKING_NAMES if name in sent.get("extra_body", ())]
        parts += [thinking] if thinking else []
        every = [name for part in parts for name in part]
        return [self._lacking(part, now) for part in ([*parts, every] if len(parts) > 1 else parts)]

    def _lacking(self, names: Collection[str], now: datetime) -> Capabilities:
        thinking = [name for name in names if name in _THINKING_NAMES]
        return replace(
            self,
            form="off" if "response_format" in names else self.form,
            usage=self.usage and "stream_options" not in names,
            refused=" ".join([*self.refused.split(), *thinking]),
            proved={**self.proved, **dict.fromkeys(names, now)},
        )

    def asked_anew(self, now: datetime) -> Capabilities:
        """Forget refusals that were proved more than a day ago: there may have been another reason."""
        old = [name for name, proved in self.proved.items() if now - proved > _ASKED_AGAIN_AFTER]
        if not old:
            return self
        return replace(
            self,
            form="json_schema" if "response_format" in old else self.form,
            usage=self.usage or "stream_options" in old,
            refused=" ".join(name for name in self.refused.split() if name not in old),
            proved={name: proved for name, proved in self.proved.items() if name not in old},
        )

    def without_refusals(self) -> Capabilities:
        return replace(self, **{name: getattr(Capabilities(), name) for name in _REFUSALS})

    @property
    def refusals(self) -> tuple[str, ...]:
        """What the server refuses, for the user; what was found by trial with its date."""
        fields = {
            "response_format": self.form != "off",
            "json_schema": self.form in ("json_schema", "off"),
            "stream_options": self.usage,
            "temperature": self.temperature,
            "max_tokens": self.limit == "max_tokens",
            "system messages": self.system,
            "streaming": self.streams,
        }
        names = [name for name, is_taken in fields.items() if not is_taken]
        names += [*self.refused.split(), *self.unbounded.split()]
        return tuple(
            f"{name} (since {self.proved[name]:%Y-%m-%d})" if name in self.proved else name for name in names
        )


_REFUSALS = "form usage limit temperature system streams refused unbounded proved continues".split()


@cache
def _capabilities() -> TypeAdapter[Capabilities]:
    return TypeAdapter(Capabilities)


_BOUNDS = ("uniqueItems", "minItems", "maxItems", "maxLength", "pattern")
"""Schema keywords that only tighten it."""


def _holds(value: Any, word: str) -> bool:
    match value:
        case dict():
            return word in value or any(_holds(part, word) for part in value.values())
        case list():
            return any(_holds(part, word) for part in value)
        case _:
            return False


def _without(value: Any, words: Collection[str]) -> Any:
    match value:
        case dict():
            return {key: _without(part, words) for key, part in value.items() if key not in words}
        case list():
            return [_without(part, words) for part in value]
        case _:
            return value


def _all_required(schema: Any) -> bool:
    """True if every key is required, as strict servers demand."""
    if isinstance(schema, list):
        return all(map(_all_required, schema))
    if not isinstance(schema, dict):
        return True
    needs = schema.get("type") != "object" or schema.get("required") == list(schema.get("properties", {}))
    return needs and all(map(_all_required, schema.values()))


def response_format(form: Form, ask: Request, unbounded: str = "") -> dict[str, Any] | None:
    """Return the `response_format` without the schema keywords `unbounded`; None without a schema."""
    schema = _without(ask.schema, unbounded.split())
    match form:
        case "json_schema":
            name = re.sub(r"[^a-zA-Z0-9_-]", "_", ask.agent)
            inner = {"name": name, "strict": _all_required(schema), "schema": schema}
            return {"type": "json_schema", "json_schema": inner}
        case "object_schema":
            return {"type": "json_object", "schema": schema}
        case "json_object":
            return {"type": "json_object"}
        case _:
            return None


def without_system(messages: list[Message]) -> list[Message]:
    if not messages or messages[0]["role"] != "system":
        return messages
    rules, *rest = messages
    first = next((place for place, message in enumerate(rest) if message["role"] == "user"), None)
    if first is None:
        return [Message(role="user", content=rules["content"]), *rest]
    both = f"{rules['content']}\n\n{rest[first]['content']}"
    return [*rest[:first], Message(role="user", content=both), *rest[first + 1 :]]


_LEAST_READ, _LEAST_WRITTEN = 100, 20  # tokens of a call by which speed is measured
_ENOUGH = 2
"""Replies in a row that needed the schema left out, until it is dropped."""


def tried_before(base_url: str, model: str, cache: Path) -> str:
    """Say what `doctor --try` measured of a model; empty if it was never tried."""
    seen = Capabilities.remembered(Remembered(cache / "endpoints.json").get(f"{base_url} {model}"))
    if seen.habits is None:
        return ""
    speed = f", {seen.write_speed:.0f} tokens/s" if seen.write_speed else ""
    return f"{'too small' if seen.too_small else 'plays'}{speed}"


class ServerState:
    """Knowledge shared by all endpoints of a server and model; kept in the folder `cache`."""

    def __init__(
        self,
        base_url: str,
        model: str,
        cache: Path | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.base_url, self.now = base_url, now
        self._learned = Remembered(cache / "endpoints.json") if cache else None
        self._counted = Remembered(cache / "tokens.json") if cache else None
        self.largest_prompt = 0
        """Tokens of the largest prompt accepted since the program began."""
        self._broken_shapes = 0
        self._has_told_of_other = False
        self.rename(model)

    def rename(self, model: str) -> None:
        self.model = model
        self._key = f"{self.base_url} {model}"
        self.abilities = Capabilities.remembered(self._learned.get(self._key) if self._learned else {})
        self.tokens = Tokens(self._key, self._counted)

    @property
    def loose(self) -> bool:
        return self._broken_shapes >= _ENOUGH

    def manner(self) -> Capabilities:
        """Return how to ask now, with what a day ago was refused without a reason."""
        if (anew := self.abilities.asked_anew(self.now())) != self.abilities:
            self.keep(anew)
        return self.abilities

    def learn_other_model(self, answered: str) -> bool:
        """True the first time that a server answers as another model than was asked for."""
        is_other = self.model not in ("", "default") and not is_same_model(self.model, answered)
        is_news = is_other and bool(answered) and not self._has_told_of_other
        self._has_told_of_other |= is_news
        return is_news

    def learn_schema(self, *, was_sent: bool) -> None:
        """Learn whether a structured reply came with the schema, or only without."""
        self._broken_shapes = 0 if was_sent else self._broken_shapes + 1

    def keep(self, abilities: Capabilities) -> None:
        self.abilities = abilities
        if self._learned:
            self._learned.put(self._key, _capabilities().dump_python(abilities, mode="json"))

    def learn_speed(self, usage: Usage, first_word: float, seconds: float) -> None:
        # stored only if it differs by a quarter: each time is a write
        now, tokens = self.abilities, (usage.prompt or 0) - (usage.cached or 0)
        read = tokens / first_word if tokens >= _LEAST_READ and first_word else now.read_speed
        written, rest = usage.completion or 0, seconds - first_word
        write = written / rest if written >= _LEAST_WRITTEN and rest > 0 else now.write_speed
        if (
            abs(read - now.read_speed) * 4 > now.read_speed
            or abs(write - now.write_speed) * 4 > now.write_speed
        ):
            self.keep(replace(now, read_speed=round(read, 1), write_speed=round(write, 1)))

    def learn_accepted(self, first: Capabilities, manner: Capabilities) -> None:
        """Store what a successful call changed since its `first` manner."""
        # all else may have been learned meanwhile by another call
        changed = {name: value for name, value in asdict(manner).items() if value != getattr(first, name)}
        self.keep(replace(self.abilities, **changed))
