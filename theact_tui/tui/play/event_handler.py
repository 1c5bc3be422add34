"""The one place where events become calls on the play screen, by three protocols: turn, side panel, screen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from theact_tui.engine import events as e
from theact_tui.tui.activity import Activity
from theact_tui.tui.blocks import Block, Change, beat_blocks, dice_block, memory_changes, moment_block_of


class LiveTurnView(Protocol):
    """Shows the turn that is being told."""

    def begin(self, number: int, text: str, chapter: str) -> None: ...
    def add(self, *blocks: Block) -> None: ...
    def add_note(self, text: str) -> bool: ...
    def add_thought(self, text: str) -> None: ...
    def add_narration(self, text: str, replace: bool = False) -> None: ...
    def end_narration(self, text: str) -> None: ...
    def begin_reply(self, character: str, name: str) -> None: ...
    def add_reply(self, text: str, replace: bool = False) -> None: ...
    def end_reply(self, text: str) -> None: ...
    def end(self) -> None: ...
    def discard(self) -> None: ...


class SidePanelView(Protocol):
    """Shows state, cast and memories of the story."""

    def new_turn(self) -> None: ...
    def beats_marked(self, beats: tuple[str, ...]) -> None: ...
    def summary_rolled(self) -> None: ...
    def moment_recorded(self) -> None: ...
    def remembering(self, character: str) -> None: ...
    def remembered(self, character: str, changes: tuple[Change, ...]) -> None: ...
    def forgot(self, character: str, reason: str) -> None: ...


class ScreenView(Protocol):
    """The screen around them: header, status, input, and the state behind it all."""

    def turn_began(self, event: e.TurnStarted) -> None: ...
    def turn_spoken(self) -> None: ...
    def turn_saved(self, turn: int) -> None: ...
    def turn_failed(self, event: e.TurnFailed) -> None: ...
    def turn_cancelled(self, text: str) -> None: ...
    def mood(self, mood: str) -> None: ...
    def activity_changed(self) -> None: ...
    def edits_found(self) -> None: ...
    def pack_changed(self) -> None: ...
    def unsent_found(self, text: str, again: bool) -> None: ...
    def reload_all(self) -> None: ...
    def state_changed(self) -> None: ...
    def news(self, text: str) -> None: ...
    def toast(self, text: str, level: str) -> None: ...


@dataclass(frozen=True, slots=True)
class EventHandler:
    """Turns events into calls on the live turn, the side panel and the screen around them."""

    live_turn: LiveTurnView
    panel: SidePanelView
    screen: ScreenView
    activity: Activity

    def show(self, event: e.Event) -> None:
        """Show one event. Those that concern other screens are passed over."""
        match event:
            case e.CallStarted() | e.CallRetried() | e.CallFinished() | e.AfterStarted() | e.CatchingUp():
                self._call(event)
            case e.TurnStarted() | e.TurnSpoken() | e.TurnSaved() | e.TurnCancelled() | e.TurnFailed():
                self._turn(event)
            case e.MemoryStarted() | e.MemoryUpdated() | e.MemoryFailed():
                self._memory(event)
            case (
                e.SaveOpened()
                | e.EditsFound()
                | e.PackChanged()
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
                self.live_turn.add_thought(thought)
                self.live_turn.add_narration(text, replace)
            case e.CharacterToken(text=text, reasoning=thought, replace=replace):
                self.live_turn.add_thought(thought)
                self.live_turn.add_reply(text, replace)
            case e.NarrationFinished(text=text, mood=mood):
                self.live_turn.end_narration(text)
                self.screen.mood(mood)
            case e.CharacterStarted(character=character, name=name):
                self.live_turn.begin_reply(character, name)
            case e.CharacterFinished(text=text):
                self.live_turn.end_reply(text)
            case e.DiceRolled(roll=roll, difficulty=difficulty, resolution=resolution):
                self.live_turn.add(dice_block(roll, difficulty, resolution))
            case e.BeatsMarked(beats=beats):
                self.live_turn.add(*beat_blocks(beats))
                self.panel.beats_marked(beats)
            case e.MomentRecorded(kind=kind, summary=summary):
                self.live_turn.add(moment_block_of(kind, summary))
                self.panel.moment_recorded()
            case e.SummaryRolled():
                self.panel.summary_rolled()
            case e.ChapterAdvanced(title=title):
                self.screen.news(f"New chapter: {title}")
            case e.GameCompleted():
                self.screen.news("The story is complete. You can keep playing")
            case e.Notice(text=text, level=level):
                if level == "info" or not self.live_turn.add_note(text):
                    self.screen.toast(text, level)
            case _:
                pass

    def _turn(self, event: e.Event) -> None:
        match event:
            case e.TurnStarted():
                self.activity.turn()
                self.panel.new_turn()
                self.screen.turn_began(event)
            case e.TurnSpoken():
                self.live_turn.end()
                self.screen.turn_spoken()
            case e.TurnSaved(turn=turn):
                self.screen.turn_saved(turn)
            case e.TurnCancelled(text=text):
                self.live_turn.discard()
                self.screen.turn_cancelled(text)
            case e.TurnFailed():
                self.live_turn.discard()
                self.screen.turn_failed(event)
            case _:
                pass
        self.screen.activity_changed()

    def _call(self, event: e.Event) -> None:
        match event:
            case e.AfterStarted(agents=agents):
                self.activity.plan(agents)
            case e.CatchingUp():
                self.activity.older_left = event.left if event.last else 0
            case e.CallStarted(call=call, agent=agent, prompt_tokens=tokens):
                self.activity.begin(call, agent, tokens)
            case e.CallRetried(call=call, attempt=attempt):
                self.activity.again(call, attempt)
            case e.CallFinished(call=call, agent=agent, prompt_tokens=tokens, completion_tokens=completion):
                self.activity.finish(call, agent, tokens, completion)
            case _:
                pass
        self.screen.activity_changed()

    def _memory(self, event: e.Event) -> None:
        match event:
            case e.MemoryStarted(character=character):
                self.panel.remembering(character)
            case e.MemoryUpdated(character=character, before=before, after=after):
                changes = memory_changes(before, after)
                self.panel.remembered(character, changes)
                added = sum(change.kind == "added" for change in changes)
                name = self.activity.name(character)
                self.screen.news(
                    f"{name} has {'a new memory' if added == 1 else f'{added} new memories'}"
                    if added
                    else f"{name}'s memory was updated"
                )
            case e.MemoryFailed(character=character, reason=reason):
                self.panel.forgot(character, reason)
            case _:
                pass

    def _save(self, event: e.Event) -> None:
        match event:
            case e.SaveOpened(recovered=recovered) if recovered:
                self.screen.toast(recovered, "warning")
            case e.EditsFound():
                self.screen.edits_found()
            case e.PackChanged():
                self.screen.pack_changed()
            case e.UnsentFound(text=text, again=again):
                self.screen.unsent_found(text, again)
            case e.BranchSwitched() | e.Undone() | e.Redone():
                self.screen.reload_all()
            case e.Edited() | e.PresenceChanged() | e.ModelsChanged():
                self.screen.state_changed()
            case _:
                pass
