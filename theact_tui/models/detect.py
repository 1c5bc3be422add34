"""Model servers that run on this computer (S8.1), found by knocking at their usual doors."""

from __future__ import annotations

import asyncio
import urllib.error
from collections.abc import Iterable
from dataclasses import dataclass

from theact_tui.models.probe import Seen, fetch, see

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
    try:
        listed = await fetch(f"{base_url}/models", patience=_PATIENCE)
    except urllib.error.HTTPError as refused:
        refused.close()
        return None
    except (OSError, ValueError):
        return None
    entries = listed.get("data") if isinstance(listed, dict) else None
    if not isinstance(entries, list):
        return None
    first = next((e["id"] for e in entries if isinstance(e, dict) and isinstance(e.get("id"), str)), "")
    seen = await see(base_url, first, patience=_PATIENCE)
    return Server(_name(seen, port), base_url, seen.models, seen.window)


def _name(seen: Seen, port: int) -> str:
    return _KINDS.get(seen.kind) or PORTS.get(port, "a model server")
