"""What the player could do now, from what the script has a cue for and the last pages name."""

from __future__ import annotations

import re

from theact_tui.story.views import SuggestionView
from theact_tui.storyteller.book import ScriptBook, in_time

_THING = re.compile(
    r"\b(?:the|an?|his|her|its|your) ([a-z]{4,})(?=\s*$|\s*[^\w\s'’-]|\s(?:the|an?|and|or|but|of|in|on|at|by|to|up|from|"
    r"with|that|which|who|is|are|was|were|has|had|as|for|over|under|behind|beside|between|near|into|through|like|out|"
    r"off|down)\b)"
)
"""A noun after its article, and not what stands before another noun: `a punctual sea`."""

_NO_THINGS = frozenset(
    "back eyes face feet first ground hand hands last morning next night ones other others place rest same side sound "
    "thing things time voice word".split()
)


def suggest(book: ScriptBook, view: SuggestionView) -> str:
    """Three ideas, one a line; or one for the box, another one in each take of it."""
    made = _ideas(book, view)
    return made[(view.stage.take - 1) % len(made)] if view.kind == "draft" else "\n".join(made[:3])


def _ideas(book: ScriptBook, view: SuggestionView) -> list[str]:
    """About things that lead to the next beat first, then about other topics, then what always can be done."""
    things = _things(book, view)
    somebody = next((book.short(id) for id in view.present), "")
    ways = [
        "I take a closer look at the {thing}.",
        "I ask {somebody} about the {thing}.",
        "I try to find out more about the {thing}.",
    ]
    made = [
        way.format(thing=thing, somebody=somebody)
        for way, thing in zip(ways, things, strict=False)
        if somebody or "{somebody}" not in way
    ]
    made += ["I look around.", f"I ask {somebody} what to do next." if somebody else "I listen.", "I wait."]
    return list(dict.fromkeys(made))


def _things(book: ScriptBook, view: SuggestionView) -> list[str]:
    """Things named lately that a cue of the chapter fits, those of the next scene first."""
    told, beats = book.script.chapters[view.chapter], view.beats_hit
    text = " ".join(entry.text for turn in view.turns for entry in turn.told).lower()
    named = list(dict.fromkeys(thing for thing in _THING.findall(text) if thing not in _NO_THINGS))
    scene = [cue for scene in told.scenes[beats : beats + 1] for cue in scene.all_cues]
    topics = [cue for topic in told.topics if in_time(topic, beats) for cue in topic.cues]
    starts = [tuple(cue.rstrip(".") for cue in cues) for cues in (scene, topics)]
    return list(dict.fromkeys(thing for start in starts for thing in named if thing.startswith(start)))
