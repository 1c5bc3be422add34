"""Beats, chapters and the end of the game (S5.2, S5.3)."""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.story.game import PastChapter, State
from theact_tui.story.pack import Chapter, Pack

GRACE_TURNS = 2
"""Turns a chapter may go on after its last beat when nobody says that it is complete."""
NUDGE_TURNS = 8
"""Turns without a new beat after which the narrator is nudged, once."""


def mark_beats(
    state: State, chapter: Chapter, beats: Sequence[str], turn: int
) -> tuple[State, tuple[str, ...]]:
    """The state with `beats` hit, and those that are new. Beats of other chapters and repeats are ignored."""
    new = tuple(beat for beat in chapter.beats if beat in beats and beat not in state.beats_hit)
    if not new:
        return state, ()
    hit = tuple(beat for beat in chapter.beats if beat in state.beats_hit or beat in new)
    changes = {"beats_hit": hit, "last_beat_turn": turn, "nudged": False}
    if len(hit) == len(chapter.beats):
        changes["all_beats_turn"] = turn
    return state.model_copy(update=changes), new


def chapter_ends(state: State, chapter: Chapter, *, said_complete: bool, turn: int) -> bool:
    """True if the chapter is over: the agent says so and at least half its beats are hit, or all were hit and the
    grace turns have passed."""
    if said_complete and 2 * len(state.beats_hit) >= len(chapter.beats):
        return True
    return state.all_beats_turn is not None and turn - state.all_beats_turn >= GRACE_TURNS


def advance(state: State, pack: Pack, turn: int) -> State:
    """The state at the opening of the next chapter, or with the game complete after the last one."""
    chapter = pack.chapters[state.chapter]
    past = PastChapter(chapter=chapter.id, first_turn=state.chapter_since + 1, last_turn=turn)
    history = (*state.chapter_history, past)
    if chapter.next is None:
        return state.model_copy(update={"game_complete": True, "chapter_history": history})
    following = pack.chapters[chapter.next]
    return state.model_copy(
        update={
            "chapter": following.id,
            "chapter_since": turn,
            "beats_hit": (),
            "chapter_history": history,
            "transition": True,
            "last_beat_turn": turn,
            "nudged": False,
            "all_beats_turn": None,
            "present": following.opening_cast,
            "held": {},
        }
    )


def nudge_due(state: State, turn: int) -> bool:
    """True if the narrator of `turn` should be steered to the next unmet beat."""
    if state.game_complete or state.nudged or state.all_beats_turn is not None:
        return False
    return turn - max(state.last_beat_turn, state.chapter_since) > NUDGE_TURNS
