"""How memory blocks and the log read in prompts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from theact_tui.story.direct.blocks import lean
from theact_tui.story.direct.log import Exchange
from theact_tui.story.direct.models import SessionRecord
from theact_tui.story.direct.transcript import tidy
from theact_tui.story.direct.views import Payload

TELLER = "Narrator"
"""What characters know the game master by."""


def notes_text(payload: Payload) -> str:
    """A payload as short lines, without what is empty, colours and ranges."""
    said = {key: value for key, value in lean(payload).items() if key not in ("range", "agents")}
    cast = ", ".join(f"{agent['slot']} {agent['name']}" for agent in payload.get("agents", ()))
    return "\n".join([*([f"cast: {cast}"] if cast else []), *_lines(said)])


def notes_lines(payload: Payload) -> Iterable[tuple[str, str]]:
    """A payload as pairs of a kind and a line of that kind, without what is empty and ranges."""
    for key, value in lean(payload).items():
        kind = key.replace("_", " ")
        match value:
            case dict() if key != "range":
                for inner in value.values():
                    yield from ((kind, str(item)) for item in (inner if isinstance(inner, list) else [inner]))
            case list():
                yield from ((kind, _item(item)) for item in value)
            case _:
                pass


def _lines(said: dict[str, Any]) -> Iterable[str]:
    for key, value in said.items():
        name = key.replace("_", " ")
        match value:
            case dict():
                yield f"{name.upper()}"
                yield from _lines(value)
            case list():
                yield f"{name}:"
                yield from (f"- {_item(item)}" for item in value)
            case _:
                yield f"{name}: {value}"


def _item(item: Any) -> str:
    """A list item on one line: its first value, then the others with their names."""
    if not isinstance(item, dict):
        return str(item)
    parts = [
        (key.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else str(value))
        for key, value in item.items()
        if key != "agent_slot"
    ]
    first, *others = parts or [("", "")]
    return "; ".join([first[1], *(f"{key}: {value}" for key, value in others)])


def pages(exchanges: Iterable[Exchange], cast: SessionRecord, *, numbered: bool = False) -> str:
    """What was told, with the name of who is "you" in it, and what was answered, with who answers; prompts `numbered` as
    the one who keeps notes gets them."""
    told, names = list[str](), cast.agent_names
    for exchange in exchanges:
        to = next((f" (to {names[e.agent_slot]})" for e in exchange.replies if e.agent_slot in names), "")
        for event in exchange.events:
            text, slot = tidy(event.text), event.agent_slot
            if event.role == "user":
                lead = f"{event.prompt_index}){to}" if numbered else f"> {TELLER}{to}:"
                told.append(f"{lead} {text}")
            else:
                told.append(f"{names[slot]}: {text}" if slot in names else text)
    return "\n\n".join(told)
