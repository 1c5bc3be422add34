"""Where two branches, prompts or takes of a chapter part, and what each has that the other has not."""

from __future__ import annotations

from theact_tui.agents.direct_notes import notes_lines
from theact_tui.saves.compare import ComparedSide, Comparison, pairs, parted
from theact_tui.saves.direct_codec import CHAPTERS
from theact_tui.saves.history import Timeline
from theact_tui.story.direct.log import Events, deltas
from theact_tui.story.direct.models import ChapterDraft, MemoryBlock, State
from theact_tui.story.direct.state import DirectGame


class DirectSide(ComparedSide):
    """A state of a chapter; prompts are its turns."""

    state: State
    blocks: tuple[MemoryBlock, ...] = ()
    memory: dict[str, tuple[str, ...]] = {}
    """What is noted down only here, line by line, by kind."""
    drafts: tuple[ChapterDraft, ...] = ()


class DirectComparison(Comparison[DirectSide, Events]):
    """Two states of a chapter, side by side."""

    mode: str = "direct"
    names: dict[int, str]
    """Who plays, by slot."""


def compare_directed(
    timeline: Timeline, a: tuple[str, str], b: tuple[str, str], limit: int | None = None
) -> DirectComparison:
    """Compare two commits, each given with the name to show, and at most `limit` of their prompts side by side."""
    one, two = (CHAPTERS.read(timeline.version_of(commit)) for _, commit in (a, b))
    return DirectComparison(
        fork_turn=timeline.history.fork(a[1], b[1]),
        a=_side(*a, one, two),
        b=_side(*b, two, one),
        names=dict(one.session.agent_names),
        turns=pairs(timeline, CHAPTERS, a[1], b[1], parted(timeline, a[1], b[1])[:limit]),
    )


def _side(name: str, commit: str, here: DirectGame, there: DirectGame) -> DirectSide:
    known = {block.block_id for block in there.blocks}
    drafts = {draft.draft_id for draft in there.drafts}
    return DirectSide(
        name=name,
        commit=commit,
        turn=here.session.prompt_index,
        state=here.session.state,
        blocks=tuple(block for block in here.blocks if block.block_id not in known),
        memory=noted_only(here, there),
        drafts=tuple(draft for draft in here.drafts if draft.draft_id not in drafts),
    )


def noted_only(here: DirectGame, there: DirectGame) -> dict[str, tuple[str, ...]]:
    """What is noted down here and not there, by kind, each line once."""
    known = {note for block in deltas(there.blocks) for note in notes_lines(block.json_payload)}
    only: dict[str, dict[str, None]] = {}
    for block in deltas(here.blocks):
        for kind, line in notes_lines(block.json_payload):
            lines = only.setdefault(kind, {})
            if (kind, line) not in known:
                lines[line] = None
    return {kind: tuple(lines) for kind, lines in only.items() if lines}
