"""`theact-tui recover`: reads raw model replies as the engine does and prints the recovered fields (S12)."""

from __future__ import annotations

import json
import sys
from typing import Any, BinaryIO

import click

from theact_tui.cli.context import print_json, say
from theact_tui.errors import NothingRecovered, UsageError
from theact_tui.parsing.reader import parse
from theact_tui.parsing.shapes import AGENTS
from theact_tui.parsing.types import ParsedReply, ReplyContext


@click.command("recover")
@click.argument("agent", required=False)
@click.option("--context", type=click.File("rb"), help="JSON with active_characters, beats, facts.")
@click.option("--json", is_flag=True, expose_value=False, help="Ignored: the output is always JSON.")
@click.option("--jsonl", type=click.File("rb"), help="One reply per line; - for standard input.")
def recover(agent: str | None, context: BinaryIO | None, jsonl: BinaryIO | None) -> None:
    """Recover the fields of a raw reply of AGENT from standard input, and print them as JSON.

    With --jsonl every line is {"id", "agent", "raw", "context"} and is answered by {"id", "ok", "fields", "steps"}.
    """
    if jsonl is not None:
        if agent or context:
            raise UsageError("Give either an agent or --jsonl, not both.")
        for number, line in enumerate(jsonl, 1):
            if line.strip():
                print_json(_answered(line.decode("utf-8", "replace"), f"Line {number}"), indent=None)
        return
    if agent is None:
        raise UsageError("Give the agent, for example `narrator`, or use --jsonl.")
    known = _context(_loaded(context.read().decode("utf-8", "replace"), "The context")) if context else None
    reading = _read(agent, sys.stdin.buffer.read().decode("utf-8", "replace"), known)
    if not reading.ok:
        raise NothingRecovered(f"Nothing usable in this reply of {agent}: {reading.missing} is missing.")
    print_json(reading.fields)


def _answered(line: str, what: str) -> dict[str, Any]:
    """The answer to one line; a line that cannot be followed is answered too, and said so on standard error."""
    asked: dict[str, Any] = {}
    try:
        asked = _loaded(line, what)
        reading = _read(
            str(asked.get("agent")), str(asked.get("raw") or ""), _context(asked.get("context") or {})
        )
    except UsageError as error:
        say(error.message, err=True)
        return {"id": asked.get("id"), "ok": False, "fields": {}, "steps": []}
    fields = reading.fields if reading.ok else {}
    return {"id": asked.get("id"), "ok": reading.ok, "fields": fields, "steps": list(reading.steps)}


def _read(agent: str, raw: str, context: ReplyContext | None) -> ParsedReply:
    if agent.partition(":")[0] not in AGENTS:
        raise UsageError(f"Unknown agent {agent!r}. Agents: {', '.join(AGENTS)}.")
    return parse(agent, raw, context)


def _context(told: Any) -> ReplyContext:
    cast = told.get("active_characters") if isinstance(told, dict) else told
    if isinstance(cast, list):
        cast = {str(id): str(id) for id in cast}
    if not isinstance(told, dict) or not isinstance(cast, dict | None):
        raise UsageError("In a context `active_characters` must map ids to names.")
    return ReplyContext(
        active_characters=None if cast is None else {str(id): str(name) for id, name in cast.items()},
        beats=_lines(told, "beats"),
        facts=_lines(told, "facts"),
        prompt_example=str(told.get("prompt_example") or ""),
    )


def _lines(told: dict[str, Any], key: str) -> tuple[str, ...] | None:
    lines = told.get(key)
    if not isinstance(lines, list | None):
        raise UsageError(f"In a context `{key}` must be a list of strings.")
    if lines is None:
        return None
    return tuple(str(line["text"] if isinstance(line, dict) and "text" in line else line) for line in lines)


def _loaded(text: str, what: str) -> dict[str, Any]:
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{what} is not valid JSON: {error}.") from error
    if not isinstance(told, dict):
        raise UsageError(f"{what} is not a JSON object.")
    return told
