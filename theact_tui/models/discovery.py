"""Query servers for models and windows; find running ones on this computer."""

import asyncio
import json
import math
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, repeat
from typing import Any
from urllib.parse import quote, urlsplit

from theact_tui.models.addresses import has_path, is_local, open_http
from theact_tui.models.served_models import (
    ServedModel,
    for_text,
    listed,
    of_lm_studio,
    of_ollama,
    tables,
    tokens,
    unasked,
    with_own_facts,
)

PORTS = {
    11434: "Ollama",
    1234: "LM Studio",
    8080: "llama.cpp",
    9931: "llama.cpp",
    8000: "vLLM",
    5001: "KoboldCpp",
}
_KINDS = {
    "ollama": "Ollama",
    "lmstudio": "LM Studio",
    "llama.cpp": "llama.cpp",
    "vllm": "vLLM",
    "koboldcpp": "KoboldCpp",
}


@dataclass(frozen=True, slots=True)
class Server:
    name: str
    base_url: str
    models: tuple[str, ...]
    """Those that write text, by name."""
    window: int
    """Tokens of the model that is used unasked; 0 if unknown."""
    kind: str = ""
    served: tuple[ServedModel, ...] = ()
    """All of them, as the server lists them."""


def server_seen(base_url: str, seen: "Seen") -> Server:
    names = tuple(model.name for model in for_text(seen.served))
    name = _KINDS.get(seen.kind) or PORTS.get(urlsplit(base_url).port or 0, "a model server")
    return Server(name, base_url, names, seen.window, seen.kind, seen.served)


_PATIENCE = 2.0
_LARGEST = 4_000_000


@dataclass(frozen=True, slots=True)
class Seen:
    reached: bool = False
    lists: bool = False
    kind: str = ""
    """`ollama`, `llama.cpp`, `lmstudio`, `koboldcpp`, `vllm`, or empty."""
    window: int = 0
    """Tokens; 0 if unknown."""
    served: tuple[ServedModel, ...] = ()
    slots: int = 0
    """Parallel requests of llama.cpp; 0 if unknown."""
    error: Exception | None = None

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(model.name for model in self.served)

    @property
    def cuts(self) -> bool:
        """True if it silently drops the beginning of long prompts."""
        return self.kind in ("ollama", "koboldcpp")


@dataclass(frozen=True, slots=True)
class Listing:
    entries: tuple[dict[str, Any], ...] = ()
    found: bool = False
    error: Exception | None = None

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(entry["id"]) for entry in self.entries)


_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z])", re.IGNORECASE)
_FOR_CODE = re.compile(r"code|math", re.IGNORECASE)
_RECOMMENDED_BILLIONS = 7.0


_SMALL_BILLIONS = 4.0


def name_hint(model: str) -> str:
    """Warn if the name implies a small size or another purpose."""
    name = model.rpartition("/")[2]
    size = _SIZE.search(name)
    if size and _billions(name) < _RECOMMENDED_BILLIONS:
        return f"{size[1]}{size[2].upper()} is small: expect slips."
    return "It is made for code or mathematics: expect slips." if _FOR_CODE.search(name) else ""


def is_small(model: str) -> bool:
    return _billions(model.rpartition("/")[2]) < _SMALL_BILLIONS


def _billions(name: str) -> float:
    size = _SIZE.search(name)
    return float(size[1]) / (1 if size[2] in "bB" else 1000) if size else math.inf


async def fetch(url: str, key: str = "", patience: float = _PATIENCE, body: Any = None) -> Any:
    """Return the JSON at `url`, by POST if there is a `body`.

    Raises OSError without a whole answer within `patience` seconds, ValueError for other content or a refusal.
    """
    client = await asyncio.to_thread(open_http, url, patience)
    import httpx2  # loaded by now

    headers = {"Accept": "application/json", "X-Agent": "probe"}
    headers |= {"Authorization": f"Bearer {key}"} if key else {}
    method, data = "GET" if body is None else "POST", bytearray()
    try:
        async with (
            asyncio.timeout(patience),
            client,
            client.stream(method, url, headers=headers, json=body) as answer,
        ):
            if not answer.is_success:
                raise ValueError(f"refused with status {answer.status_code}")
            async for part in answer.aiter_bytes():
                data += part
                if len(data) > _LARGEST:
                    raise ValueError("longer than any list of models")
    except httpx2.HTTPError as error:
        raise ConnectionError(str(error)) from error
    try:
        return await asyncio.to_thread(json.loads, data.decode("utf-8", "replace"))
    except RecursionError:
        raise ValueError("nested without end") from None


async def list_models(base_url: str, key: str = "", patience: float = _PATIENCE) -> Listing:
    """List the models at `base_url`, or at `/v1` below it if it has no path."""
    error: Exception | None = None
    for place in [base_url] if has_path(base_url) else [base_url, f"{base_url}/v1"]:
        try:
            answer = await fetch(f"{place}/models", key, patience)
        except OSError as failed:
            error = failed
            continue
        except ValueError:
            continue
        entries = answer.get("data") if isinstance(answer, dict) else answer
        if isinstance(entries, list):
            return Listing(tuple(e for e in tables(entries) if isinstance(e.get("id"), str)), found=True)
    return Listing(error=error)


async def see(base_url: str, model: str, key: str = "", patience: float = _PATIENCE) -> Seen:
    """Return a server's kind, models, and the window of `model` or of the one that is used unasked."""
    listing = await list_models(base_url, key, patience)
    if listing.error is not None:
        return Seen(error=listing.error)
    served = tuple(map(listed, listing.entries))
    kind = next(filter(None, map(_kind_of, listing.entries)), "")
    seen = Seen(True, listing.found, kind, 0, served)
    if is_local(base_url) and kind != "vllm":
        ask = partial(_json, root_of(base_url), patience=patience, key=key)
        is_router = any("status" in entry for entry in listing.entries)
        seen = await (_router if is_router else _own_answers)(seen, model, ask)
    one = next((one for one in seen.served if one.name == (model or unasked(seen.served))), None)
    windows = [window for window in (seen.window, one.window if one else 0) if window]
    return replace(seen, window=min(windows, default=0))


def root_of(base_url: str) -> str:
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}"


def _kind_of(entry: dict[str, Any]) -> str:
    owners = {"llamacpp": "llama.cpp", "vllm": "vllm", "koboldcpp": "koboldcpp"}
    return owners.get(str(entry.get("owned_by")), "vllm" if "max_model_len" in entry else "")


_Ask = Callable[..., Awaitable[dict[str, Any]]]


async def _json(root: str, path: str, body: Any = None, *, patience: float, key: str) -> dict[str, Any]:
    try:
        answer = await fetch(root + path, key, patience, body)
    except (OSError, ValueError):
        return {}
    return answer if isinstance(answer, dict) else {}


async def _router(seen: Seen, model: str, ask: _Ask) -> Seen:
    """Ask llama.cpp for window and slots of a model in memory; for another one it refuses, or would load it."""
    name = model or unasked(seen.served)
    if not any(one.name == name and one.state in ("loaded", "sleeping") for one in seen.served):
        return replace(seen, kind="llama.cpp")
    props = await ask(f"/props?model={quote(name, safe='')}&autoload=false")
    return replace(seen, kind="llama.cpp", window=_slot_window(props), slots=_slots(props))


async def _own_answers(seen: Seen, model: str, ask: _Ask) -> Seen:
    paths = ("/props", "/api/ps", "/api/v1/models", "/api/v0/models", "/api/extra/true_max_context_length")
    llama, ollama, studio, old_studio, kobold = await asyncio.gather(*map(ask, paths))
    if "default_generation_settings" in llama:
        loaded = tuple(replace(one, state="loaded") for one in seen.served)
        window, slots = _slot_window(llama), _slots(llama)
        return replace(seen, kind="llama.cpp", window=window, slots=slots, served=loaded)
    if isinstance(ollama.get("models"), list):
        entries = [*tables((await ask("/api/tags")).get("models"))] or [
            {"name": one.name} for one in seen.served
        ]
        asked = entries[:_MOST_SHOWN]
        shown = await asyncio.gather(*(ask("/api/show", {"model": entry.get("name")}) for entry in asked))
        running = [*tables(ollama["models"])]
        of = (next((one for one in running if _is_called(one, str(e.get("name")))), {}) for e in entries)
        own = map(of_ollama, entries, of, chain(shown, repeat({})))
        return replace(seen, kind="ollama", served=with_own_facts(seen.served, [*own]))
    if entries := [*tables(studio.get("models"))] or [*tables(old_studio.get("data"))]:
        return replace(
            seen, kind="lmstudio", served=with_own_facts(seen.served, [*map(of_lm_studio, entries)])
        )
    if "value" in kobold:
        return replace(seen, kind="koboldcpp", window=tokens(kobold["value"]))
    return seen


_MOST_SHOWN = 40
"""Models of Ollama that are asked for what they can do."""


def _slot_window(props: Mapping[str, Any]) -> int:
    settings = props.get("default_generation_settings")
    return tokens(settings.get("n_ctx")) if isinstance(settings, dict) else 0


def _slots(props: Mapping[str, Any]) -> int:
    slots = props.get("total_slots")
    return slots if isinstance(slots, int) and not isinstance(slots, bool) and 0 < slots <= 64 else 0


def _is_called(entry: Mapping[str, Any], model: str) -> bool:
    names = (model, f"{model}:latest", model.removesuffix(":latest"))
    return any(entry.get(key) in names for key in ("name", "model"))
