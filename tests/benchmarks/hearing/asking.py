"""Requests to a server that speaks as OpenAI's does, with the answers kept in a file."""

import json
import time
import urllib.request
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

TIMEOUT_SECONDS = 900


@dataclass(frozen=True)
class Row:
    """One answer of a model."""

    variant: str
    scene: str
    model: str
    answer: str
    prompt_tokens: int
    tokens: int
    seconds: float


def post(base_url: str, body: dict[str, Any], variant: str, scene: str) -> Row:
    """Send one request. Raises `OSError`."""
    request = urllib.request.Request(
        f"{base_url.rstrip('/')}/chat/completions",
        json.dumps(body).encode(),
        {"Content-Type": "application/json", "X-Agent": f"hearing-{variant}"},
    )
    began = time.monotonic()
    with urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS) as response:
        answer = json.loads(response.read())
    usage = answer.get("usage") or {}
    return Row(
        variant,
        scene,
        str(answer.get("model") or body["model"]),
        answer["choices"][0]["message"]["content"] or "",
        int(usage.get("prompt_tokens", 0)),
        int(usage.get("completion_tokens", 0)),
        round(time.monotonic() - began, 1),
    )


def keep(file: Path | None, row: Row) -> None:
    """Add an answer to a file, if there is one."""
    if file:
        with file.open("a", encoding="utf-8") as added:
            added.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")


def read_rows(file: Path) -> list[Row]:
    """The answers in a file; none if it is not there."""
    return [Row(**json.loads(line)) for line in file.read_text().splitlines()] if file.is_file() else []
