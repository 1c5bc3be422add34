"""The clerks of the rules: progress (S5.2), keeper and moments (S5.4)."""

from __future__ import annotations

import json
import re

from theact_tui.models.storyteller.book import Book, fill
from theact_tui.models.storyteller.choose import Scenery, choose
from theact_tui.models.storyteller.find import content_words
from theact_tui.models.storyteller.persons import deed
from theact_tui.models.storyteller.words import Action
from theact_tui.story.script import Spark
from theact_tui.story.turn import Turn
from theact_tui.story.views import KeeperView, ProgressView

CLEARLY_TOLD = 0.75
"""Share of a beat's words that a text of another narrator must hold to have told it."""
LEAST_TOLD = 40
"""Words from which a narration can have told a beat; what is only talk has fewer."""
_WON = {
    "fight": ("the blow lands", "you come out on top"), "go": ("you hold on", "you get there"),
    "talk": ("they listen", "your words arrive"), "look": ("you see it", "nothing escapes you"),
    "take": ("it is yours", "you get hold of it"),
}  # fmt: skip
_LOST = {
    "fight": ("you are driven back", "the blow goes wide"), "go": ("you lose your footing", "you get stuck"),
    "talk": ("nobody is convinced", "the words fall short"), "look": ("you miss it", "it stays hidden"),
    "take": ("it slips away", "it stays out of reach"),
}  # fmt: skip


def progress(book: Book, view: ProgressView) -> str:
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


def _beats(book: Book, view: ProgressView, turn: Turn) -> list[int]:
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
    open_beats = [index for index, beat in enumerate(view.chapter.beats) if beat not in view.beats_hit][:1]
    wanted = {index: content_words(view.chapter.beats[index]) for index in open_beats}
    return [
        i for i, words in wanted.items() if len(words) > 1 and len(words & text) / len(words) >= CLEARLY_TOLD
    ]


def keep(book: Book, view: KeeperView) -> str:
    """The keeper's raw reply: before the turn what the dice mean, after it whether it was a moment."""
    if view.turn is not None:
        telling = book.told_in(view.turn, view.stage.player.name)
        spark = getattr(telling.passage, "moment", None) if telling and telling.kind == "scene" else None
        return _verdict("nothing was left to chance", _not_yet(view, spark, view.stage.player.name))
    action = book.read(view.action, view.stage.player.name)
    roll = view.roll or 0
    won = roll >= view.difficulty
    tails = (_WON if won else _LOST).get(
        action.kind, ("it works", "you manage it") if won else ("it goes wrong", "you fail at it")
    )
    resolution = f"{roll} against {view.difficulty}: {book.dice(view.stage, 'keeper').choice(tails)}"
    spark = _due(book, view, action) or _extreme(action, roll, view.stage.player.name)
    return _verdict(resolution, _not_yet(view, spark, view.stage.player.name))


def _due(book: Book, view: KeeperView, action: Action) -> Spark | None:
    """The moment of the scene that the narrator is about to tell."""
    now = Scenery(
        stage=view.stage,
        chapter=view.chapter,
        beats_hit=view.beats_hit,
        turns_since_beat=view.turns_since_beat,
        last=view.last_turn,
        action=action,
    )
    chosen = choose(book, now)
    return None if chosen.scene is None else book.script.chapters[view.chapter.id].scenes[chosen.scene].moment


def _extreme(action: Action, roll: int, player: str) -> Spark | None:
    """A natural 1 or 20 is a moment by itself."""
    if roll not in (1, 20):
        return None
    told = re.sub(r"[“”:]", "", deed(action, player)).split()[:6]
    ending = "against all odds" if roll == 20 else "and failed badly"
    kind = "critical_success" if roll == 20 else "critical_failure"
    return Spark(type=kind, summary=f"{' '.join(told).rstrip('.,;!?…')} {ending}", significance=0.6)


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
