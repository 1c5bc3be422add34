"""The offline storyteller in direct mode (D7): an actor that answers from who it is and from what was just told.

Pure functions of a view. The lock is made in `direct_lock`, notes in `direct_notes`, the chapter in `direct_prose`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from theact_tui.models.storyteller.direct_lock import lock
from theact_tui.models.storyteller.direct_notes import note
from theact_tui.models.storyteller.direct_prose import write
from theact_tui.models.storyteller.direct_words import LABEL, parts_of
from theact_tui.models.storyteller.find import flat, hits, sentences
from theact_tui.models.storyteller.persons import in_own_voice
from theact_tui.models.storyteller.plain import capital, ended
from theact_tui.models.storyteller.verbs import PAST, base, plain_form
from theact_tui.story.direct.views import ActorView

_HIDDEN = re.compile(
    r"\b(?:secret|secretly|hides?|hidden|nobody knows|no one knows|conceals?|pretends?|lies about)\b", re.I
)
_LIMIT = re.compile(r"\b(?:never|cannot|can't|can not|will not|won't|refuses?|must not|unable|taboo)\b", re.I)
_HEART = re.compile(
    r"\b(?:wants?|hopes?|seeks?|looking for|searching|needs?|loves?|fears?|afraid|dreads?|hates?|misses|remembers?|lost"
    r"|believes?|trusts?|distrusts?)\b",
    re.I,
)
_QUOTED = re.compile(r"[\"“][^\"”]*[\"”]")
_THING = re.compile(r"\b(?:the|an?) ([a-z]{3,})(?: ([a-z]{3,}))?", re.I)
_NO_THING = frozenset(
    """moment time way side end middle rest top bottom front back same other first second last next only whole one few
    little lot kind sort bit while day night morning evening ground air hundred""".split()
)
_BETWEEN = frozenset(
    """with and that which who where when while from into onto under over above below behind before after through across
    along around near for but then than still just now has had have was were are can could will would does did""".split()
)

Cues = tuple[str, ...]
_MOODS: Mapping[str, Cues] = {
    "danger": (
        "attack", "blood", "knife", "gun", "shot", "scream", "fire", "flood", "collapse", "crack", "chase", "charge",
        "teeth", "claw", "snarl", "threat", "drown", "fall", "kill", "explo", "alarm", "strike", "shatter",
    ),
    "find": (
        "find", "found", "discover", "key", "letter", "map", "hidden", "box", "carv", "door", "symbol", "footprint",
        "note", "lies on", "glint", "trace", "mark",
    ),
    "person": (
        "says", "asks", "stranger", "arriv", "enter", "voice", "stands in", "steps out", "waits for", "man", "woman",
        "child",
    ),
    "quiet": ("silence", "quiet", "still", "rain", "dark", "wait", "sleep", "night", "calm", "empty", "fog", "snow"),
}  # fmt: skip
_TAKES: Mapping[str, tuple[str, ...]] = {
    "danger": (
        "I throw myself between {thing} and whoever is nearest, and brace for what comes.",
        "Everything in me says run. I try to get hold of something solid instead, and keep {thing} in front of me.",
        "I do not think. I go low, and try to get past {thing} before it decides about me.",
        "My hands are faster than I am: I try to pull the others back from {thing}.",
    ),
    "find": (
        "I crouch beside {thing} and try to make out what it has to tell, without laying a finger on it yet.",
        "I turn the light on {thing} and go over it slowly, the way one reads a hand.",
        "I reach for {thing}, and stop just short of it. Then I try, carefully, to see whether it moves.",
        "I walk once around {thing}. Somebody left it like this; I try to work out how long ago.",
    ),
    "person": (
        "I keep my hands where they can be seen and take one step, no more.",
        "I look at the face first and at the words second, and try to hear what is being left out.",
        "I stand a little to the side, where I can see the door as well.",
        "I let the quiet go on a breath longer than is polite, to see what it brings out.",
    ),
    "quiet": (
        "I listen until the listening itself has a sound, and try to put a place to each small noise.",
        "I count my breaths, up to ten, and keep {thing} at the edge of my eye.",
        "I draw my coat closer and try to find the spot from which one sees the most.",
        "I stay where I am. Sooner or later {thing} will have to show what it is.",
    ),
    "other": (
        "I take a moment with {thing}, and try to see it as somebody would who did not know me.",
        "I go a step nearer to {thing} and try what happens when I do the plain thing.",
        "I do what is in front of me: I see to {thing}, and try to make no more of it than it is.",
        "I roll my shoulders loose and try to get a better look at {thing}.",
    ),
}
_SAID = (
    "I say, more to myself than to anyone",
    "I say",
    "I answer, quietly",
    "I tell them",
    "I say, and mean it",
)
_PLAIN = (
    "Give me a moment",
    "I have seen worse",
    "One thing at a time",
    "Somebody should say it",
    "Not like this",
    "We can still do this properly",
)
_TO_OTHER = (
    "{other} has a point, and I say so with a nod.",
    "I catch {other}'s eye, to see whether we are thinking the same.",
    "“Stay close, {other},” I add.",
    "I wait half a heartbeat, in case {other} sees something that I do not.",
)
_ASKING = (
    "“What exactly are we looking at?” I ask.",
    "“How far is it, and who else knows?” I ask.",
    "“Before I do anything,” I ask, “what happens if I am wrong?”",
    "“Is there another way?” I ask.",
)


def act(view: ActorView) -> str:
    """The reply of one actor: a reaction, something of its own, an attempt; never an outcome."""
    dice = random.Random(f"{view.cast.session_id}/{view.index}/{view.slot}")
    said = [
        flat(reply.text)
        for exchange in view.recent
        for reply in exchange.replies
        if reply.agent_slot == view.slot
    ]
    thing = _thing(view.prompt)
    attempts = [text for text in _TAKES[_mood(view.prompt)] if thing or "{thing}" not in text] or list(
        _TAKES["person"]
    )
    attempt = _fresh(dice, [text.format(thing=thing) for text in attempts], said)
    own = _fresh(dice, _own_lines(view), said)
    speech = f"“{own.rstrip('.')},” {dice.choice(_SAID)}." if own else ""
    paragraphs = [attempt, speech or f"“{_fresh(dice, _PLAIN, said)},” {dice.choice(_SAID)}."]
    if "?" in _QUOTED.sub("", view.prompt) or len(view.prompt.split()) < 5:
        paragraphs.append(_fresh(dice, _ASKING, said))
    elif other := _other(view):
        paragraphs[0] += " " + _fresh(dice, [text.format(other=other) for text in _TO_OTHER], said)
    return "\n\n".join(paragraphs)


def _fresh(dice: random.Random, lines: Sequence[str], said: Sequence[str]) -> str:
    """One of the lines, one that was not said lately if there is such a one; empty when there are none."""
    new = [line for line in lines if not any(flat(line.rstrip(".")) in before for before in said)]
    return dice.choice(new or lines) if lines else ""


def _mood(prompt: str) -> str:
    """What the game master's words are mostly about."""
    scores = {mood: hits(cues, prompt) for mood, cues in _MOODS.items()}
    best = max(scores, key=lambda mood: scores[mood])
    return best if scores[best] else "other"


def _thing(prompt: str) -> str:
    """The thing the prompt speaks of last, with its article: `the bell`."""
    found = [
        _noun(match[1].lower(), (match[2] or "").lower())
        for match in _THING.finditer(_QUOTED.sub("", prompt))
    ]
    usable = [noun for noun in found if noun not in _NO_THING]
    return f"the {usable[-1]}" if usable else ""


def _noun(first: str, second: str) -> str:
    """Which of the two words after an article is the noun."""
    is_verb = base(second) is not None or second in PAST or second.endswith(("ed", "ing", "ly"))
    return first if not second or second in _BETWEEN or is_verb else second


def _own_lines(view: ActorView) -> list[str]:
    """What the character may say of itself: its wishes and fears first, its secrets never."""
    others = [name for slot, name in view.cast.names.items() if slot != view.slot]
    parts = [part for part in parts_of(view.identity) if not part.lower().startswith("secret")]
    open_lines = [
        line
        for part in parts
        for line in sentences(LABEL.sub(r"\2", part))
        if not _HIDDEN.search(line) and 3 <= len(line.split()) <= 24
    ]
    hearts = [line for line in open_lines if _HEART.search(line) or _LIMIT.search(line)]
    return [capital(ended(_mine(line, view.name, others))) for line in hearts or open_lines]


def _mine(line: str, name: str, others: Sequence[str]) -> str:
    """A line of an identity, whoever it was written to, in the first person."""
    if re.match(r"(?:you|your)\b", line, re.I):
        line = re.sub(r"\byou are\b|\byou're\b", "I am", line, flags=re.I)
        line = re.sub(r"\byourself\b", "myself", line, flags=re.I)
        line = re.sub(r"\byour\b", "my", line, flags=re.I)
        return re.sub(r"\byou\b", "I", line, flags=re.I)
    line = re.sub(r"^(?:She|He|They)\b", name, line)
    line = in_own_voice(line, name, others)
    line = re.sub(r"\bmy (?=(?:where|what|how|when|who|why|that|to)\b)", "me ", line)
    return re.sub(r"\b((?:I (?:never|always|often|only|also|still)|and|but) )(\w+s)\b", _agreeing, line)


def _agreeing(match: re.Match[str]) -> str:
    """A verb that stands further from its I: `I sing and has` becomes `I sing and have`."""
    verb = match[2]
    if verb in ("has", "is", "does"):
        return match[1] + {"has": "have", "is": "am", "does": "do"}[verb]
    is_verb = base(verb) is not None or _HEART.fullmatch(verb) or not match[1].startswith(("and", "but"))
    return match[1] + (base(verb) or plain_form(verb)) if is_verb else match[0]


def _other(view: ActorView) -> str:
    """Who spoke last, if it was somebody else."""
    last = next((reply for exchange in reversed(view.recent) for reply in reversed(exchange.replies)), None)
    if last is None or last.agent_slot in (None, view.slot):
        return ""
    return view.cast.names.get(last.agent_slot or 0, "")


DIRECT: Mapping[str, Callable[[Any], str]] = {"lock": lock, "actor": act, "delta": note, "chapter": write}
"""What answers for each agent of direct mode: from its view alone to its raw reply."""
