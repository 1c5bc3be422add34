"""The one place where events become calls on the screen. It knows what parts can do, not what they are.

Everything it is given is a small protocol, so that it can be tried without a screen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from theact_tui.engine import events as e
from theact_tui.tui.changes import Change, memory_changes
from theact_tui.tui.doing import Doing
from theact_tui.tui.typeset import Block, beat_blocks, dice_block, moment_block_of


class Teller(Protocol):
    """Writes the turn that is being told."""

    def begin(self, number: int, text: str, chapter: str) -> None: ...
    def add(self, *blocks: Block) -> None: ...
    def note(self, text: str) -> bool: ...
    def think(self, text: str) -> None: ...
    def narrate(self, text: str, replace: bool = False) -> None: ...
    def narrated(self, text: str) -> None: ...
    def speak(self, character: str, name: str) -> None: ...
    def say(self, text: str, replace: bool = False) -> None: ...
    def said(self, text: str) -> None: ...
    def end(self) -> None: ...
    def take_back(self) -> None: ...


class Side(Protocol):
    """Shows what the program knows of the story."""

    def new_turn(self) -> None: ...
    def beats_marked(self, beats: tuple[str, ...]) -> None: ...
    def summary_rolled(self) -> None: ...
    def moment_recorded(self) -> None: ...
    def remembering(self, character: str) -> None: ...
    def remembered(self, character: str, changes: tuple[Change, ...]) -> None: ...
    def forgot(self, character: str, reason: str) -> None: ...


class Desk(Protocol):
    """The screen around them: header, status, input, and the state behind it all."""

    def turn_began(self, event: e.TurnStarted) -> None: ...
    def turn_spoken(self) -> None: ...
    def turn_saved(self, turn: int) -> None: ...
    def turn_failed(self, event: e.TurnFailed) -> None: ...
    def turn_cancelled(self, text: str) -> None: ...
    def mood(self, mood: str) -> None: ...
    def doing(self) -> None: ...
    def edits_found(self) -> None: ...
    def unsent_found(self, text: str, again: bool) -> None: ...
    def recall(self) -> None: ...
    def state_changed(self) -> None: ...
    def news(self, text: str) -> None: ...
    def toast(self, text: str, level: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Bridge:
    """Turns events into calls on a teller, a side panel and the screen around them."""

    teller: Teller
    side: Side
    desk: Desk
    calls: Doing

    def show(self, event: e.Event) -> None:
        """Show one event. Unknown ones are for others."""
        match event:
            case e.CallStarted() | e.CallRetried() | e.CallFinished() | e.AfterStarted():
                self._call(event)
            case e.TurnStarted() | e.TurnSpoken() | e.TurnSaved() | e.TurnCancelled() | e.TurnFailed():
                self._turn(event)
            case e.MemoryStarted() | e.MemoryUpdated() | e.MemoryFailed():
                self._memory(event)
            case (
                e.SaveOpened()
                | e.EditsFound()
                | e.UnsentFound()
                | e.BranchSwitched()
                | e.Undone()
                | e.Redone()
                | e.Edited()
                | e.PresenceChanged()
                | e.ModelsChanged()
            ):
                self._save(event)
            case _:
                self._story(event)

    def _story(self, event: e.Event) -> None:
        match event:
            case e.NarrationToken(text=text, reasoning=thought, replace=replace):
                self.teller.think(thought)
                self.teller.narrate(text, replace)
            case e.CharacterToken(text=text, reasoning=thought, replace=replace):
                self.teller.think(thought)
                self.teller.say(text, replace)
            case e.NarrationFinished(text=text, mood=mood):
                self.teller.narrated(text)
                self.desk.mood(mood)
            case e.CharacterStarted(character=character, name=name):
                self.teller.speak(character, name)
            case e.CharacterFinished(text=text):
                self.teller.said(text)
            case e.DiceRolled(roll=roll, difficulty=difficulty, resolution=resolution):
                self.teller.add(dice_block(roll, difficulty, resolution))
            case e.BeatsMarked(beats=beats):
                self.teller.add(*beat_blocks(beats))
                self.side.beats_marked(beats)
            case e.MomentRecorded(kind=kind, summary=summary):
                self.teller.add(moment_block_of(kind, summary))
                self.side.moment_recorded()
            case e.SummaryRolled():
                self.side.summary_rolled()
            case e.ChapterAdvanced(title=title):
                self.desk.news(f"A new chapter: {title}")
            case e.GameCompleted():
                self.desk.news("The story has reached its end; you may play on")
            case e.Notice(text=text, level=level):
                if level == "info" or not self.teller.note(text):
                    self.desk.toast(text, level)
            case _:
                pass

    def _turn(self, event: e.Event) -> None:
        match event:
            case e.TurnStarted():
                self.calls.turn()
                self.side.new_turn()
                self.desk.turn_began(event)
            case e.TurnSpoken():
                self.teller.end()
                self.desk.turn_spoken()
            case e.TurnSaved(turn=turn):
                self.desk.turn_saved(turn)
            case e.TurnCancelled(text=text):
                self.teller.take_back()
                self.desk.turn_cancelled(text)
            case e.TurnFailed():
                self.teller.take_back()
                self.desk.turn_failed(event)
            case _:
                pass
        self.desk.doing()

    def _call(self, event: e.Event) -> None:
        match event:
            case e.AfterStarted(agents=agents):
                self.calls.plan(agents)
            case e.CallStarted(call=call, agent=agent, prompt_tokens=tokens):
                self.calls.begin(call, agent, tokens)
            case e.CallRetried(call=call, attempt=attempt):
                self.calls.again(call, attempt)
            case e.CallFinished(call=call, agent=agent, prompt_tokens=tokens, completion_tokens=completion):
                self.calls.finish(call, agent, tokens, completion)
            case _:
                pass
        self.desk.doing()

    def _memory(self, event: e.Event) -> None:
        match event:
            case e.MemoryStarted(character=character):
                self.side.remembering(character)
            case e.MemoryUpdated(character=character, before=before, after=after):
                changes = memory_changes(before, after)
                self.side.remembered(character, changes)
                added = sum(change.kind == "added" for change in changes)
                name = self.calls.name(character)
                self.desk.news(f"{name} remembers {added} more" if added else f"{name} sees it differently")
            case e.MemoryFailed(character=character, reason=reason):
                self.side.forgot(character, reason)
            case _:
                pass

    def _save(self, event: e.Event) -> None:
        match event:
            case e.SaveOpened(recovered=recovered) if recovered:
                self.desk.toast(recovered, "warning")
            case e.EditsFound():
                self.desk.edits_found()
            case e.UnsentFound(text=text, again=again):
                self.desk.unsent_found(text, again)
            case e.BranchSwitched() | e.Undone() | e.Redone():
                self.desk.recall()
            case e.Edited() | e.PresenceChanged() | e.ModelsChanged():
                self.desk.state_changed()
            case _:
                pass
