"""What a reply is reconciled with: the ids, beats and facts that exist. Nothing else gets through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Context:
    """What the model was shown. None means "not known": then nothing of that kind is reconciled."""

    active_characters: Mapping[str, str] | None = None
    """Names of those who may answer, by id."""
    beats: tuple[str, ...] | None = None
    """The chapter's beats as they were numbered in the prompt, from 1."""
    facts: tuple[str, ...] | None = None
    """The character's key facts as they were numbered in the prompt, from 1."""
    prompt_example: str = ""
    """The example in the prompt, so that an echo of it is told from an answer."""
    player: str = ""
    """The player's name: a line that begins with it is an invented turn."""
    speaker: str = ""
    """The id of the character whose reply it is, where `active_characters` has others as well."""
