"""The clerks of the rules: which beats were told, what is risked, what was a moment."""

from __future__ import annotations

import json

from theact_tui.story.script import Scene, Spark
from theact_tui.story.turn import Turn
from theact_tui.story.views import KeeperView, MomentsView, ProgressView
from theact_tui.storyteller.book import ScriptBook, Telling
from theact_tui.storyteller.language import content_words
from theact_tui.storyteller.player_input import risked

CLEARLY_TOLD = 0.75
"""Share of a beat's words that a text of another narrator must hold to have told it."""
LEAST_TOLD = 40
"""Words from which a narration can have told a beat; what is only talk has fewer."""


def progress(book: ScriptBook, view: ProgressView) -> str:
    """The progress agent's raw reply: the beats whose scenes were told, by number."""
    chapter = view.chapter
    found = {index for turn in view.turns for index in _beats(book, view, turn)}
    new = [index for index in sorted(found) if chapter.beats[index] not in view.beats_hit]
    done = len(new) + sum(beat in view.beats_hit for beat in chapter.beats)
    complete = done == len(chapter.beats)
    reason = (
        f"{done} of {len(chapter.beats)} beats were told." if new or complete else "No new beat was told."
    )
    lines = [f"chapter_complete: {'true' if complete else 'false'}", f"reason: {json.dumps(reason)}"]
    lines.append(f"new_beats: [{', '.join(str(index + 1) for index in new)}]")
    return "\n".join(["```yaml", *lines, "```"])


def _beats(book: ScriptBook, view: ProgressView, turn: Turn) -> list[int]:
    """The beats a turn told. Another narrator's text is read for the words of the next open beat."""
    if turn.chapter != view.chapter.id:
        return []
    telling = book.told_in(turn)
    if telling:
        return [telling.index] if telling.kind == "scene" else []
    if len(turn.narration.split()) < LEAST_TOLD:
        return []
    following = next((i for i, beat in enumerate(view.chapter.beats) if beat not in view.beats_hit), None)
    if following is None:
        return []
    spoken = (entry.text for entry in turn.entries if entry.role in ("narrator", "character"))
    text, words = content_words(" ".join(spoken)), content_words(view.chapter.beats[following])
    is_told = len(words) > 1 and len(words & text) / len(words) >= CLEARLY_TOLD
    return [following] if is_told else []


def keep(book: ScriptBook, view: KeeperView) -> str:
    """The keeper's raw reply: the words of the line that are risky. A blow at somebody who is not there risks nothing."""
    line, here = book.read(view.action), view.narrator.present
    in_vain = line.kind == "fight" and not book.meant(line, here) and book.meant(line, book.pack.characters)
    return json.dumps({"risk": "" if in_vain else risked(line), "difficulty": view.difficulty})


def find_moments(book: ScriptBook, view: MomentsView) -> str:
    """The keeper's raw reply on told turns: their moments."""
    told = [(turn, _moment(view, book.told_in(turn)) or _extreme(book, turn)) for turn in view.turns]
    found = [(turn, spark) for turn, spark in told if spark]
    found.sort(key=lambda one: -one[1].significance)
    moments = [{"quote": " ".join(turn.narration.split()[:12]), **_fields(spark)} for turn, spark in found]
    return json.dumps({"moments": moments}, ensure_ascii=False)


def _moment(view: MomentsView, telling: Telling | None) -> Spark | None:
    """The moment of a scene, unless it is among those already recorded."""
    passage = telling.passage if telling and telling.kind == "scene" else None
    spark = passage.moment if isinstance(passage, Scene) else None
    return None if spark and spark.summary in {moment.summary for moment in view.moments} else spark


def _extreme(book: ScriptBook, turn: Turn) -> Spark | None:
    """A natural 1 or 20 is a moment by itself: the player's words, and how it came out."""
    roll = turn.ruling.roll if turn.ruling else None
    if roll not in (1, 20):
        return None
    words = book.read(turn.player_text).quotation.rstrip(".!?…").split()
    quoted = f"“{' '.join(words[:6])}{'…' if len(words) > 6 else ''}”"
    ending = "against all odds" if roll == 20 else "and it failed badly"
    kind = "critical_success" if roll == 20 else "critical_failure"
    return Spark(type=kind, summary=f"{quoted} {ending}", significance=0.6)


def _fields(spark: Spark) -> dict[str, object]:
    return {
        "moment_type": spark.type,
        "moment_summary": spark.summary,
        "moment_significance": spark.significance,
    }
