"""Which lines of a memory go into its owner's prompt, and in which order."""

from collections.abc import Container, Sequence

from theact_tui.sentences import sentences
from theact_tui.story.forgetting_and_recall import (
    RETRIEVED,
    ArchivedLine,
    archived_lines,
    ranked,
    retrieve,
    unlike,
)
from theact_tui.story.memory import CellsMemory, FactsMemory, lines_of

LEAST_SPARE = 6
"""Archived lines that a prompt with few verbatim turns has room for."""


def memory_text(
    memory: FactsMemory | CellsMemory,
    said: str = "",
    told: str = "",
    verbatim: Container[int] = (),
    names: Sequence[str] = (),
) -> tuple[str, str]:
    """A memory as it reads in its owner's prompt: what is pinned, which is never cut, and the rest, which is cut at its
    end: first what bears on the scene, then what is important, newest first.

    Lines of the `verbatim` turns, which the same prompt tells word for word, are left out but for pinned ones, and as
    many archived lines, or `LEAST_SPARE`, take their place."""
    lines = sorted((line for line in lines_of(memory) if line.text), key=lambda line: -line.turn)
    stored = [line for line in lines if not line.pinned]
    shown = [line for line in stored if line.turn not in verbatim]
    near = {line.text for line in retrieve(shown, said, told, names=names)}
    loose = sorted(shown, key=lambda line: (line.text not in near, not line.important))
    older = _older(memory, verbatim, names, said)
    recalled = ranked(older, said, told, names=names)
    facts = isinstance(memory, FactsMemory)  # former cells are told by their summary
    room = max(LEAST_SPARE, len(stored) - len(shown)) if facts and verbatim else 0
    spare = [line for line in reversed(older) if line not in recalled]
    spare = sorted(spare, key=lambda line: not line.important)[:room]
    merged = () if facts else archived_lines(memory.older)
    summary = "" if merged and all(line.turn in verbatim for line in merged) else memory.summary
    pinned = "\n".join(f"- {line.text}" for line in lines if line.pinned)
    rest = "\n".join([summary, *(f"- {line.text}" for line in (*loose, *spare))]).strip()
    nothing = "Nothing from before the pages above." if verbatim else "Nothing yet."
    return pinned, rest if rest or pinned else nothing


def recollections(
    memory: FactsMemory | CellsMemory,
    said: str,
    told: str,
    verbatim: Container[int] = (),
    names: Sequence[str] = (),
    before: tuple[str, str] = ("", ""),
) -> tuple[str, str]:
    """Of what gave way to newer memories, what bears on the scene, and more of it that may be told where there is room;
    empty if nothing does. What was shown for what was said and told `before` is left out, unless it is spoken of now."""
    older = _older(memory, verbatim, names, said)
    spoken, shown = ranked(older, said, names=names), ranked(older, *before, names=names)
    lines = [line for line in ranked(older, said, told, names=names) if line in spoken or line not in shown]
    best = sorted(lines[:RETRIEVED], key=lambda line: line.turn)
    heading = ["What this brings back, from long ago:"] if lines else []
    first = "\n".join([*heading, *(f"- {line.text}" for line in best)])
    return first, "\n".join(f"- {line.text}" for line in lines[RETRIEVED:])


def _older(
    memory: FactsMemory | CellsMemory, verbatim: Container[int], names: Sequence[str], said: str
) -> list[ArchivedLine]:
    """What gave way to newer lines, but for former versions of what is remembered that say no more of what was `said`;
    nothing of the `verbatim` turns."""
    lines = [line for line in archived_lines(memory.older) if line.turn not in verbatim]
    summary = sentences(memory.summary)
    if memory.policy == "facts":
        return unlike(lines, [*summary, *(fact.text for fact in memory.key_facts)], names, said)
    return [line for line in lines if unlike([line], summary, names, said)]
