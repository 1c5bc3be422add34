"""Makes the values that tests of direct mode play with."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

from theact_tui.story.direct.records import LogEvent, SessionRecord, Setup
from theact_tui.story.direct.state import LOCK, LOCKED, DirectGame, Move, moved, set_count, set_name
from theact_tui.story.game import SaveInfo

AT = "2026-11-21T10:00:00.000+00:00"


def counted_ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"{next(numbers):08x}-0000-4000-8000-000000000000"


Action = Move | Callable[[SessionRecord], Move]
"""A move, or what makes one for a session."""


def after_moves(session: SessionRecord, *actions: Action) -> SessionRecord:
    """`session` after moves, each made for what the one before left. Raises `UsageError`."""
    for action in actions:
        session = moved(session, action if isinstance(action, Move) else action(session), AT)
    return session


def draft(agents: int = 3, names: dict[int, str] | None = None) -> DirectGame:
    """A chapter in DRAFT with so many agents, some of them named."""
    info = SaveInfo(id="s-1", title="Tower", pack="", seed=0)
    made = set_count(DirectGame(info, SessionRecord(session_id="s-1"), Setup()), agents)
    for slot, name in (names or {}).items():
        made = set_name(made, slot, name)
    return made


def active(
    agents: int = 3, index: int = 0, boundary: int = 0, names: dict[int, str] | None = None
) -> SessionRecord:
    session = after_moves(draft(agents, names).session, LOCK, LOCKED)
    return session.model_copy(update={"prompt_index": index, "last_summarized_prompt_index": boundary})


def event(
    index: int, role: str, text: str, sequence: int, slot: int | None = None, minutes: int | None = None
) -> LogEvent:
    """An event; its time follows its sequence unless `minutes` says otherwise."""
    at = datetime(2026, 11, 21, 10, tzinfo=UTC) + timedelta(minutes=sequence if minutes is None else minutes)
    return LogEvent.model_validate(
        {
            "event_id": f"e-{sequence}",
            "session_id": "s-1",
            "prompt_index": index,
            "role": role,
            "agent_slot": slot,
            "text": text,
            "created_at": at.isoformat(),
            "sequence": sequence,
        }
    )


def log(
    count: int, agents: int = 3, prompt: str = "Scene {k}.", reply: str = "Answer {k}."
) -> tuple[LogEvent, ...]:
    """`count` prompts and their replies, going round the agents."""
    events: list[LogEvent] = []
    for k in range(1, count + 1):
        events.append(event(k, "user", prompt.format(k=k), 2 * k))
        events.append(event(k, "agent", reply.format(k=k), 2 * k + 1, slot=(k - 1) % agents + 1))
    return tuple(events)
