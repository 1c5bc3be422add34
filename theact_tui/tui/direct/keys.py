"""Actions of the direct screen, and reasons why one is impossible."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from theact_tui.errors import UsageError
from theact_tui.story.direct.records import AGENTS_MAX, Setup
from theact_tui.story.direct.state import check_prompt, set_voice, set_world
from theact_tui.tui.actions import LEADER, READ_ONLY, Action

if TYPE_CHECKING:
    from theact_tui.engine.direct.session import DirectSession

SETUP_TAB, DIRECT_TAB, CHAPTER_TAB = 1, 2, 3
TAB_NAMES = {SETUP_TAB: "setup", DIRECT_TAB: "direct", CHAPTER_TAB: "chapter"}

HELP = """\
You are the game master. Setup describes the world, the scene and the characters; in Direct you ask one character at a \
time; Chapter turns what was played into prose.

Fill in Setup first, or press F10 while it is empty to load an example. When you open Direct for the first time you \
are asked to confirm; then Setup is locked. Until the first prompt, ^g u unlocks it again.

In Direct, write what happens and press enter. The character named before your line answers; then it is the next \
one's turn. F8, or alt with a digit, picks someone else. You can write while a character answers; if something fails, your \
text comes back. After every seventh prompt notes are taken, which the panel shows; a line marks how far they reach.

F4 retries the last prompt; F5, or ← and → on an empty line, show its other takes. shift-F4 lets you edit the last prompt \
first, ^g a cut the last reply where it went wrong: the model continues from there. ^g n creates a branch at any prompt; F3 \
shows the tree of branches and takes and compares them. ^g i shows the notes at any prompt, and exactly what each \
character was sent.

F10 ends the chapter: notes of the last prompts are taken. Then F10 in Chapter writes it as a new draft, as often as \
you like; the writer's voice sets the style. Without a model, what was played becomes prose and the voice is unused. \
^g v opens the voice, ^g m the notes, ^g g lets you cut the draft and the model go on; ^s exports it as a book or a text. \
^g c starts the next chapter with the same world, characters and notes.

Tab moves to the next field. Setup and voice are saved as you type."""

TABS, WHO, CHAPTER, APP = "tabs", "characters", "chapter", "app"

NEEDS = {
    "lock": ("DRAFT", 0),
    "example": ("DRAFT", SETUP_TAB),
    "say": ("ACTIVE", DIRECT_TAB),
    "end": ("ACTIVE", DIRECT_TAB),
    "retry": ("ACTIVE", DIRECT_TAB),
    "reword": ("ACTIVE", DIRECT_TAB),
    "write_on": ("ACTIVE", DIRECT_TAB),
    "write_on_draft": ("ENDED", CHAPTER_TAB),
    "take": ("", DIRECT_TAB),
    "restore": ("", DIRECT_TAB),
    "build": ("ENDED", CHAPTER_TAB),
    "next_chapter": ("ENDED", 0),
    "undo": ("", 0),
    "redo": ("", 0),
    "branch": ("", 0),
    "open": ("", 0),
}
"""The state of the chapter that an action needs (empty: any after the lock), and the tab (0: any)."""

COUNT_ACTIONS = (
    Action("direct.fewer", "step(-1)", "fewer", "Remove one character", WHO, key="left,minus", show=True),
    Action("direct.more", "step(1)", "more", "Add one character", WHO, key="right,plus", show=True),
)
"""With the cursor on the number of characters."""

ASKING_ACTIONS = (
    Action("direct.give", "say", "ask", "Send this prompt to the character", "say", key="enter", show=True, priority=True),
)  # fmt: skip
"""In the writing box."""

DIRECT_ACTIONS = (
    Action("direct.restore", "restore", "keep the old one", "Restore the prompt you took back to edit", "say",
        key="escape", show=True),
    Action("direct.stop", "stop", "stop", "Stop the running call", "say", key="escape", show=True),
    Action("direct.back", "back", "back", "Back to the page and the newest reply", "say", key="escape",
        show=True),
    Action("direct.example", "example", "example", "Fill the empty Setup with an example", WHO, key="f10", show=True),
    Action("direct.end", "end", "end", "Take the last notes and end the chapter", CHAPTER, key="f10",
        letter="e", show=True),
    Action("direct.build", "build", "build", "Write the chapter as a new draft", CHAPTER, key="f10", letter="w", show=True),
    Action("direct.voice", "voice", "voice", "The writer's voice and rules", CHAPTER, letter="v", show=True),
    Action("direct.download", "download", "download", "Export this draft as book or text", CHAPTER, key="ctrl+s", letter="d",
        show=True),
    Action("direct.next", "next_chapter", "next chapter", "Start the next chapter with this world, cast and notes",
        CHAPTER, letter="c", show=True),
    Action("direct.panel", "turn_panel(1)", "next one", "The next character; in Chapter the next draft", WHO,
        "f8,alt+right", "p", True, "F8"),
    Action("direct.panel_before", "turn_panel(-1)", "one back", "The character before; in Chapter the draft before", WHO,
        "alt+left", "o"),
    *(
        Action(f"direct.panel_{n}", f"panel({n})", f"character {n}", f"Character {n}; in Chapter draft {n}", WHO,
            f"alt+{n},ctrl+{n}", f"{n}")
        for n in range(1, AGENTS_MAX + 1)
    ),
    Action("direct.setup", "tab(1)", "setup", "World, scene and characters", TABS, key="f9", show=True),
    Action("direct.lock", "lock", "lock and direct", "Lock Setup and start directing", TABS, key="f9", show=True),
    Action("direct.direct", "tab(2)", "direct", "Ask the characters", TABS, key="f9", show=True),
    Action("direct.chapter", "tab(3)", "chapter", "Notes, voice and the chapter", TABS, key="f2", show=True),
    Action("direct.tab_before", "turn_tab(-1)", "previous tab", "The previous tab", TABS, key="ctrl+pageup", priority=True),
    Action("direct.tab_after", "turn_tab(1)", "next tab", "The next tab", TABS, key="ctrl+pagedown", priority=True),
    Action("direct.notes", "notes", "notes", "Show or hide the notes beside the page", TABS, letter="m"),
    Action("direct.find", "find", "find", "Search what was played", TABS, key="ctrl+f", letter="f"),
    Action("direct.reset", "reset", "reset", "Start over with three empty tabs", CHAPTER, key="f12",
        letter="x", show=True),
    Action("direct.retry", "retry", "retry", "Retry the last prompt; the earlier reply is kept as a take", CHAPTER, key="f4",
        letter="t", show=True),
    Action("direct.reword", "reword", "retry edited", "Edit the last prompt, then retry it", CHAPTER,
        key="shift+f4", letter="y"),
    Action("direct.write_on", "write_on", "write on", "Cut the last reply, and let the model go on from there", CHAPTER,
        letter="a"),
    Action("direct.write_on_draft", "write_on_draft", "write on", "Cut this draft, and let the model go on from there",
        CHAPTER, letter="g"),
    Action("direct.take", "take(1)", "next take", "The next take of the last prompt", CHAPTER, key="f5", letter="k",
        show=True),
    Action("direct.undo", "undo", "undo prompt", "Undo the last prompt, or the lock", CHAPTER, letter="u"),
    Action("direct.redo", "redo", "redo prompt", "Redo the last undone prompt", CHAPTER, letter="r"),
    Action("direct.branch", "branch", "branch", "Create a branch at a prompt and continue there", CHAPTER, letter="n"),
    Action("direct.branches", "open('branches')", "branches", "The tree of branches and takes", CHAPTER,
        key="f3", letter="b"),
    Action("direct.inspector", "open('inspector')", "prompts sent", "Notes at any prompt, and what each character was sent",
        CHAPTER, letter="i"),
    Action("direct.home", "home", "leave", "Save and return to the list of stories", APP, letter="h"),
    Action("direct.leader", "leader", "more", "All other keys", APP, key=LEADER, show=True, priority=True),
)  # fmt: skip
"""In the order of footer, help and palette."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectStanding:
    """What decides which actions are possible."""

    session: DirectSession
    tab: int
    doing: str
    numbers: tuple[int, ...]
    """Numbers of the characters, or on the Chapter tab of the drafts."""
    has_finished_draft: bool
    is_editing: bool
    """The last prompt is being edited in the box."""


def why_not(now: DirectStanding, action: str, parameters: tuple[object, ...] = ()) -> str:
    """Reason why an action is impossible; empty if it is possible."""
    match action:
        case "stop":
            return "" if now.session.busy else "Nothing is running."
        case "panel":
            return "" if parameters[0] in now.numbers else f"There is no character {parameters[0]} here."
        case "turn_panel":
            return "" if len(now.numbers) > 1 else "There is nobody else here."
        case "voice" | "notes" if now.tab == CHAPTER_TAB:
            return ""
        case "voice":
            return "Go to Chapter first."
        case "notes" | "find" | "page":
            return "" if now.tab == DIRECT_TAB else "Go to Direct first."
        case "tab" if parameters[0] == now.tab:
            return f"{TAB_NAMES[now.tab].capitalize()} is already open."
        case "tab":
            return _why_no_tab(now, int(str(parameters[0])))
        case "download":
            if now.tab == CHAPTER_TAB and now.numbers:
                return "" if now.has_finished_draft else "This draft is still being written."
            return "There is no draft here. In Chapter, F10 writes one."
        case "reset":
            return _why_no_reset(now.session, now.tab)
        case "restore" if not now.is_editing:
            return "There is no edited prompt."
        case _ if action in NEEDS:
            here = _not_here(now.session, now.tab, *NEEDS[action])
            return _why_not_now(now) or here or _nothing_to(now.session, action)
        case _:
            return ""


def _why_not_now(now: DirectStanding) -> str:
    if now.session.read_only:
        return READ_ONLY
    return f"{now.doing or 'A call is running'}. Press esc to stop it." if now.session.busy else ""


def _why_no_tab(now: DirectStanding, number: int) -> str:
    """Why tab `number` does not open; the first one is not offered on the last."""
    opens = TAB_NAMES[number] in now.session.tabs and (number, now.tab) != (SETUP_TAB, CHAPTER_TAB)
    return "" if opens else _why_not_now(now) or "First lock Setup, with F9."


def _why_no_reset(session: DirectSession, tab: int) -> str:
    if session.read_only:
        return READ_ONLY
    if not session.session.tab1_locked:
        return "Only a locked chapter can be reset."
    keys = {SETUP_TAB: "", DIRECT_TAB: "F9", CHAPTER_TAB: "F9 twice"}[tab]
    return f"Go to Setup first: press {keys}, then F12." if keys else ""


def why_closed(session: DirectSession, tab: int) -> str:
    """Why nothing can be typed on a tab now."""
    record = session.session
    if session.read_only:
        return READ_ONLY
    if tab == SETUP_TAB and record.state == "DRAFT":
        return f"Choose 1 to {AGENTS_MAX} characters, or press tab for the next field."
    try:
        match tab:
            case 1:
                set_world(session.game, "")
            case 2:
                check_prompt(record, record.selected_agent_slots[0], "")
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
        case "retry" | "reword" | "write_on" if session.game.last_prompt is None:
            return "There is no prompt to retry yet."
        case "write_on_draft" if not session.game.drafts:
            return "There is no draft here. F10 writes one."
        case "take" if session.takes[1] < 2:
            return "The last prompt has only one take. F4 retries it as a new one."
        case _:
            return ""
