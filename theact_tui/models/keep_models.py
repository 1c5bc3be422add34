"""Load, unload and fetch models on a server of this computer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from theact_tui.errors import CallError, UsageError
from theact_tui.guest_permissions import CHANGE_MODELS, refuse_guest
from theact_tui.models.addresses import is_this_computer, open_http
from theact_tui.models.discovery import fetch, root_of
from theact_tui.models.failures import without_key
from theact_tui.models.served_models import ServedModel, listed, tables
from theact_tui.paths import Home
from theact_tui.text import one_line

_ELSEWHERE = (
    "Models are loaded, unloaded and fetched on this computer only: elsewhere that may stop others' stories."
)
FETCHING = ("llama.cpp", "ollama")
"""Kinds of servers that fetch models."""
_LOOK_SECONDS = 0.5
_LOAD_SECONDS = 900.0
"""A server that says nothing for so long has failed."""


def _failed(sentence: str) -> CallError:
    return CallError("model", sentence)


@dataclass(frozen=True, slots=True)
class LoadProgress:
    text: str
    done: int = 0
    total: int = 0
    """Bytes, or thousandths while loading; 0 if unknown."""

    def __str__(self) -> str:
        return f"{self.text} {min(self.done / self.total, 1.0):.0%}" if self.total else self.text


Say = Callable[[LoadProgress], None]


@dataclass(frozen=True, slots=True)
class ModelServer:
    """A server whose models may be changed. Making one raises UsageError for a guest and for a server elsewhere, its
    calls raise CallError; cancelling a load or a fetch ends it there too.
    """

    home: Home
    base_url: str
    kind: str
    key: str = field(default="", repr=False)
    look_seconds: float = _LOOK_SECONDS

    def __post_init__(self) -> None:
        refuse_guest(self.home, CHANGE_MODELS)
        if not is_this_computer(self.base_url):
            raise UsageError(_ELSEWHERE)

    async def load(self, model: str, say: Say) -> None:
        match self.kind:
            case "llama.cpp":
                await self._ordered("/models/load", model, say, "loading")
            case "ollama":
                await self._post("/api/generate", {"model": model})
            case "lmstudio":
                await self._post("/api/v1/models/load", {"model": model})
            case _:
                raise _failed("This server loads its model when it starts.")

    async def unload(self, model: ServedModel) -> None:
        match self.kind:
            case "llama.cpp":
                await self._post("/models/unload", {"model": model.name})
                row: ServedModel | None = model
                while row is not None and row.is_taken:
                    await asyncio.sleep(self.look_seconds)
                    row = await self._row(model.name)
            case "ollama":
                await self._post("/api/generate", {"model": model.name, "keep_alive": 0})
            case "lmstudio":
                await self._post("/api/v1/models/unload", {"instance_id": model.instance or model.name})
            case _:
                raise _failed("This server unloads its model when it ends.")

    async def fetch(self, name: str, say: Say) -> None:
        """Fetch a model by its name. Ollama continues a fetch that was cancelled."""
        match self.kind:
            case "llama.cpp":
                await self._ordered("/models", name, say, "fetching")
            case "ollama":
                await self._pull(name, say)
            case _:
                raise _failed("This server fetches its models by its own program.")

    async def _pull(self, name: str, say: Say) -> None:
        """Closing the connection cancels."""
        sizes: dict[str, tuple[int, int]] = {}
        async with aclosing(self._lines("/api/pull", {"model": name})) as lines:
            async for line in lines:
                if error := line.get("error"):
                    raise self._failed(error)
                status = str(line.get("status", ""))
                if status == "success":
                    return
                if line.get("total"):
                    sizes[str(line.get("digest"))] = _number(line.get("completed")), _number(line["total"])
                say(_progress(one_line(status, 60), sizes.values()))
        raise _failed(
            f"The server stopped sending while it fetched {one_line(name, 60)}. Fetch it again to continue."
        )

    async def _ordered(self, path: str, model: str, say: Say, doing: str) -> None:
        """Order llama.cpp to load or fetch a model, and wait. Its row decides, not what it announces."""
        progress = LoadProgress(doing)

        async def follow() -> None:
            nonlocal progress
            async with aclosing(self._lines("/models/sse")) as events:
                async for event in events:
                    if event.get("model") == model:
                        progress = _announced(event.get("data"), doing) or progress

        following = asyncio.create_task(follow())
        try:
            await self._post(path, {"model": model})
            while True:
                await asyncio.sleep(self.look_seconds)
                row = await self._row(model)
                if row is None or row.failed or row.state == "unloaded":
                    if row and doing == "fetching" and not row.failed:
                        return
                    raise _failed(f"{one_line(model, 80)} was not {_DONE[doing]}. The server's log says why.")
                if row.state in ("loaded", "sleeping"):
                    return
                say(progress)
        except asyncio.CancelledError:
            await asyncio.shield(self._post("/models/unload", {"model": model}))
            raise
        finally:
            following.cancel()
            await asyncio.wait({following})

    async def _row(self, model: str) -> ServedModel | None:
        try:
            answer = await fetch(f"{root_of(self.base_url)}/models", self.key, 30.0)
        except (OSError, ValueError) as error:
            raise _failed("The server does not answer any more. Its log may say why.") from error
        rows = tables(answer.get("data") if isinstance(answer, dict) else ())
        return next((listed(row) for row in rows if row.get("id") == model), None)

    async def _post(self, path: str, body: Mapping[str, Any]) -> None:
        async with aclosing(self._lines(path, body)) as lines:
            async for line in lines:
                if error := line.get("error"):
                    raise self._failed(error)

    async def _lines(
        self, path: str, body: Mapping[str, Any] | None = None
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield each line of JSON, also of events. Raises CallError for a refusal."""
        client = await asyncio.to_thread(open_http, self.base_url, _LOAD_SECONDS)
        import httpx2

        headers = {"X-Agent": "models"} | ({"Authorization": f"Bearer {self.key}"} if self.key else {})
        method = "GET" if body is None else "POST"
        try:
            async with (
                client,
                client.stream(method, root_of(self.base_url) + path, headers=headers, json=body) as answer,
            ):
                async for text in answer.aiter_lines():
                    line = _read(text.removeprefix("data:"))
                    if not answer.is_success:
                        raise self._failed((line or {}).get("error", f"HTTP {answer.status_code}"))
                    if line is not None:
                        yield line
                if not answer.is_success:
                    raise self._failed(f"HTTP {answer.status_code}")
        except httpx2.HTTPError as error:
            raise _failed("The server does not answer. Check that it is running.") from error

    def _failed(self, error: object) -> CallError:
        words = error.get("message", error) if isinstance(error, dict) else error
        return _failed(f"The server refused: {one_line(without_key(str(words), self.key), 200)}.")


_DONE = {"loading": "loaded", "fetching": "fetched"}


def _read(text: str) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


def _announced(data: object, doing: str) -> LoadProgress | None:
    """Read an event of `/models/sse`: the bytes of each file, or the share of the stage that is loaded."""
    if files := [*_files(data)]:
        return _progress(doing, files)
    stage = data.get("progress") if isinstance(data, dict) else None
    value = stage.get("value") if isinstance(stage, dict) else None
    return LoadProgress(doing, round(value * 1000), 1000) if isinstance(value, int | float) else None


def _files(data: object) -> Iterator[tuple[int, int]]:
    if isinstance(data, dict):
        if {"done", "total"} <= data.keys():
            yield _number(data["done"]), _number(data["total"])
        else:
            for inner in data.values():
                yield from _files(inner)


def _progress(text: str, files: Any) -> LoadProgress:
    done, total = (sum(numbers) for numbers in zip(*(files or [(0, 0)]), strict=True))
    return LoadProgress(text, done, total)


def _number(value: Any) -> int:
    return int(value) if isinstance(value, int | float) and value > 0 else 0
