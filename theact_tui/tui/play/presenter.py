from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from theact_tui.engine import events as e
from theact_tui.engine.commands import misses_slash, retry_line
from theact_tui.engine.session import StorySession
from theact_tui.engine.state_in_words import missing_text
from theact_tui.story.moments import Moment
from theact_tui.story.speech import WHISPER_ARROW
from theact_tui.story.turn import Turn
from theact_tui.story.typed import as_line, is_command
from theact_tui.text import counted, one_line
from theact_tui.tui.actions import LEADER_NAME
from theact_tui.tui.blocks import Block, Cast, aside_blocks, card_blocks, number_of, turn_blocks
from theact_tui.tui.play.completion import command_hint
from theact_tui.tui.play.live_turn import LiveTurn
from theact_tui.tui.play.loader import TranscriptLoader
from theact_tui.tui.play.side_panel import SidePanel
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.play.writing_box import PromptInput
from theact_tui.tui.running_turn import Activity, RunningTurn
from theact_tui.tui.widgets.header import HeaderLine, Rule, Whereabouts
from theact_tui.tui.widgets.status_line import StatusLine, ring_if_away

T = TypeVar("T")
WAITS = "Queued: sent as soon as this turn is saved."
_SPEAKING = "One line is already queued. This one stays in the box."
QUEUED = "Queued: sent after this turn. esc stops the turn."
TRIAL = f"trial: {LEADER_NAME} h goes back to writing"
PACK_CHANGED = f"You changed the pack of this story. {LEADER_NAME} z shows the changes, and applies them."
QUEUED_IN_PAST = "↑ brings back what was queued"
AGAIN, RECALL = "enter tries again", "↑ brings your text back"
NOTICES_NO_WHISPER = "This model does not notice whispers: start with -> Name: or /whisper name."
SENT_TO_STORY = "Sent to the story. F1: keys. ^q: leave."
UNTOLD = "This was sent, but not answered yet. Enter sends it again."


@dataclass(eq=False)
class PlayPresenter:
    """Turns events into calls on widgets; holds the line that was entered until its turn starts."""

    session: StorySession
    transcript: Transcript
    panel: SidePanel
    header: HeaderLine
    rule: Rule
    status: StatusLine
    prompt: PromptInput
    entered: str = ""
    """Line that left the box and whose turn has not started."""
    takes: tuple[int, int] = (1, 1)
    go_on_waits: bool = False
    """A turn without a player's line was stopped or failed."""
    retried_take: Turn | None = None
    """Last turn, while a reply is retried."""
    _retry_hint: str = ""
    _current_take: int = 1
    _next_draft: str = ""
    """Draft behind a line that an earlier program did not tell."""
    _where: Whereabouts = field(default_factory=Whereabouts)
    _news: str = ""
    _explained: str = ""

    def __post_init__(self) -> None:
        self._activity = Activity(
            lambda id: self.cast.name(id),
            estimate=lambda agent, read, write: self.session.agents.model(agent).seconds_for(read, write),
        )
        self._running = RunningTurn(doing=self._activity)
        self.panel.running = self._running
        self.live_turn = LiveTurn(self.transcript, self._running, self._blocks_of)
        self.loader = TranscriptLoader(
            self._read, lambda: self.session.game.state.turn, self.transcript, lambda: self.live_turn.layout
        )

    def _blocks_of(self, turn: Turn, moments: Sequence[Moment]) -> list[Block]:
        return turn_blocks(self.session.game.pack, self.cast, turn, moments)

    def lay_out(self, turn: Turn) -> TurnLayout:
        return TurnLayout(turn.number, self._blocks_of(turn, self.session.game.moments))

    async def _read(self, first: int, last: int) -> list[TurnLayout]:
        return [self.lay_out(turn) for turn in await self.session.turns(first, last)]

    @property
    def cast(self) -> Cast:
        """Current names and voices, hand edits included."""
        return Cast.of(self.session.game.pack)

    # --- events -----------------------------------------------------------------------------------------------------

    def show(self, event: e.Event) -> None:
        self._running.apply(event)
        match event:
            case e.TurnStarted() | e.TurnSpoken() | e.TurnSaved() | e.TurnCancelled() | e.TurnFailed():
                self._show_turn(event)
                self._activity_changed()
            case e.CatchingUp() | e.AfterStarted() | e.CallStarted() | e.CallRetried() | e.CallFinished():
                self._activity_changed()
            case e.CallProgress():
                self.status.tokens = self._activity.tokens
            case e.SaveOpened(recovered=text) if text:
                self._toast(text, "warning")
            case e.PackChanged():
                self.status.hint = PACK_CHANGED
                self.transcript.refresh_bindings()
            case e.BranchSwitched() | e.Undone() | e.Redone():
                self.story_changed()
            case e.Edited() | e.PresenceChanged() | e.ModelsChanged():
                self.state_changed()
                self.show_facts()
            case _:
                self._show_stored(event)

    def _show_turn(self, event: e.Event) -> None:
        match event:
            case e.TurnStarted():
                self.panel.new_turn()
                self._turn_began(event)
            case e.TurnSpoken():
                self.live_turn.end()
                self.prompt.waiting = False
                ring_if_away(self.transcript.app)
                for hint in (_SPEAKING, QUEUED, StorySession.BUSY):
                    self.status.unsay(hint)
            case e.TurnSaved(turn=turn):
                game, window = self.session.game, self.transcript.window
                window.newest = max(window.newest, turn)
                if turn in game.turns:
                    self.live_turn.show_saved(game.turns[turn], game.moments)
                self.state_changed()
            case e.TurnCancelled(text=text):
                self._take_back(text)
            case e.TurnFailed(text=text):
                self._take_back(text, event)

    def _show_stored(self, event: e.Event) -> None:
        turn = self.live_turn
        match event:
            case e.NarrationToken() | e.CharacterToken():
                turn.draw_soon()
            case e.NarrationFinished(mood=mood):
                turn.draw()
                self._update_header(mood=mood)
            case e.CharacterStarted():
                turn.reopen(event.turn)
                turn.draw()
            case e.PageTold() | e.CharacterFinished() | e.DiceRolled():
                turn.draw()
            case e.BeatsMarked():
                turn.draw()
                self.panel.glow("beats")
            case e.MomentRecorded():
                turn.draw()
                self.panel.glow("moments")
            case e.SummaryRolled():
                self.panel.glow("summary")
            case e.ChapterAdvanced(title=title):
                self._say_news(f"New chapter: {title}")
            case e.GameCompleted():
                self._say_news("The story is complete. You can keep playing")
            case e.Notice(text=text, level=level):
                if level == "info" or not turn.add_note(text):
                    self._toast(text, level)
            case e.MemoryStarted() | e.MemoryFailed():
                self.panel.draw()
            case e.MemoryUpdated(character=who):
                self.panel.glow(who)
                added = sum(change.kind == "added" for change in self._running.mark(who).changes)
                new = "has a new memory" if added == 1 else f"has {added} new memories"
                name = self.cast.name(who)
                self._say_news(f"{name} {new}" if added else f"{name}'s memory was updated")

    # --- turns ------------------------------------------------------------------------------------------------------

    def _turn_began(self, event: e.TurnStarted) -> None:
        transcript, prompt, game = self.transcript, self.prompt, self.session.game
        if transcript.window.last < event.turn - 1:
            turns = sorted((n, turn) for n, turn in game.turns.items() if n < event.turn)
            transcript.show([self.lay_out(turn) for _, turn in turns], event.turn - 1)
        if (old := transcript.window.find(event.turn)) is not None:
            transcript.drop(old)
        self.live_turn.begin(game.state.chapter)
        self.entered = ""
        self.go_on_waits = False
        self._retry_hint = f"{'shift-F9' if self.retried_take else 'F4'} tries again"
        if self.retried_take:  # the others' replies stay in sight, also those after the retried one
            self._running.texts |= {reply.character or "": reply.text for reply in self.retried_take.replies}
            self.retried_take = None
        prompt.offer(self._next_draft)
        self._next_draft = ""
        prompt.waiting = True
        self.status.warning, self.status.hint = "", SENT_TO_STORY if misses_slash(event.text) else ""
        self._current_take = event.take
        self.takes = (event.take, event.take)
        self._update_header(turn=event.turn)

    async def retry_reply(self, act: Awaitable[T]) -> T:
        self.retried_take = self.session.last_turn
        try:
            return await act
        finally:
            self.retried_take = None

    def spoken(self, turn: Turn) -> None:
        if turn.number == self._running.turn:
            self._running.spoken = turn
            self.live_turn.draw()

    def queue(self, text: str) -> None:
        """Queue one line for after the turn; a second one stays in the box."""
        if not self.entered:
            self.entered = text
            self.prompt.write("")
        self.status.warn(QUEUED if self.entered == text else _SPEAKING)
        self.show_facts()

    def unqueue(self, *, before: bool = False) -> bool:
        """Put the entered line back behind, or `before`, the box's text; True if it is kept for ↑ instead, because it
        is a command.
        """
        prompt, line, self.entered = self.prompt, self.entered, ""
        texts = (line, prompt.text) if before else (prompt.text, line)
        parts = [part.strip() for part in texts if part.strip()]
        if line and len(parts) > 1 and any(map(is_command, parts)):
            prompt.remember([line])
            return True
        if line:
            prompt.write("\n".join(parts))
        return False

    def moved(self, line: str, before: Mapping[int, Turn]) -> None:
        """After undo, put the player's line back into an empty box, selected; redo removes it."""
        game, prompt = self.session.game, self.prompt
        last, undone = game.last_turn, before.get(game.state.turn + 1)
        match line.lower().split()[0]:
            case "/undo" if undone:
                prompt.offer(as_line(undone.player_text), selected=True)
            case "/redo" if last and prompt.text == as_line(last.player_text):
                prompt.write("")

    def _take_back(self, text: str, failure: e.TurnFailed | None = None) -> None:
        self.live_turn.discard()
        self.status.unsay(StorySession.BUSY)
        is_typed_later = bool(self.prompt.text.strip())
        again, recalled = self._give_back(text), self.unqueue(before=is_typed_later)
        if failure:
            ring_if_away(self.transcript.app)
            self.transcript.app.clear_notifications()  # a notice of the same trouble may have come before
            advice = f"Nothing was changed. {again}."
            if failure.kind == "unreadable":
                advice += " F2, then c, shows the whole answer."
            self.card("The turn failed", failure.reason, advice)
        elif not self.session.game.state.turn and not text:
            self.aside(aside_blocks("Stopped before the story started", f"{again}."))
        else:
            changed = "The turn was not changed" if self._current_take > 1 else "Nothing was changed"
            is_back = text and self._current_take == 1
            back = f". {RECALL}" if again == RECALL else "; your text is back in the box" if is_back else ""
            queued = f"; {QUEUED_IN_PAST}" if recalled else ""
            self.status.warn(f"Stopped. {changed}{back}{queued}.")

    def _give_back(self, text: str) -> str:
        prompt, last = self.prompt, self.session.game.last_turn
        prompt.waiting = False
        self._update_header(turn=self.session.game.state.turn)
        if not (self._current_take > 1 and last):
            sent = self.session.typed.sent
            self.go_on_waits = bool(last) and not sent
            if sent:
                return self._return(sent)
            if last:
                return "F4 tries again" if prompt.text.strip() else AGAIN
            return "F4 starts with its first scene, or type the first line yourself"
        self.transcript.add(self.lay_out(last))
        if text == last.player_text:
            return self._retry_hint
        return self._return(as_line(text, again=True))

    def _return(self, line: str) -> str:
        self.prompt.offer(line)
        if self.prompt.text.strip() == line.strip():
            return AGAIN
        self.prompt.remember([line])
        return RECALL

    # --- the rest -----------------------------------------------------------------------------------------------------

    def _activity_changed(self) -> None:
        status, calls = self.status, self._activity
        self.transcript.refresh_bindings()
        status.doing, status.tokens, status.expected = calls.sentence, calls.tokens, calls.expected
        if calls.narrator_tokens:
            self._update_header(used=calls.narrator_tokens)
        self.show_facts()

    def count_takes(self) -> None:
        self.takes = self.session.takes if self.session.game.state.turn else (1, 1)
        self.show_facts()
        self.transcript.refresh_bindings()
        is_first = self.session.game.state.turn == 1 and not (self.prompt.text or self.session.read_only)
        if is_first and self.status.hint in ("", self._news, self._explained):
            self._explain_openings(self.takes[1])

    def _explain_openings(self, takes: int) -> None:
        untold = len(self.session.game.chapter.openings) - takes
        if untold > 0:
            self.explain(f"{counted(untold, 'more opening')}: F4 shows the next one.")
        elif takes > 1:
            self.explain(f"{counted(takes - 1, 'other opening')}: ← and → show them.")

    def show_facts(self) -> None:
        current, count = self.takes
        last = self.session.game.last_turn
        teller = f" · {one_line(last.told_by, 24)}" if last and last.told_by else ""
        unplayed = ["1 line queued"] if self.entered else []
        unplayed += [f"◂ take {current} of {count}{teller} ▸"] if count > 1 else []
        unplayed += [TRIAL] if self.session.is_trial else []
        self.status.facts = tuple(unplayed)

    def show_told(self) -> None:
        """Show the last turn if it was told before and is not saved yet."""
        last = self.session.last_turn
        if last and self.transcript.window.last < last.number:
            self.live_turn.add_told(last, self.session.game.moments)

    def offer_typed(self) -> None:
        """Put a line that was not told, or else a draft, into the box."""
        typed = self.session.typed
        if typed.sent:
            self._next_draft = typed.box
            self.prompt.remember([typed.box, typed.sent])
        self.prompt.offer(typed.sent or typed.box)

    def say_missing(self) -> None:
        """Say which memories can be written."""
        if (missing := self.session.game.state.unremembered) and not self.session.read_only:
            self.status.hint = f"{missing_text(missing)[:-1]}: ^g v writes them."

    @property
    def is_behind(self) -> bool:
        """The box's text comes behind a line on its way."""
        return bool(self.entered) or self.prompt.waiting

    @property
    def line_waits(self) -> bool:
        """The box holds a line that came back without a turn."""
        sent = self.session.typed.sent.strip()
        return bool(sent) and sent == self.prompt.text.strip() and not self.is_behind

    def is_useful(self, action: str) -> bool:
        game, last, changes = self.session.game, self.session.last_turn, self.session.pack_edits
        match action:
            case "take":
                return self.takes[1] > 1
            case "retry_edited":
                return self.line_waits or bool(last and retry_line(last))
            case "retry_reply":
                return bool(last and last.replies)
            case "heard":
                return last is not None
            case "changed_pack":
                return bool(changes and changes.changed)
            case "renew":
                missing = game.state.unremembered and not self.session.wants_memories
                return bool(game.state.edited or missing)
            case _:
                return True

    def text_changed(self, text: str) -> None:
        self.explain(UNTOLD if self.line_waits else command_hint(text) or self._whisper_hint(text))

    def _whisper_hint(self, text: str) -> str:
        habits = self.session.agents.model("stage").habits or ()
        is_line = text.strip() and not (self.prompt.directing or text.startswith((WHISPER_ARROW, "/")))
        return NOTICES_NO_WHISPER if is_line and "whispers" in habits else ""

    def explain(self, text: str) -> None:
        """Show a text until the box changes."""
        status = self.status
        status.unsay(self._explained)
        self._explained = text
        status.hint = text or status.hint

    def story_changed(self) -> None:
        """Show another story or branch; its end is loaded next."""
        self.live_turn.layout = None
        self.status.unsay(self._news)
        self.panel.new_turn()
        self.state_changed()

    def state_changed(self) -> None:
        game, last = self.session.game, self.session.game.last_turn
        self.panel.show(game)
        self.prompt.address(game.info.player.name)
        self.transcript.boundary(game.state.last_summarized_turn)
        self._update_header(turn=game.state.turn, mood=last.mood if last else "")

    def _say_news(self, text: str) -> None:
        if not self.panel.display:
            self._news = self.status.hint = one_line(text, 60)

    def _toast(self, text: str, level: str) -> None:
        severity: Literal["information", "warning"] = "information" if level == "info" else "warning"
        self.transcript.notify(text, severity=severity, markup=False)

    def card(self, title: str, reason: str, advice: str) -> None:
        self.aside(card_blocks(title, reason, advice))

    def aside(self, blocks: list[Block]) -> None:
        self.transcript.add(TurnLayout(self.transcript.window.last, blocks, aside=True))

    def _update_header(self, **changed: Any) -> None:
        session, game = self.session, self.session.game
        self._where = replace(
            self._where,
            title=game.info.title,
            chapter=f"{number_of(game.pack, game.state.chapter)} {game.chapter.title}",
            branch=session.branch_title,
            model="offline storyteller" if session.offline else session.model_name,
            window=0 if session.offline else session.window,
            note="read only" if session.read_only else "",
            **changed,
        )
        self.header.parts, self.rule.mood = self._where, self._where.mood
