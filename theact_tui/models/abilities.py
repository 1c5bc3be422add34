"""What a server was seen to take for a model: learned from its answers, remembered in the cache, never probed for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from theact_tui.models.failures import Failure
from theact_tui.models.port import Ask
from theact_tui.models.profiles import Structured

Form = Literal["json_schema", "object_schema", "json_object", "off"]
_FORMS: tuple[Form, ...] = ("json_schema", "object_schema", "json_object", "off")
_FORM_WORDS = re.compile(r"response_format|json_schema|json_object|structured|grammar|schema", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Abilities:
    """What may be sent, and what is known of the window."""

    form: Form = "json_schema"
    """The strictest way to ask for JSON of a shape that was not refused."""
    usage: bool = True
    """Takes `stream_options`."""
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """The field that bounds the reply."""
    temperature: bool = True
    """Takes a temperature."""
    window: int = 0
    """Tokens the server was seen to have; 0 when it was not."""
    cuts: bool = False
    """Drops the beginning of a prompt that is too long, silently."""
    path: str = ""
    """What the base URL lacked at its end."""
    thought: int = 0
    """Tokens it was seen to need for reasoning before its reply."""

    @classmethod
    def remembered(cls, kept: Mapping[str, Any]) -> Abilities:
        """From what was kept; anything unreadable is forgotten."""
        plain = cls()
        good = {
            field.name: kept[field.name]
            for field in fields(cls)
            if field.name in kept and type(kept[field.name]) is type(getattr(plain, field.name))
        }
        found = cls(**good)
        sound = found.form in _FORMS and found.limit in ("max_tokens", "max_completion_tokens")
        return found if sound else plain

    def kept(self) -> dict[str, Any]:
        """For `remembered`."""
        return asdict(self)

    def form_for(self, ask: Ask, wanted: Structured) -> Form:
        """How to ask for the shape of this reply."""
        if ask.schema is None or wanted == "off":
            return "off"
        return self.form if wanted == "auto" else max(self.form, wanted, key=_FORMS.index)

    def without(self, failure: Failure, sent: Mapping[str, Any]) -> Abilities | None:
        """What to try after a refusal that names, or may mean, an optional part of `sent`; None when nothing is left
        to leave out."""
        if failure.kind not in ("request", "server", "malformed"):
            return None
        words = failure.words
        if "response_format" in sent and _FORM_WORDS.search(words):
            return replace(self, form=next_form(sent["response_format"]))
        if "stream_options" in sent and re.search(r"stream_options|include_usage", words):
            return replace(self, usage=False)
        if "max_tokens" in sent and "max_completion_tokens" in words:
            return replace(self, limit="max_completion_tokens")
        if "temperature" in sent and "temperature" in words.lower():
            return replace(self, temperature=False)
        optional = "response_format" in sent or "stream_options" in sent
        if failure.kind == "request" and failure.status in (400, 422) and optional:
            return replace(self, form="off", usage=False)
        return None


def next_form(sent: Mapping[str, Any]) -> Form:
    """The next looser form after the one in a `response_format` that was sent."""
    now = "object_schema" if "schema" in sent else sent["type"]
    return _FORMS[_FORMS.index(now) + 1]


def response_format(form: Form, ask: Ask) -> dict[str, Any] | None:
    """The `response_format` of a request; None when nothing is asked for."""
    match form:
        case "json_schema":
            name = re.sub(r"[^a-zA-Z0-9_-]", "_", ask.agent)
            inner = {"name": name, "strict": True, "schema": ask.schema}
            return {"type": "json_schema", "json_schema": inner}
        case "object_schema":
            return {"type": "json_object", "schema": ask.schema}
        case "json_object":
            return {"type": "json_object"}
        case _:
            return None
