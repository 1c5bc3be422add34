"""When a directed chapter's memory is written: after every whole chunk of prompts, and at the end for what is left."""

from __future__ import annotations

CHUNK = 7
"""Prompts that are summarised together; also how many past exchanges an actor is given."""


def next_chunk(prompts: int, pending: int, *, ending: bool = False) -> tuple[int, int] | None:
    """The range to summarise next, inclusive, when the last `pending` of so many prompts are not summarised: a full chunk,
    or when the chapter ends what is left of one.

    None when nothing is due. A backlog is done chunk by chunk: ask again after each.
    """
    if pending == 0 or (pending < CHUNK and not ending):
        return None
    first = prompts - pending + 1
    return first, min(first + CHUNK - 1, prompts)
