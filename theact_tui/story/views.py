"""What each agent is given, as values. A prompt is made from a view and from nothing else.

`Viewpoint` carries the witness rule: it is all that a character's prompts can be made of, and `viewpoint_of` in
`theact_tui.story.viewpoints` is the only place that makes one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from theact_tui.story.lore import LoreMatch
from theact_tui.story.memory import Cell, Memory
from theact_tui.story.moments import Moment
from theact_tui.story.pacing import Lead
from theact_tui.story.pack import Chapter, Character, PlayerInfo, Voice, World
from theact_tui.story.secrets import Gate
from theact_tui.story.steering import Length, Steering
from theact_tui.story.turn import Entry, Ruling, Turn
from theact_tui.story.who_hears_and_answers import Scene
from theact_tui.text import is_pronoun


def hero_of(player: PlayerInfo) -> str:
    """What prompts call the player's character; a pronoun for a name would mean anybody in them."""
    return "the hero" if is_pronoun(player.name) else player.name


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryView:
    """Where in the story we are. `seed`, `turn` and `take` make the storyteller's choices repeatable."""

    world: World
    player: PlayerInfo
    names: Mapping[str, str]
    """Names of all the pack's characters by id; past pages may hold any of them."""
    seed: int
    turn: int
    take: int = 1
    language: str = ""
    """The language to write in; empty: not said."""
    voice: Voice = "third"
    """The person in which characters answer."""

    @property
    def hero(self) -> str:
        """What prompts call the player's character."""
        return hero_of(self.player)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayView:
    """What every agent of play mode is given."""

    story: StoryView


@dataclass(frozen=True, slots=True, kw_only=True)
class NarratorView(PlayView):
    kind: str
    """`opening`, `play` or `transition`."""
    chapter: Chapter
    beats_hit: tuple[str, ...]
    turns_since_beat: int
    lead: Lead = field(default_factory=Lead)
    """Where the page is to go."""
    recaps: tuple[tuple[str, str], ...]
    """Title and recap of each finished chapter."""
    cast: Mapping[str, Character]
    """The chapter's characters by id."""
    gates: Mapping[str, Gate]
    """Whether the secret of each is out."""
    last_seen: Mapping[str, int]
    """The last turn that each witnessed, as far as prompts still hold it."""
    present: tuple[str, ...]
    setting: str = ""
    """Place and hour at the end of the last turn; empty: not known."""
    sent_away: tuple[str, ...]
    """Ids the player sent away; the narrator may not bring them back."""
    back: tuple[str, ...] = ()
    """Ids of those on stage who were away when the last turn ended."""
    whispered_to: tuple[str, ...] | None = None
    """Ids of those whom alone the player's line names as hearing it; None: it names nobody."""
    asleep: tuple[str, ...] = ()
    """Ids of those on stage who slept when the last turn ended."""
    unaware: tuple[str, ...] = ()
    """Ids of those on stage who know nothing of the last turn, which was kept from them."""
    moments: tuple[Moment, ...]
    summary: str
    turns: tuple[Turn, ...]
    """Verbatim turns, oldest first."""
    earlier: tuple[Turn, ...] = ()
    """All turns that are known, for a script that must not repeat itself; no prompt holds them."""
    player_text: str
    has_aside: bool = False
    """A part of it, in parentheses, is for the narrator alone."""
    ruling: Ruling | None = None
    nudge: str = ""
    """The beat to steer to, when many turns passed without one."""
    game_complete: bool = False
    recalled: tuple[str, ...] = ()
    """What the story has long left behind and this turn speaks of."""
    truth: str = ""
    """What lies behind the world; no other view holds it."""
    lore: tuple[LoreMatch, ...] = ()
    """The lore that the scene calls for; the narrator knows all of it."""
    woken: frozenset[str] = frozenset()
    """Ids of the lore that the player's line alone brings up."""
    steering: Steering = field(default_factory=Steering)
    """What the player steers; its note and direction stand in no other view."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """The part of a turn that one witness knows: no system entries, no asides of the player's."""

    number: int
    chapter: str
    entries: tuple[Entry, ...]
    """In the order player, narrator, characters."""
    gap: str = ""
    """Says that something was missed before it; empty if nothing was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewpoint(PlayView):
    """Everything a character may know when it speaks or remembers."""

    id: str
    card: Character
    present: tuple[str, ...]
    memory: Memory
    turns: tuple[Witnessed, ...]
    """Witnessed turns still verbatim, oldest first."""
    said: tuple[str, ...] = ()
    """All that this one is known to have said, oldest first, for a script; no prompt holds it."""
    now: Witnessed | None = None
    """The turn being played, as far as it has been told."""
    mood: str = ""
    """Empty: not said."""
    setting: str = ""
    """Place and hour; empty: not known."""
    unaware: tuple[str, ...] = ()
    """Ids of those on stage who did not hear the player's line, which this one heard."""
    asleep: tuple[str, ...] = ()
    """Ids of those on stage who sleep."""
    gate: Gate = "free"
    """Whether its secret may come out."""
    cue: str = ""
    """The next beat, when it is this character's own act; empty: it is not."""
    cast: tuple[str, ...] | None = None
    """Ids of the people in the chapter; None when that is not known."""
    lore: tuple[LoreMatch, ...] = ()
    """The lore that the scene calls for, of what this character may know."""
    length: Length = "normal"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryView(PlayView):
    """What a character is to remember: the witnessed turns not yet in its memory, oldest first, the last one new."""

    id: str
    name: str
    memory: Memory
    turns: tuple[Witnessed, ...]
    role: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeView(PlayView):
    """Cells, or told turns, to be merged into a character's older memories, oldest first."""

    id: str
    name: str
    summary: str
    cells: tuple[Cell, ...] = ()
    turns: tuple[Witnessed, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionView(PlayView):
    """A character at the end of a chapter; like a `Viewpoint` it holds what this one knows, and nothing else."""

    point: Viewpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressView(PlayView):
    chapter: Chapter
    beats_hit: tuple[str, ...]
    turns: tuple[Turn, ...]
    """The turns not yet checked, oldest first; normally one."""
    before: tuple[Turn, ...] = ()
    """What of the turns of the chapter before them, oldest first, may tell a beat that was missed there."""
    offered: Mapping[int, str] = field(default_factory=dict)
    """The beats that are asked about, by number; those of the next chapter go on from the last of this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StageView(PlayView):
    """A page that was told, of which is asked who is there, who heard the player's line, and who answers."""

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
    """What the player does, of which is asked whether anything is risked."""

    action: str
    difficulty: int
    narrator: NarratorView
    """What the narrator will be shown, but for the throw."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentsView(PlayView):
    """Told turns, to be looked through for moments."""

    chapter: Chapter
    moments: tuple[Moment, ...]
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryView(PlayView):
    """Turns to be added to what was written `before`; without any, that is to be made shorter."""

    before: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionView(PlayView):
    """Where the player stands, for ideas to choose from, or somebody new to describe."""

    kind: Literal["ideas", "casting"]
    chapter: str
    summary: str
    turns: tuple[Turn, ...]
    present: tuple[str, ...]
    beat: str
    """The next one: ideas lead there and do not tell it; other prompts do not hold it."""
    beats_hit: int
    newcomer: str = ""
    """The name of who is to join the story."""
    recalled: tuple[str, ...] = ()
    """What summaries left out that names them."""
    earlier: tuple[Turn, ...] = ()
    """All turns that are known, for a script that must not repeat itself; no prompt holds them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecapView(PlayView):
    chapter: Chapter
    summary: str
    turns: tuple[Turn, ...]
    """The chapter's turns that are still verbatim."""
    beats_hit: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EpilogueView(PlayView):
    title: str
    recaps: tuple[tuple[str, str], ...]
    moments: tuple[Moment, ...]
    turns: tuple[Turn, ...]
    """First, middle and last turn when there are no moments; else the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorView:
    """What an author agent is given: the plan so far, and the words of its task."""

    kind: str
    """`concept`, `setting`, `character` or `chapter`; `talk` or `premise` of a talk about the idea; `short` or `lore`;
    `trouble` or `aims`."""
    plan: str
    """What is planned so far; of `short` and `lore` the text they are about."""
    words: dict[str, str]
    """What fills the task's placeholders."""
    last: str = ""
    """What there is of the part already."""
    change: str = ""
    """What the author wants changed in it."""
    problems: tuple[str, ...] = ()
    """What is wrong with it."""
