"""End of a chapter, start of the next, and recaps in prompts."""

from collections.abc import Sequence

from theact_tui.sentences import clip, sentences
from theact_tui.story.beats import turns_without_a_beat
from theact_tui.story.forgetting_and_recall import ArchivedLine
from theact_tui.story.game import ChapterChoices, PastChapter, Recap, State, may_end
from theact_tui.story.pack import Pack
from theact_tui.text import capital

SAID_OFTEN, STANDS_STILL = 2, 8
"""Calls of completeness, and turns without a beat, that end a chapter without its last beat."""


def judge_chapter(state: State, pack: Pack, *, is_called_complete: bool, turn: int) -> tuple[bool, str]:
    """Return whether the chapter is over, and why. The player's choice comes first.

    It ends with its last beat and half of the others. After a standstill half of its beats are enough.
    """
    chapter = pack.chapters[state.chapter]
    hit, beats = state.settled, chapter.beats
    progress = f"{len(state.beats_hit)} of {len(beats)} beats were reached"
    since = turns_without_a_beat(state, turn)
    if state.chapter_set:
        ends = state.chapter_set == "end"
        return ends, "Ended by you." if ends else "Kept open by you."
    if may_end(chapter, hit):
        return True, f"{capital(progress)}, the last one among them."
    if since >= STANDS_STILL and state.completion_said >= SAID_OFTEN and 2 * len(hit) >= len(beats) > 0:
        return (
            True,
            f"The check called it complete {SAID_OFTEN} times, and for {STANDS_STILL} turns no beat was told.",
        )
    if is_called_complete:
        return False, f"The check calls it complete, but only {progress}."
    return False, f"{capital(progress)}, and the check does not call it complete."


def advance(state: State, pack: Pack, turn: int) -> State:
    """Start the next chapter, or complete the game after the last one."""
    chapter = pack.chapters[state.chapter]
    past = PastChapter(
        chapter=chapter.id, first_turn=state.chapter_since + 1, last_turn=turn, passed=state.passed
    )
    history = (*state.chapter_history, past)
    if chapter.next is None:
        ended = {"game_complete": True, "chapter_history": history, "chapter_set": "", "passed": ()}
        return state.model_copy(update=ended)
    following = pack.chapters[chapter.next]
    ahead = state.choices_ahead
    choices = dict(ahead if ahead and ahead.chapter == following.id else ChapterChoices(chapter=following.id))
    held = choices["held"]
    return state.model_copy(
        update={
            "chapter_since": turn,
            "begun": (),
            "passed": (),
            "open_question": None,
            "chapter_history": history,
            "transition": True,
            "last_beat_turn": turn,
            "completion_said": 0,
            "present": tuple(id for id in following.characters if held.get(id, id in following.opening_cast)),
            "choices_ahead": None,
            **choices,
        }
    )


MAX_WHOLE_RECAPS = 2
MAX_BRIEF_LENGTH = 160
"""Characters of each earlier recap."""
MAX_BRIEF_RECAPS = 8


def recaps_in_prompt(recaps: Sequence[Recap]) -> tuple[Recap, ...]:
    """Return the recaps for a prompt, oldest first; earlier ones shortened to a sentence."""
    earlier = recaps[:-MAX_WHOLE_RECAPS][-MAX_BRIEF_RECAPS:]
    first = (clip(next(iter(sentences(recap.text)), ""), MAX_BRIEF_LENGTH) for recap in earlier)
    brief = (recap.model_copy(update={"text": text}) for recap, text in zip(earlier, first, strict=True))
    return (*brief, *recaps[-MAX_WHOLE_RECAPS:])


def sentences_left_out(recaps: Sequence[Recap], history: Sequence[PastChapter]) -> list[ArchivedLine]:
    """Return recap sentences that `recaps_in_prompt` omits, dated by the last turn of their chapter."""
    ended = {past.chapter: past.last_turn for past in history}
    shown = {recap.chapter: " ".join(recap.text.split()) for recap in recaps_in_prompt(recaps)}
    return [
        ArchivedLine(ended.get(recap.chapter, 0), f"{recap.title}: {line}")
        for recap in recaps
        for line in sentences(recap.text)
        if line not in shown.get(recap.chapter, "")
    ]
