"""What can be done now on the direct screen: what footer, help, palette and keys offer. The session refuses the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theact_tui.story.direct.records import Setup

if TYPE_CHECKING:
    from theact_tui.tui.screens.direct import DirectScreen

SETUP, DIRECT, CHAPTER = 1, 2, 3
NAMES = {SETUP: "setup", DIRECT: "direct", CHAPTER: "chapter"}


def can(action: str, parameters: tuple[object, ...], screen: DirectScreen) -> bool:
    """True if an action makes sense on this tab, in this state."""
    session, tab = screen.session, screen.tab
    writable = not session.save.read_only
    idle = writable and session.phase == "idle"
    state = session.session.state
    match action:
        case "give" | "end":
            return idle and state == "ACTIVE" and tab == DIRECT
        case "stop":
            return session.phase != "idle"
        case "lock":
            return idle and state == "DRAFT"
        case "example":
            return idle and state == "DRAFT" and tab == SETUP and session.setup == Setup()
        case "panel":
            return parameters[0] in screen.panels
        case "turn_panel":
            return len(screen.panels) > 1
        case "build":
            return idle and state == "ENDED" and tab == CHAPTER
        case "download":
            return tab == CHAPTER and bool(screen.show.chapter.kept)
        case "reset":
            return writable and session.session.tab1_locked and tab == SETUP
        case "retry" | "reword":
            return idle and tab == DIRECT and state == "ACTIVE" and session.game.last_prompt is not None
        case "next_take":
            return idle and tab == DIRECT and session.takes[1] > 1
        case "undo" | "redo" | "branch" | "branches":
            return idle and session.session.tab1_locked
        case "tab":
            return parameters[0] in {n for n, name in NAMES.items() if name in session.tabs} - {tab}
        case _:
            return True
