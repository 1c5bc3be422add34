"""Beats and the end of chapters, moments, recaps, and which turns are folded into the summary."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from theact_tui.story.archive import ArchivedLine, sentences
from theact_tui.story.game import PastChapter, Recap, State
from theact_tui.story.matching import plain
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.script import MOMENT_TYPES
from theact_tui.story.turn import Moment, Turn
from theact_tui.text import clip, counted

GRACE_TURNS = 2
"""Turns a chapter may go on after its last beat when nobody says that it is complete."""
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
    proven = [beat for beat, quote in zip(beats, quotes, strict=False) if is_quoted(quote, told)]
    return tuple([beat for beat in (proven if quotes else beats) if beat not in hit][:most])


def is_quoted(quote: str, told: str) -> bool:
    """True if a text (as `plain` makes it) holds a quote, nearly word for word; parts around an ellipsis count each."""
    parts = [part for part in map(plain, re.split(r"\.\.\.|…", quote)) if len(part) > 3]
    return bool(parts) and all(fuzz.partial_ratio(part, told) >= QUOTED for part in parts)


def judge_chapter(state: State, chapter: Chapter, *, said_complete: bool, turn: int) -> tuple[bool, str]:
    """Whether the chapter is over, and why, in a sentence. It is if the agent says so and the last beat or all beats but
    one are hit, or all were hit and the grace turns have passed, unless the player decided otherwise."""
    hit, beats = state.beats_hit, chapter.beats
    told = f"{len(hit)} of {len(beats)} beats were reached"
    if state.chapter_set:
        ends = state.chapter_set == "end"
        return ends, "Ended by you." if ends else "Kept open by you."
    if said_complete and hit and (beats[-1] in hit or len(hit) >= len(beats) - 1):
        return True, f"The check calls it complete, and {told}."
    if state.all_beats_turn is not None:
        left = GRACE_TURNS - (turn - state.all_beats_turn)
        if left <= 0:
            return True, f"All beats were reached by turn {state.all_beats_turn}."
        return False, f"All beats were reached; it ends within {counted(left, 'turn')}."
    if said_complete:
        return False, f"The check calls it complete, but only {told}."
    return False, f"{told[:1].upper()}{told[1:]}, and the check does not call it complete."


def advance(state: State, pack: Pack, turn: int) -> State:
    """The state at the opening of the next chapter, or with the game complete after the last one."""
    chapter = pack.chapters[state.chapter]
    past = PastChapter(chapter=chapter.id, first_turn=state.chapter_since + 1, last_turn=turn)
    history = (*state.chapter_history, past)
    if chapter.next is None:
        return state.model_copy(update={"game_complete": True, "chapter_history": history, "chapter_set": ""})
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
            "chapter_set": "",
        }
    )


def nudge_due(state: State, turn: int) -> bool:
    """True if the narrator of `turn` should be steered to the next unmet beat."""
    if state.game_complete or state.nudged or state.all_beats_turn is not None:
        return False
    return turn - max(state.last_beat_turn, state.chapter_since) > NUDGE_TURNS


MAX_MOMENTS = 15
TOLD_MOMENTS = 5
MAX_PINNED_MOMENTS = TOLD_MOMENTS - 1
"""One of those told to the narrator may always be a new one."""


def moment_of(turn: int, kind: str | None, summary: str | None, significance: float | None) -> Moment | None:
    """The moment a keeper's reply describes, or None: unknown type, no summary, significance outside 0 to 1."""
    known = next((name for name in MOMENT_TYPES if name == kind), None)
    weight = 0.5 if significance is None else significance
    text = (summary or "").strip()
    return (
        Moment(turn=turn, type=known, summary=text, significance=weight)
        if known and text and 0 <= weight <= 1
        else None
    )


def add_moment(moments: Sequence[Moment], new: Moment) -> tuple[Moment, ...]:
    """At most `MAX_MOMENTS`: the least significant that is not pinned goes, at a tie the oldest."""
    kept = [*moments, new]
    while len(kept) > MAX_MOMENTS and (loose := [moment for moment in kept if not moment.pinned]):
        kept.remove(min(loose, key=lambda moment: (moment.significance, moment.turn)))
    return tuple(kept)


def top_moments(moments: Sequence[Moment]) -> tuple[Moment, ...]:
    """The most significant, in turn order; pinned ones first of all, and all of them."""
    count = max(TOLD_MOMENTS, sum(moment.pinned for moment in moments))
    best = sorted(moments, key=lambda moment: (not moment.pinned, -moment.significance, -moment.turn))[:count]
    return tuple(sorted(best, key=lambda moment: moment.turn))


WHOLE = 2
"""Recaps that are told whole."""
BRIEF = 160
"""Characters of each before them."""
EARLIER = 8
"""How many of those are told."""


def told_recaps(recaps: Sequence[Recap]) -> tuple[Recap, ...]:
    """The recaps as a prompt tells them, oldest first."""
    earlier = recaps[:-WHOLE][-EARLIER:]
    first = (clip(next(iter(sentences(recap.text)), ""), BRIEF) for recap in earlier)
    brief = (recap.model_copy(update={"text": text}) for recap, text in zip(earlier, first, strict=True))
    return (*brief, *recaps[-WHOLE:])


def untold(recaps: Sequence[Recap], history: Sequence[PastChapter]) -> list[ArchivedLine]:
    """The sentences of the recaps that `told_recaps` leaves out, as of the last turns of their chapters."""
    ended = {past.chapter: past.last_turn for past in history}
    told = {recap.chapter: recap.text for recap in told_recaps(recaps)}
    return [
        ArchivedLine(ended.get(recap.chapter, 0), f"{recap.title}: {line}")
        for recap in recaps
        for line in sentences(recap.text)
        if line not in told.get(recap.chapter, "")
    ]


SUMMARY_THRESHOLD = 1_500
FOLD_BATCH = 6


@dataclass(frozen=True, slots=True)
class Folding:
    """When turns are folded."""

    threshold: int = SUMMARY_THRESHOLD
    """Tokens of verbatim turns above which it is due."""
    batch: int = FOLD_BATCH
    """Turns older than the kept ones that must have gathered before it is due."""


FOLDING = Folding()


KEPT_TURNS = 4
KEPT_AT_CHAPTER_END = 2
"""Turns that stay word for word when a chapter ends; its recap stands for the others."""
LONG_SUMMARY = 350
"""Tokens of a rolling summary above which it is made shorter."""

Size = Callable[[Turn], int]
"""Tokens of a turn."""


def turns_to_keep(verbatim: Sequence[Turn], size: Size, window: int) -> int:
    """How many of the newest turns stay verbatim: the last 4, or as many as fit half the window, at least 1."""
    room, kept = window // 2, 0
    for turn in reversed(verbatim[-KEPT_TURNS:]):
        room -= size(turn)
        if room < 0 and kept:
            break
        kept += 1
    return kept


def turns_to_fold(
    verbatim: Sequence[Turn],
    size: Size,
    window: int,
    *,
    pages: int,
    held: int | None = None,
    folding: Folding = FOLDING,
) -> tuple[tuple[Turn, ...], ...]:
    """The turns to fold now, oldest first, in parts of `pages` tokens that each fit one call.

    `held`: the narrator's prompt is too long and holds only so many tokens of turns; then half of these are kept, so
    that several turns can follow before the next fold. Empty when folding is not due.
    """
    kept = turns_to_keep(verbatim, size, window if held is None else min(window, held))
    old = verbatim[: len(verbatim) - kept]
    long = sum(size(turn) for turn in verbatim) > folding.threshold
    if not old or not (held is not None or (long and len(old) >= folding.batch)):
        return ()
    parts: list[list[Turn]] = []
    left = 0
    for turn in old:
        if not parts or size(turn) > left:
            parts.append([])
            left = pages
        parts[-1].append(turn)
        left -= size(turn)
    return tuple(map(tuple, parts))
