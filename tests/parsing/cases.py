"""Raw replies with what a careful reader finds in them, and how a parsed reply is compared with that.

They are data: `cases/<agent>.jsonl`, one reply a line, each with the context it was asked in (`cases/contexts.json`;
the island if none is named). `fields` is null where nothing in a reply may be used.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theact_tui.parsing import ReplyContext

FOLDER = Path(__file__).parent / "cases"


def _context(told: dict[str, Any]) -> ReplyContext:
    facts = tuple(told["facts"]) if told["facts"] is not None else None
    return ReplyContext(**{**told, "facts": facts})


CONTEXTS = {
    name: _context(told)
    for name, told in json.loads((FOLDER / "contexts.json").read_text(encoding="utf-8")).items()
}
ISLAND = CONTEXTS["island"]
CAST = dict(ISLAND.active_characters or {})
FACTS = ISLAND.facts or ()


@dataclass(frozen=True)
class ReplyCase:
    """One raw reply. `fields` is None when nothing in it may be used."""

    id: str
    agent: str
    raw: str
    fields: dict[str, Any] | None
    context: ReplyContext = ISLAND


def cases(*agents: str) -> tuple[ReplyCase, ...]:
    """The replies of `agents`, or of all."""
    return _read(*([FOLDER / f"{agent}.jsonl" for agent in agents] or sorted(FOLDER.glob("*.jsonl"))))


def held_out() -> tuple[ReplyCase, ...]:
    """Replies of all agents that the reader was not written for."""
    return _read(FOLDER.parent / "heldout.jsonl")


def recorded() -> tuple[ReplyCase, ...]:
    """Replies to the prompts of this version, each with its origin, and what they were asked about."""
    lines = (FOLDER.parent / "recorded.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(map(_recorded, map(json.loads, lines)))


def _recorded(row: dict[str, Any]) -> ReplyCase:
    offered = {name: tuple(ids) for name, ids in row["offered"].items()} if "offered" in row else None
    labels = {"only": tuple(row.get("labels", ()))}
    context = ReplyContext(row.get("people"), tuple(row.get("facts", ())), offered=offered, labels=labels)
    return ReplyCase(row["id"], row["agent"], row["raw"], row["fields"], context)


def _read(*paths: Path) -> tuple[ReplyCase, ...]:
    rows = [
        json.loads(line) for path in paths for line in path.read_text(encoding="utf-8").split("\n") if line
    ]
    return tuple(ReplyCase(**{**row, "context": CONTEXTS[row.get("context", "island")]}) for row in rows)


def flat(value: Any) -> Any:
    """`value` with runs of white space in its texts made one space, for comparison."""
    match value:
        case str():
            return " ".join(value.split())
        case list() | tuple():
            return [flat(part) for part in value]
        case dict():
            return {key: flat(part) for key, part in value.items()}
        case _:
            return value


def is_right(case: ReplyCase, ok: bool, fields: dict[str, Any]) -> bool:
    """True if every expected field was recovered, or a reply without an answer refused."""
    if case.fields is None or not ok:
        return case.fields is None and not ok
    absent = object()
    return all(flat(fields.get(name, absent)) == flat(value) for name, value in case.fields.items())
