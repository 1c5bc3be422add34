"""State of a game between two turns."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import uuid4

from theact_tui.story.memory import Memory, empty_memory
from theact_tui.story.moments import Moment
from theact_tui.story.open_question import OpenQuestion
from theact_tui.story.pack import Chapter, Pack, PlayerInfo, addressed
from theact_tui.story.steering import Standing
from theact_tui.story.turn import Turn
from theact_tui.story.value import Value
from theact_tui.text import one_line


class Pending(Value):
    agent: Literal["stage", "memory", "progress", "moment", "recap", "epilogue", "reflection"]
    turn: int
    character: str | None = None
    chapter: str | None = None
    entry: str | None = None
    """With `cells`: a new entry whose merge failed."""


class Recap(Value):
    chapter: str
    title: str
    text: str


class PastChapter(Value):
    chapter: str
    first_turn: int
    last_turn: int
    passed: tuple[str, ...] = ()
    """Beats that did not happen, or out of sight."""


class ChapterChoices(Value):
    """The player's choices for a chapter that is told to begin again."""

    chapter: str
    chapter_set: Literal["", "end", "keep"] = ""
    beats_hit: tuple[str, ...] = ()
    held: dict[str, bool] = {}
    woken: tuple[str, ...] = ()

    @classmethod
    def of(cls, state: State) -> ChapterChoices:
        return cls.model_validate({name: getattr(state, name) for name in cls.model_fields})


class State(Value):
    """`state.yaml`."""

    turn: int = 0
    chapter: str
    chapter_since: int = 0
    beats_hit: tuple[str, ...] = ()
    begun: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()
    """Beats that the story went on without; they may still come about."""
    told_secrets: tuple[str, ...] = ()
    open_question: OpenQuestion | None = None
    chapter_history: tuple[PastChapter, ...] = ()
    transition: bool = False
    last_beat_turn: int = 0
    came_back: dict[str, int] = {}
    """Turn in which a remembered line came back."""
    completion_said: int = 0
    game_complete: bool = False
    present: tuple[str, ...] = ()
    held: dict[str, bool] = {}
    woken: tuple[str, ...] = ()
    """Characters brought on stage by the player since the last turn."""
    moments_through: int | None = None
    """Last turn searched for moments; None: all were."""
    rolling_summary: str = ""
    last_summarized_turn: int = 0
    chronicle: str = ""
    """Archive of summary sentences and moments."""
    views: dict[str, tuple[int, ...]] = {}
    rolls: int = 0
    """Dice rolled; with the seed, the generator's state."""
    gates: dict[str, bool] = {}
    """The player's choice whether a secret may come out, by character."""
    chapter_set: Literal["", "end", "keep"] = ""
    """The player's choice."""
    choices_ahead: ChapterChoices | None = None
    pending: tuple[Pending, ...] = ()
    lore_known: dict[str, dict[str, int]] = {}
    """By entry and character, the turn in which the story told it."""
    steering: Standing = Standing()
    unremembered: int = 0
    """Imported turns 1 to this one have no memories yet."""
    edited: tuple[int, ...] = ()

    @property
    def settled(self) -> tuple[str, ...]:
        return (*self.beats_hit, *self.passed)


class SaveInfo(Value):
    """`save.yaml`."""

    format: int = 1
    id: str
    title: str
    pack: str
    seed: int
    player: PlayerInfo = PlayerInfo()
    created: str = ""
    mode: Literal["play", "direct"] = "play"


@dataclass(frozen=True, slots=True)
class Game:
    info: SaveInfo
    pack: Pack
    state: State
    memories: dict[str, Memory] = field(default_factory=dict)
    moments: tuple[Moment, ...] = ()
    recaps: tuple[Recap, ...] = ()
    turns: dict[int, Turn] = field(default_factory=dict)

    @property
    def chapter(self) -> Chapter:
        return self.pack.chapters[self.state.chapter]

    @property
    def language(self) -> str:
        return self.state.steering.language or self.pack.game.language

    @property
    def unmet_beats(self) -> tuple[str, ...]:
        settled = self.state.settled
        if may_end(self.chapter, settled):
            return ()
        return tuple(beat for beat in self.chapter.beats if beat not in settled)

    def memory_of(self, character: str) -> Memory:
        return self.memories.get(character) or empty_memory(self.pack.game.memory)

    @property
    def last_turn(self) -> Turn | None:
        return self.turns.get(self.state.turn)

    def with_state(self, **changes: object) -> Game:
        return replace(self, state=self.state.model_copy(update=changes))

    def trimmed(self) -> Game:
        needed = {number: self.turns[number] for number in needed_turns(self.state) if number in self.turns}
        return self if needed == self.turns else replace(self, turns=needed)

    def with_turn(self, turn: Turn) -> Game:
        return replace(self, turns={**self.turns, turn.number: turn})

    def with_memory(self, character: str, memory: Memory) -> Game:
        return replace(self, memories={**self.memories, character: memory})

    def with_recap(self, recap: Recap) -> Game:
        order = {chapter: place for place, chapter in enumerate(self.pack.game.chapters)}
        recaps = [*(item for item in self.recaps if item.chapter != recap.chapter), recap]
        return replace(self, recaps=tuple(sorted(recaps, key=lambda item: order.get(item.chapter, 0))))

    def with_held(self, held: Mapping[str, bool]) -> Game:
        present = tuple(
            name for name in self.chapter.characters if held.get(name, name in self.state.present)
        )
        return self.with_state(held=dict(held), present=present)


def may_end(chapter: Chapter, settled: Collection[str]) -> bool:
    """True if the last beat and half of the others were told or passed."""
    *others, last = chapter.beats or ("",)
    return last in settled and 2 * sum(beat in settled for beat in others) >= len(others)


def new_game(
    pack: Pack, *, title: str, player: str, seed: int, created: str, id: str = "", about: str = ""
) -> Game:
    """Create a game before its first turn. `about` describes a player other than the pack's."""
    info = pack.game.player
    chosen = {"name": one_line(player, 60) or info.name}
    if about:  # somebody else than the pack's own hero
        chosen |= {"description": about, "known_as": ""}
    hero = info.model_copy(update=chosen)
    pack = addressed(pack, hero)
    chapter = pack.first_chapter
    return Game(
        info=SaveInfo(
            id=id or uuid4().hex,
            title=one_line(title, 80),
            pack=pack.id,
            seed=seed,
            player=hero,
            created=created,
        ),
        pack=pack,
        state=State(chapter=chapter.id, present=chapter.opening_cast),
        memories={name: empty_memory(pack.game.memory) for name in pack.characters},
    )


def needed_turns(state: State) -> tuple[int, ...]:
    verbatim = range(max(1, state.last_summarized_turn + 1), state.turn + 1)
    viewed = (number for numbers in state.views.values() for number in numbers)
    waiting = {work.turn for work in state.pending}
    # who was there before a turn stands in the one before it, who left in a reply of it in the one after it
    beside = {work.turn + step for work in state.pending if work.agent == "stage" for step in (-1, 1)}
    last = (state.turn,) if state.turn else ()
    return tuple(n for n in sorted({*verbatim, *viewed, *waiting, *beside, *last}) if 0 < n <= state.turn)


class Spoken(Value):
    """Turn to finish after a crash."""

    parent: str
    """Commit before the turn; void unless it is the branch's head."""
    branch: str
    turn: Turn
    present: tuple[str, ...]
    held: dict[str, bool] = {}
    rolls: int = 0
