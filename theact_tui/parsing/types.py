"""Context for reading a reply, and the result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from theact_tui.parsing.thoughts import Thought
from theact_tui.story.direct.blocks import FORMS, filled
from theact_tui.story.value import Value


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """Values in the prompt; None means unknown, so nothing is matched with them."""

    active_characters: Mapping[str, str] | None = None
    """Names of those who may answer, by id."""
    facts: tuple[str, ...] | None = None
    """Key facts of the character, numbered from 1 in the prompt."""
    prompt_example: str = ""
    player: str = ""
    """The player's name; a line that begins with it is an invented turn."""
    speaker: str = ""
    place: str = ""
    is_scripted: bool = False
    """True for the offline storyteller, which never refuses."""
    thought: Thought = "marked"
    offered: Mapping[str, tuple[str, ...]] | None = None
    """Fields asked for, each with the ids it may name; others are not read."""
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Labels of pieces that each field may name."""


class PlainReply(Value):
    """Reply in prose: page, answer, summary, recap, epilogue, merged memories, diary entry, chapter."""

    text: str


@dataclass(frozen=True, slots=True)
class ParsedReply:
    agent: str
    reply: Any
    """Model of the form, or a `PlainReply`; None if unreadable."""
    steps: tuple[str, ...]
    missing: str = ""

    @property
    def ok(self) -> bool:
        return self.reply is not None

    @property
    def fields(self) -> dict[str, Any]:
        """Fields as JSON; notes of direct mode with every key."""
        if self.reply is None:
            return {}
        if self.agent == "narrator":
            return {"narration": self.reply.text}
        fields: dict[str, Any] = self.reply.model_dump(mode="json", include=self.reply.model_fields_set)
        return filled(FORMS[self.agent], fields) if self.agent in FORMS else fields

    @property
    def repaired(self) -> bool:
        return not {*self.steps} <= {"json", "prose"}
