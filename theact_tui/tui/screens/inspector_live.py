"""The turn that is being told or remembered while one looks on. Fed with events; knows no screen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import TypeAdapter

from theact_tui.engine import events as e
from theact_tui.story.game import Game
from theact_tui.story.memory import Memory
from theact_tui.story.turn import Entry, Turn
from theact_tui.tui.doing import Doing

_MEMORY: TypeAdapter[Any] = TypeAdapter(Memory)


@dataclass
class Live:
    """What is known of a turn before it is saved. `turn` is 0 while none is told."""

    turn: int = 0
    text: str = ""
    narration: str = ""
    mood: str = "calm"
    replies: dict[str, str] = field(default_factory=dict)
    present: tuple[str, ...] = ()
    beats: tuple[str, ...] = ()
    memories: dict[str, Memory] = field(default_factory=dict)
    """Memories as this turn has changed them already."""
    busy: set[str] = field(default_factory=set)
    """Whose memory is being written."""
    doing: Doing = field(default_factory=lambda: Doing(str))
    """What runs now, in words."""
    running: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Agent key and prompt tokens of the calls that run, by call id."""
    finished: set[str] = field(default_factory=set)
    """Ids of this turn's calls that have ended."""
    speaker: str = ""
    """Who spoke, or began to, last in this turn."""

    def take(self, event: e.Event) -> None:
        """Follow one event."""
        match event:
            case e.TurnStarted(turn=turn, text=text):
                self._begin(turn)
                self.text = text
                self.doing.turn()
            case e.TurnSaved() | e.TurnCancelled() | e.TurnFailed():
                self._begin(0)
            case e.AfterStarted(turn=turn, agents=agents):
                self.turn = self.turn or turn
                self.doing.plan(agents)
            case e.CallStarted() | e.CallRetried() | e.CallFinished():
                self._call(event)
            case e.MemoryStarted(character=who):
                self.busy.add(who)
            case e.MemoryUpdated(character=who, after=after):
                self.busy.discard(who)
                self.memories[who] = _MEMORY.validate_python(after)
            case e.MemoryFailed(character=who):
                self.busy.discard(who)
            case _:
                self._told(event)

    def _call(self, event: e.CallStarted | e.CallRetried | e.CallFinished) -> None:
        match event:
            case e.CallStarted(call=call, agent=agent, prompt_tokens=tokens):
                self.running[call] = (agent, tokens)
                self.doing.begin(call, agent, tokens)
            case e.CallRetried(call=call, attempt=attempt):
                self.doing.again(call, attempt)
            case e.CallFinished(call=call, agent=agent):
                self.running.pop(call, None)
                self.finished.add(call)
                self.doing.finish(call, agent, event.prompt_tokens, event.completion_tokens)

    def _told(self, event: e.Event) -> None:
        match event:
            case e.NarrationToken(text=text, replace=replace):
                self.narration = text if replace else self.narration + text
            case e.NarrationFinished(text=text, mood=mood, present=present):
                self.narration, self.mood, self.present = text, mood, present
            case e.CharacterStarted(character=who):
                self.speaker = who
                self.replies[who] = ""
            case e.CharacterToken(character=who, text=text, replace=replace):
                self.replies[who] = text if replace else self.replies.get(who, "") + text
            case e.CharacterFinished(character=who, text=text):
                self.replies[who] = text
            case e.BeatsMarked(beats=beats):
                self.beats += beats
            case _:
                pass

    def _begin(self, turn: int) -> None:
        self.turn = turn
        self.text = self.narration = ""
        self.mood, self.speaker, self.present, self.beats = "calm", "", (), ()
        self.replies.clear()
        self.memories.clear()
        self.busy.clear()
        self.finished.clear()

    def words(self, chapter: str) -> Turn:
        """The turn as far as it has been told."""
        told = [Entry(role="narrator", text=self.narration)] if self.narration else []
        told += [Entry(role="player", text=self.text)] if self.text else []
        told += [
            Entry(role="character", text=text, character=who) for who, text in self.replies.items() if text
        ]
        fields = {
            "number": self.turn,
            "chapter": chapter,
            "mood": self.mood,
            "entries": tuple(told),
            "witnesses": tuple(dict.fromkeys((*self.present, *self.replies))),
            "new_beats": self.beats,
        }
        return Turn.model_validate(fields)

    def over(self, game: Game) -> Game:
        """`game`, which is that of the turn before, with what this turn has changed so far."""
        state = game.state.model_copy(
            update={
                "turn": self.turn,
                "present": self.present or game.state.present,
                "beats_hit": (*game.state.beats_hit, *self.beats),
            }
        )
        return replace(game, state=state, memories={**game.memories, **self.memories})
