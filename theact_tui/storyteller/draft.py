"""The draft's part: a line for the player that leads to the next beat, made of its cues."""

from __future__ import annotations

from theact_tui.story.script import Scene
from theact_tui.story.views import DraftView
from theact_tui.storyteller.book import ScriptBook
from theact_tui.storyteller.stock import stock


def draft(book: ScriptBook, view: DraftView) -> str:
    """A line for the player; each take of it is another one, as far as there are any."""
    lines = [*_leading(book, view), *_plain(book, view)]
    return lines[(view.stage.take - 1) % len(lines)]


def _leading(book: ScriptBook, view: DraftView) -> list[str]:
    """Lines with cues of the next scene: deeds, and things that the player has read of."""
    scene = _next_scene(book, view)
    if scene is None:
        return []
    pages = " ".join(entry.text for turn in view.turns for entry in turn.entries).lower()
    read = {word.strip(".,;:!?\"'()“”’") for word in pages.split()}
    verbs = frozenset().union(*stock().verbs.values())
    cues = [cue.rstrip(".") for cue in scene.cues]
    seen = [f"I take a closer look at the {cue}." for cue in cues if cue in read and cue not in verbs]
    done = [f"I {cue}." for cue in cues if cue in stock().verbs["go"] | stock().verbs["wait"]]
    return [*seen, *done]


def _next_scene(book: ScriptBook, view: DraftView) -> Scene | None:
    scenes = book.script.chapters[view.chapter.id].scenes
    beats = zip(view.chapter.beats, scenes, strict=False)
    return next((scene for beat, scene in beats if beat not in view.beats_hit), None)


def _plain(book: ScriptBook, view: DraftView) -> list[str]:
    """Lines that fit any story."""
    asked = [f"I ask {book.short(name)} what we should do next." for name in view.present]
    return [*asked, "I look around.", "I wait and listen."]
