"""Context for reading a reply, and the result."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from theact_tui.story.base import Value


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
    """`fields` are those that the reply holds, as JSON; some may be read where `ok` is false."""

    agent: str
    ok: bool
    fields: dict[str, Any]
    steps: tuple[str, ...]
    """Steps that were needed to read it, in order."""
    missing: str = ""
    """Lacking fields; empty when `ok`."""
    reply: Any = None
    """The model of the agent's form, or a `PlainReply`; None unless `ok`."""

    @property
    def repaired(self) -> bool:
        """True if the reply was not well formed."""
        return not {*self.steps} <= {"json", "yaml", "prose"}
