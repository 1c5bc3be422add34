"""Lines the player could send now, about what the last pages name and what the script has a cue for."""

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
PAGES = 2
"""Turns whose things are offered."""
_NO_THINGS = frozenset(
    "arms back eyes face feet fingers first ground half hand hands last little morning next night ones other others "
    "place rest same side sound tenth thing things time voice whole word".split()
)


def suggest(book: ScriptBook, view: SuggestionView) -> str:
    """Three lines, one below the other, the one that leads to the next beat first."""
    people = [book.short(id) for id in view.present]
    leading, others = _things(book, view)
    made = [f"I take a closer look at the {thing}." for thing in leading[:1]]
    made += [f"I ask {somebody} what to do next." for somebody in people[:1] if not leading]
    ways = ["I ask {somebody} about the {thing}.", "I try to find out more about the {thing}."]
    left = iter([*leading[1:], *others])
    for way in ways if people else ways[1:]:
        if thing := next(left, ""):
            made.append(way.format(thing=thing, somebody=people[len(made) % len(people)] if people else ""))
    made += [f"I ask {somebody} what happened." for somebody in people[::-1]]
    made += [f"I take a closer look at the {thing}." for thing in left]
    if not people and view.turns:  # who walked off
        made += [f"I go back to {book.short(id)}." for id in book.pack.chapters[view.chapter].opening_cast]
    made += ["I look around.", "I listen.", "I wait."]
    return "\n".join(list(dict.fromkeys(made))[:3])


def _things(book: ScriptBook, view: SuggestionView) -> tuple[list[str], list[str]]:
    """Things named on the last pages: those that a cue of the next scene fits; then the others, those of a topic first and
    the newest before older ones."""
    told, beats = book.script.chapters[view.chapter], view.beats_hit
    texts = [entry.text for turn in reversed(view.turns[-PAGES:]) for entry in turn.told]
    named = dict.fromkeys(thing for text in texts for thing in _THING.findall(text.lower()))
    scene = [cue for scene in told.scenes[beats : beats + 1] for cue in scene.all_cues]
    topics = [cue for topic in told.topics if in_time(topic, beats) for cue in topic.cues]
    starts, about = (tuple(cue.rstrip(".") for cue in cues) for cues in (scene, topics))
    things = [thing for thing in named if thing not in _NO_THINGS]
    leading = [thing for thing in things if thing.startswith(starts)]
    others = sorted(
        (thing for thing in things if thing not in leading), key=lambda t: not t.startswith(about)
    )
    return leading, others
