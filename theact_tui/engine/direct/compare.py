"""Where two branches, prompts or takes of a chapter part, and what each has that the other has not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from theact_tui.agents.direct_notes import notes_lines
from theact_tui.saves.direct_codec import read_events
from theact_tui.story.base import Value
from theact_tui.story.direct.log import deltas, exchanges
from theact_tui.story.direct.models import ChapterDraft, LogEvent, MemoryBlock, State
from theact_tui.story.direct.state import DirectGame

if TYPE_CHECKING:
    from theact_tui.saves.save import Save


class DirectSide(Value):
    """One of the two. Where it holds several things, only those the other side has not."""

    name: str
    """As it was asked for."""
    commit: str
    turn: int
    """Its newest prompt."""
    state: State
    blocks: tuple[MemoryBlock, ...] = ()
    memory: dict[str, tuple[str, ...]] = {}
    """What is noted down only here, line by line, by kind."""
    drafts: tuple[ChapterDraft, ...] = ()


class DirectPair(Value):
    """A prompt with its replies on both sides; None where it does not exist."""

    number: int
    a: tuple[LogEvent, ...] | None = None
    b: tuple[LogEvent, ...] | None = None


class DirectComparison(Value):
    """Two states of a chapter, side by side; prompts are its turns."""

    mode: str = "direct"
    fork_turn: int
    """The last prompt they share."""
    a: DirectSide
    b: DirectSide
    names: dict[int, str]
    """Who plays, by slot."""
    turns: tuple[DirectPair, ...] = ()
    """The prompts after the fork."""


def compare_directed(save: Save[DirectGame], a: str, b: str, *, limit: int | None = None) -> DirectComparison:
    """What parts two states of a chapter, with at most `limit` prompts side by side (default: all).

    Each is a branch, a prompt of this branch, `branch@prompt`, `prompt#take`, or a commit. UsageError if one of them
    does not exist. Call in the save's thread.
    """
    commits = save.place(a), save.place(b)
    fork = save.fork(*commits)
    one, two = (save.state_at(branch=commit) for commit in commits)
    sides = _side(a, commits[0], one, two), _side(b, commits[1], two, one)
    last = max(side.turn for side in sides) if limit is None else fork + limit
    return DirectComparison(
        fork_turn=fork,
        a=sides[0],
        b=sides[1],
        names=dict(one.session.agent_names),
        turns=direct_pairs(save, sides, fork + 1, last),
    )


def direct_pairs(
    save: Save[DirectGame], sides: tuple[DirectSide, DirectSide], first: int, last: int
) -> tuple[DirectPair, ...]:
    """The prompts from `first` to `last` as both sides have them, those that there are."""
    a, b = (
        {
            each.index: each.events
            for each in exchanges(read_events(save.files(side.commit), first, min(last, side.turn)))
        }
        for side in sides
    )
    return tuple(DirectPair(number=n, a=a.get(n), b=b.get(n)) for n in sorted({*a, *b}))


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
