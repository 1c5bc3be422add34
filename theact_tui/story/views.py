"""Views: the values each agent's prompt is built from.

`Viewpoint` carries the witness rule; only `viewpoint_of` in `theact_tui.story.viewpoints` makes one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from theact_tui.story.beats import Place
from theact_tui.story.lore import LoreMatch
from theact_tui.story.memory import Cell, Memory
from theact_tui.story.moments import Moment
from theact_tui.story.pacing import Lead
from theact_tui.story.pack import Chapter, Character, PlayerInfo, Voice, World
from theact_tui.story.scene import Scene
from theact_tui.story.secrets import Gate
from theact_tui.story.steering import Length, Steering
from theact_tui.story.turn import Entry, Ruling, Turn
from theact_tui.text import is_pronoun


def hero_of(player: PlayerInfo) -> str:
    """Name of the player's character in prompts, instead of a pronoun."""
    return "the hero" if is_pronoun(player.name) else player.name


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryView:
    """Position in the story. `seed`, `turn` and `take` make the storyteller repeatable."""

    world: World
    player: PlayerInfo
    names: Mapping[str, str]
    """All the pack's names by id, for past pages."""
    seed: int
    turn: int
    take: int = 1
    language: str = ""
    """Empty: unspecified."""
    voice: Voice = "third"
    """Person of replies."""

    @property
    def hero(self) -> str:
        return hero_of(self.player)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayView:
    story: StoryView


@dataclass(frozen=True, slots=True, kw_only=True)
class NarratorView(PlayView):
    kind: str
    """`opening`, `play` or `transition`."""
    chapter: Chapter
    beats_hit: tuple[str, ...]
    unmet: tuple[str, ...]
    """The beats to come."""
    begun: tuple[str, ...] = ()
    """Those of them that have begun."""
    turns_since_beat: int
    lead: Lead = field(default_factory=Lead)
    """Lead of the page."""
    recaps: tuple[tuple[str, str], ...]
    """Title and recap per finished chapter."""
    cast: Mapping[str, Character]
    """The chapter's characters by id."""
    gates: Mapping[str, Gate]
    """Secrets by character: out or not."""
    last_seen: Mapping[str, int]
    """Last turn each witnessed, within the prompts."""
    present: tuple[str, ...]
    setting: str = ""
    """Place and hour after the last turn; "" if unknown."""
    sent_away: tuple[str, ...]
    """Characters that the narrator must not bring back."""
    back: tuple[str, ...] = ()
    """On stage now, but away when the last turn ended."""
    whispered_to: tuple[str, ...] | None = None
    """Only hearers named by the player's line; None: nobody named."""
    asleep: tuple[str, ...] = ()
    """On stage, asleep after the last turn."""
    unaware: tuple[str, ...] = ()
    """On stage, without knowledge of the last turn."""
    moments: tuple[Moment, ...]
    summary: str
    turns: tuple[Turn, ...]
    """Oldest first."""
    earlier: tuple[Turn, ...] = ()
    """All known turns, so that a script does not repeat itself; in no prompt."""
    player_text: str
    has_aside: bool = False
    """A part in parentheses is for the narrator alone."""
    ruling: Ruling | None = None
    nudge: str = ""
    """The beat to steer to, when many turns passed without one."""
    game_complete: bool = False
    recalled: tuple[str, ...] = ()
    """Long past lines that this turn mentions."""
    truth: str = ""
    """The world's hidden truth; in no other view."""
    truth_is_shown: bool = True  # small models tell the truth and secrets they are shown
    lore: tuple[LoreMatch, ...] = ()
    """Lore for the scene, hidden entries included."""
    woken: frozenset[str] = frozenset()
    """Lore ids that only the player's line brings up."""
    steering: Steering = field(default_factory=Steering)
    """Note and direction are in no other view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """A turn as one witness knows it: no system entries, no asides."""

    number: int
    chapter: str
    entries: tuple[Entry, ...]
    """In the order player, narrator, characters."""
    gap: str = ""
    """Line about something missed before it, or ""."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewpoint(PlayView):
    """Everything a character may know when it speaks or remembers."""

    id: str
    card: Character
    present: tuple[str, ...]
    memory: Memory
    turns: tuple[Witnessed, ...]
    """Verbatim witnessed turns, oldest first."""
    said: tuple[str, ...] = ()
    """Its known replies, oldest first, for a script; in no prompt."""
    now: Witnessed | None = None
    """The current turn so far."""
    mood: str = ""
    setting: str = ""
    """Place and hour, or ""."""
    unaware: tuple[str, ...] = ()
    """On stage, without the line that this one heard."""
    asleep: tuple[str, ...] = ()
    gate: Gate = "free"
    """Whether its secret may come out."""
    cue: str = ""
    """The next beat if it is this character's act, else ""."""
    cast: tuple[str, ...] | None = None
    """Ids in the chapter; None if unknown."""
    lore: tuple[LoreMatch, ...] = ()
    """Known lore for the scene."""
    length: Length = "normal"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryView(PlayView):
    """Witnessed turns to remember, oldest first, the last one new."""

    id: str
    name: str
    memory: Memory
    turns: tuple[Witnessed, ...]
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeView(PlayView):
    """Cells or turns to merge into older memories, oldest first."""

    id: str
    name: str
    summary: str
    cells: tuple[Cell, ...] = ()
    turns: tuple[Witnessed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionView(PlayView):
    """A character at a chapter's end; like a `Viewpoint`, only its own knowledge."""

    point: Viewpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressView(PlayView):
    chapter: Chapter
    beats_hit: tuple[str, ...]
    turns: tuple[Turn, ...]
    """The turns not yet checked, oldest first; normally one."""
    before: tuple[Turn, ...] = ()
    """The chapter's turn before them."""
    beats: Mapping[str, str] = field(default_factory=dict)
    """Beats asked about, by label."""
    secrets: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Characters and secrets asked about, by label."""

    @property
    def asked(self) -> tuple[str, ...]:
        """Fields of the form."""
        return (*self.beats, *self.secrets, *(["end"] if self.chapter.beats else []))


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedView(PlayView):
    """A place quoted for a beat."""

    beat: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class StageView(PlayView):
    """A told page, to ask who is there, who heard the line, who answers."""

    scene: Scene
    page: str
    narrator: NarratorView
    """What its narrator was shown."""
    is_brief: bool = False
    """Ask only what keeps a turn from somebody."""

    @property
    def cast(self) -> Mapping[str, Character]:
        """The chapter's characters by id."""
        return self.narrator.cast


@dataclass(frozen=True, slots=True, kw_only=True)
class KeeperView(PlayView):
    """The player's deed, to ask whether it is risky."""

    action: str
    difficulty: int
    narrator: NarratorView
    """The narrator's view before the roll."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentsView(PlayView):
    """Turns to search for moments."""

    chapter: Chapter
    moments: tuple[Moment, ...]
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryView(PlayView):
    """Turns to add to the summary `before`; without turns, shorten it."""

    before: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionView(PlayView):
    """The player's situation, for ideas or a newcomer."""

    kind: Literal["ideas", "casting"]
    chapter: str
    summary: str
    turns: tuple[Turn, ...]
    present: tuple[str, ...]
    beat: str
    """The next beat: ideas lead there without telling it."""
    beats_hit: int
    newcomer: str = ""
    """Name of the joining character."""
    recalled: tuple[str, ...] = ()
    """Sentences about them that summaries left out."""
    earlier: tuple[Turn, ...] = ()
    """All known turns, so that a script does not repeat itself; in no prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecapView(PlayView):
    chapter: Chapter
    summary: str
    turns: tuple[Turn, ...]
    """The chapter's verbatim turns."""
    beats_hit: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EpilogueView(PlayView):
    title: str
    recaps: tuple[tuple[str, str], ...]
    moments: tuple[Moment, ...]
    turns: tuple[Turn, ...]
    """First, middle and last without moments; else the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorView:
    """An author agent's task: the plan so far, and its words."""

    kind: str
    """`concept`, `setting`, `character` or `chapter`; `talk` or `premise`; `short` or `lore`; `trouble` or `aims`."""
    plan: str
    """Plan so far; for `short` and `lore` their text."""
    words: dict[str, str]
    """Values of the task's placeholders."""
    last: str = ""
    """Existing version of the part."""
    change: str = ""
    """Requested change."""
    problems: tuple[str, ...] = ()
    """Faults to mend."""
