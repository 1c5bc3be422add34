"""Keeps header, status, input and transcript of the play screen in step with the events of its session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from theact_tui.engine.commands import as_line
from theact_tui.engine.events import TurnFailed, TurnStarted
from theact_tui.engine.reports import missing_text
from theact_tui.engine.session import StorySession
from theact_tui.errors import TheActError, TurnError, UsageError
from theact_tui.story.game import Unsent
from theact_tui.story.turn import Turn
from theact_tui.text import one_line
from theact_tui.tui.actions import LEADER_NAME
from theact_tui.tui.activity import Activity, command_hint
from theact_tui.tui.blocks import Block, Cast, aside_blocks, card_blocks, number_of
from theact_tui.tui.play.live_turn import LiveTurn, SetTimer
from theact_tui.tui.play.loader import TranscriptLoader
from theact_tui.tui.play.prompt import PromptInput
from theact_tui.tui.play.side_panel import SidePanel
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.widgets.header import HeaderBar, Whereabouts, thousands
from theact_tui.tui.widgets.status_line import StatusLine, ring_if_away

SPEAKING = "The turn is running, and one line is queued already. This one stays here."
QUEUED = "Queued: your text is sent after this turn; esc stops the turn."
TRIAL = f"trial: {LEADER_NAME} h goes back to writing"
PACK_CHANGED = f"You changed the pack of this story. {LEADER_NAME} z shows the changes, and applies them."
UNTOLD = "This was sent, but not answered yet. Enter sends it again."


@dataclass(frozen=True, slots=True)
class PlayWidgets:
    """The widgets a presenter writes to."""

    transcript: Transcript
    panel: SidePanel
    header: HeaderBar
    status: StatusLine
    prompt: PromptInput


class PlayPresenter:
    """The screen of an event handler: it writes to the play screen's widgets, and asks the rest by callbacks."""

    def __init__(
        self,
        session: StorySession,
        widgets: PlayWidgets,
        *,
        reload: Callable[[], object],
        send: Callable[[str], object],
        refresh_keys: Callable[[], None],
        set_timer: SetTimer,
        ask_about_edits: Callable[[], object],
        report: Callable[[Exception], str],
        show_thoughts: bool = False,
    ) -> None:
        """`reload` shows the end of the story again, `send` does what enter does,
        and `report` writes an unexpected error down and says where."""
        self._news = ""
        self._explained = ""
        """What is said of the text in the box."""
        pack = session.game.pack
        self.session = session
        self.widgets = widgets
        self.cast = Cast.of(pack)
        self.activity = Activity(self.cast.name)
        self.live_turn = LiveTurn(widgets.transcript, pack, self.cast, set_timer, show_thoughts=show_thoughts)
        self.loader = TranscriptLoader(session, widgets.transcript, self.cast, lambda: self.live_turn.layout)
        self.sent = ""
        """What was sent and has not become a turn yet."""
        self.queued = ""
        """What is sent when the turn that is being told is over."""
        self._next_draft = ""
        """What was being written when the program ended while a sent line was not told yet."""
        self.takes = (1, 1)
        """Which take of the last turn is shown, and of how many."""
        self._take_told = 1
        """The take that is being told."""
        self.found = ""
        """A line that was sent before the program ended and not told; it stands in the box until it is changed."""
        self.go_on_waits = False
        """A turn without a line of the player's was stopped, or failed."""
        self._reload = reload
        self._send = send
        self._refresh_keys = refresh_keys
        self._ask_about_edits = ask_about_edits
        self._report = report

    # --- turns ------------------------------------------------------------------------------------------------------

    def turn_began(self, event: TurnStarted) -> None:
        """The page takes the player's words; the input box is free of them."""
        transcript, prompt = self.widgets.transcript, self.widgets.prompt
        if transcript.window.last < event.turn - 1:
            game = self.session.game
            turns = sorted((n, turn) for n, turn in game.turns.items() if n < event.turn)
            transcript.show([self.loader.lay_out(turn) for _, turn in turns], event.turn - 1)
        if (old := transcript.window.find(event.turn)) is not None:
            transcript.drop(old)
        self.live_turn.begin(event.turn, event.text, self.session.game.state.chapter)
        if self.sent and prompt.text.startswith(self.sent):
            prompt.write(prompt.text[len(self.sent) :].lstrip("\n"))
        self.sent = self.found = ""
        self.go_on_waits = False
        prompt.offer(self._next_draft)
        self._next_draft = ""
        prompt.waiting = True
        self.widgets.status.warning = self.widgets.status.hint = ""
        self._take_told = event.take
        self.takes = (event.take, event.take)
        self._update_header(turn=event.turn)

    def turn_spoken(self) -> None:
        self.widgets.prompt.waiting = False
        ring_if_away(self.widgets.transcript.app)
        for said in (SPEAKING, QUEUED, StorySession.BUSY):
            self.widgets.status.unsay(said)
        if text := self.queued:
            self.queued = ""
            self._send(text)

    def queue(self, text: str) -> None:
        """Send a text when the turn that is being told is over; one can wait, a second one stays in the box."""
        if not self.queued:
            self.queued = text
            self.widgets.prompt.write("")
        self.widgets.status.warning = QUEUED if self.queued == text else SPEAKING

    def unqueue(self) -> None:
        """Put a text that waits back into the box, after what stands there."""
        if self.queued:
            prompt = self.widgets.prompt
            prompt.write("\n".join(part for part in (prompt.text, self.queued) if part.strip()))
            self.queued = ""

    def moved(self, line: str, before: Mapping[int, Turn]) -> None:
        """After an undo the player's words are in the box again, if that is empty; a redo takes them back."""
        game, prompt = self.session.game, self.widgets.prompt
        last, undone = game.last_turn, before.get(game.state.turn + 1)
        match line.lower().split()[0]:
            case "/undo" if undone:
                prompt.offer(as_line(undone.player_text))
            case "/redo" if last and prompt.text == as_line(last.player_text):
                prompt.write("")

    def turn_saved(self, turn: int) -> None:
        game = self.session.game
        window = self.widgets.transcript.window
        window.newest = max(window.newest, turn)
        if turn in game.turns:
            self.live_turn.show_saved(game.turns[turn], game.moments)
        self.widgets.panel.settled()
        self.state_changed()

    def turn_failed(self, event: TurnFailed) -> None:
        again = self._give_back(event.text)
        self.unqueue()
        ring_if_away(self.widgets.transcript.app)
        self.widgets.transcript.app.clear_notifications()  # a notice of the same trouble may have come before
        advice = f"Nothing was changed. {again}."
        if event.kind == "unreadable":
            advice += " F2, then c, shows the whole answer."
        self.card("The turn failed", event.reason, advice)

    def turn_cancelled(self, text: str) -> None:
        again = self._give_back(text)
        self.unqueue()
        if not self.session.game.state.turn and not text:
            self.aside(aside_blocks("Stopped before the story started", f"{again}."))
        else:
            back = "Nothing was changed; your text is back in the box" if text else "Nothing was changed"
            told = "The turn was not changed" if self._is_retry else back
            self.widgets.status.warn(f"Stopped. {told}.")

    @property
    def _is_retry(self) -> bool:
        """The turn being told was told before."""
        return self._take_told > 1

    def _give_back(self, text: str) -> str:
        """The turn failed: give back what there was, and say how to try again."""
        self.sent = ""
        prompt, last = self.widgets.prompt, self.session.game.last_turn
        prompt.waiting = False
        self._update_header(turn=self.session.game.state.turn)
        if not (self._is_retry and last):
            line = self.session.unsent
            given = as_line(text) or (line.text if line and line.draft else "")
            prompt.offer(given)
            self.go_on_waits = bool(last) and not given
            if given or last:
                return "enter tries again"
            return "F4 starts with its first scene, or type the first line yourself"
        self.widgets.transcript.add(self.loader.lay_out(last))
        if text == last.player_text:
            return "F4 tries again"
        prompt.offer(as_line(text, again=True))
        return "enter tries again"

    # --- the rest -----------------------------------------------------------------------------------------------------

    def mood(self, mood: str) -> None:
        self._update_header(mood=mood)

    def activity_changed(self) -> None:
        """Tell what runs now, and the turn's tokens."""
        status, calls = self.widgets.status, self.activity
        self._refresh_keys()
        status.doing = calls.sentence
        if calls.narrator_tokens:
            self._update_header(used=calls.narrator_tokens)
        self.show_facts()

    def count_takes(self) -> None:
        """Count the takes of the last turn, which is another one now."""
        self.takes = self.session.takes if self.session.game.state.turn else (1, 1)
        self.show_facts()
        self._refresh_keys()

    def show_facts(self) -> None:
        """Small facts on the right of the status line."""
        calls = self.activity
        tokens = calls.prompt_tokens + calls.completion_tokens
        current, count = self.takes
        last = self.session.game.last_turn
        teller = f" · {one_line(last.told_by, 24)}" if last and last.told_by else ""
        found = [f"◂ take {current} of {count}{teller} ▸"] if count > 1 else []
        found += [TRIAL] if self.session.is_trial else []
        found += [f"{thousands(tokens)} tokens"] if tokens and not self.session.offline else []
        self.widgets.status.facts = tuple(found)

    def edits_found(self) -> None:
        """Files of the save were changed by hand: ask what becomes of it."""
        self._ask_about_edits()

    def pack_changed(self) -> None:
        """The user's pack was changed: say how to take it over, until something else is said there."""
        self.widgets.status.hint = PACK_CHANGED
        self._refresh_keys()

    def offer_draft(self) -> None:
        """Put back what was being written when the story was left; say which memories can be made."""
        if (missing := self.session.game.state.unremembered) and not self.session.read_only:
            self.widgets.status.hint = f"{missing_text(missing)[:-1]}: ^g v writes them."
        if (line := self.session.unsent) is not None and line.draft:
            self.widgets.prompt.offer(line.text)
        elif line is not None and line.then:
            self._next_draft = line.then
            self.widgets.prompt.remember([line.then])

    def unsent_found(self, text: str, again: bool) -> None:
        """Put a line back that was sent and not told before the program ended."""
        self.found = as_line(text, again=again)
        self.widgets.prompt.remember([self.found])
        self.widgets.prompt.offer(self.found)

    @property
    def line_waits(self) -> bool:
        """A line that was sent and not told stands in the box."""
        line = self.session.unsent
        return line is not None and not line.draft and self._stands(line)

    def _stands(self, line: Unsent) -> bool:
        """The line stands in the box as it is."""
        kept = line.text if line.draft else as_line(line.text, again=line.again)
        return self.widgets.prompt.text.strip() == kept.strip()

    def text_changed(self, text: str) -> bool:
        """Explain what stands in the box now; False once that is not the line any more that was not told."""
        self.explain(UNTOLD if text and text == self.found else command_hint(text))
        line = self.session.unsent
        if line is None or self.sent or self.widgets.prompt.waiting:
            return True
        return self._stands(line)

    def explain(self, text: str) -> None:
        """Say something until the text in the box changes."""
        status = self.widgets.status
        status.unsay(self._explained)
        self._explained = text
        status.hint = text or status.hint

    def reload_all(self) -> None:
        """The story is another one now: show all of it again."""
        self.live_turn.layout = None
        self.widgets.status.unsay(self._news)
        self._read_pack()
        self.state_changed()
        self._reload()

    def state_changed(self) -> None:
        """Show the newest state of the game in panel and header."""
        game, last = self.session.game, self.session.game.last_turn
        if game.pack is not self.live_turn.pack:  # somebody joined the cast
            self._read_pack()
        self.widgets.panel.show(game, self.cast)
        self.widgets.prompt.address(game.info.player.name)
        self.widgets.transcript.boundary(game.state.last_summarized_turn)
        self._update_header(turn=game.state.turn, mood=last.mood if last else "")

    def _read_pack(self) -> None:
        """Names and chapters as the story has them here; they may have been changed by hand."""
        pack = self.session.game.pack
        self.cast = self.live_turn.cast = self.loader.cast = Cast.of(pack)
        self.live_turn.pack, self.activity.name = pack, self.cast.name

    def news(self, text: str) -> None:
        """Something happened beside the story; where the panel is folded the status line says so."""
        if not self.widgets.panel.display:
            self._news = self.widgets.status.hint = one_line(text, 60)

    def toast(self, text: str, level: str) -> None:
        severity: Literal["information", "warning"] = "information" if level == "info" else "warning"
        self.widgets.transcript.notify(text, severity=severity, markup=False)

    def card(self, title: str, reason: str, advice: str) -> None:
        """Put a card where the answer would have been."""
        self.aside(card_blocks(title, reason, advice))

    def show_error(self, error: Exception) -> None:
        """Say what went wrong, where the answer would have been; an unexpected error is reported, too."""
        match error:
            case TurnError():
                pass  # told by its event
            case UsageError():
                self.widgets.status.warn(error.message)
            case TheActError():
                self.card("The command failed", error.message, "Nothing was changed.")
            case _:
                where = self._report(error)
                self.card("Internal error", repr(error), f"Your story is safe. Details are in {where}")

    def aside(self, blocks: list[Block]) -> None:
        """Put something of the program's own under the story until the next turn."""
        self.widgets.transcript.add(TurnLayout(self.widgets.transcript.window.last, blocks, aside=True))

    def _update_header(
        self, *, turn: int | None = None, mood: str | None = None, used: int | None = None
    ) -> None:
        session, game, old = self.session, self.session.game, self.widgets.header.where
        number = number_of(game.pack, game.state.chapter)
        self.widgets.header.where = Whereabouts(
            title=game.pack.game.title,
            chapter=f"{number} {game.chapter.title}",
            turn=old.turn if turn is None else turn,
            branch=session.branch_title,
            mood=old.mood if mood is None else mood,
            model="offline storyteller" if session.offline else session.model_name,
            used=old.used if used is None else used,
            window=0 if session.offline else session.window,
            note="read only" if session.read_only else "",
        )
