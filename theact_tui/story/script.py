"""`storyteller.yaml`: material of the offline storyteller.

Scenes follow the beats in order. A turn without a beat tells a requested topic, a reaction, or an ambient passage.
Lists are variants, each used once while others are left. Prose is second person, present tense.
"""

from typing import Literal

from pydantic import Field

from theact_tui.story.moments import MomentType
from theact_tui.story.value import Value

ActionKind = Literal["look", "go", "talk", "take", "fight", "wait", "other"]


class Spark(Value):
    type: MomentType
    summary: str
    significance: float = Field(default=0.5, ge=0, le=1)


class Way(Value):
    """Variant of a scene for one way of coming to it."""

    cues: tuple[str, ...]
    """Lower-case words or prefixes in the player's line. Up to three letters, or with a final full stop: whole words
    only.
    """
    narration: str
    anyhow: bool = False
    """True if it fits any line, so that other takes may use it."""


class Traces(Value):
    learns: dict[str, str] = {}
    minds: dict[str, str] = {}
    """Character's view from now on, by character: one sentence, third person present, in the summary of `facts`
    memories until replaced.
    """
    retold: dict[str, str] = {}
    diary: dict[str, str] = {}
    """One or two first-person sentences for `cells` memories, by character; by default from `gist` and `learns`."""
    gist: str = ""
    """One sentence for summaries and recaps, third person past, the player as `{player}`."""


class Passage(Traces):
    narration: str
    mood: str = "calm"
    lines: dict[str, str] = {}
    """Replies by character; these respond, in this order."""
    after: int = Field(default=0, ge=0)
    """Topics and ambient passages: only from so many reached beats."""
    before: int | None = Field(default=None, ge=1)
    """Topics and ambient passages: only below so many."""


class ScriptScene(Passage):
    """Telling of one beat, in the order of beats."""

    cues: tuple[str, ...] = ()
    """Words that start this scene at once when it is next."""
    ways: tuple[Way, ...] = ()
    present: tuple[str, ...] | None = None
    moment: Spark | None = None
    roll: tuple[str, str] | None = None
    """With dice: a sentence for failure and one for success, before the narration."""
    follows: bool = False
    """True if it follows the scene before at once."""

    @property
    def all_cues(self) -> tuple[str, ...]:
        return (*self.cues, *(cue for way in self.ways for cue in way.cues))


class Topic(Passage):
    """Subject to look into, told when a cue is in the line."""

    cues: tuple[str, ...]
    again: str = ""


class CuedAnswer(Value):
    """Character's answer to certain words, whatever is told."""

    cues: tuple[str, ...]
    line: str
    learns: str = ""
    after: int = Field(default=0, ge=0)
    """Only after so many witnessed scenes of the chapter."""
    before: int | None = Field(default=None, ge=1)


class Deed(Value):
    """Reaction to a certain deed: sings, digs, falls asleep."""

    cues: tuple[str, ...]
    told: tuple[str, ...]
    lines: dict[str, str] = {}


class Leaving(Value):
    """Texts for a player who walks off alone; one or two sentences each."""

    away: tuple[str, ...] = ()
    """Nobody follows."""
    back: tuple[str, ...] = ()
    """Texts that bring the player back: `You are half way up when a door opens below.`"""


class Opening(Traces):
    others: tuple[str, ...] = ()


class ChapterScript(Value):
    opening: str = ""
    opening_lines: dict[str, str] = {}
    opened: Opening = Opening()
    scenes: tuple[ScriptScene, ...] = ()
    topics: tuple[Topic, ...] = ()
    ambient: tuple[Passage, ...] = ()
    deeds: tuple[Deed, ...] = ()
    answers: dict[str, tuple[CuedAnswer, ...]] = {}
    """By character; they come before the voice's."""
    recap: str = ""
    thread: str = ""
    """One sentence for the whole chapter in later summaries."""


class Voice(Value):
    lines: dict[str, tuple[str, ...]] = {}
    """By mood, or `any`; by kind of the player's deed (`look` to `other`); `unanswered` questions; `repeated` ones;
    `puzzled` by unknown words; `confided` secrets.
    """
    answers: tuple[CuedAnswer, ...] = ()


class Script(Value):
    reactions: dict[ActionKind, tuple[str, ...]] = {}
    deeds: tuple[Deed, ...] = ()
    """Reactions that come before those of a kind."""
    leaving: Leaving = Leaving()
    chapters: dict[str, ChapterScript] = {}
    voices: dict[str, Voice] = {}
    epilogue: str = ""
    """150 to 200 words; `{moments}` becomes two or three remembered moments in one sentence."""
    afterwards: tuple[Passage, ...] = ()
