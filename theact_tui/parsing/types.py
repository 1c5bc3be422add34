"""Context for reading a reply, and the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from theact_tui.story.base import Value
from theact_tui.story.direct.blocks import FORMS, filled


@dataclass(frozen=True, slots=True)
class ReplyContext:
    """Values in the prompt. None means "unknown": no value is reconciled with them."""

    active_characters: Mapping[str, str] | None = None
    """Names of those who may answer, by id."""
    beats: tuple[str, ...] | None = None
    """The chapter's beats."""
    facts: tuple[str, ...] | None = None
    """The character's key facts as they were numbered in the prompt, from 1."""
    prompt_example: str = ""
    """The prompt's example, to detect an echo."""
    player: str = ""
    """The player's name: a line that begins with it is an invented turn."""
    speaker: str = ""
    """The id of the replying character."""
    is_scripted: bool = False
    """Offline storyteller: never a refusal."""
    has_machines: bool = False
    """The prompt mentions an AI."""
    offered: Mapping[str, tuple[str, ...]] | None = None
    """The fields asked for, each with the ids it may name; others are not read."""
    labels: tuple[str, ...] = ()
    """The labels of pieces that a form may name."""


class PlainReply(Value):
    """Prose: the page, a character's or actor's answer, summary, recap, epilogue, merge, cell, chapter."""

    text: str


@dataclass(frozen=True, slots=True)
class ParsedReply:
    agent: str
    reply: Any
    """The model of the form, or a `PlainReply`; None if unreadable."""
    steps: tuple[str, ...]
    """Steps that were needed to read it, in order."""
    missing: str = ""
    """Lacking fields; empty when `ok`."""

    @property
    def ok(self) -> bool:
        return self.reply is not None

    @property
    def fields(self) -> dict[str, Any]:
        """As JSON; notes of direct mode with every key."""
        if self.reply is None:
            return {}
        if self.agent == "narrator":
            return {"narration": self.reply.text}
        fields: dict[str, Any] = self.reply.model_dump(mode="json", include=self.reply.model_fields_set)
        return filled(FORMS[self.agent], fields) if self.agent in FORMS else fields

    @property
    def repaired(self) -> bool:
        """True if the reply was not well formed."""
        return not {*self.steps} <= {"json", "yaml", "prose"}
