"""What a prompt of direct mode is about, as the offline storyteller reads it: its mood, its thing, who is in it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from theact_tui.models.storyteller.find import hits, sentences
from theact_tui.models.storyteller.names import called, mentions
from theact_tui.models.storyteller.verbs import MORE_VERBS, PAST, base, plain_form

Cues = tuple[str, ...]
_MOODS: Mapping[str, Cues] = {
    "danger": (
        "attack", "blood", "knife", "gun", "shot", "shoot", "scream", "fire", "flood", "collaps", "crack", "chase",
        "charge", "teeth", "claw", "snarl", "threat", "drown", "falls", "falling", "kill", "explo", "alarm", "strik",
        "shatter", "gives way", "give way", "snap", "slip", "burn", "crash", "break", "tears", "run for", "sink",
        "storm", "bleed", "wound", "poison", "trap", "grab",
    ),
    "find": (
        "find", "found", "discover", "key", "letter", "map", "hidden", "box", "carv", "chalk", "symbol", "footprint",
        "note", "lies on", "glint", "trace", "mark", "door", "hole", "book", "picture",
    ),
    "person": (
        "says", "asks", "stranger", "arriv", "enter", "voice", "stands in", "steps out", "waits for", "man.", "woman",
        "child", "calls", "holds out", "comes in", "looks at you", "buyer", "guard", "figure", "smil",
    ),
    "quiet": ("silence", "quiet", "rain", "dark", "wait", "sleep", "night", "calm", "empty", "fog", "snow", "wind"),
}  # fmt: skip
_PEOPLE = frozenset(
    """woman man girl boy child stranger buyer guard figure voice soldier captain officer clerk woman's man's sailor
    keeper priest king queen merchant thief old messenger doctor nurse""".split()
)
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]|(?<=says: ).*|(?<=asks: ).*")
_THING = re.compile(r"(?:\b([a-z]+) )?\b(the|an?) ([a-z]{3,})(?: ([a-z]{3,}))?(?: ([a-z]{3,}))?", re.I)
_NO_THING = frozenset(
    """moment time way side end middle rest top bottom front back same other first second third last next only whole one
    few little lot kind sort bit while day night morning evening ground air hundred name three two four five""".split()
)
_BEFORE = frozenset(
    """in of on for with behind from under at by into onto above below inside beside near across through towards toward to
    over beneath around along against""".split()
)
_BETWEEN = _BEFORE | frozenset(
    """and that which who where when while before after for but then than still just now has had have was is were are
    can could will would does did has goes not twice once again you your out up down off as""".split()
)


@dataclass(frozen=True, slots=True)
class Scene:
    """One prompt, read."""

    mood: str
    """`danger`, `find`, `person`, `quiet` or `other`."""
    thing: str
    """What it is mostly about, with its article; empty when it speaks of no thing."""
    facts: tuple[str, ...]
    questions: tuple[str, ...]
    others: tuple[str, ...]
    """Others of the cast who are named in it and not spoken to."""

    @property
    def about_a_person(self) -> bool:
        """True if the thing is somebody."""
        return self.thing.removeprefix("the ") in _PEOPLE


def read(prompt: str, name: str, cast: Sequence[str]) -> Scene:
    """The scene of a prompt to `name`. `cast` holds everybody's names."""
    lines = [called(line, cast)[0].strip() for line in sentences(prompt)]
    told = [line for line in lines if not line.endswith("?")]
    mood = _mood(prompt)
    thing = _thing(told) or _thing(lines)
    others = tuple(other for other in cast if other != name and mentions(" ".join(lines), other))
    scene = Scene(mood, thing, tuple(told), tuple(line for line in lines if line.endswith("?")), others)
    return Scene("person", *_rest(scene)) if scene.about_a_person and mood != "danger" else scene


def _rest(scene: Scene) -> tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return scene.thing, scene.facts, scene.questions, scene.others


def _mood(prompt: str) -> str:
    """What the game master's words are mostly about; what is dangerous comes first."""
    scores = {mood: hits(cues, prompt) for mood, cues in _MOODS.items()}
    best = max(scores, key=lambda mood: scores[mood] + (8 if mood == "danger" and scores[mood] else 0))
    return best if scores[best] else "other"


def _thing(lines: Sequence[str]) -> str:
    """What the lines speak of last: what is new before what is known, what acts before where it is."""
    found: list[tuple[int, str]] = []
    for line in lines:
        for match in _THING.finditer(_QUOTED.sub("", line)):
            noun = _noun([word.lower() for word in match.group(3, 4, 5) if word])
            if noun and noun not in _NO_THING:
                aside = (match[1] or "").lower() in _BEFORE
                found.append((2 * (not aside) + (match[2].lower() != "the" and not aside), noun))
    if not found:
        return ""
    best = max(rank for rank, _ in found)
    return f"the {[noun for rank, noun in found if rank == best][-1]}"


def _noun(words: Sequence[str]) -> str:
    """The noun among the words after an article: the last before a verb or a small word."""
    noun = ""
    for word in words:
        if noun and (word in _BETWEEN or _is_verb(word)):
            break
        noun = word
    return noun


def _is_verb(word: str) -> bool:
    plain = plain_form(word)
    return (
        base(word) is not None
        or word in PAST
        or plain in MORE_VERBS
        or word.endswith(("ed", "ing", "ly", "ows"))
    )
