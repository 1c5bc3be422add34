"""When the notes of a directed chapter are due."""

CHUNK = 7
"""Prompts noted together; also past exchanges in an actor's prompt."""


def next_chunk(prompts: int, pending: int, *, ending: bool = False) -> tuple[int, int] | None:
    """Return the next range, inclusive, if the last `pending` of `prompts` have no notes: a chunk, or if `ending` all."""
    if pending == 0 or (pending < CHUNK and not ending):
        return None
    first = prompts - pending + 1
    return first, min(first + CHUNK - 1, prompts)
