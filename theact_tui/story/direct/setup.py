"""Changing what Setup holds (D2). Every function gives the new values or a refusal; limits are enforced here."""

from __future__ import annotations

import re

from theact_tui.story.direct.limits import AGENTS_MAX, NAME_LIMIT, Refused, too_long
from theact_tui.story.direct.records import AgentSetup, Session, Setup
from theact_tui.story.direct.slots import roster
from theact_tui.text import clean

Changed = tuple[Session, Setup]


def set_world(session: Session, setup: Setup, text: str) -> Changed | Refused:
    """World, type and tone."""
    text = clean(text)
    return _changed(session, setup, {"world": text}, too_long("The world", text))


def set_chapter(session: Session, setup: Setup, text: str) -> Changed | Refused:
    """Chapter and immediate scene."""
    text = clean(text)
    return _changed(session, setup, {"chapter": text}, too_long("The chapter", text))


def set_count(session: Session, setup: Setup, count: int) -> Changed | Refused:
    """How many agents are in use, 1 to 7. Panels beyond them are kept."""
    wrong = (
        None if 1 <= count <= AGENTS_MAX else Refused(f"A chapter has 1 to {AGENTS_MAX} agents, not {count}.")
    )
    return _changed(session, setup, {"count": count}, wrong)


def set_name(session: Session, setup: Setup, slot: int, name: str) -> Changed | Refused:
    """An agent's name, trimmed; blank means the slot's default. Slot and colour stay."""
    name = re.sub(r"\s", " ", clean(name)).strip()
    return _agent(session, setup, slot, {"name": name}, too_long("The name", name, NAME_LIMIT))


def set_identity(session: Session, setup: Setup, slot: int, identity: str) -> Changed | Refused:
    """Who the agent in `slot` is."""
    identity = clean(identity)
    return _agent(session, setup, slot, {"identity": identity}, too_long("The identity", identity))


def fill(session: Session, setup: Setup, filled: Setup) -> Changed | Refused:
    """Everything of Setup at once, as from an example or a file."""
    change = {name: getattr(filled, name) for name in Setup.model_fields}
    return _changed(session, setup, change, None)


def _agent(
    session: Session, setup: Setup, slot: int, change: dict[str, str], wrong: Refused | None
) -> Changed | Refused:
    if not 1 <= slot <= AGENTS_MAX:
        return Refused(f"Agents have the numbers 1 to {AGENTS_MAX}; there is no {slot}.")
    changed = setup.agents[slot - 1].model_copy(update=change)
    agents: tuple[AgentSetup, ...] = (*setup.agents[: slot - 1], changed, *setup.agents[slot:])
    return _changed(session, setup, {"agents": agents}, wrong)


def _changed(
    session: Session, setup: Setup, change: dict[str, object], wrong: Refused | None
) -> Changed | Refused:
    if session.state != "DRAFT":
        return Refused("Setup is locked. Only Reset Chapter makes it editable again; nothing was changed.")
    if wrong is not None:
        return wrong
    setup = setup.model_copy(update=change)
    slots = roster(setup.count)
    names = {slot: setup.name_of(slot) for slot in slots}
    return session.model_copy(update={"selected_agent_slots": slots, "agent_names": names}), setup
