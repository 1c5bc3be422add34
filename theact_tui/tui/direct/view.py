"""A direct session as it is drawn: tabs, banner, the panes of its tabs, which cells are closed, what runs."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Center, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import ContentSwitcher, Static

from theact_tui.engine import events as e
from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.models import following
from theact_tui.text import counted, one_line, words
from theact_tui.tui.blocks import block_rows, prose_blocks
from theact_tui.tui.direct.actions import CHAPTER_TAB, DIRECT_TAB, SETUP_TAB, TAB_NAMES
from theact_tui.tui.direct.cells import DirectTabs, NumberedChoice
from theact_tui.tui.direct.panes import ChapterPane, ScenePane, SetupPane
from theact_tui.tui.visuals import Stack
from theact_tui.tui.widgets.base_screen import COPY, PageScreen
from theact_tui.tui.widgets.header import Rule
from theact_tui.tui.widgets.status_line import StatusLine, ring_if_away

TABS_CELLS = 34
"""Cells that the tabs take, and the space around them."""
FLUSH_SECONDS = 0.05
"""How long streamed tokens are gathered before they are shown."""
NAME_CELLS = 8
"""A name that would have fewer is left out."""
DOING = {
    "LOCKING": "Locking Setup",
    "SUMMARIZING": "Taking notes",
    "NARRATING": "Writing the chapter",
    "RESETTING": "Resetting the chapter",
}


class DirectView(Vertical):
    """Draws a session: tabs, banner, the panes of the three tabs, and what runs. It knows which tab is open."""

    def __init__(self, session: DirectSession) -> None:
        super().__init__()
        self._session = session
        self.setup = SetupPane(session, id="setup")
        self.scene = ScenePane(session, id="direct")
        self.chapter = ChapterPane(session, id="chapter")
        self.status = StatusLine(id="status")
        self._tabs = DirectTabs(id="tabs")
        self._switcher = ContentSwitcher(self.setup, self.scene, self.chapter, id="panes", initial="setup")
        self._banner, self._trouble = (Static(id=id, markup=False) for id in ("banner", "trouble"))
        self.tab = SETUP_TAB
        """The tab one sees, from 1."""
        self.trouble = ""
        """Why the last thing that was asked for did not happen."""
        self.reworded: tuple[int, str] | None = None
        """The agent whose last prompt was taken back to be edited, and what was typed for it before."""
        self._standing = (False, "", 0)
        self.refusal = ""
        """Why something could not be done; taken back when phase, state or tab are others."""
        self._parts: dict[int, str] = {}
        self._part = (0, 0)
        self._is_due = False
        self._stale = False

    def compose(self) -> ComposeResult:
        yield self._tabs
        yield Rule(id="rule")
        yield self._banner
        yield self._switcher
        yield self._trouble
        yield self.status

    @property
    def pane(self) -> SetupPane | ScenePane | ChapterPane:
        """The tab one sees."""
        return (self.setup, self.scene, self.chapter)[self.tab - 1]

    def open_tab(self, number: int) -> None:
        """Show a tab, and give the keys to its cell."""
        self.tab = number
        self._switcher.current = TAB_NAMES[number]
        self.pane.focus_first()
        self.renew()

    # --- everything -------------------------------------------------------------------------------------------------

    def renew(self) -> None:
        """Draw everything that depends on the session's state."""
        self._stale = False
        session = self._session
        standing = (session.busy, session.session.state, self.tab)
        if standing != self._standing:
            self._standing = standing
            self.status.unsay(self.refusal)
        state, idle = session.session.state, not session.busy and not session.read_only
        self._draw_tabs()
        for line, text in ((self._banner, session.banner), (self._trouble, self.trouble)):
            line.set_class(bool(text), "-on")
            line.update(Content(f"! {one_line(text, 500)}" if text else ""))
        self.setup.set_closed(state != "DRAFT" or not idle)
        self.scene.set_closed(state != "ACTIVE" or not idle)
        for pane in (self.setup, self.scene, self.chapter):
            pane.renew()
        self._draw_status()
        self.refresh_bindings()

    def refill(self) -> None:
        """Show the session's texts again: it is another one now, or an older one."""
        self.setup.fill()
        self.chapter.voice.fill(self._session.game.voice)
        self.renew()

    def _draw_tabs(self) -> None:
        session = self._session
        names = ((SETUP_TAB, "Setup"), (DIRECT_TAB, "Direct"), (CHAPTER_TAB, "Chapter"))
        tabs = self._tabs
        tabs.choices = tuple(NumberedChoice(n, name, open=TAB_NAMES[n] in session.tabs) for n, name in names)
        tabs.active = self.tab
        facts = (
            session.session.state,
            f"prompt {session.session.prompt_index}" if session.session.tab1_locked else "",
            "take {} of {}".format(*session.takes) if session.takes[1] > 1 else "",
            "read only" if session.save.read_only else "",
        )
        line = " · ".join(fact for fact in facts if fact)
        branch = "" if session.branch_title == "main" else one_line(session.branch_title, 24)
        for name in (branch, one_line(session.name, 200)):
            room = self.app.size.width - TABS_CELLS - Content(line).cell_length
            if name and room >= NAME_CELLS:
                line = f"{Content(name).truncate(room, ellipsis=True)} · {line}"
        tabs.note = line

    @property
    def doing(self) -> str:
        """What runs now, as a sentence without its full stop."""
        record, live = self._session.session, self._session.live
        if live:
            return f"{one_line(record.name_of(live.slot), 40)} is answering"
        part, parts = self._part
        count = f", part {part} of {parts}" if record.state == "NARRATING" and parts > 1 else ""
        return DOING.get(record.state, "") + count

    def _draw_status(self) -> None:
        session = self._session
        self.status.doing = self.doing
        teller = "offline storyteller" if session.offline else one_line(session.model_name, 30)
        self.status.facts = (teller,)

    # --- events ---------------------------------------------------------------------------------------------------------

    def apply_now(self, event: e.Event) -> None:
        """What must be done before anything else: the input opens in this very moment, or is another one now."""
        if isinstance(event, e.PromptSaved | e.Undone | e.Redone | e.BranchSwitched | e.SessionReset):
            self.reworded = None
        match event:
            case e.PromptSaved(focus=focus):
                self.scene.answered(focus)
                self.say(
                    f"The next prompt goes to {self._session.session.name_of(focus)}. F8 chooses another one."
                )
            case e.PromptFailed(slot=slot):
                self._put_by(slot)
            case e.Undone() | e.Redone() | e.BranchSwitched() | e.Edited():
                self.refill()
                self.scene.open_panel(self._session.game.focus)
                if self._session.session.state == "DRAFT":
                    self.open_tab(SETUP_TAB)
                elif self.tab == CHAPTER_TAB and self._session.session.state == "ACTIVE":
                    self.open_tab(DIRECT_TAB)

    def show_event(self, event: e.Event) -> None:
        match event:
            case e.ActorToken() | e.ChapterToken():
                self._token(event)
                return
            case e.BuildStarted():
                self._parts = {}
                self.chapter.begin_draft()
                if self.tab == CHAPTER_TAB:
                    self.chapter.focus_draft()
            case e.PromptSaved() | e.PromptFailed():
                ring_if_away(self.app)
            case e.BuildFailed() | e.DraftBuilt():
                ring_if_away(self.app)
                self._parts, self._part = {}, (0, 0)
                self.chapter.end_draft()
            case e.SessionReset(archived=archived):
                self.scene.empty()
                self.refill()
                self.open_tab(SETUP_TAB)
                self.say(f"New chapter. The old one is kept as {archived}.")
            case e.SaveOpened(recovered=text) | e.Notice(text=text) if text:
                self.notify(one_line(text, 300), markup=False, timeout=8)
        self.renew_soon()

    def say(self, text: str) -> None:
        """Say what became of something, until something else is done."""
        self.status.hint = one_line(text, 300)

    def tell_of_unsent(self) -> None:
        """Say where what was typed before waits, if it is not in sight."""
        session = self._session.session
        slots = sorted(slot for slot, text in self._session.unsent.texts.items() if text)
        hidden = [slot for slot in slots if slot != self.scene.slot]
        if slots and session.state == "DRAFT":
            self.say("Your text is kept for your first prompt.")
        elif hidden and session.state == "ACTIVE":
            names = " and ".join(one_line(session.name_of(slot), 40) for slot in hidden)
            self.say(f"Your text is kept in the box of {names}.")

    def renew_soon(self) -> None:
        """Draw everything when the events that are waiting were taken."""
        if not self._stale:
            self._stale = True
            self.call_later(self._renew_stale)

    def _renew_stale(self) -> None:
        if self._stale and self.screen in self.app.screen_stack:
            self.renew()

    def _put_by(self, asked: int) -> None:
        """What was typed while a prompt failed is for the next agent; the prompt itself stays."""
        self.scene.given = 0
        if self.scene.put_by(following(self._session.session.selected_agent_slots, asked)):
            self.tell_of_unsent()

    def _token(self, event: e.ActorToken | e.ChapterToken) -> None:
        """Gather what is streamed, and show it some times a second."""
        if isinstance(event, e.ChapterToken):
            before = "" if event.replace else self._parts.get(event.part, "")
            self._parts[event.part] = before + event.text
            self._part = (event.part, event.parts)
        if not self._is_due:
            self._is_due = True
            self.set_timer(FLUSH_SECONDS, self._stream)

    def _stream(self) -> None:
        self._is_due = False
        if self.screen not in self.app.screen_stack:
            return
        if self._session.live:
            self.scene.show_live()
        if self._parts:
            self.chapter.stream_draft("\n\n".join(self._parts[n] for n in sorted(self._parts)))
        self._draw_status()


class ReadingScreen(PageScreen[None], inherit_bindings=False):
    """A written chapter, set as a story is; arrows and page keys scroll, escape leaves."""

    DEFAULT_CSS = """
    ReadingScreen {
        background: $background; color: $foreground;
        #head { padding: 0 1; }
        #chapter-page { height: 1fr; scrollbar-size-vertical: 1; padding: 1 2; }
        #chapter-page Center { height: auto; }
        #chapter-page Static { width: 100%; max-width: 76; height: auto; }
    }
    """
    BINDINGS = [
        Binding("space", "page", "next page"),
        Binding("escape,q", "dismiss(None)", "back", key_display="esc"),
        COPY,
    ]
    HELP: ClassVar[str] = (
        "The chapter as it was written. Arrows, page keys and space scroll, escape goes back."
    )
    HELP_TITLE: ClassVar[str] = "Reading"

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose_page(self) -> ComposeResult:
        with VerticalScroll(id="chapter-page"), Center():
            yield Static(Stack(*block_rows(list(prose_blocks(self._text)))))

    def on_mount(self) -> None:
        count = counted(words(self._text), "word")
        self.show_head(Content.styled(one_line(self._title, 80), ".strong"), Content.styled(count, ".quiet"))
        self.query_one(VerticalScroll).focus()

    def action_page(self) -> None:
        self.query_one(VerticalScroll).scroll_page_down(animate=False)
