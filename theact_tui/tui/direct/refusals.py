"""Why something cannot be done in a directed chapter now, in a sentence; empty where it can be done."""

from __future__ import annotations

from theact_tui.engine.direct.session import DirectSession
from theact_tui.errors import UsageError
from theact_tui.story.direct.models import Setup
from theact_tui.story.direct.state import check_prompt, set_voice, set_world
from theact_tui.tui.direct.actions import CHAPTER_TAB, DIRECT_TAB, NEEDS, SETUP_TAB, TAB_NAMES
from theact_tui.tui.widgets.session_screen import READ_ONLY


def why_not(session: DirectSession, action: str, tab: int, doing: str) -> str:
    """Why one of the actions in `NEEDS` cannot be done on `tab`; `doing` is what runs now."""
    return (
        why_not_now(session, doing) or _not_here(session, tab, *NEEDS[action]) or _nothing_to(session, action)
    )


def why_not_now(session: DirectSession, doing: str) -> str:
    """Why nothing can be changed now."""
    if session.read_only:
        return READ_ONLY
    return f"{doing}. Press esc to stop it." if session.busy else ""


def why_no_tab(session: DirectSession, number: int, tab: int, doing: str) -> str:
    """Why tab `number` does not open from `tab`; the first one is not offered on the last."""
    opens = TAB_NAMES[number] in session.tabs and number != tab and (number, tab) != (SETUP_TAB, CHAPTER_TAB)
    return "" if opens else why_not_now(session, doing) or "First lock Setup, with F9."


def why_no_reset(session: DirectSession, tab: int) -> str:
    """Why the chapter cannot be reset."""
    if session.read_only:
        return READ_ONLY
    if not session.session.tab1_locked:
        return "Only a locked chapter can be reset."
    keys = {SETUP_TAB: "", DIRECT_TAB: "F9", CHAPTER_TAB: "F9 twice"}[tab]
    return f"Go to Setup first: press {keys}, then F12." if keys else ""


def why_closed(session: DirectSession, tab: int) -> str:
    """Why nothing can be typed on a tab now."""
    here = session.session
    if session.read_only:
        return READ_ONLY
    try:
        match tab:
            case 1:
                set_world(session.game, "")
            case 2:
                check_prompt(here, here.selected_agent_slots[0], "")
            case _:
                set_voice(session.game, "")
    except UsageError as error:
        return error.message
    return "A call is running. Press esc to stop it."


def _not_here(session: DirectSession, tab: int, wanted: str, needed: int) -> str:
    state = session.session.state
    if state == "DRAFT" != wanted:
        return "First lock Setup, with F9."
    if wanted == "ENDED" != state:
        return "First end the chapter, in Direct with F10."
    if wanted and wanted != state:
        return why_closed(session, SETUP_TAB if wanted == "DRAFT" else DIRECT_TAB)
    return f"Go to {TAB_NAMES[needed].capitalize()} first." if needed not in (0, tab) else ""


def _nothing_to(session: DirectSession, action: str) -> str:
    match action:
        case "example" if session.setup != Setup():
            return "Only an empty Setup can be filled with an example."
        case "retry" | "reword" if session.game.last_prompt is None:
            return "There is no prompt to retry yet."
        case "next_take" if session.takes[1] < 2:
            return "The last prompt has only one take. F4 retries it as a new one."
        case _:
            return ""
