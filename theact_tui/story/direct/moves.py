"""The moves of a session (D5): every legal one, and a refusal with a reason for everything else."""

from __future__ import annotations

from dataclasses import dataclass

from theact_tui.story.direct.limits import CHUNK, Refused, too_long
from theact_tui.story.direct.records import Session, State


@dataclass(frozen=True, slots=True)
class Lock:
    """DRAFT to LOCKING: the first entry to Direct, confirmed."""


@dataclass(frozen=True, slots=True)
class Locked:
    """LOCKING to ACTIVE: the first block is stored."""


@dataclass(frozen=True, slots=True)
class LockFailed:
    """LOCKING to DRAFT."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A prompt and its reply are stored: the index rises by one."""


@dataclass(frozen=True, slots=True)
class Summarize:
    """ACTIVE to SUMMARIZING, by itself, when a chunk is full."""


@dataclass(frozen=True, slots=True)
class End:
    """ACTIVE to SUMMARIZING, or to ENDED when nothing is pending."""


@dataclass(frozen=True, slots=True)
class Summarized:
    """SUMMARIZING to ACTIVE, or to ENDED when the chapter is being ended and nothing is left."""

    through: int
    ending: bool = False


@dataclass(frozen=True, slots=True)
class SummaryFailed:
    """SUMMARIZING to ACTIVE; the boundary stays."""


@dataclass(frozen=True, slots=True)
class Build:
    """ENDED to NARRATING."""


@dataclass(frozen=True, slots=True)
class Built:
    """NARRATING to ENDED, whether or not there is a new draft."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Any state to RESETTING."""


@dataclass(frozen=True, slots=True)
class Restart:
    """RESETTING to DRAFT of another session."""

    session_id: str


@dataclass(frozen=True, slots=True)
class Recover:
    """What a session found on disk is after the program stopped in the middle of something."""


Move = (
    Lock
    | Locked
    | LockFailed
    | Answered
    | Summarize
    | End
    | Summarized
    | SummaryFailed
    | Build
    | Built
    | Reset
    | Restart
    | Recover
)

RESET_WARNING = (
    "Resetting empties every cell of all three tabs, so save the characters and settings worth keeping first; "
    "the old session stays as an archived save."
)
"""The one sentence to agree to before a reset (D2)."""

_BUSY: dict[State, str] = {
    "DRAFT": "The chapter is not locked yet: finish Setup and go to Direct first.",
    "LOCKING": "The setup is just being locked.",
    "ACTIVE": "The chapter is still being played: end it first.",
    "SUMMARIZING": "A summary is just being written.",
    "ENDED": "The chapter has ended. To play on, branch from an earlier prompt, or reset.",
    "NARRATING": "The chapter is just being written.",
    "RESETTING": "The chapter is just being reset.",
}
_FROM: dict[type[Move], State] = {
    Lock: "DRAFT",
    Locked: "LOCKING",
    LockFailed: "LOCKING",
    Answered: "ACTIVE",
    Summarize: "ACTIVE",
    End: "ACTIVE",
    Summarized: "SUMMARIZING",
    SummaryFailed: "SUMMARIZING",
    Build: "ENDED",
    Built: "NARRATING",
    Restart: "RESETTING",
}
_RECOVERED: dict[State, State] = {"LOCKING": "DRAFT", "SUMMARIZING": "ACTIVE", "NARRATING": "ENDED"}


def move(session: Session, action: Move, at: str) -> Session | Refused:
    """`session` after `action` at the time `at`, or why that is not possible; then nothing has changed."""
    wanted = _FROM.get(type(action))
    if wanted is not None and session.state != wanted:
        if isinstance(action, Lock) and session.tab1_locked:
            return Refused("The setup is locked already.")
        return Refused(_BUSY[session.state])
    match action:
        case Summarize() if not session.overdue:
            return Refused(
                f"A summary is due after every {CHUNK} prompts; only {session.pending} are pending."
            )
        case Summarized(through=through) if (
            not session.last_summarized_prompt_index < through <= session.prompt_index
        ):
            return Refused(f"Prompts up to {through} cannot be the end of this summary.")
        case Restart(session_id=new) if new == session.session_id:
            return Refused("A session's id is never used again.")
        case Reset() if session.state == "RESETTING":
            return Refused(_BUSY["RESETTING"])
        case Restart(session_id=new):
            return Session(session_id=new, created_at=at, updated_at=at)
        case Recover():
            return recovered(session)
        case _:
            return Session.model_validate({**dict(session), **_changes(session, action), "updated_at": at})


def _changes(session: Session, action: Move) -> dict[str, object]:
    match action:
        case Lock():
            return {"state": "LOCKING"}
        case Locked():
            return {
                "state": "ACTIVE",
                "tab1_locked": True,
                "prompt_index": 0,
                "last_summarized_prompt_index": 0,
            }
        case LockFailed():
            return {"state": "DRAFT"}
        case Answered():
            return {"prompt_index": session.prompt_index + 1}
        case Summarize():
            return {"state": "SUMMARIZING"}
        case End():
            return {"state": "SUMMARIZING" if session.pending else "ENDED"}
        case Summarized(through=through, ending=ending):
            done = ending and through == session.prompt_index
            return {"state": "ENDED" if done else "ACTIVE", "last_summarized_prompt_index": through}
        case SummaryFailed():
            return {"state": "ACTIVE"}
        case Build():
            return {"state": "NARRATING"}
        case Built():
            return {"state": "ENDED"}
        case Reset():
            return {"state": "RESETTING"}
        case Restart() | Recover():
            return {}


def recovered(session: Session) -> Session:
    """`session` as it goes on after the program was stopped in the middle of a call (D5)."""
    if session.state == "RESETTING":
        state: State = "ACTIVE" if session.tab1_locked else "DRAFT"
    else:
        state = _RECOVERED.get(session.state, session.state)
    return session if state == session.state else session.model_copy(update={"state": state})


def refuse_prompt(session: Session, slot: int, text: str) -> Refused | None:
    """Why this prompt cannot be given now, or None (D3). `text` is what was typed; blank input is not asked here."""
    if session.state != "ACTIVE":
        return Refused(_BUSY[session.state])
    if slot not in session.selected_agent_slots:
        return Refused(
            f"There is no agent {slot} in this chapter: it has {len(session.selected_agent_slots)}."
        )
    return too_long("The prompt", text)


def refuse_voice(session: Session, text: str) -> Refused | None:
    """Why the writer's voice cannot be changed to `text`, or None (D4)."""
    if session.state in {"DRAFT", "LOCKING", "NARRATING", "RESETTING"}:
        return Refused(_BUSY[session.state])
    return too_long("The voice", text)


def open_tabs(session: Session) -> tuple[str, ...]:
    """The tabs that can be entered: before the lock just Setup (D5)."""
    return ("setup", "direct", "chapter") if session.tab1_locked else ("setup",)
