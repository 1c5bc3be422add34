"""Scenes put to a server that speaks as OpenAI's does, with the answers kept in a file, and read."""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.hearing.pieces import pieces_of
from tests.benchmarks.hearing.scenes import Scene
from tests.benchmarks.hearing.score import Reading
from tests.benchmarks.hearing.variants import VARIANTS, prompt

MAX_TOKENS = 400
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


def ask(base_url: str, model: str, variant: str, scene: Scene) -> Row:
    """Put one scene to a server. Raises `OSError`."""
    asked = VARIANTS[variant]
    schema = asked.schema(scene, pieces_of(scene))
    body = {
        "model": model,
        "messages": [
            {"role": "system", "content": "You keep the record of a story. Answer with one JSON object."},
            {"role": "user", "content": prompt(scene, asked)},
        ],
        "temperature": 0,
        "max_tokens": MAX_TOKENS,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "stage", "strict": True, "schema": schema},
        },
    }
    return post(base_url, body, variant, scene.id)


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


def answered(
    scenes: Sequence[Scene], variants: Sequence[str], base_url: str | None, model: str, file: Path | None
) -> list[Row]:
    """The answers to these scenes: those in `file`, and where there is a server what it lacks, kept there at once."""
    wanted = [(variant, scene) for scene in scenes for variant in variants]
    kept = {(row.variant, row.scene): row for row in (read_rows(file) if file else ())}
    for variant, scene in wanted if base_url else ():
        if (variant, scene.id) in kept:
            continue
        row = kept[variant, scene.id] = ask(base_url or "", model, variant, scene)
        keep(file, row)
    return [kept[variant, scene.id] for variant, scene in wanted if (variant, scene.id) in kept]


def read_rows(file: Path) -> list[Row]:
    """The answers in a file; none if it is not there."""
    return [Row(**json.loads(line)) for line in file.read_text().splitlines()] if file.is_file() else []


def reading_of(scene: Scene, row: Row) -> Reading | None:
    """What an answer says; None if it is no JSON object."""
    try:
        answer = json.loads(row.answer[row.answer.index("{") : row.answer.rindex("}") + 1])
    except ValueError:
        return None
    return VARIANTS[row.variant].read(scene, pieces_of(scene), answer) if isinstance(answer, dict) else None
