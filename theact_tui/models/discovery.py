"""What a server says of itself: its models and their context windows. Those on this computer are found at their usual
ports."""

from __future__ import annotations

import asyncio
import json
import re
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from theact_tui.models.profiles import has_path, is_local

PORTS = {
    11434: "Ollama",
    1234: "LM Studio",
    8080: "llama.cpp",
    9931: "llama.cpp",
    8000: "vLLM",
    5001: "KoboldCpp",
}
"""Who usually answers where."""
_KINDS = {
    "ollama": "Ollama",
    "lmstudio": "LM Studio",
    "llama.cpp": "llama.cpp",
    "vllm": "vLLM",
    "koboldcpp": "KoboldCpp",
}
_PATIENCE = 1.5
"""Seconds for each question: this computer answers at once or not at all."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answered."""

    name: str
    """The program, as people call it."""
    base_url: str
    models: tuple[str, ...]
    window: int
    """Tokens of context of the first model, 0 when the server does not say."""


async def running_servers(ports: Iterable[int] = PORTS) -> list[Server]:
    """The model servers on this computer, all doors tried at the same time. Takes a few seconds at most."""
    found = await asyncio.gather(*(_knock(port) for port in ports))
    return [server for server in found if server is not None]


async def _knock(port: int) -> Server | None:
    base_url = f"http://127.0.0.1:{port}/v1"
    seen = await see(base_url, "", patience=_PATIENCE)
    if not seen.lists:
        return None
    name = _KINDS.get(seen.kind) or PORTS.get(port, "a model server")
    return Server(name, base_url, seen.models, seen.window)


PATIENCE = 2.0
"""Seconds for each question."""
_LARGEST = 8_000_000


@dataclass(frozen=True, slots=True)
class Seen:
    """What a server showed of itself."""

    reached: bool = False
    """Something answered."""
    lists: bool = False
    """It answered with a list of models."""
    kind: str = ""
    """The program, as far as recognised: `ollama`, `llama.cpp`, `lmstudio`, `koboldcpp`, `vllm`."""
    window: int = 0
    """Tokens of context the model has there; 0 when the server does not say."""
    models: tuple[str, ...] = ()
    error: Exception | None = None
    """Why nothing answered."""

    @property
    def cuts(self) -> bool:
        """Drops the beginning of prompts that are too long, without a word."""
        return self.kind in ("ollama", "koboldcpp")


@dataclass(frozen=True, slots=True)
class Listing:
    """A server's list of models, or why there is none."""

    entries: tuple[dict[str, Any], ...] = ()
    found: bool = False
    error: Exception | None = None
    """Set when nothing answered at all."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(entry["id"]) for entry in self.entries)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect could carry a key to a host the user did not agree to."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


async def fetch(url: str, key: str = "", patience: float = PATIENCE, body: Any = None) -> Any:
    """The JSON at `url`, asked by POST when there is a `body`. Raises OSError, and ValueError for no JSON or a refusal."""
    return await asyncio.to_thread(_fetch, url, key, patience, body)


def _fetch(url: str, key: str, patience: float, body: Any) -> Any:
    headers = {"Accept": "application/json", "Content-Type": "application/json", "X-Agent": "probe"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers)
    proxies = [urllib.request.ProxyHandler({})] if is_local(url) else []
    opener = urllib.request.build_opener(_NoRedirect, *proxies)
    try:
        with opener.open(request, timeout=patience) as answer:
            return json.loads(answer.read(_LARGEST).decode("utf-8", "replace"))
    except urllib.error.HTTPError as refused:
        refused.close()
        raise ValueError(f"refused with status {refused.code}") from None


async def list_models(base_url: str, key: str = "", patience: float = PATIENCE) -> Listing:
    """The models at `base_url`, and at `/v1` below it when it has no path."""
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
            named = (e for e in entries if isinstance(e, dict) and isinstance(e.get("id"), str))
            return Listing(tuple(named), found=True)
    return Listing(error=error)


async def see(base_url: str, model: str, key: str = "", patience: float = PATIENCE) -> Seen:
    """What the server at `base_url` is, what models it has, and the window of `model` there, or of its first one.

    Only this machine and private addresses are asked in the servers' own languages.
    """
    listing = await list_models(base_url, key, patience)
    if listing.error is not None:
        return Seen(error=listing.error)
    entry = next((e for e in listing.entries if e["id"] == model), dict(*listing.entries[:1]))
    kind = next(filter(None, map(_kind_of, listing.entries)), "")
    listed = Seen(True, listing.found, kind, _window_in(entry), listing.names)
    if not is_local(base_url) or listed.kind == "vllm":
        return listed
    parts = urlsplit(base_url)
    root = f"{parts.scheme}://{parts.netloc}"
    asked = model or str(entry.get("id", ""))
    answers = await asyncio.gather(*(ask(root, asked, patience) for ask in _LANGUAGES))
    known = [(kind, window) for kind, window in answers if kind]
    windows = [window for window in (listed.window, *(w for _, w in known)) if window]
    return replace(listed, kind=known[0][0] if known else kind, window=min(windows, default=0))


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


Answer = tuple[str, int]
"""Kind and window; an empty kind when this is another program."""


async def _json(url: str, patience: float, body: Any = None) -> dict[str, Any]:
    try:
        answer = await fetch(url, patience=patience, body=body)
    except (OSError, ValueError):
        return {}
    return answer if isinstance(answer, dict) else {}


async def _llama(root: str, model: str, patience: float) -> Answer:
    settings = (await _json(f"{root}/props", patience)).get("default_generation_settings")
    return ("llama.cpp", _number(settings.get("n_ctx"))) if isinstance(settings, dict) else ("", 0)


async def _ollama(root: str, model: str, patience: float) -> Answer:
    """The loaded model's window; before it is loaded, the one its Modelfile asks for."""
    running = (await _json(f"{root}/api/ps", patience)).get("models")
    if not isinstance(running, list):
        return "", 0
    for entry in running:
        if isinstance(entry, dict) and {entry.get("name"), entry.get("model")} & {model, f"{model}:latest"}:
            return "ollama", _number(entry.get("context_length"))
    shown = await _json(f"{root}/api/show", patience, {"model": model})
    found = re.search(r"^\s*num_ctx\s+(\d+)", str(shown.get("parameters", "")), re.MULTILINE)
    return "ollama", _number(int(found[1])) if found else 0


async def _lmstudio(root: str, model: str, patience: float) -> Answer:
    entries = (await _json(f"{root}/api/v0/models", patience)).get("data")
    if not isinstance(entries, list):
        return "", 0
    for entry in entries:
        if isinstance(entry, dict) and entry.get("id") == model:
            return "lmstudio", _number(entry.get("loaded_context_length"))
    return "lmstudio", 0


async def _kobold(root: str, model: str, patience: float) -> Answer:
    answer = await _json(f"{root}/api/extra/true_max_context_length", patience)
    return ("koboldcpp", _number(answer["value"])) if "value" in answer else ("", 0)


_LANGUAGES: tuple[Callable[[str, str, float], Awaitable[Answer]], ...] = (_llama, _ollama, _lmstudio, _kobold)
