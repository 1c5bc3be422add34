"""State of the running turn, built from its events."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from pydantic import TypeAdapter

from theact_tui.engine import events as e
from theact_tui.story.game import Game
from theact_tui.story.memory import Change, Memory, memory_changes
from theact_tui.story.moments import Moment
from theact_tui.story.turn import Entry, Ruling, Turn

SENTENCES = {
    "narrator": "The narrator is writing",
    "stage": "Setting the stage",
    "progress": "Checking the beats",
    "keeper": "Deciding on the dice",
    "summary": "Summarising older turns",
    "ideas": "Looking for ideas",
    "recap": "Writing the chapter recap",
    "epilogue": "Writing the epilogue",
    "merge": "Condensing old memories",
    "casting": "Describing a new character",
    "lock": "Locking Setup",
    "delta": "Taking notes",
    "chapter": "Writing the chapter",
}

# in a reply; other agents write some 50
USUAL_TOKENS = {"narrator": 130, "character": 70, "actor": 120, "epilogue": 250, "chapter": 1_000}


@dataclass
class Activity:
    """Running calls, oldest first, and progress after the turn."""

    name: Callable[[str], str]
    """Finds a character's name."""
    running: dict[str, str] = field(default_factory=dict)
    """Keys such as `memory:maya` by call id."""
    people: dict[str, str] = field(default_factory=dict)
    """Persons at seats who are asked, by call id."""
    memories: tuple[str, ...] = ()
    """Memory calls of this turn, in order."""
    older_left: int = 0
    """Older turns whose memories are being written."""
    started: list[str] = field(default_factory=list)
    retried: dict[str, int] = field(default_factory=dict)
    arrived: dict[str, int] = field(default_factory=dict)
    narrator_tokens: int = 0
    estimate: Callable[[str, int, int], float] = lambda agent, prompt_tokens, reply_tokens: 0.0
    estimated: dict[str, float] = field(default_factory=dict)
    took: dict[str, float] = field(default_factory=dict)
    """Seconds of the last call, by kind of agent."""

    def apply(self, event: e.Event) -> None:
        match event:
            case e.TurnStarted() | e.PromptStarted():
                self.memories = ()
                self.started.clear()
                self.running.clear()
                self.retried.clear()
                self.arrived.clear()
            case e.AfterStarted(agents=agents):
                self.memories = tuple(agent for agent in agents if agent.startswith("memory:"))
            case e.CallStarted(call=call, agent=agent, person=person) if person:
                self.running[call], self.people[call] = agent, person
            case e.CallStarted(call=call, agent=agent):
                self.running[call] = agent
                tokens = USUAL_TOKENS.get(_kind(agent), 50)
                self.estimated[call] = self.estimate(agent, event.prompt_tokens, tokens)
                if agent in self.memories and agent not in self.started:
                    self.started.append(agent)
            case e.CallProgress(call=call, tokens=tokens):
                self.arrived[call] = tokens
            case e.CallRetried(call=call, attempt=attempt):
                self.retried[call] = attempt
            case e.CallFinished(call=call):
                self.running.pop(call, None)
                self.arrived.pop(call, None)
                self.estimated.pop(call, None)
                if not self.people.pop(call, ""):
                    self.took[_kind(event.agent)] = event.seconds
            case e.CatchingUp(last=last, left=left):
                self.older_left = left if last else 0
        if isinstance(event, e.CallStarted | e.CallFinished) and event.agent == "narrator":
            self.narrator_tokens = event.prompt_tokens

    @property
    def tokens(self) -> int:
        return self.arrived.get(next(iter(self.running), ""), 0)

    @property
    def expected(self) -> int:
        """Expected seconds of the call in `sentence`: as the last of its kind, else estimated; 0 if unknown."""
        call, agent = next(iter(self.running.items()), ("", ""))
        if call in self.people:
            return 0
        return round(self.took.get(_kind(agent)) or self.estimated.get(call, 0.0))

    @property
    def sentence(self) -> str:
        """Describe the longest running call; "" if none runs."""
        if not self.running:
            return ""
        call, agent = next(iter(self.running.items()))
        if person := self.people.get(call):
            return f"{self.name(agent.partition(':')[2])} ({person}) is writing; esc lets the model answer"
        again = f", try {self.retried[call]}" if call in self.retried else ""
        return self._sentence(agent) + again

    def _sentence(self, agent: str) -> str:
        kind, _, character = agent.partition(":")
        if self.older_left and kind == "memory":
            return f"Writing memories of older turns: {self.older_left} left"
        match kind:
            case "character" | "actor":
                return f"{self.name(character)} is answering"
            case "memory" | "cell":
                total, count = len(self.memories), ""
                if agent in self.started and total > 1:
                    count = f" ({self.started.index(agent) + 1} of {total})"
                return f"{self.name(character)} is updating memories{count}"
            case _:
                return SENTENCES.get(kind, "Working")


def _kind(agent: str) -> str:
    return agent.partition(":")[0]


THOUGHT_LETTERS = 300
_MEMORY: TypeAdapter[Any] = TypeAdapter(Memory)


def read_memory(dump: Mapping[str, Any]) -> Any:
    """Return the memory of an event; None for none."""
    return _MEMORY.validate_python(dump) if dump else None


@dataclass(frozen=True, slots=True)
class MemoryMark:
    changes: tuple[Change, ...] = ()
    failed: str = ""
    """Reason; the memory waits."""
    busy: bool = False


@dataclass
class RunningTurn:
    turn: int = 0
    text: str = ""
    kind: Literal["play", "directed"] = "play"
    mood: str = ""
    ruling: Ruling | None = None
    texts: dict[str, str] = field(default_factory=dict)
    """By speaker; "" is the narrator."""
    by: dict[str, str] = field(default_factory=dict)
    """Persons at seats, by the speaker they wrote for."""
    speaker: str = ""
    """Last speaker, even if just begun."""
    is_speaking: bool = False
    """`speaker`, or first the narrator, is still streaming."""
    thought: str = ""
    """End of its reasoning."""
    present: tuple[str, ...] = ()
    beats: tuple[str, ...] = ()
    moments: tuple[Moment, ...] = ()
    spoken: Turn | None = None
    """The turn with all decisions, once its prose is complete."""
    is_summarized: bool = False
    memories: dict[str, Memory] = field(default_factory=dict)
    """Already changed by this turn."""
    marks: dict[str, MemoryMark] = field(default_factory=dict)
    doing: Activity = field(default_factory=lambda: Activity(str))
    finished: set[str] = field(default_factory=set)

    def apply(self, event: e.Event) -> None:
        self.doing.apply(event)
        match event:
            case e.TurnStarted(turn=turn, text=text):
                self._begin(turn, text)
            case e.PromptStarted(prompt=turn, text=text):
                self._begin(turn, text, "directed")
                self._hear(event)
            case e.NarrationFinished(mood=mood, present=present):
                self.mood, self.present = mood, present
                self._hear(event)
            case e.TurnSaved() | e.TurnCancelled() | e.TurnFailed() | e.PromptSaved() | e.PromptFailed():
                self.turn = 0
                self.marks = {id: replace(mark, busy=False) for id, mark in self.marks.items()}
            case e.BranchSwitched(previous=previous, branch=branch) if previous == branch:
                pass  # it was only given another name
            case e.BranchSwitched() | e.Undone() | e.Redone():
                self._begin()
            case e.AfterStarted(turn=turn) if not self.turn:
                self._begin(turn)
            case e.CallFinished(call=call):
                self.finished.add(call)
            case e.BeatsMarked(beats=beats):
                self.beats += beats
            case e.MomentRecorded(kind=kind, summary=summary):
                self.moments += (
                    Moment.model_validate({"turn": self.turn, "type": kind, "summary": summary}),
                )
            case e.SummaryRolled():
                self.is_summarized = True
            case e.MemoryStarted(character=id):
                self.marks[id] = replace(self.mark(id), busy=True)
            case e.MemoryUpdated(character=id, before=before, after=after):
                self.marks[id] = MemoryMark(memory_changes(read_memory(before), read_memory(after)))
                self.memories[id] = read_memory(after)
            case e.MemoryFailed(character=id, reason=reason):
                self.marks[id] = replace(self.mark(id), failed=reason, busy=False)
            case _:
                self._hear(event)

    def _hear(self, event: e.Event) -> None:
        speaker = str(getattr(event, "character", "") or getattr(event, "slot", ""))
        match event:
            case e.DiceRolled(roll=roll, difficulty=difficulty, resolution=resolution):
                self.ruling = Ruling(roll=roll, difficulty=difficulty, resolution=resolution)
            case e.CharacterStarted() | e.PromptStarted():
                self.turn = self.turn or event.turn  # a told turn is answered late
                self.speaker, self.texts[speaker], self.is_speaking = speaker, "", True
            case e.NarrationToken() | e.CharacterToken() | e.ActorToken():
                earlier = "" if event.replace else self.texts.get(speaker, "")
                self.texts[speaker], self.is_speaking = earlier + event.text, True
                self.thought = (self.thought + event.reasoning)[-THOUGHT_LETTERS:]
            case e.PageTold() | e.NarrationFinished() | e.CharacterFinished() | e.ReplyFinished():
                self.by[speaker] = str(getattr(event, "by", ""))
                self.texts[speaker], self.is_speaking, self.thought = event.text, False, ""

    def _begin(self, turn: int = 0, text: str = "", kind: Literal["play", "directed"] = "play") -> None:
        fresh = RunningTurn(turn, text, kind, doing=self.doing)
        for attribute in fields(fresh):
            setattr(self, attribute.name, getattr(fresh, attribute.name))

    def mark(self, character: str) -> MemoryMark:
        return self.marks.get(character, MemoryMark())

    @property
    def busy(self) -> frozenset[str]:
        return frozenset(id for id, mark in self.marks.items() if mark.busy)

    @property
    def coming(self) -> str:
        """Partial text of the current speaker."""
        return self.texts.get(self.speaker, "") if self.is_speaking else ""

    def as_turn(self, chapter: str, cursor: str = "") -> Turn:
        """With `cursor`, mark the streaming text and include the next speaker."""
        texts = {id: text for id, text in {"": "", **self.texts}.items() if text}
        if cursor and self.is_speaking:
            texts[self.speaker] = f"{self.coming}{cursor if self.coming else ''}"
        entries = [Entry(role="player", text=self.text)] if self.text else []
        entries += [
            Entry(
                role="character" if id else "narrator",
                text=text,
                character=id or None,
                by=self.by.get(id, ""),
            )
            for id, text in texts.items()
        ]
        values: dict[str, Any] = {
            "witnesses": tuple(dict.fromkeys((*self.present, *filter(None, self.texts))))
        }
        if spoken := self.spoken:
            names = ("cuts", "witnesses", "heard", "stage")
            values = {name: getattr(spoken, name) for name in names}
        return Turn.model_validate(
            {
                "number": self.turn,
                "chapter": chapter,
                "kind": self.kind,
                "mood": self.mood,
                "entries": tuple(entries),
                "ruling": self.ruling,
                "new_beats": self.beats,
                **values,
            }
        )

    def applied_to(self, game: Game) -> Game:
        """Apply this turn's changes to the state before it."""
        state = game.state.model_copy(
            update={
                "turn": self.turn,
                "present": self.present or game.state.present,
                "beats_hit": (*game.state.beats_hit, *self.beats),
            }
        )
        return replace(game, state=state, memories={**game.memories, **self.memories})
