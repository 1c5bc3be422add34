"""Draw the events of a directed chapter: transcript, notes, status and drafts."""

from collections.abc import Sequence

from theact_tui.engine import events as e
from theact_tui.engine.direct.session import DirectSession
from theact_tui.story.direct.as_story import as_turn
from theact_tui.story.direct.log import exchanges, span_text
from theact_tui.story.direct.records import SessionRecord
from theact_tui.story.direct.transcript import CUT_NOTE, LogTranscript
from theact_tui.story.game import Game
from theact_tui.story.moments import Moment
from theact_tui.story.turn import Turn
from theact_tui.text import one_line
from theact_tui.tui.actions import LEADER_NAME
from theact_tui.tui.blocks import Block, Cast, card_blocks, turn_blocks
from theact_tui.tui.direct.asking import AskingPane
from theact_tui.tui.direct.chapter import ChapterPane
from theact_tui.tui.direct.notes import NotesPanel
from theact_tui.tui.play.live_turn import FLUSH_SECONDS, LiveTurn
from theact_tui.tui.play.loader import TranscriptLoader
from theact_tui.tui.play.transcript import Transcript
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.running_turn import Activity, RunningTurn
from theact_tui.tui.visuals import quiet
from theact_tui.tui.widgets.status_line import StatusLine, ring_if_away

NOTHING = "Nothing was played yet. Write below what happens; the character named before your line answers."


class DirectPresenter:
    """Turns events into calls on widgets."""

    def __init__(
        self,
        session: DirectSession,
        transcript: Transcript,
        panel: NotesPanel,
        status: StatusLine,
        asking: AskingPane,
        chapter: ChapterPane,
    ) -> None:
        self._session = session
        self._transcript, self._panel, self._status = transcript, panel, status
        self._asking, self._chapter = asking, chapter
        self.is_stopping = False
        """The player stops the running call."""
        self._activity = Activity(
            lambda slot: self._name(int(slot)),
            estimate=lambda agent, read, write: self._session.agents.model(agent).seconds_for(read, write),
        )
        running = RunningTurn(doing=self._activity)
        self._running = running
        self._parts: dict[int, str] = {}
        """Streamed text by part."""
        self._part = (0, 0)
        self._is_due = False
        self._failure: list[Block] = []
        self.live_turn = LiveTurn(transcript, running, self._blocks_of, numbered=False)
        self.loader = TranscriptLoader(
            self._read, lambda: self._record.prompt_index, transcript, lambda: self.live_turn.layout
        )

    @property
    def _record(self) -> SessionRecord:
        return self._session.session

    def _name(self, slot: int) -> str:
        return one_line(self._record.name_of(slot), 40)

    @property
    def doing(self) -> str:
        """Sentence about the running call, without its full stop."""
        part, parts = self._part
        count = f", part {part} of {parts}" if parts > 1 else ""
        return f"{self._activity.sentence}{count}" if self._session.busy else ""

    # --- events -----------------------------------------------------------------------------------------------------

    def show(self, event: e.Event) -> None:
        self._running.apply(event)
        match event:
            case e.PromptStarted(prompt=number, text=text):
                self._begin(number, text)
            case e.ActorToken():
                self.live_turn.draw_soon()
            case e.ReplyFinished():
                self.live_turn.end()
                self._asking.box.waiting = False
                ring_if_away(self._transcript.app)
            case e.PromptSaved():
                self._saved()
            case e.PromptFailed(slot=slot, reason=reason):
                self._failed(slot, reason)
            case e.BlockStored(block=block, first=first, last=last):
                self._panel.glow(block)
                if self._record.state == "ACTIVE" and last and not self._panel.display:
                    self.say(f"Notes taken of {span_text(first, last)}. {LEADER_NAME} m shows them.")
            case e.BuildStarted():
                self._parts = {}
                self._chapter.begin_draft()
            case e.ChapterToken(part=part, parts=parts, text=text, replace=replace):
                self._parts[part] = text if replace else self._parts.get(part, "") + text
                self._part = (part, parts)
                self._stream_soon()
            case e.BuildFailed() | e.DraftBuilt():
                ring_if_away(self._transcript.app)
                self._parts, self._part = {}, (0, 0)
                self._chapter.end_draft()
            case e.BranchSwitched() | e.SessionReset():
                self._asking.forget()
            case e.CallProgress():
                self._status.tokens = self._activity.tokens
            case e.SaveOpened(recovered=text) if text:
                self._toast(text)
            case e.Notice(text=text, level=level):
                if level == "info" or not self.live_turn.add_note(text):
                    self._toast(text)

    def _begin(self, number: int, text: str) -> None:
        self.is_stopping, self._failure = False, []
        if (old := self._transcript.window.find(number)) is not None:
            self._transcript.drop(old)
        self.live_turn.begin("")
        self._asking.begin(text)

    def _saved(self) -> None:
        self._asking.answered()
        last = exchanges(self._session.game.events)[-1]
        self.live_turn.show_saved(as_turn(last), ())
        if len(self._record.selected_agent_slots) > 1:
            self.say(f"Next: {self._name(self._asking.number)}. F8 picks someone else.")

    def _failed(self, slot: int, reason: str) -> None:
        """Take the prompt off the page and put its text back."""
        self.live_turn.discard()
        back = self._asking.failed()
        if self.is_stopping:
            self.say(f"{reason} {back}".rstrip())
        else:
            ring_if_away(self._transcript.app)
            title = f"{self._name(slot)} could not answer"
            self._failure = card_blocks(title, reason, f"Nothing was changed. {back}")
            self._aside(self._failure)

    def say(self, text: str) -> None:
        self._status.hint = one_line(text, 300)

    def _toast(self, text: str) -> None:
        self._transcript.notify(one_line(text, 300), markup=False, timeout=8)

    def _aside(self, blocks: list[Block]) -> None:
        self._transcript.add(TurnLayout(self._transcript.window.last, blocks, aside=True))

    # --- the page ---------------------------------------------------------------------------------------------------

    def _blocks_of(self, turn: Turn, moments: Sequence[Moment]) -> list[Block]:
        pack = self._session.story.pack
        return turn_blocks(pack, Cast.of(pack), turn, moments)

    async def _read(self, first: int, last: int) -> list[TurnLayout]:
        turns = layouts(self._session.story, self._session.transcript)
        return [layout for layout in turns if first <= layout.number <= last]

    async def reload(self) -> None:
        self.live_turn.layout = None
        await self.loader.show_newest()
        if not self._record.prompt_index:
            self._aside([Block(quiet(NOTHING))])

    async def reload_after_failure(self) -> None:
        await self.reload()
        if self._failure:
            self._aside(self._failure)

    async def mark_reach(self) -> None:
        """Move the line after the last summarised prompt."""
        reach = self._record.last_summarized_prompt_index
        turns = [turn for turn in self._transcript.window.turns if not turn.aside]
        for number in [turn.number for turn in turns if is_marked(turn) != (turn.number == reach)]:
            await self.loader.reload_turn(number)

    def draw_status(self) -> None:
        status, (take, count) = self._status, self._session.takes
        status.doing, status.expected = self.doing, self._activity.expected
        takes = [f"◂ take {take} of {count} ▸"] if count > 1 else []
        model = "offline storyteller" if self._session.offline else one_line(self._session.model_name, 30)
        status.facts = (*takes, model)

    def _stream_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._transcript.set_timer(FLUSH_SECONDS, self._stream)

    def _stream(self) -> None:
        self._is_due = False
        if self._parts:
            self._chapter.stream_draft("\n\n".join(self._parts[n] for n in sorted(self._parts)))
        self.draw_status()


SUMMARISED = "── summarised up to here ──"
"""Shown for the line of dashes."""


def layouts(story: Game, shown: LogTranscript) -> list[TurnLayout]:
    """Set the shown log as turns of a transcript, with a line after the last summarised prompt."""
    cast, turns = Cast.of(story.pack), list[TurnLayout]()
    for exchange in exchanges(shown.events):
        blocks = turn_blocks(story.pack, cast, as_turn(exchange))
        if shown.is_cut and not turns:
            blocks.insert(0, _remark(CUT_NOTE))
        if exchange.index == story.state.last_summarized_turn > 0:
            blocks.append(_remark(SUMMARISED))
        turns.append(TurnLayout(exchange.index, blocks, numbered=False))
    return turns


def is_marked(layout: TurnLayout) -> bool:
    """True if a turn ends with the line after the last summarised prompt."""
    return any(block.text.plain == SUMMARISED for block in layout.blocks[-1:])


def _remark(text: str) -> Block:
    return Block(quiet(text))
