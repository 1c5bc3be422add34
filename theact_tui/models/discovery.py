"""Query servers for models and windows; find running ones on this computer."""

import asyncio
import json
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from theact_tui.models.addresses import has_path, is_local, open_http

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
    window: int
    """Tokens of the first model; 0 if unknown."""


async def running_servers(ports: Iterable[int] = PORTS) -> list[Server]:
    """Find model servers on this computer within a few seconds."""
    found = await asyncio.gather(*(_knock(port) for port in ports))
    return [server for server in found if server is not None]


async def _knock(port: int) -> Server | None:
    base_url = f"http://127.0.0.1:{port}/v1"
    seen = await see(base_url, "", patience=1.5)  # this computer answers at once or not at all
    if not seen.lists:
        return None
    name = _KINDS.get(seen.kind) or PORTS.get(port, "a model server")
    return Server(name, base_url, seen.models, seen.window)


PATIENCE = 2.0
_LARGEST = 4_000_000


@dataclass(frozen=True, slots=True)
class Seen:
    reached: bool = False
    lists: bool = False
    kind: str = ""
    """`ollama`, `llama.cpp`, `lmstudio`, `koboldcpp`, `vllm`, or empty."""
    window: int = 0
    """Tokens; 0 if unknown."""
    models: tuple[str, ...] = ()
    slots: int = 0
    """Parallel requests of llama.cpp; 0 if unknown."""
    error: Exception | None = None

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


_TELLS_NOTHING = re.compile(r"embed|rerank|whisper|\btts\b|moderation|dall-e|\bbge\b", re.IGNORECASE)


def first_chat_model(names: Sequence[str]) -> str:
    """Return the first model that can chat, else the first, else ""."""
    return next((name for name in names if not _TELLS_NOTHING.search(name)), names[0] if names else "")


_SIZE = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)([bm])(?![a-z])", re.IGNORECASE)
_FOR_CODE = re.compile(r"code|math", re.IGNORECASE)
_RECOMMENDED_BILLIONS = 7.0


_SMALL_BILLIONS = 4.0


def hint_of(model: str) -> str:
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


async def fetch(url: str, key: str = "", patience: float = PATIENCE, body: Any = None) -> Any:
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


async def list_models(base_url: str, key: str = "", patience: float = PATIENCE) -> Listing:
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
            return Listing(tuple(e for e in _tables(entries) if isinstance(e.get("id"), str)), found=True)
    return Listing(error=error)


async def see(base_url: str, model: str, key: str = "", patience: float = PATIENCE) -> Seen:
    """Return a server's kind, models, and the window of `model` or its first one."""
    listing = await list_models(base_url, key, patience)
    if listing.error is not None:
        return Seen(error=listing.error)
    wanted = model or first_chat_model(listing.names)
    entry: dict[str, Any] = next(
        (e for e in listing.entries if e["id"] == wanted), dict(*listing.entries[:1])
    )
    kind = next(filter(None, map(_kind_of, listing.entries)), "")
    listed = Seen(True, listing.found, kind, _window_in(entry), listing.names)
    if not is_local(base_url) or listed.kind == "vllm":
        return listed
    parts = urlsplit(base_url)
    root = f"{parts.scheme}://{parts.netloc}"
    fields, slots = await _own_answers(root, model or str(entry.get("id", "")), patience)
    windows = [window for window in (listed.window, *(w for _, w in fields)) if window]
    kind = fields[0][0] if fields else kind
    return replace(listed, kind=kind, window=min(windows, default=0), slots=slots)


def _kind_of(entry: dict[str, Any]) -> str:
    owners = {"llamacpp": "llama.cpp", "vllm": "vllm", "koboldcpp": "koboldcpp"}
    return owners.get(str(entry.get("owned_by")), "vllm" if "max_model_len" in entry else "")


def _window_in(entry: dict[str, Any]) -> int:
    meta = entry.get("meta")
    if isinstance(meta, dict) and (window := _number(meta.get("n_ctx"))):
        return window
    names = ("max_model_len", "loaded_context_length", "context_length", "context_window")
    return next((window for name in names if (window := _number(entry.get(name)))), 0)


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 256 else 0


async def _json(url: str, patience: float, body: Any = None) -> dict[str, Any]:
    try:
        answer = await fetch(url, patience=patience, body=body)
    except (OSError, ValueError):
        return {}
    return answer if isinstance(answer, dict) else {}


async def _own_answers(root: str, model: str, patience: float) -> tuple[list[tuple[str, int]], int]:
    paths = ("/props", "/api/ps", "/api/v0/models", "/api/extra/true_max_context_length")
    llama, ollama, studio, kobold = await asyncio.gather(*(_json(root + path, patience) for path in paths))
    found: list[tuple[str, int]] = []
    if isinstance(settings := llama.get("default_generation_settings"), dict):
        found.append(("llama.cpp", _number(settings.get("n_ctx"))))
    if isinstance(running := ollama.get("models"), list):
        loaded = next((e for e in _tables(running) if _is_called(e, model)), None)
        if loaded is None:  # then its window is the one that its Modelfile asks for
            shown = await _json(f"{root}/api/show", patience, {"model": model})
            asked = re.search(r"^\s*num_ctx\s+(\d+)", str(shown.get("parameters", "")), re.MULTILINE)
            loaded = {"context_length": int(asked[1])} if asked else {}
        found.append(("ollama", _number(loaded.get("context_length"))))
    if isinstance(listed := studio.get("data"), list):
        entry = next((e for e in _tables(listed) if e.get("id") == model), {})
        found.append(("lmstudio", _number(entry.get("loaded_context_length"))))
    if "value" in kobold:
        found.append(("koboldcpp", _number(kobold["value"])))
    slots = llama.get("total_slots")
    return found, slots if isinstance(slots, int) and not isinstance(slots, bool) and 0 < slots <= 64 else 0


def _tables(values: list[Any]) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)]


def _is_called(entry: dict[str, Any], model: str) -> bool:
    return any(entry.get(key) in (model, f"{model}:latest") for key in ("name", "model"))
