"""Choose and order memories for a character's prompt."""

from collections.abc import Container, Sequence

from theact_tui.sentences import sentences
from theact_tui.story.forgetting_and_recall import (
    RETRIEVED,
    ArchivedLine,
    archived_lines,
    ranked,
    retrieve,
    without_versions,
)
from theact_tui.story.memory import CellsMemory, FactsMemory, lines_of

_LEAST_SPARE = 6
"""Archived lines."""


def memory_text(
    memory: FactsMemory | CellsMemory,
    player_line: str = "",
    narration: str = "",
    verbatim: Container[int] = (),
    names: Sequence[str] = (),
) -> tuple[str, str]:
    """Format a memory for its owner's prompt: pinned lines, never cut, and the rest, cut at its end.

    First relevant lines, then important ones, newest first. Lines of `verbatim` turns are replaced by as many
    archived lines, at least `_LEAST_SPARE`; pinned ones stay.
    """
    lines = sorted((line for line in lines_of(memory) if line.text), key=lambda line: -line.turn)
    stored = [line for line in lines if not line.pinned]
    shown = [line for line in stored if line.turn not in verbatim]
    near = {line.text for line in retrieve(shown, player_line, narration, names=names)}
    loose = sorted(shown, key=lambda line: (line.text not in near, not line.important))
    older = _older(memory, verbatim, names, player_line)
    recalled = ranked(older, player_line, narration, names=names)
    facts = isinstance(memory, FactsMemory)  # former cells are told by their summary
    room = max(_LEAST_SPARE, len(stored) - len(shown)) if facts and verbatim else 0
    spare = [line for line in reversed(older) if line not in recalled]
    spare = sorted(spare, key=lambda line: not line.important)[:room]
    merged = () if facts else archived_lines(memory.older)
    summary = "" if merged and all(line.turn in verbatim for line in merged) else memory.summary
    pinned = "\n".join(f"- {line.text}" for line in lines if line.pinned)
    rest = "\n".join([summary, *(f"- {line.text}" for line in (*loose, *spare))]).strip()
    return pinned, rest


def recollections(
    memory: FactsMemory | CellsMemory,
    player_line: str,
    narration: str,
    verbatim: Container[int] = (),
    names: Sequence[str] = (),
    before: tuple[str, str] = ("", ""),
) -> tuple[str, str]:
    """Return archived memories relevant to the scene, and extras for a prompt with room.

    Lines shown for the scene `before` are left out, unless the player's line calls for them.
    """
    older = _older(memory, verbatim, names, player_line)
    spoken, shown = ranked(older, player_line, names=names), ranked(older, *before, names=names)
    lines = [
        line
        for line in ranked(older, player_line, narration, names=names)
        if line in spoken or line not in shown
    ]
    best = sorted(lines[:RETRIEVED], key=lambda line: line.turn)
    heading = ["What this brings back, from long ago:"] if lines else []
    first = "\n".join([*heading, *(f"- {line.text}" for line in best)])
    return first, "\n".join(f"- {line.text}" for line in lines[RETRIEVED:])


def _older(
    memory: FactsMemory | CellsMemory, verbatim: Container[int], names: Sequence[str], player_line: str
) -> list[ArchivedLine]:
    """Return archived lines, without those of `verbatim` turns and old versions that add nothing."""
    lines = [line for line in archived_lines(memory.older) if line.turn not in verbatim]
    summary = sentences(memory.summary)
    if memory.policy == "facts":
        return without_versions(
            lines, [*summary, *(fact.text for fact in memory.key_facts)], names, player_line
        )
    return [line for line in lines if without_versions([line], summary, names, player_line)]
