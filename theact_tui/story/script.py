"""What `storyteller.yaml` holds: the authored material of the offline storyteller (S8.6).

The storyteller tells a chapter's scenes in the order of its beats. A turn that does not reach the next beat tells a
topic the player asked about, or an ambient passage. Every list is a set of variants, told in turn and never the same
one twice running. Prose is second person, present tense.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from theact_tui.story.base import Value

ActionKind = Literal["look", "go", "talk", "take", "fight", "wait", "other"]


class Spark(Value):
    """A moment worth remembering for the whole game."""

    type: Literal[
        "combat_victory",
        "combat_defeat",
        "critical_success",
        "critical_failure",
        "discovery",
        "achievement",
        "turning_point",
    ]
    summary: str
    """5 to 10 words."""
    significance: float = Field(default=0.5, ge=0, le=1)


class Way(Value):
    """A variant of a scene for players who come to it in a certain way."""

    cues: tuple[str, ...]
    """Words or beginnings of words in the player's line, lower case, that choose this variant."""
    narration: str


class Passage(Value):
    """Something to tell, and what the characters present say and learn from it."""

    narration: str
    mood: str = "calm"
    lines: dict[str, str] = {}
    """What characters answer, by character id; those named here respond, in this order."""
    learns: dict[str, str] = {}
    """What each character takes away, third person, one short sentence, by character id."""
    gist: str = ""
    """One sentence for summaries and recaps: what happened, third person past, the player as `{player}`."""


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


class ChapterScript(Value):
    """The authored material of one chapter."""

    opening: str = ""
    """Told when the chapter opens."""
    opening_lines: dict[str, str] = {}
    scenes: tuple[Scene, ...] = ()
    topics: tuple[Topic, ...] = ()
    ambient: tuple[Passage, ...] = ()
    recap: str = ""
    """2 to 3 sentences, kept for ever when the chapter is done."""


class Voice(Value):
    """How a character speaks when nothing more specific is to be said."""

    lines: dict[str, tuple[str, ...]] = {}
    """By mood, or `any`."""
    answers: tuple[Answer, ...] = ()


class Script(Value):
    """`storyteller.yaml`."""

    echoes: dict[ActionKind, tuple[str, ...]] = {}
    """One or two sentences that take up what the player does, by kind of action. `{act}` is the player's own line
    turned to the second person ("you lift the lamp"), `{Act}` the same with a capital."""
    chapters: dict[str, ChapterScript] = {}
    voices: dict[str, Voice] = {}
    epilogue: str = ""
    """150 to 200 words; `{moments}` is replaced by two or three remembered moments in one sentence."""
    afterwards: tuple[Passage, ...] = ()
    """Told when the player goes on after the end."""
