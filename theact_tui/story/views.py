"""Views: the values each agent's prompt is built from. Only `viewpoint_of` makes a `Viewpoint`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from theact_tui.story.beats import Quotable
from theact_tui.story.lore import LoreMatch
from theact_tui.story.memory import Cell, Memory
from theact_tui.story.moments import Moment
from theact_tui.story.open_question import OpenQuestion
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
    seed: int
    turn: int
    take: int = 1
    language: str = ""
    """Empty: unspecified."""
    voice: Voice = "third"

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
    begun: tuple[str, ...] = ()
    turns_since_beat: int
    lead: Lead = field(default_factory=Lead)
    people_speak: bool = True
    """On the page; else only in answers."""
    answering: tuple[str, ...] = ()
    """Ids that answer after the page."""
    seated: tuple[str, ...] = ()
    """Ids on stage whose seat is given to a person."""
    recaps: tuple[tuple[str, str], ...]
    cast: Mapping[str, Character]
    gates: Mapping[str, Gate]
    last_seen: Mapping[str, int]
    """Last witnessed turn by character, within the prompts."""
    present: tuple[str, ...]
    setting: str = ""
    """Place and hour after the last turn; "" if unknown."""
    sent_away: tuple[str, ...]
    back: tuple[str, ...] = ()
    """On stage now, but away when the last turn ended."""
    whispered_to: tuple[str, ...] | None = None
    """Only hearers named by the player's line; None: no name."""
    asleep: tuple[str, ...] = ()
    unaware: tuple[str, ...] = ()
    """On stage, without knowledge of the last turn."""
    moments: tuple[Moment, ...]
    summary: str
    turns: tuple[Turn, ...]
    earlier: tuple[Turn, ...] = ()
    """All known turns, so that a script does not repeat itself; in no prompt."""
    player_text: str
    ruling: Ruling | None = None
    game_complete: bool = False
    recalled: tuple[str, ...] = ()
    """Long past lines that this turn mentions."""
    truth: str = ""
    """The world's hidden truth; in no other view."""
    bible: str = ""
    """The whole pack, for a model that may know it and has room for it; in no other view."""
    lore: tuple[LoreMatch, ...] = ()
    late_lore: tuple[LoreMatch, ...] = ()
    """Lore that only the player's line brings up."""
    open_question: str = ""
    """The player's last question, if nobody has answered it."""
    steering: Steering = field(default_factory=Steering)
    """Note and direction are in no other view."""


def without_secrets(cast: Mapping[str, Character]) -> dict[str, Character]:
    return {id: card.model_copy(update={"secret": ""}) for id, card in cast.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """Turn as one witness knows it: no system entries, no asides."""

    number: int
    chapter: str
    entries: tuple[Entry, ...]
    """In the order player, narrator, characters."""
    gap: str = ""
    """Line about something missed before it, or ""."""
    is_partial: bool = False
    """True for a past turn of whose page or replies a piece was missed."""


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
    """Its replies, oldest first, for a script; in no prompt."""
    now: Witnessed | None = None
    mood: str = ""
    setting: str = ""
    private: tuple[str, ...] = ()
    """Pieces of this turn that were kept from somebody on stage."""
    noticed_by: tuple[str, ...] = ()
    """On stage, with all of these pieces."""
    asleep: tuple[str, ...] = ()
    gate: Gate = "free"
    cue: str = ""
    open_question: str = ""
    """Question that the player asked this one, heard and not answered yet."""
    cast: tuple[str, ...] | None = None
    lore: tuple[LoreMatch, ...] = ()
    length: Length = "normal"
    is_brief: bool = False
    """True for a model that tells pages without speech: its reply is short, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryView(PlayView):
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
    role: str = ""
    cells: tuple[Cell, ...] = ()
    turns: tuple[Witnessed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionView(PlayView):
    point: Viewpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressView(PlayView):
    chapter: Chapter
    beats_hit: tuple[str, ...]
    turns: tuple[Turn, ...]
    """Turns not yet checked, oldest first; normally one."""
    before: tuple[Turn, ...] = ()
    beats: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    question: OpenQuestion | None = None

    @property
    def asked(self) -> tuple[str, ...]:
        labels = (*self.beats, *self.secrets, *(["end"] if self.chapter.beats else []))
        return (*labels, "answered") if labels and self.question else labels


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedView(PlayView):
    beat: str
    place: Quotable


@dataclass(frozen=True, slots=True, kw_only=True)
class StageView(PlayView):
    scene: Scene
    page: str
    narrator: NarratorView
    is_brief: bool = False  # asks only what keeps a turn from somebody

    @property
    def cast(self) -> Mapping[str, Character]:
        return self.narrator.cast


@dataclass(frozen=True, slots=True, kw_only=True)
class KeeperView(PlayView):
    action: str
    difficulty: int
    narrator: NarratorView
    """The narrator's view before the roll."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentsView(PlayView):
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
    kind: Literal["ideas", "casting"]
    chapter: str
    summary: str
    turns: tuple[Turn, ...]
    present: tuple[str, ...]
    beat: str
    beats_hit: int
    newcomer: str = ""
    recalled: tuple[str, ...] = ()
    """Sentences about them that summaries left out."""
    earlier: tuple[Turn, ...] = ()
    """As in `NarratorView`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecapView(PlayView):
    chapter: Chapter
    summary: str
    turns: tuple[Turn, ...]
    beats_hit: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EpilogueView(PlayView):
    title: str
    recaps: tuple[tuple[str, str], ...]
    moments: tuple[Moment, ...]
    owed: tuple[str, ...] = ()
    """Promises, debts and gifts, with what became of them."""
    turns: tuple[Turn, ...]
    """First, middle and last without moments; else the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorView:
    kind: str
    """`concept`, `setting`, `character` or `chapter`; `talk` or `premise`; `short` or `lore`."""
    plan: str
    """Plan so far; for `short` and `lore` their text."""
    words: dict[str, str]
    last: str = ""
    change: str = ""
    problems: tuple[str, ...] = ()
