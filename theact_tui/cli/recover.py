"""`theact-tui recover`: reads raw model replies as the engine does and prints the recovered fields (S12)."""

from __future__ import annotations

import json
from typing import Any, TextIO

import click

from theact_tui.errors import NothingRecovered, UsageError


@click.command("recover")
@click.argument("agent", required=False)
@click.option("--context", "context_file", type=click.File(encoding="utf-8"), help="JSON with the cast, beats and facts.")
@click.option("--jsonl", type=click.File(encoding="utf-8", errors="replace"), help="One reply per line; - for standard input.")
def recover(agent: str | None, context_file: TextIO | None, jsonl: TextIO | None) -> None:
    """Recover the fields of a raw reply of AGENT from standard input, and print them as JSON.

    With --jsonl every line is {"id", "agent", "raw", "context"} and is answered by {"id", "ok", "fields", "steps"}.
    """
    if jsonl is not None:
        if agent or context_file:
            raise UsageError("Give either an agent or --jsonl, not both.")
        _answer_lines(jsonl)
        return
    if agent is None:
        raise UsageError("Name the agent whose reply this is, such as `narrator`, or use --jsonl.")
    raw = click.get_binary_stream("stdin").read().decode("utf-8", errors="replace")
    told = _one(agent, raw, _loaded(context_file.read()) if context_file else {})
    if not told["ok"]:
        raise NothingRecovered(f"Nothing usable in this reply of {agent}: {told['missing']} is missing.")
    click.echo(json.dumps(told["fields"], ensure_ascii=False, indent=2))


def _answer_lines(lines: TextIO) -> None:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        asked = _loaded(line, f"Line {number}")
        told = _one(str(asked.get("agent", "")), str(asked.get("raw") or ""), asked.get("context") or {})
        told.pop("missing")
        click.echo(json.dumps({"id": asked.get("id"), **told}, ensure_ascii=False))


def _one(agent: str, raw: str, context: dict[str, Any]) -> dict[str, Any]:
    from theact_tui.models.reading import read
    from theact_tui.models.reading.shapes import AGENTS

    if agent.partition(":")[0] not in AGENTS:
        raise UsageError(f"There is no agent {agent!r}. Agents are: {', '.join(AGENTS)}.")
    reading = read(agent, raw, _context(context))
    return {
        "ok": reading.ok,
        "fields": reading.fields if reading.ok else {},
        "steps": list(reading.steps),
        "missing": reading.missing,
    }


def _context(told: dict[str, Any]) -> Any:
    from theact_tui.models.reading import Context

    cast, beats, facts = (told.get(key) for key in ("active_characters", "beats", "facts"))
    if isinstance(cast, list):
        cast = {str(id): str(id) for id in cast}
    if not (isinstance(cast, dict | None) and isinstance(beats, list | None) and isinstance(facts, list | None)):
        raise UsageError("In the context, `active_characters` maps ids to names; `beats` and `facts` are lists.")
    return Context(
        active_characters=None if cast is None else {str(id): str(name) for id, name in cast.items()},
        beats=None if beats is None else tuple(map(str, beats)),
        facts=None if facts is None else tuple(map(str, facts)),
        prompt_example=str(told.get("prompt_example") or ""),
    )


def _loaded(text: str, what: str = "The context") -> dict[str, Any]:
    try:
        told = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{what} is not JSON: {error}.") from error
    if not isinstance(told, dict):
        raise UsageError(f"{what} is not a JSON object.")
    return told
