"""The clerks of the rules: which beats were told, what the dice mean, what was a moment."""

from __future__ import annotations

import json

from theact_tui.story.script import Scene, Spark
from theact_tui.story.turn import Turn
from theact_tui.story.views import KeeperView, ProgressView
from theact_tui.storyteller.book import ScriptBook, fill
from theact_tui.storyteller.choose import Situation, choose
from theact_tui.storyteller.language import content_words
from theact_tui.storyteller.player_input import PlayerLine
from theact_tui.storyteller.stock import stock

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
    telling = book.told_in(turn, view.stage.player.name)
    if telling:
        return [telling.index] if telling.kind == "scene" else []
    if len(turn.narration.split()) < LEAST_TOLD:
        return []
    text = content_words(
        " ".join(entry.text for entry in turn.entries if entry.role in ("narrator", "character"))
    )
    following = [index for index, beat in enumerate(view.chapter.beats) if beat not in view.beats_hit][:1]
    wanted = {index: content_words(view.chapter.beats[index]) for index in following}
    return [
        i for i, words in wanted.items() if len(words) > 1 and len(words & text) / len(words) >= CLEARLY_TOLD
    ]


def keep(book: ScriptBook, view: KeeperView) -> str:
    """The keeper's raw reply: before a turn what the dice mean, of told turns their moments."""
    player = view.stage.player.name
    if view.turns:
        found = [(turn, spark) for turn in view.turns if (spark := _spark(book, view, turn))]
        best = sorted(found, key=lambda one: -one[1].significance)
        return json.dumps({"moments": [_found(turn, spark) for turn, spark in best]}, ensure_ascii=False)
    line = book.read(view.action, player)
    roll = view.roll or 0
    tails = stock().won if roll >= view.difficulty else stock().lost
    tail = book.dice(view.stage, "keeper").choice(tails.get(line.kind) or tails["other"])
    spark = _due(book, view) or _extreme(line, roll)
    return _verdict(f"{roll} against {view.difficulty}: {tail}", _not_yet(view, spark, player))


def _spark(book: ScriptBook, view: KeeperView, turn: Turn) -> Spark | None:
    """The moment of the scene that a turn told."""
    player = view.stage.player.name
    telling = book.told_in(turn, player)
    passage = telling.passage if telling and telling.kind == "scene" else None
    return _not_yet(view, passage.moment if isinstance(passage, Scene) else None, player)


def _found(turn: Turn, spark: Spark) -> dict[str, object]:
    quote = " ".join(turn.narration.split()[:12])
    return {
        "quote": quote,
        "moment_type": spark.type,
        "moment_summary": spark.summary,
        "moment_significance": spark.significance,
    }


def _due(book: ScriptBook, view: KeeperView) -> Spark | None:
    """The moment of the scene that the narrator is about to tell."""
    chosen = choose(book, Situation.of(book, view))
    return None if chosen.scene is None else book.script.chapters[view.chapter.id].scenes[chosen.scene].moment


def _extreme(line: PlayerLine, roll: int) -> Spark | None:
    """A natural 1 or 20 is a moment by itself: the player's words, and how it came out."""
    if roll not in (1, 20):
        return None
    words = line.quotation.rstrip(".!?…").split()
    quoted = f"“{' '.join(words[:6])}{'…' if len(words) > 6 else ''}”"
    ending = "against all odds" if roll == 20 else "and it failed badly"
    kind = "critical_success" if roll == 20 else "critical_failure"
    return Spark(type=kind, summary=f"{quoted} {ending}", significance=0.6)


def _not_yet(view: KeeperView, spark: Spark | None, player: str) -> Spark | None:
    """The moment with the player's name in it, unless it is among those already recorded."""
    if spark is None:
        return None
    summary = fill(spark.summary, player)
    if any(moment.summary == summary for moment in view.moments):
        return None
    return spark.model_copy(update={"summary": summary})


def _verdict(resolution: str, spark: Spark | None) -> str:
    return json.dumps(
        {
            "resolution": resolution,
            "moment_type": spark.type if spark else None,
            "moment_summary": spark.summary if spark else "",
            "moment_significance": spark.significance if spark else 0.5,
        },
        ensure_ascii=False,
    )
