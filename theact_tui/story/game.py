"""The state of a game between two turns, as one immutable value.

Everything here has a bounded size, whatever the number of turns played: `turns` holds just those that prompts may
still need. The full history lives in the save.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from uuid import uuid4

from theact_tui.story.base import Value
from theact_tui.story.memory import Memory, empty_memory
from theact_tui.story.moments import Moment
from theact_tui.story.pack import Chapter, Pack, PlayerInfo, addressed
from theact_tui.story.steering import Standing
from theact_tui.story.turn import Turn
from theact_tui.text import one_line


class Pending(Value):
    """Work of an earlier turn that is still to be done."""

    agent: Literal["stage", "memory", "progress", "moment", "recap", "epilogue", "reflection"]
    turn: int
    character: str | None = None
    chapter: str | None = None
    entry: str | None = None
    """With `cells`: the new entry, written but not yet stored because its merge failed."""


class Recap(Value):
    """2 to 3 sentences about a finished chapter, kept for ever."""

    chapter: str
    title: str
    text: str


class PastChapter(Value):
    """A chapter that was played, with its first and last turn."""

    chapter: str
    first_turn: int
    last_turn: int


class State(Value):
    """`state.yaml`: everything about the game's present that is not memory, moments or recaps."""

    turn: int = 0
    chapter: str
    chapter_since: int = 0
    """Turn after which the chapter began."""
    beats_hit: tuple[str, ...] = ()
    told_early: tuple[str, ...] = ()
    """Beats of the next chapter that were told in this one."""
    chapter_history: tuple[PastChapter, ...] = ()
    transition: bool = False
    """The next turn's narrator is asked for a transition scene."""
    last_beat_turn: int = 0
    nudged: bool = False
    came_back: dict[str, int] = {}
    """Remembered lines that were let come back, and in which turn."""
    all_beats_turn: int | None = None
    """The turn in which the chapter's last beat was hit."""
    completion_said: int = 0
    """Turns in which the chapter was called complete."""
    game_complete: bool = False
    present: tuple[str, ...] = ()
    held: dict[str, bool] = {}
    """Presence as the player set it, by character; it holds against the narrator until a new chapter."""
    woken: tuple[str, ...] = ()
    """Those whom the player brought on stage since the last turn: they do not sleep any more."""
    moments_through: int | None = None
    """The last turn that was looked through for moments; None: a save in which every turn was."""
    rolling_summary: str = ""
    last_summarized_turn: int = 0
    chronicle: str = ""
    """What a new rolling summary no longer says, and moments that gave way; kept as lines of an archive."""
    views: dict[str, tuple[int, ...]] = {}
    """Per character, the witnessed turns that are verbatim in its prompts; cut in blocks."""
    rolls: int = 0
    """How many dice the game has thrown; with the seed it is the generator's state."""
    gates: dict[str, bool] = {}
    """By character, whether its secret may come out, as the player set it by hand."""
    chapter_set: Literal["", "end", "keep"] = ""
    """Whether the chapter ends with the next turn or continues whatever is told, as the player set it by hand."""
    pending: tuple[Pending, ...] = ()
    lore_known: dict[str, dict[str, int]] = {}
    """By id of a lore entry and character, the turn in which the story told it to that character."""
    steering: Standing = Standing()
    """How the player steers the telling, beside the story."""
    unremembered: int = 0
    """The last of the turns from the first on that nobody remembers yet: the story was told in another program."""
    edited: tuple[int, ...] = ()
    """Turns whose words were edited after they were remembered: lines of memory from them are stale."""


class SaveInfo(Value):
    """`save.yaml`: what never changes while playing, but for the title."""

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
    """A playthrough between two turns."""

    info: SaveInfo
    pack: Pack
    state: State
    memories: dict[str, Memory] = field(default_factory=dict)
    moments: tuple[Moment, ...] = ()
    recaps: tuple[Recap, ...] = ()
    turns: dict[int, Turn] = field(default_factory=dict)
    """The turns prompts may need, by number: those not yet folded, those in `state.views`, and the last one."""

    @property
    def chapter(self) -> Chapter:
        return self.pack.chapters[self.state.chapter]

    @property
    def language(self) -> str:
        """The language of the story, as a name or a tag; empty: English, or whatever the pack is written in."""
        return self.state.steering.language or self.pack.game.language

    @property
    def unmet_beats(self) -> tuple[str, ...]:
        return tuple(beat for beat in self.chapter.beats if beat not in self.state.beats_hit)

    def memory_of(self, character: str) -> Memory:
        """A character's memory, empty when it has none yet."""
        return self.memories.get(character) or empty_memory(self.pack.game.memory)

    @property
    def last_turn(self) -> Turn | None:
        return self.turns.get(self.state.turn)

    def with_state(self, **changes: object) -> Game:
        """The game with fields of its state replaced; turns that no prompt needs any more are let go."""
        state = self.state.model_copy(update=changes)
        turns = {number: self.turns[number] for number in needed_turns(state) if number in self.turns}
        return replace(self, state=state, turns=turns)

    def with_turn(self, turn: Turn) -> Game:
        """The game with a turn it holds replaced."""
        return replace(self, turns={**self.turns, turn.number: turn})

    def with_memory(self, character: str, memory: Memory) -> Game:
        """The game with one character's memory replaced."""
        return replace(self, memories={**self.memories, character: memory})

    def with_recap(self, recap: Recap) -> Game:
        """The game with one more chapter recapped, in the order of the chapters."""
        order = {chapter: place for place, chapter in enumerate(self.pack.game.chapters)}
        told = [*(known for known in self.recaps if known.chapter != recap.chapter), recap]
        return replace(self, recaps=tuple(sorted(told, key=lambda known: order.get(known.chapter, 0))))

    def with_held(self, held: Mapping[str, bool]) -> Game:
        """The game with presence held as the player set it, by character."""
        present = tuple(
            name for name in self.chapter.characters if held.get(name, name in self.state.present)
        )
        return self.with_state(held=dict(held), present=present)


def new_game(
    pack: Pack, *, title: str, player: str, seed: int, created: str, id: str = "", about: str = ""
) -> Game:
    """A game before its first turn. `about` says who the player is, if not what the pack says."""
    told = pack.game.player
    chosen = {"name": one_line(player, 60) or told.name}
    if about:  # somebody else than the pack's own hero
        chosen |= {"description": about, "known_as": ""}
    hero = told.model_copy(update=chosen)
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
    """The numbers of the turns that `Game.turns` must hold for this state, ascending."""
    verbatim = range(max(1, state.last_summarized_turn + 1), state.turn + 1)
    viewed = (number for numbers in state.views.values() for number in numbers)
    waiting = (work.turn for work in state.pending)
    last = (state.turn,) if state.turn else ()
    return tuple(sorted({*verbatim, *viewed, *waiting, *last} - {0}))


class Unsent(Value):
    """A line that was sent and is not told yet, or a draft; void once another turn follows, or on another branch."""

    branch: str
    after: int
    """The turn it was sent after."""
    text: str
    again: bool = False
    """It was to tell that turn again, in other words."""
    draft: bool = False
    """It was being written when the story was left, and not sent; commands keep their slash."""
    then: str = ""
    """What was being written behind a line that was sent and not told."""


class Spoken(Value):
    """Enough to finish a turn after a crash."""

    parent: str
    """Commit id this turn follows; a journal whose parent is not the branch's head is void."""
    branch: str
    turn: Turn
    present: tuple[str, ...]
    held: dict[str, bool] = {}
    rolls: int = 0
