"""How two states of a directed chapter are told apart in text."""

from __future__ import annotations

from collections.abc import Iterator

from theact_tui.engine.direct_compare import DirectComparison, DirectSide
from theact_tui.story.direct.log import span_text
from theact_tui.story.direct.records import Event
from theact_tui.text import one_line, words


def chapters_compared(found: DirectComparison) -> str:
    """A comparison for people."""
    lines = [f"They part after prompt {found.fork_turn}."]
    for side in (found.a, found.b):
        lines += ["", *_side(side)]
    for pair in found.turns:
        for side, events in ((found.a, pair.a), (found.b, pair.b)):
            if events:
                lines += ["", f"{side.name}, prompt {pair.number}:", *_told(events, found.names)]
    return "\n".join(lines)


def _side(side: DirectSide) -> Iterator[str]:
    """What only one side has."""
    yield f"{side.name}: prompt {side.turn}, {side.state}"
    for block in side.blocks:
        yield f"  memory of {span_text(block.from_prompt_index, block.to_prompt_index)}"
    for kind, noted in side.memory.items():
        yield from (f"  {kind}: {one_line(line, 200)}" for line in noted)
    for draft in side.drafts:
        yield f"  a draft of {words(draft.chapter_text):,} words: {one_line(draft.chapter_text, 100)}"


def _told(events: tuple[Event, ...], names: dict[int, str]) -> Iterator[str]:
    for event in events:
        name = names.get(event.agent_slot or 0)
        yield f"  {f'{name}: ' if name else '> '}{one_line(event.text, 160)}"
