"""The one place where events become calls on the play screen: its live turn, side panel and presenter."""

from __future__ import annotations

from dataclasses import dataclass

from theact_tui.engine import events as e
from theact_tui.tui.activity import Activity
from theact_tui.tui.blocks import beat_blocks, dice_block, memory_changes, moment_block
from theact_tui.tui.play.live_turn import LiveTurn
from theact_tui.tui.play.presenter import PlayPresenter
from theact_tui.tui.play.side_panel import SidePanel


@dataclass(frozen=True, slots=True)
class EventHandler:
    """Turns events into calls on the live turn, the side panel and the screen around them."""

    live_turn: LiveTurn
    panel: SidePanel
    screen: PlayPresenter
    activity: Activity

    def show(self, event: e.Event) -> None:
        """Show one event. Those that concern other screens are passed over."""
        self.activity.apply(event)
        match event:
            case e.CallStarted() | e.CallRetried() | e.CallFinished() | e.AfterStarted():
                self.screen.activity_changed()
            case e.CatchingUp():
                self.activity.older_left = event.left if event.last else 0
                self.screen.activity_changed()
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
                self.live_turn.add(moment_block(kind, summary))
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
