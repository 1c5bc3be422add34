"""What is typed where nothing can be typed now: kept for the next prompt while a call runs, else it is said why not."""

from __future__ import annotations

from theact_tui.engine.direct import DirectSession
from theact_tui.story.direct.limits import Refused
from theact_tui.story.direct.moves import refuse_prompt, refuse_voice
from theact_tui.story.direct.setup import set_world
from theact_tui.tui.screens.direct_can import DIRECT, NAMES
from theact_tui.tui.screens.direct_show import Show

SHOWN = 24
"""Characters of the kept words that are shown."""


def typed_aside(show: Show, session: DirectSession, tab: int, text: str = "", *, erase: bool = False) -> None:
    """Take in `text`, or take back its last letter, where the cells are closed; with neither, say how it stands."""
    scene = show.scene
    waiting = session.phase in ("replying", "summarizing") and tab == DIRECT
    if not waiting and session.phase != "locking":
        show.status.warning = why_closed(session, tab)
        return
    scene.kept = scene.kept[:-1] if erase else scene.kept + text
    tail = scene.kept if len(scene.kept) <= SHOWN else f"…{scene.kept[-SHOWN:]}"
    kept = f"kept for then: {tail}" if scene.kept else "what you type is kept till then"
    show.status.warning = f"{show.doing}; {kept}"
    show.aside = True


def why_closed(session: DirectSession, tab: int) -> str:
    """Why nothing can be typed on this tab now."""
    here = session.session
    if session.save.read_only:
        return "This save is open in another window, so it can only be read here."
    refused: object
    match NAMES[tab]:
        case "setup":
            refused = set_world(here, session.setup, "")
        case "direct":
            refused = refuse_prompt(here, here.selected_agent_slots[0], "")
        case _:
            refused = refuse_voice(here, "")
    return refused.reason if isinstance(refused, Refused) else "One moment, a call is running; esc stops it."
