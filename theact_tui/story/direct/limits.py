"""The numbers of direct mode (D2, D3, D6), each in one place, and what breaking one is called."""

from __future__ import annotations

from dataclasses import dataclass

CHUNK = 7
"""Prompts that are summarised together; also how many past exchanges an actor is given."""
TEXT_LIMIT = 5_000
"""Characters of a world, a chapter, an identity, a voice or a prompt."""
TRANSCRIPT_LIMIT = 60_000
"""Characters of the transcript as rendered."""
NAME_LIMIT = 120
AGENTS_MAX = 7


@dataclass(frozen=True, slots=True)
class Refused:
    """A move that is not allowed. Nothing was changed; `reason` is a sentence for people."""

    reason: str


def too_long(what: str, text: str, limit: int = TEXT_LIMIT) -> Refused | None:
    """A refusal when `text` has more than `limit` characters."""
    if len(text) <= limit:
        return None
    return Refused(
        f"{what} has {len(text):,} characters; at most {limit:,} are allowed. Nothing was changed."
    )
