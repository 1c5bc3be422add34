"""Models of a server as it lists them: state, size, window, and whether they write text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from theact_tui.text import file_size

State = Literal["loaded", "sleeping", "loading", "downloading", "unloaded", ""]
_STATES: dict[str, State] = {
    "loaded": "loaded",
    "sleeping": "sleeping",
    "loading": "loading",
    "downloading": "downloading",
    "downloaded": "downloading",
}
_NO_TEXT = re.compile(
    r"embed|rerank|whisper|\btts\b|moderation|dall-e|\bbge\b|minilm|\be5\b|\bgte\b|clip|flux", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class ServedModel:
    name: str
    state: State = ""
    """Empty if the server does not say."""
    size: int = 0
    """Bytes; 0 if unknown."""
    window: int = 0
    """Tokens; 0 if unknown."""
    writes: bool | None = None
    """Whether it writes text; None if the server does not say."""
    failed: bool = False
    """The last attempt to load it failed."""
    instance: str = ""
    """Name of the loaded instance in LM Studio."""

    @property
    def is_taken(self) -> bool:
        """True if a call to it loads nothing beside it."""
        return self.state in ("loaded", "sleeping", "loading")

    @property
    def is_for_text(self) -> bool:
        return not _NO_TEXT.search(self.name) if self.writes is None else self.writes

    @property
    def facts(self) -> str:
        """What its server says of it, in words; may be empty."""
        if not self.is_for_text:
            return "writes no text"
        state = "could not be loaded" if self.failed else self.state
        return " · ".join(filter(None, (state, file_size(self.size) if self.size else "")))


def for_text(served: Sequence[ServedModel]) -> tuple[ServedModel, ...]:
    """Return the models that write text; if only names speak against all, those that may."""
    able = tuple(model for model in served if model.is_for_text)
    return able or tuple(model for model in served if model.writes is None)


def unasked(served: Sequence[ServedModel]) -> str:
    """Return the model that is used without asking: one in memory, else the only one, else the first of a server that
    loads none itself. Empty: ask.
    """
    able = for_text(served)
    taken = [model for model in able if model.is_taken]
    if taken or len(able) == 1 or not any(model.state for model in able):
        return next((model.name for model in (*taken, *able)), "")
    return ""


def is_same_model(one: str, other: str) -> bool:
    """True if one name, without owner, folders and file ending, is part of the other: an alias, a date, a quantisation."""
    names = [re.split(r"[/\\]", name)[-1].casefold().removesuffix(".gguf") for name in (one, other)]
    names = [name.removesuffix(":latest") for name in names]
    return names[0] in names[1] or names[1] in names[0]


# --- by server -------------------------------------------------------------------------------------------------------


def listed(entry: Mapping[str, Any]) -> ServedModel:
    """Read an entry of `/v1/models`, or of `/models` of a llama.cpp router."""
    meta, status = _table(entry.get("meta")), _table(entry.get("status"))
    names = ("max_model_len", "loaded_context_length", "context_length", "context_window")
    window = tokens(meta.get("n_ctx")) or next(filter(None, (tokens(entry.get(name)) for name in names)), 0)
    output = _table(entry.get("architecture")).get("output_modalities")
    return ServedModel(
        str(entry["id"]),
        _STATES.get(str(status.get("value")), "unloaded") if status else "",
        size=_count(meta.get("size")),
        window=window or _window_of_arguments(status.get("args")),
        writes=False if isinstance(output, list) and "text" not in output else None,
        failed=status.get("failed") is True,
    )


def of_ollama(entry: Mapping[str, Any], running: Mapping[str, Any], shown: Mapping[str, Any]) -> ServedModel:
    """Read a model of `/api/tags`, with its entry of `/api/ps` (empty if not loaded) and its `/api/show`."""
    abilities = shown.get("capabilities")
    asked = re.search(r"^\s*num_ctx\s+(\d+)", str(shown.get("parameters", "")), re.MULTILINE)
    return ServedModel(
        str(entry.get("name") or entry.get("model")),
        "loaded" if running else "unloaded",
        size=_count(entry.get("size")),
        window=tokens(running.get("context_length"))
        or (0 if running or not asked else tokens(int(asked[1]))),
        writes="completion" in abilities if isinstance(abilities, list) else None,
    )


def of_lm_studio(entry: Mapping[str, Any]) -> ServedModel:
    """Read a model of `/api/v0/models`, or of `/api/v1/models` of version 0.4."""
    instances = entry.get("loaded_instances")
    first = _table(instances[0]) if isinstance(instances, list) and instances else {}
    is_loaded = bool(first) or entry.get("state") == "loaded"
    window = _table(first.get("config")).get("context_length") or entry.get("loaded_context_length")
    return ServedModel(
        str(entry.get("key") or entry.get("id")),
        "loaded" if is_loaded else "loading" if entry.get("state") == "loading" else "unloaded",
        size=_count(entry.get("size_bytes")),
        window=tokens(window),
        writes=entry["type"] in ("llm", "vlm") if "type" in entry else None,
        instance=str(first.get("id", "")),
    )


def with_own_facts(entries: Sequence[ServedModel], own: Sequence[ServedModel]) -> tuple[ServedModel, ...]:
    """Add to the listed `entries` what the server's own interface says of them."""
    known = {model.name: model for model in own}
    by_tag = (known.get(one.name) or known.get(f"{one.name}:latest") or one for one in entries)
    return tuple(replace(model, name=one.name) for one, model in zip(entries, by_tag, strict=True))


def tokens(value: Any) -> int:
    number = _count(value)
    return number if number >= 256 else 0


def tables(values: Any) -> Iterator[dict[str, Any]]:
    return (value for value in values if isinstance(value, dict)) if isinstance(values, list) else iter(())


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _table(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _window_of_arguments(arguments: Any) -> int:
    """Return the tokens of each slot that a llama.cpp model will be loaded with."""
    words = [str(word) for word in arguments] if isinstance(arguments, list) else []
    values = dict(pairwise(words))
    context, slots = (
        next((int(values[flag]) for flag in flags if values.get(flag, "").isdecimal()), 0)
        for flags in (("-c", "--ctx-size", "-ctx"), ("-np", "--parallel"))
    )
    is_shared = not {"-kvu", "--kv-unified"}.isdisjoint(words)
    return tokens(context if is_shared else context // max(slots, 1))
