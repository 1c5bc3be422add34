"""What the direct screen shows of its session: tabs, banner, what is closed, what runs. It keeps no rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content
from textual.widgets import Static

from theact_tui.engine import direct_events as d
from theact_tui.engine import events as e
from theact_tui.story.direct.slots import following
from theact_tui.text import one_line
from theact_tui.tui.screens.direct_can import CHAPTER, DIRECT, NAMES, SETUP
from theact_tui.tui.widgets.direct_bars import Choice, Tabs
from theact_tui.tui.widgets.direct_chapter import ChapterPane
from theact_tui.tui.widgets.direct_scene import ScenePane
from theact_tui.tui.widgets.direct_setup import SetupPane
from theact_tui.tui.widgets.statusline import StatusLine

if TYPE_CHECKING:
    from theact_tui.tui.screens.direct import DirectScreen

TABS_CELLS = 34
"""Cells that the tabs take, and the space around them."""
NAME_CELLS = 8
"""A name that would have fewer is left out."""
DOING = {
    "locking": "The world is being noted down and Setup locked",
    "summarizing": "What happened is being noted down",
    "narrating": "The chapter is being written",
    "resetting": "A new chapter is being laid out",
}


class Show:
    """Draws the session onto the parts of its screen."""

    def __init__(self, screen: DirectScreen) -> None:
        self._screen = screen
        self._session = screen.session
        self.tabs = screen.query_one(Tabs)
        self.setup = screen.query_one(SetupPane)
        self.scene = screen.query_one(ScenePane)
        self.chapter = screen.query_one(ChapterPane)
        self.status = screen.query_one(StatusLine)
        self.trouble = ""
        """Why the last thing that was asked for did not happen."""
        self.aside = False
        """The warning is about something typed while a call runs."""
        self._parts: dict[int, str] = {}
        self._part = (0, 0)
        self._due = False
        self._stale = False

    # --- everything -------------------------------------------------------------------------------------------------

    def renew(self) -> None:
        """Draw everything that depends on the session's state."""
        self._stale = False
        if self.aside and self._session.phase == "idle":
            self.aside, self.status.warning = False, ""
        session, phase = self._session, self._session.phase
        state = session.session.state
        self._head()
        self._warn("#banner", session.banner)
        self._warn("#trouble", self.trouble)
        idle = phase == "idle" and not session.save.read_only
        self.setup.close(state != "DRAFT" or not idle, resettable=session.session.tab1_locked)
        self.setup.count()
        self.scene.close(not idle or state != "ACTIVE")
        self.scene.panels()
        self.scene.tell(session.transcript)
        self.scene.stream(session.streaming)
        self.scene.query_one("#end").disabled = not idle or state != "ACTIVE"
        self.chapter.remember(session.game.blocks)
        self.chapter.keep(session.game.drafts)
        why = "" if session.heeds_voice else "without a model no voice is heeded, only “first person”"
        why = why if state in ("ENDED", "NARRATING") else "when the chapter has ended"
        voice = idle and state in ("ACTIVE", "ENDED", "SUMMARIZING")
        self.chapter.close(voice=voice, build=idle and state == "ENDED", why=why)
        self.chapter.count()
        self._doing()
        self._screen.refresh_bindings()

    def refill(self) -> None:
        """Show the session's texts anew: it is another one now, or an older one."""
        self.setup.show()
        self.scene.panels()
        self.chapter.voice.fill(self._session.game.voice)
        self.renew()

    def _head(self) -> None:
        session = self._session
        names = ((SETUP, "Setup"), (DIRECT, "Direct"), (CHAPTER, "Chapter"))
        self.tabs.choices = tuple(Choice(n, name, open=NAMES[n] in session.tabs) for n, name in names)
        self.tabs.active = self._screen.tab
        facts = (
            session.session.state,
            f"prompt {session.session.prompt_index}" if session.session.tab1_locked else "",
            "take {} of {}".format(*session.takes) if session.takes[1] > 1 else "",
            "read only" if session.save.read_only else "",
        )
        line = " · ".join(fact for fact in facts if fact)
        for name in ("" if session.branch_title == "main" else session.branch_title, session.name):
            room = self._screen.size.width - TABS_CELLS - len(line)
            if name and room >= NAME_CELLS:
                line = f"{one_line(name, min(room, 24))} · {line}"
        self.tabs.facts = line

    def _warn(self, id: str, text: str) -> None:
        line = self._screen.query_one(id, Static)
        line.set_class(bool(text), "-on")
        line.update(Content(f"! {one_line(text, 500)}" if text else ""))

    @property
    def doing(self) -> str:
        """What runs now, as a sentence without its full stop."""
        session = self._session
        match session.phase:
            case "idle":
                return ""
            case "replying":
                live = session.live
                name = session.session.name_of(live.slot) if live else "The agent"
                return f"{one_line(name, 40)} is answering"
            case phase:
                part, parts = self._part
                count = f", part {part} of {parts}" if phase == "narrating" and parts > 1 else ""
                return DOING[phase] + count

    def _doing(self) -> None:
        session = self._session
        self.status.doing = self.doing
        teller = "offline storyteller" if session.offline else one_line(session.model_name, 30)
        self.status.facts = (teller,)

    # --- events ---------------------------------------------------------------------------------------------------------

    def at_once(self, event: e.Event) -> None:
        """What must be done before anything else: the input opens in this very moment, or is another one now."""
        match event:
            case d.PromptSaved(focus=focus):
                self.scene.answered(focus)
            case d.PromptFailed(slot=slot):
                self._put_by(slot)
            case e.Undone() | e.Redone() | e.BranchSwitched() | e.Edited():
                self.refill()
                self.scene.open_panel(self._session.focus)
            case _:
                pass

    def take(self, event: e.Event) -> None:
        """Show one event."""
        match event:
            case d.ActorToken() | d.ChapterToken():
                self._token(event)
                return
            case d.BuildStarted():
                self._parts = {}
                self.chapter.begin()
                if self._screen.tab == CHAPTER:
                    self.chapter.focus_draft()
            case d.BuildFailed() | d.DraftBuilt():
                self._parts, self._part = {}, (0, 0)
                self.chapter.end(self._session.game.drafts)
            case d.SessionReset(archived=archived):
                self.scene.empty()
                self.refill()
                self._screen.turn_to(SETUP)
                self._screen.tell(f"A new chapter. The old one is kept as {archived}.")
            case e.SaveOpened(recovered=text) | e.Notice(text=text) if text:
                self._screen.tell(text)
            case _:
                pass
        self.soon()

    def soon(self) -> None:
        """Draw everything when the events that are waiting were taken."""
        if not self._stale:
            self._stale = True
            self._screen.call_later(self._renew)

    def _renew(self) -> None:
        """Draw once what several events have changed, unless somebody was quicker."""
        if self._stale:
            self.renew()

    def _put_by(self, asked: int) -> None:
        """What was typed while a prompt failed is for the next agent; the prompt itself stays."""
        session = self._session.session
        slot = following(session.selected_agent_slots, asked)
        self.scene.given = 0
        if self.scene.put_by(slot):
            name = one_line(session.name_of(slot), 40)
            self._screen.tell(f"What you typed meanwhile waits in the panel of {name}.")

    def _token(self, event: d.ActorToken | d.ChapterToken) -> None:
        """Gather what is streamed, and show it some times a second."""
        if isinstance(event, d.ChapterToken):
            before = "" if event.replace else self._parts.get(event.part, "")
            self._parts[event.part] = before + event.text
            self._part = (event.part, event.parts)
        if not self._due:
            self._due = True
            self._screen.set_timer(0.05, self._stream)

    def _stream(self) -> None:
        self._due = False
        if self._session.phase == "replying":
            self.scene.stream(self._session.streaming)
        if self._parts:
            self.chapter.stream("\n\n".join(self._parts[n] for n in sorted(self._parts)))
        self._doing()
