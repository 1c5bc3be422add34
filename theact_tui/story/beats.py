"""Which beats count as hit, and when the narrator is nudged to the next one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from theact_tui.story.game import State
from theact_tui.story.matching import plain
from theact_tui.story.pack import Chapter

MOST_NEW_BEATS = 2
"""Beats that one turn can hit; a reply that names more has not looked closely."""
QUOTED = 85
"""Percent of likeness with the text from which words count as quoted from it."""
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


def shown_beats(
    beats: Sequence[str],
    quotes: Sequence[str],
    text: str,
    *,
    hit: Sequence[str] = (),
    most: int = MOST_NEW_BEATS,
) -> tuple[str, ...]:
    """The beats, not yet `hit`, that a reply proves by a quote from `text`, at most `most`. A reply without any quotes,
    as packs with prompts of their own may ask for, is believed."""
    told = plain(text)
    if len(quotes) < len(beats):  # a beat that is not new may have been named without one
        beats = [beat for beat in beats if beat not in hit]
    proven = [beat for beat, quote in zip(beats, quotes, strict=False) if is_quoted(quote, told)]
    return tuple([beat for beat in (proven if quotes else beats) if beat not in hit][:most])


def is_quoted(quote: str, told: str) -> bool:
    """True if a text (as `plain` makes it) holds a quote, nearly word for word; parts around an ellipsis count each."""
    parts = [part for part in map(plain, re.split(r"\.\.\.|…", quote)) if len(part) > 3]
    return bool(parts) and all(fuzz.partial_ratio(part, told) >= QUOTED for part in parts)


def nudge_due(state: State, turn: int) -> bool:
    """True if the narrator of `turn` should be steered to the next unmet beat."""
    if state.game_complete or state.nudged or state.all_beats_turn is not None:
        return False
    return turn - max(state.last_beat_turn, state.chapter_since) > NUDGE_TURNS
