"""What `storyteller.yaml` holds: the authored material of the offline storyteller.

The storyteller tells a chapter's scenes in the order of its beats. A turn that does not reach the next beat tells a
topic the player asked about, a reaction to what the player does, or an ambient passage. Every list is a set of
variants: none is told twice while another is left. Prose is second person, present tense; it never repeats the
player's own words, which stand above it.
"""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, model_validator

from theact_tui.story.base import Value
from theact_tui.story.moments import MomentType

ActionKind = Literal["look", "go", "talk", "take", "fight", "wait", "other"]


class Spark(Value):
    """A moment worth remembering for the whole game."""

    type: MomentType
    summary: str
    """5 to 10 words."""
    significance: float = Field(default=0.5, ge=0, le=1)


class Way(Value):
    """A variant of a scene for players who come to it in a certain way."""

    cues: tuple[str, ...]
    """Words or beginnings of words in the player's line, lower case, that choose this variant. A cue of one to three
    letters, or one that ends with a full stop, fits the whole word only."""
    narration: str
    anyhow: bool = False
    """True if it holds however the player comes to the scene; another take may then tell it."""


class Traces(Value):
    """What is left of something told: in memories, summaries and recaps."""

    learns: dict[str, str] = {}
    """What each character takes away, third person, one short sentence, by character id."""
    minds: dict[str, str] = {}
    """How each character sees things from now on, third person present, one sentence, by id; it stands in the summary
    of a memory of policy `facts` until another takes its place."""
    retold: dict[str, str] = {}
    """What characters answer in every second take instead, by character id."""
    diary: dict[str, str] = {}
    """What each character writes down in a memory of policy `cells`, first person, one or two sentences, by id. None:
    it is made of `gist` and `learns`."""
    gist: str = ""
    """One sentence for summaries and recaps: what happened, third person past, the player as `{player}`."""


class Passage(Traces):
    """Something to tell, and what the characters present say and learn from it."""

    narration: str
    mood: str = "calm"
    lines: dict[str, str] = {}
    """What characters answer, by character id; those named here respond, in this order."""
    after: int = Field(default=0, ge=0)
    """Topics and ambient passages: told only when at least this many of the chapter's beats are hit."""
    before: int | None = Field(default=None, ge=1)
    """Topics and ambient passages: told only while fewer of the chapter's beats are hit."""


class Scene(Passage):
    """The telling of one beat. Scene k of a chapter tells its beat k."""

    cues: tuple[str, ...] = ()
    """Words in the player's line that bring this scene on at once when it is next."""
    ways: tuple[Way, ...] = ()
    present: tuple[str, ...] | None = None
    """Who is on stage after it, when it changes who is there."""
    moment: Spark | None = None
    roll: tuple[str, str] | None = None
    """With a keeper: one sentence told on a failed roll and one on a success, put in front of the narration."""
    follows: bool = False
    """True if it comes in the very next turn after the scene before it, whatever the player does."""

    @property
    def all_cues(self) -> tuple[str, ...]:
        """Its own cues and those of its ways."""
        return (*self.cues, *(cue for way in self.ways for cue in way.cues))


class Topic(Passage):
    """Something the player can look into or ask about, told when a cue is in the player's line."""

    cues: tuple[str, ...]
    again: str = ""
    """A shorter passage when it is asked about again."""


class Answer(Value):
    """A character's answer to certain words of the player, whatever is being told."""

    cues: tuple[str, ...]
    line: str
    learns: str = ""
    after: int = Field(default=0, ge=0)
    """Answers of a chapter: given only when the character has seen at least this many of its scenes."""
    before: int | None = Field(default=None, ge=1)
    """Answers of a chapter: given only while it has seen fewer."""


class Deed(Value):
    """What follows when the player does a certain thing, wherever it is done: sings, digs, falls asleep."""

    cues: tuple[str, ...]
    told: tuple[str, ...]
    """One or two sentences each."""
    lines: dict[str, str] = {}
    """What characters answer to it, by character id."""


class Leaving(Value):
    """What is told of a player who walks off alone, wherever that is; one or two sentences each."""

    away: tuple[str, ...] = ()
    """Nobody comes along."""
    back: tuple[str, ...] = ()
    """How the story fetches them back: `You are half way up when a door opens below.`"""


class Opening(Traces):
    """Other wordings of a chapter's opening, for other takes of it, and what it leaves behind."""

    others: tuple[str, ...] = ()


class ChapterScript(Value):
    """The authored material of one chapter."""

    opening: str = ""
    """Told when the chapter opens."""
    opening_lines: dict[str, str] = {}
    opened: Opening = Opening()
    scenes: tuple[Scene, ...] = ()
    topics: tuple[Topic, ...] = ()
    ambient: tuple[Passage, ...] = ()
    deeds: tuple[Deed, ...] = ()
    """Reactions to certain deeds in this chapter; they come before those of the whole script."""
    answers: dict[str, tuple[Answer, ...]] = {}
    """What characters answer in this chapter, by id; rather than what their voice has to answer."""
    recap: str = ""
    """2 to 3 sentences, kept for ever when the chapter is done."""
    thread: str = ""
    """One sentence that stands for the whole chapter in the rolling summary once the next one is under way."""


class Voice(Value):
    """How a character speaks when nothing more specific is to be said."""

    lines: dict[str, tuple[str, ...]] = {}
    """By mood, or `any`; by the kind of what the player does (`look` to `other`); `unanswered`: said to a question that
    it has no answer to; `repeated`: to one that it has answered already; `puzzled`: to words nobody understands;
    `confided`: to a secret or a confession."""
    answers: tuple[Answer, ...] = ()


class Script(Value):
    """`storyteller.yaml`."""

    reactions: dict[ActionKind, tuple[str, ...]] = {}
    """One or two sentences that answer what the player does, by kind of action."""
    deeds: tuple[Deed, ...] = ()
    """Reactions to certain deeds; they come before those of a kind."""
    leaving: Leaving = Leaving()
    chapters: dict[str, ChapterScript] = {}
    voices: dict[str, Voice] = {}
    epilogue: str = ""
    """150 to 200 words; `{moments}` is replaced by two or three remembered moments in one sentence."""
    afterwards: tuple[Passage, ...] = ()
    """Told when the player continues after the end, each once."""

    @model_validator(mode="before")
    @classmethod
    def _read_echoes(cls, data: Any) -> Any:
        """Packs and saves of the first version have `echoes` such as `{Act}. Dust moves.`: what comes after the player's
        own words is a reaction."""
        if not isinstance(data, Mapping) or "echoes" not in data or "reactions" in data:
            return data
        rest = {key: value for key, value in data.items() if key != "echoes"}
        echoes = data["echoes"]
        if isinstance(echoes, Mapping):
            echoes = {kind: _without_act(lines) for kind, lines in echoes.items()}
        return {**rest, "reactions": echoes}


def _without_act(lines: Any) -> Any:
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        return lines
    bare = (line.removeprefix("{Act}. ") for line in lines)
    return [line for line in bare if "{act}" not in line.lower()]
